//! The nouns of the agent store.

pub mod entity;
pub mod agent_entity;
pub mod message;
pub mod report;
pub mod change_set;
pub mod change_item;
pub mod link;
pub mod source;
pub mod checkpoint;
pub mod subscription;
pub mod feed_position;
pub mod outdated;
pub mod wake_queue;
pub mod wake_tally;
pub mod timer;
pub mod breaker;
pub mod wake_run;
pub mod wake_request;
pub mod provider_state;
pub mod model_setting;
pub mod model_call;
pub mod spend;
pub mod log_line;
pub mod saga;
pub mod raw;
