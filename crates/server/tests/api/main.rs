//! Requests and answers as they go over the wire.

mod access;
mod agents;
mod change_sets;
mod client;
mod contract;
mod conversations;
mod dates;
mod exports;
mod imports;
mod lists;
mod live;
mod models;
mod openapi;
mod hardening;
mod hooks;
mod problems;
mod scopes;
mod site;
mod task_links;
mod time_zone;
mod tasks;
mod evolution;
mod templates;
mod rules;
mod work;
mod world;
