//! Model directories in which something is wrong: bytes, numbers and ends of their files. `PROPTEST_CASES` says how
//! many are tried.

use std::fs;

use crate::tiny::{TOKENIZER, tiny};
use proptest::prelude::*;
use staleness_core::embed::EmbedError;
use staleness_embed::{Embedder, LocalEmbedder};

const FILES: [&str; 6] = [
    "config.json",
    "tokenizer.json",
    "modules.json",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "model.safetensors",
];
const VALUES: [&str; 13] = [
    "\"\u{202e}moon\"",
    "0",
    "1",
    "2",
    "3",
    "17",
    "-1",
    "4294967295",
    "18446744073709551615",
    "1e308",
    "null",
    "\"\\u001b[2J\"",
    "[]",
];

/// A change that damages a file.
#[derive(Clone, Debug)]
enum Damage {
    /// One of its numbers is another value.
    Number(usize, usize),
    /// It ends early.
    End(usize),
    /// A byte is another one.
    Byte(usize, u8),
    /// A part of it is missing.
    Gap(usize, usize),
    /// A part stands there twice.
    Twice(usize, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        4 => (any::<usize>(), 0..VALUES.len()).prop_map(|(at, value)| Damage::Number(at, value)),
        1 => any::<usize>().prop_map(Damage::End),
        2 => (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        1 => (any::<usize>(), 1_usize..40).prop_map(|(at, length)| Damage::Gap(at, length)),
        1 => (any::<usize>(), 1_usize..40).prop_map(|(at, length)| Damage::Twice(at, length)),
    ]
}

/// Returns the ranges of bytes that are numbers.
fn numbers(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut all: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| byte.is_ascii_digit()) {
        match all.last_mut() {
            Some(last) if last.end == at => last.end += 1,
            _ => all.push(at..at + 1),
        }
    }
    all
}

fn apply(damage: &Damage, bytes: &mut Vec<u8>) {
    let length = bytes.len().max(1);
    match *damage {
        Damage::Number(at, value) => {
            let all = numbers(bytes);
            if let Some(place) = all.get(at % all.len().max(1)) {
                bytes.splice(place.clone(), VALUES[value].bytes());
            }
        }
        Damage::End(at) => bytes.truncate(at % length),
        Damage::Byte(at, byte) => {
            bytes.iter_mut().skip(at % length).take(1).for_each(|b| *b = byte)
        }
        Damage::Gap(at, many) => {
            let (from, to) = (at % length, (at % length + many).min(bytes.len()));
            bytes.drain(from.min(to)..to);
        }
        Damage::Twice(at, many) => {
            let (from, to) = (at % length, (at % length + many).min(bytes.len()));
            let part = bytes[from.min(to)..to].to_vec();
            bytes.splice(to..to, part);
        }
    }
}

/// Says one line, of bounded length, that a terminal shows as it is.
fn is_plain(why: &EmbedError, folder: &std::path::Path) -> bool {
    let told = why.to_string();
    let bound = folder.as_os_str().len() + 400;
    !told.is_empty()
        && told.len() < bound
        && !told.contains(|c: char| c.is_control() || c == '\u{202e}')
}

proptest! {
    #[test]
    fn whatever_is_damaged_is_refused_in_a_line_or_gives_vectors_of_length_one(
        damages in prop::collection::vec((0..FILES.len(), damage()), 1..4),
    ) {
        let (_dir, folder) = tiny();
        fs::write(folder.join("modules.json"), r#"[{"idx": 0, "type": "a.models.Transformer"}]"#).unwrap();
        // A table of 256 units, all of them without a way on.
        let table = format!("AAQA{}", "A".repeat(1368));
        let lower = r#"{"type": "Lowercase"}"#;
        let tokenizer = TOKENIZER.replace(lower, &format!(
            r#"{{"type": "Sequence", "normalizers": [{lower}, {{"type": "Precompiled", "precompiled_charsmap": "{table}"}}]}}"#,
        ));
        fs::write(folder.join("tokenizer.json"), tokenizer).unwrap();
        let pooling = r#"{"word_embedding_dimension": 8, "pooling_mode_mean_tokens": true}"#;
        fs::write(folder.join("1_Pooling/config.json"), pooling).unwrap();
        fs::write(folder.join("sentence_bert_config.json"), r#"{"max_seq_length": 16}"#).unwrap();
        for (file, damage) in &damages {
            let path = folder.join(FILES[*file]);
            let mut bytes = fs::read(&path).unwrap();
            apply(damage, &mut bytes);
            fs::write(&path, bytes).unwrap();
        }
        match LocalEmbedder::open(&folder) {
            Err(why) => {
                prop_assert!(is_plain(&why, &folder), "{why:?}");
                let told = why.to_string();
                prop_assert!(FILES.iter().any(|file| told.contains(file)), "{}", told);
            }
            Ok(embedder) => match embedder.embed(&["bake a cake", "open the file ".repeat(50).as_str()]) {
                Err(why) => prop_assert!(is_plain(&why, &folder), "{why:?}"),
                Ok(vectors) => for vector in vectors {
                    let length = vector.numbers().map(|number| number * number).sum::<f64>().sqrt();
                    prop_assert!((length - 1.0).abs() < 1e-4, "{}", length);
                },
            },
        }
    }
}
