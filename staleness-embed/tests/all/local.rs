//! Sentence transformers from a folder: a tiny one that is made here, and the real one where
//! `STALENESS_TEST_MODEL` names its folder.

use std::fs;
use std::path::Path;

use crate::tiny::{CONFIG, TOKENIZER, tiny, weights};
use candle_core::{DType, Device, Tensor};
use staleness_core::route::Vector;
use staleness_embed::{EmbedError, Embedder, LocalEmbedder};

fn close(a: &Vector, b: &Vector) -> bool {
    a.numbers().zip(b.numbers()).all(|(a, b)| (a - b).abs() < 1e-5)
}

fn length(vector: &Vector) -> f64 {
    vector.numbers().map(|number| number * number).sum::<f64>().sqrt()
}

#[test]
fn texts_get_vectors_of_length_one_in_their_order_whatever_stands_beside_them() {
    let (_dir, folder) = tiny();
    let embedder = LocalEmbedder::open(&folder).unwrap();
    assert_eq!(embedder.dimensions(), 8);
    assert!(embedder.model().as_str().starts_with("tiny@"), "{}", embedder.model());
    let texts = ["bake a cake", "find the file", "open", "find the file", "bake cake a"];
    let all = embedder.embed(&texts).unwrap();
    assert_eq!(all.len(), texts.len());
    for (text, vector) in texts.iter().zip(&all) {
        assert!((length(vector) - 1.0).abs() < 1e-5);
        assert!(close(vector, &embedder.embed_one(text).unwrap()), "{text}");
    }
    assert!(close(&all[1], &all[3]));
    assert!(!close(&all[0], &all[1]) && !close(&all[0], &all[4]), "order of words counts");
    assert!(embedder.embed(&[]).unwrap().is_empty());
}

