//! Files of older formats, as the fixtures write them down.

#![allow(dead_code, unreachable_pub, reason = "each test target uses a part")]

use std::fs;
use std::path::Path;

use redb::{Database, ReadableTable, TableDefinition};

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("staleness");

/// The bytes of a file: its length, and at which offset which bytes begin.
pub fn bytes_of(text: &str) -> Vec<u8> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let length = lines.next().unwrap().parse().unwrap();
    let byte = |digits: &str| u8::from_str_radix(digits, 16).unwrap();
    let mut bytes = vec![0; length];
    for line in lines {
        let (offset, run) = line.split_once(' ').unwrap();
        let offset: usize = offset.parse().unwrap();
        let run: Vec<u8> = match run.split_once('*') {
            Some((filler, count)) => vec![byte(filler); count.parse().unwrap()],
            None => (0..run.len() / 2).map(|at| byte(&run[2 * at..2 * at + 2])).collect(),
        };
        bytes[offset..offset + run.len()].copy_from_slice(&run);
    }
    bytes
}

/// The format that a store says it has.
pub fn format_of(path: &Path) -> u64 {
    // Opening it would change it.
    let copy = path.with_extension("copy");
    fs::copy(path, &copy).unwrap();
    let db = Database::open(&copy).unwrap();
    let tx = db.begin_write().unwrap();
    let meta = tx.open_table(META).unwrap();
    let format = meta.get("format").unwrap().map(|value| value.value());
    format.unwrap()
}
