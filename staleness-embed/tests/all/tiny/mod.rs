//! A tiny model: none of it trained, all of it the same in every run.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use candle_core::{DType, Device, Tensor};

pub(crate) const CONFIG: &str = r#"{"model_type": "bert", "vocab_size": 12, "hidden_size": 8,
  "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16, "hidden_act": "gelu",
  "hidden_dropout_prob": 0.1, "max_position_embeddings": 16, "type_vocab_size": 2,
  "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0}"#;

pub(crate) const TOKENIZER: &str = r#"{"version": "1.0", "truncation": null,
  "padding": {"strategy": {"Fixed": 16}, "direction": "Right", "pad_to_multiple_of": null,
    "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
  "added_tokens": [], "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
      {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]},
      "[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]}}},
  "decoder": null,
  "model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {"[PAD]": 0, "[CLS]": 1, "[SEP]": 2,
    "[UNK]": 3, "find": 4, "the": 5, "file": 6, "bake": 7, "a": 8, "cake": 9, "open": 10, "issue": 11}}}"#;

/// Weights of the tiny model: none of them trained, all of them the same in every run.
pub(crate) fn weights() -> HashMap<String, Tensor> {
    let mut all = HashMap::new();
    let mut add = |name: &str, shape: &[usize]| {
        let count: usize = shape.iter().product();
        let seed = all.len() as f32;
        let value = |at: usize| ((at as f32).mul_add(0.37, seed)).sin() * 0.5;
        let values: Vec<f32> = (0..count).map(value).collect();
        let tensor = Tensor::from_vec(values, shape, &Device::Cpu).unwrap();
        all.insert(name.to_owned(), tensor.to_dtype(DType::F32).unwrap());
    };
    add("embeddings.word_embeddings.weight", &[12, 8]);
    add("embeddings.position_embeddings.weight", &[16, 8]);
    add("embeddings.token_type_embeddings.weight", &[2, 8]);
    let mut norm = |name: &str| {
        add(&format!("{name}.weight"), &[8]);
        add(&format!("{name}.bias"), &[8]);
    };
    norm("embeddings.LayerNorm");
    norm("encoder.layer.0.attention.output.LayerNorm");
    norm("encoder.layer.0.output.LayerNorm");
    for (name, to, from) in [
        ("attention.self.query", 8, 8),
        ("attention.self.key", 8, 8),
        ("attention.self.value", 8, 8),
        ("attention.output.dense", 8, 8),
        ("intermediate.dense", 16, 8),
        ("output.dense", 8, 16),
    ] {
        add(&format!("encoder.layer.0.{name}.weight"), &[to, from]);
        add(&format!("encoder.layer.0.{name}.bias"), &[to]);
    }
    all
}

/// A folder with the tiny model.
pub(crate) fn tiny() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("tiny");
    fs::create_dir_all(folder.join("1_Pooling")).unwrap();
    fs::write(folder.join("config.json"), CONFIG).unwrap();
    fs::write(folder.join("tokenizer.json"), TOKENIZER).unwrap();
    candle_core::safetensors::save(&weights(), folder.join("model.safetensors")).unwrap();
    (dir, folder)
}