#[test]
fn more_texts_than_go_together_keep_their_order() {
    let (_dir, folder) = tiny();
    let embedder = LocalEmbedder::open(&folder).unwrap();
    let words = ["find", "the", "file", "bake", "a", "cake", "open", "issue"];
    let texts: Vec<String> = (0..80)
        .map(|at| {
            words[at % 8..].iter().chain(&words[..at % 5]).copied().collect::<Vec<_>>().join(" ")
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (text, vector) in texts.iter().zip(embedder.embed(&texts).unwrap()) {
        assert!(close(&vector, &embedder.embed_one(text).unwrap()), "{text}");
    }
}

#[test]
fn a_text_without_a_word_is_refused_and_a_long_one_is_cut() {
    let (_dir, folder) = tiny();
    let embedder = LocalEmbedder::open(&folder).unwrap();
    assert_eq!(embedder.embed(&["open", " \n"]).unwrap_err(), EmbedError::Empty(1));
    let long = "bake a cake ".repeat(100_000);
    let longer = format!("{long} find the file");
    assert!(close(&embedder.embed_one(&long).unwrap(), &embedder.embed_one(&longer).unwrap()));
}

#[test]
fn the_first_token_is_taken_where_the_folder_says_so() {
    let (_dir, folder) = tiny();
    let before = LocalEmbedder::open(&folder).unwrap();
    let mean = before.embed_one("bake a cake").unwrap();
    let pooling = r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#;
    fs::write(folder.join("1_Pooling/config.json"), pooling).unwrap();
    let after = LocalEmbedder::open(&folder).unwrap();
    assert!(!close(&mean, &after.embed_one("bake a cake").unwrap()));
    assert_ne!(before.model(), after.model(), "vectors of one id are compared");
}

#[test]
fn another_model_in_a_folder_of_the_same_name_is_another_model() {
    let (_dir, folder) = tiny();
    let one = LocalEmbedder::open(&folder).unwrap().model().clone();
    let mut other = weights();
    let bias = "embeddings.LayerNorm.bias".to_owned();
    other.insert(bias, Tensor::zeros(8, DType::F32, &Device::Cpu).unwrap());
    candle_core::safetensors::save(&other, folder.join("model.safetensors")).unwrap();
    assert_ne!(*LocalEmbedder::open(&folder).unwrap().model(), one);
}

fn refusal(folder: &Path) -> String {
    LocalEmbedder::open(folder).unwrap_err().to_string()
}

#[test]
fn a_model_directory_that_is_missing_a_file_names_it() {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let (_dir, folder) = tiny();
        fs::remove_file(folder.join(name)).unwrap();
        let told = refusal(&folder);
        assert!(told.contains(name) && told.contains("missing"), "{told}");
    }
    let (_dir, folder) = tiny();
    assert!(refusal(&folder.join("none")).contains("config.json"));
}

/// A pickle that runs `touch` on a file when Python reads it.
fn pickle(marker: &Path) -> Vec<u8> {
    format!("cposix\nsystem\n(S'touch {}'\ntR.", marker.display()).into_bytes()
}

#[test]
fn nothing_in_a_model_directory_is_run() {
    let (dir, folder) = tiny();
    let before = LocalEmbedder::open(&folder).unwrap().embed_one("bake a cake").unwrap();
    let marker = dir.path().join("was-run");
    let touch = format!("#!/bin/sh\ntouch {}\n", marker.display());
    for name in ["modeling.py", "hubconf.py", "tokenizer.sh"] {
        fs::write(folder.join(name), &touch).unwrap();
        let all = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(folder.join(name), all).unwrap();
    }
    fs::write(folder.join("pytorch_model.bin"), pickle(&marker)).unwrap();
    let map = r#"{"auto_map": {"AutoModel": "modeling.BertModel"}, "model_type""#;
    fs::write(folder.join("config.json"), CONFIG.replacen(r#"{"model_type""#, map, 1)).unwrap();
    let after = LocalEmbedder::open(&folder).unwrap().embed_one("bake a cake").unwrap();
    assert!(close(&before, &after), "what lies beside the weights changes nothing");
    // Nor is it run where there are no other weights, or it stands in their place.
    fs::remove_file(folder.join("model.safetensors")).unwrap();
    assert!(refusal(&folder).contains("model.safetensors"));
    fs::write(folder.join("model.safetensors"), pickle(&marker)).unwrap();
    assert!(refusal(&folder).contains("model.safetensors"));
    assert!(!marker.exists());
}

/// A pipe would be waited for, and a link to nowhere taken for a file that is left out.
#[cfg(unix)]
#[test]
fn a_pipe_and_a_link_to_nowhere_are_refused_by_name() {
    for name in ["tokenizer.json", "modules.json", "sentence_bert_config.json"] {
        let (_dir, folder) = tiny();
        let path = folder.join(name);
        let _ = fs::remove_file(&path);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(refusal(&folder).contains(name), "{}", refusal(&folder));
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/nowhere at all", &path).unwrap();
        assert!(refusal(&folder).contains(name), "{}", refusal(&folder));
    }
}

/// A tokenizer with a table of what characters become.
fn with_table(base64: &str) -> String {
    let table = format!(r#"{{"type": "Precompiled", "precompiled_charsmap": "{base64}"}}"#);
    TOKENIZER.replace(r#"{"type": "Lowercase"}"#, &table)
}

/// Puts the table of a tokenizer from [`with_table`] into a sequence.
fn within(tokenizer: &str) -> String {
    let sequence = r#""normalizer": {"type": "Sequence", "normalizers": [{"#;
    tokenizer.replace(r#""normalizer": {"#, sequence).replace(r#"wAA"}"#, r#"wAA"}]}"#)
}

/// The crate that reads tokenizers panics at both.
#[test]
fn a_broken_decoder_is_not_read_and_a_table_that_points_nowhere_is_an_error() {
    let (_dir, folder) = tiny();
    let decoder = TOKENIZER.replace(r#""decoder": null"#, r#""decoder": {"type": "Nonsense"}"#);
    fs::write(folder.join("tokenizer.json"), decoder).unwrap();
    assert!(LocalEmbedder::open(&folder).unwrap().embed_one("bake a cake").is_ok());
    // Four bytes of a table whose first unit says: go on at its 2,097,152nd.
    fs::write(folder.join("tokenizer.json"), with_table("BAAAAAAAAIA=")).unwrap();
    let told = LocalEmbedder::open(&folder).unwrap().embed_one("bake a cake").unwrap_err();
    assert!(told.to_string().contains("tokenizer"), "{told}");
}

#[test]
fn a_folder_that_asks_for_what_is_not_known_is_refused_with_its_file() {
    for (name, text, why) in [
        ("config.json", CONFIG.replace("\"bert\"", "\"gpt2\""), "model_type"),
        ("config.json", CONFIG.replace("\"hidden_size\": 8", "\"hidden_size\": 7"), "multiple"),
        ("config.json", "{".to_owned(), "EOF"),
        ("tokenizer.json", "{}".to_owned(), "tokenizer.json"),
        ("tokenizer.json", with_table("AAAA"), "precompiled_charsmap"),
        ("tokenizer.json", with_table("/////wAA"), "precompiled_charsmap"),
        ("tokenizer.json", within(&with_table("/////wAA")), "precompiled_charsmap"),
        ("tokenizer.json", with_table("BAAAAAAA!"), "do not match"),
        ("modules.json", r#"[{"type": "sentence_transformers.models.Dense"}]"#.to_owned(), "Dense"),
        ("1_Pooling/config.json", r#"{"pooling_mode_max_tokens": true}"#.to_owned(), "mean"),
        ("model.safetensors", "no weights".to_owned(), "model.safetensors"),
        ("sentence_bert_config.json", r#"{"max_seq_length": 2}"#.to_owned(), "2 special tokens"),
        ("config.json", CONFIG.replace("\"gelu\"", r#""\u001b[2Jnone""#), "none"),
        ("config.json", CONFIG.replace("gelu", &"long".repeat(1_000)), "long"),
    ] {
        let (_dir, folder) = tiny();
        fs::write(folder.join(name), text).unwrap();
        let told = refusal(&folder);
        assert!(told.contains(name) && told.contains(why), "{name}: {told}");
        assert!(!told.contains(char::is_control), "{told:?}");
        assert!(told.len() < folder.as_os_str().len() + 400, "{told}");
    }
    // Weights that are not all there.
    let (_dir, folder) = tiny();
    let mut some = weights();
    some.remove("encoder.layer.0.output.dense.weight");
    candle_core::safetensors::save(&some, folder.join("model.safetensors")).unwrap();
    assert!(refusal(&folder).contains("model.safetensors"), "{}", refusal(&folder));
}

#[test]
fn the_real_model_knows_what_means_alike() {
    let Some(folder) = std::env::var_os("STALENESS_TEST_MODEL") else {
        eprintln!("skipped: STALENESS_TEST_MODEL names no folder with all-MiniLM-L6-v2");
        return;
    };
    let embedder = LocalEmbedder::open(Path::new(&folder)).unwrap();
    assert_eq!(embedder.dimensions(), 384);
    // The example of the quick start of sentence-transformers, with the similarities printed there.
    let texts =
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."];
    let all = embedder.embed(&texts).unwrap();
    for (a, b, told) in [(0, 1, 0.6660), (0, 2, 0.1046), (1, 2, 0.1411)] {
        let like = all[a].cosine(&all[b]).unwrap();
        assert!((like - told).abs() < 1e-3, "{a} {b}: {like}, not {told}");
    }
}
