#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| staleness_fuzz::sqlite_cells::run(data));
