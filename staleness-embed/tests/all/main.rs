//! Tests of the embedder on a tiny model and on damaged ones.

mod damaged;
mod local;
mod tiny;
