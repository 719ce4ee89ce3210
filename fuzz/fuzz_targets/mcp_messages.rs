#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| staleness_fuzz::mcp_messages::run(data));
