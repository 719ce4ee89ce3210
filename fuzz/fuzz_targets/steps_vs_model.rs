#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| staleness_fuzz::steps_vs_model::run(data));
