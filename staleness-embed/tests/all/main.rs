//! Tests of the embedder on a tiny model and on damaged ones; empty without the feature `local`.

#![cfg(feature = "local")]

mod damaged;
mod local;
mod tiny;
