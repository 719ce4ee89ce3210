//! Whole trees of client files, and payloads as clients send them.

mod claude;
mod clients;
mod hooks;
mod permits;
mod plugins;
mod random;
mod skipped;
mod strict;
mod traps;
mod tree;
