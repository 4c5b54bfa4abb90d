//! The store's promises, each stated once and tested against every engine.
//!
//! A test case takes a `World` and knows no engine; `each_engine!` makes one test of it per engine,
//! so a further engine is one line there. What only files can show is in the `folder` cases, what
//! only a server can in `schemas`, `nodes` and `cuts`.

#[macro_use]
mod world;

mod cases {
    mod batch;
    mod change_items;
    mod change_log;
    mod changed_documents;
    mod commits;
    mod conversations;
    mod cuts;
    mod damage;
    mod feed_position;
    mod fence;
    mod folder;
    mod identity;
    mod label_tasks;
    mod lost_pages;
    mod lost_schemas;
    mod later_tries;
    mod links;
    mod log_lines;
    mod many_works;
    mod nodes;
    mod plans;
    mod receipts;
    mod reports_of_outcome;
    mod round_trip_agent;
    mod round_trip_journal;
    mod runs;
    mod sagas;
    mod schemas;
    mod search;
    mod spend;
    mod stored_words;
    mod subscriptions;
    mod task_links;
    mod task_list;
    mod template_metrics;
    mod unknown_rows;
    mod timers;
    mod tokens;
    mod wake_queue;
    mod work_statuses;
}
