//! Tests of the suite itself and of what core does through any store.

mod broken;
mod catches;
mod copying;
mod prompts;
mod transfer;
