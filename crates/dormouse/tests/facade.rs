//! What the facade promises, at its boundary: a store in memory, a clock that
//! does not advance, a model that answers from a script.

mod world;

mod cases {
    mod access;
    mod as_of;
    mod attention;
    mod awake;
    mod bounded;
    mod controls;
    mod damage;
    mod damaged_json;
    mod dates;
    mod exporting;
    mod files;
    mod importing;
    mod inspecting;
    mod line;
    mod listing;
    mod models;
    mod own_exports;
    mod lost_store;
    mod own_models;
    mod probing;
    mod problems;
    mod provider_question;
    mod reads;
    mod repeating;
    mod repeating_work;
    mod sample;
    mod scopes;
    mod searching;
    mod serving;
    mod spending;
    mod staleness;
    mod telling;
    mod template_metrics;
    mod tools_page;
    mod history;
    mod verdicts;
    mod work_log;
    mod work_reading;
    mod work_repeats;
    mod work_templates;
}
