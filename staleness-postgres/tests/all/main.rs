//! Tests of what is special to Postgres; what every backend promises is in `conformance.rs`.

mod decode;
mod encryption;
mod failures;
mod isolation;
mod load;
mod rough_road;
mod standby;
mod steps;
mod support;
