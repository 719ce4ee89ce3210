//! Tests of what a registry does on any store, with the stores and generators of the conformance suite.

mod copying;
mod front_page;
mod prompts;
mod transfer;
