//! The program from end to end: the real binary on machines of its own.

mod advice;
mod agents;
mod approvals;
mod asking;
#[cfg(feature = "redb")]
mod both_backends;
mod by_hand;
mod causes;
mod check;
mod check_blind;
mod check_documents;
mod check_fix;
mod check_formats;
mod check_hostile;
mod check_impact;
#[cfg(target_os = "linux")]
mod check_limits;
mod check_markups;
mod check_superseded;
mod check_text;
mod ci;
mod claims;
mod claims_race;
mod common;
mod contexts;
mod copying;
mod corpus;
mod damage;
#[cfg(all(unix, feature = "mcp"))]
mod decided;
mod definitions;
mod doctor;
#[cfg(unix)]
mod edits;
mod embedder;
mod environment;
mod errors;
mod explained;
mod for_whom;
mod forgotten;
mod glance;
mod hook;
mod hook_clients;
mod hook_ranked;
mod hook_reading;
mod hook_spool;
mod hook_trouble;
mod install;
mod install_files;
mod install_killed;
mod install_runs;
mod invented;
mod journey;
mod json;
mod json_schema;
mod knowledge;
mod knowledge_clash;
mod knowledge_dry;
mod knowledge_evidence;
mod knowledge_files;
mod limits;
mod links;
mod loaded;
mod lock;
mod lock_secrets;
#[cfg(unix)]
mod lsp;
mod model_names;
mod moving;
mod moving_databases;
mod moving_losses;
mod network;
mod no_verdict;
#[cfg(unix)]
mod one_id;
mod others;
#[cfg(unix)]
mod page;
mod planted;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_places;
#[cfg(feature = "postgres")]
#[path = "../../../staleness-postgres/tests/all/support/server.rs"]
mod postgres_server;
#[cfg(feature = "postgres")]
#[path = "../../../staleness-postgres/tests/all/support/sql.rs"]
mod postgres_sql;
#[cfg(feature = "http")]
mod probe_http;
mod projects;
mod remembered;
mod repo;
mod routes;
mod sarif_schema;
mod screen;
mod secrets;
mod sessions;
mod store_trouble;
mod suggesting;
mod taken_back;
mod told;
mod told_definitions;
mod transfer;
#[cfg(all(unix, feature = "mcp"))]
mod twins;
mod two_at_once;
mod unused;
mod upkeep;
mod upkeep_old;
#[cfg(unix)]
#[cfg(all(unix, feature = "watch"))]
mod watch;
mod week;
mod whose;
mod work;
