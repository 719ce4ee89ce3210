//! Reads the files of a sentence-transformer folder, with size limits.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use candle_transformers::models::bert::Config;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use staleness_core::embed::EmbedError;
use staleness_core::ids::stable_hash;
use tokenizers::{PostProcessor, Tokenizer};

/// Maximum size of a settings file, in bytes.
const MAX_SETTINGS: u64 = 1024 * 1024;
/// Maximum size of the tokenizer, in bytes.
const MAX_TOKENIZER: u64 = 64 * 1024 * 1024;
/// Maximum size of the weights, in bytes.
const MAX_WEIGHTS: u64 = 4 * 1024 * 1024 * 1024;
/// Maximum length of a reason quoted in an error, in characters.
const MAX_WHY: usize = 200;
/// Maximum number of tokens per text, if the folder has no `max_seq_length`.
const TOKENS: usize = 256;

const CONFIG: &str = "config.json";
const MODULES: &str = "modules.json";
const SENTENCES: &str = "sentence_bert_config.json";
const POOLING: &str = "1_Pooling/config.json";
const TOKENIZER: &str = "tokenizer.json";
const WEIGHTS: &str = "model.safetensors";

/// The way in which the token vectors are combined into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pooling {
    /// The mean of all token vectors.
    Mean,
    /// The vector of the first token, which represents the text.
    First,
}

/// The files of a model.
pub(crate) struct Folder {
    pub(crate) config: Config,
    pub(crate) pooling: Pooling,
    pub(crate) tokenizer: Tokenizer,
    /// A digest of everything that affects the vectors.
    pub(crate) digest: u128,
    /// Maximum number of tokens per text, including special ones.
    pub(crate) tokens: usize,
    pub(crate) weights: Vec<u8>,
    pub(crate) weights_path: PathBuf,
}

#[derive(Deserialize)]
struct Kind {
    model_type: Option<String>,
}

#[derive(Deserialize)]
struct Module {
    #[serde(rename = "type")]
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sentences {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
#[serde(default)]
struct Pooled {
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
    pooling_mode_max_tokens: bool,
    pooling_mode_mean_sqrt_len_tokens: bool,
}

impl Default for Pooled {
    fn default() -> Self {
        Self {
            pooling_mode_cls_token: false,
            pooling_mode_mean_tokens: true,
            pooling_mode_max_tokens: false,
            pooling_mode_mean_sqrt_len_tokens: false,
        }
    }
}

impl Folder {
    pub(crate) fn read(folder: &Path) -> Result<Self, EmbedError> {
        let config_path = folder.join(CONFIG);
        let config_bytes = bytes(&config_path, MAX_SETTINGS)?;
        let kind: Kind = parsed(&config_path, &config_bytes)?;
        if kind.model_type.as_deref() != Some("bert") {
            let found = kind.model_type.as_deref().unwrap_or("nothing").escape_debug().to_string();
            return Err(model(&config_path, format!("model_type is {found}, not bert")));
        }
        let config: Config = parsed(&config_path, &config_bytes)?;
        check(&config_path, &config)?;
        modules(folder)?;
        let pooling = pooling(folder)?;
        let sentences: Sentences = optional(&folder.join(SENTENCES))?.unwrap_or_default();
        let tokens = sentences.max_seq_length.unwrap_or(TOKENS);
        let tokens = tokens.min(config.max_position_embeddings);
        let path = folder.join(TOKENIZER);
        let words = bytes(&path, MAX_TOKENIZER)?;
        let tokenizer = tokenizer(&path, &words)?;
        let special =
            tokenizer.get_post_processor().map_or(0, |template| template.added_tokens(false));
        if tokens <= special {
            let why = format!("{tokens} tokens leave no room for the {special} special tokens");
            let names_it = sentences.max_seq_length == Some(tokens);
            return Err(model(&folder.join(if names_it { SENTENCES } else { CONFIG }), why));
        }
        let weights_path = folder.join(WEIGHTS);
        let weights = bytes(&weights_path, MAX_WEIGHTS)?;
        let parts = [stable_hash(&weights), stable_hash(&words), stable_hash(&config_bytes)];
        let digest = stable_hash(format!("{parts:?} {pooling:?} {tokens}").as_bytes());
        Ok(Self { config, pooling, tokenizer, digest, tokens, weights, weights_path })
    }
}

/// Reads the tokenizer without its decoder, because tokens are never converted back to text.
fn tokenizer(path: &Path, words: &[u8]) -> Result<Tokenizer, EmbedError> {
    let mut parts: Map<String, Value> = parsed(path, words)?;
    parts.remove("decoder");
    if parts.get("normalizer").is_some_and(|normalizer| !tables_are_whole(normalizer)) {
        return Err(model(path, "a precompiled_charsmap ends before its table does".into()));
    }
    caught(|| {
        serde_json::from_value(Value::Object(parts)).map_err(|why| model(path, why.to_string()))
    })
    .unwrap_or_else(|| Err(model(path, "its parts do not match".into())))
}

/// Returns true if every character table has the length that it declares. A table begins with its length in bytes, and
/// the reader allocates that amount first, so a false 4 GiB would abort the process.
fn tables_are_whole(part: &Value) -> bool {
    let table = part.get("precompiled_charsmap").and_then(Value::as_str).is_none_or(|text| {
        let mut start = [0; 6];
        let said = text.get(..8).map(|first| BASE64_STANDARD.decode_slice(first, &mut start));
        let length = u32::from_le_bytes([start[0], start[1], start[2], start[3]]);
        matches!(said, Some(Ok(4..))) && usize::try_from(length).is_ok_and(|n| n <= text.len())
    });
    let inner = part.get("normalizers").and_then(Value::as_array);
    table && inner.is_none_or(|all| all.iter().all(tables_are_whole))
}

/// Returns the result of `work`, or `None` if it panicked. The crates that read models trust some parts of
/// the files without checks, above all character tables.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Rejects a model with impossible dimensions.
fn check(path: &Path, config: &Config) -> Result<(), EmbedError> {
    let heads = config.num_attention_heads;
    if config.hidden_size == 0 || heads == 0 || !config.hidden_size.is_multiple_of(heads) {
        let (size, why) = (config.hidden_size, "hidden_size must be a multiple of");
        return Err(model(path, format!("{why} num_attention_heads: {size}, {heads}")));
    }
    if config.max_position_embeddings < 2 {
        return Err(model(path, "max_position_embeddings must be at least 2".into()));
    }
    Ok(())
}

/// Checks that the folder's pipeline only has supported modules. Otherwise, they would be skipped silently.
fn modules(folder: &Path) -> Result<(), EmbedError> {
    let path = folder.join(MODULES);
    let modules: Vec<Module> = optional(&path)?.unwrap_or_default();
    let known = |name: &str| {
        let last = name.rsplit('.').next().unwrap_or(name);
        matches!(last, "Transformer" | "Pooling" | "Normalize")
    };
    match modules.iter().find(|module| !known(&module.name)) {
        Some(other) => {
            let name = other.name.escape_debug();
            Err(model(&path, format!("unsupported module {name}")))
        }
        None => Ok(()),
    }
}

fn pooling(folder: &Path) -> Result<Pooling, EmbedError> {
    let path = folder.join(POOLING);
    let pooled: Pooled = optional(&path)?.unwrap_or_default();
    let others = pooled.pooling_mode_max_tokens || pooled.pooling_mode_mean_sqrt_len_tokens;
    match (pooled.pooling_mode_mean_tokens, pooled.pooling_mode_cls_token, others) {
        (true, false, false) => Ok(Pooling::Mean),
        (false, true, false) => Ok(Pooling::First),
        _ => Err(model(&path, "only mean and first-token pooling are supported".into())),
    }
}

/// Creates the error for a file. Parsers quote their input, so the reason is truncated and escaped.
pub(crate) fn model(path: &Path, why: String) -> EmbedError {
    EmbedError::Model { path: path.to_owned(), why: told(&why) }
}

/// Returns the first line of an error without its backtrace, truncated to [`MAX_WHY`] characters and escaped.
pub(crate) fn told(why: &impl fmt::Display) -> String {
    let why = why.to_string();
    why.lines().next().unwrap_or_default().chars().take(MAX_WHY).flat_map(plain).collect()
}

/// Escapes a control character or invisible character.
fn plain(c: char) -> impl Iterator<Item = char> {
    let itself = matches!(c, '"' | '\'' | '\\').then_some(c);
    let escaped = itself.is_none().then(|| c.escape_debug());
    escaped.into_iter().flatten().chain(itself)
}

fn parsed<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T, EmbedError> {
    serde_json::from_slice(bytes).map_err(|why| model(path, why.to_string()))
}

/// Reads an optional settings file. `None` if it does not exist.
fn optional<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, EmbedError> {
    // A dangling link or an inaccessible folder is an error, not a missing file.
    if path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Ok(None);
    }
    parsed(path, &bytes(path, MAX_SETTINGS)?).map(Some)
}

fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, EmbedError> {
    let fault = |why: String| EmbedError::File { path: path.to_owned(), why };
    let cannot = |error: std::io::Error| {
        fault(match error.kind() {
            std::io::ErrorKind::NotFound => "is missing from the model's folder".into(),
            kind => format!("cannot be read: {kind}"),
        })
    };
    // Opening a pipe would block until the other end is opened.
    let length = path.metadata().map_err(cannot)?;
    if !length.is_file() {
        return Err(fault("is not a file".into()));
    }
    let file = File::open(path).map_err(cannot)?;
    if length.len() > most {
        return Err(fault(format!("is {} bytes long; at most {most} are read", length.len())));
    }
    let mut all = Vec::with_capacity(usize::try_from(length.len()).unwrap_or(0));
    file.take(most).read_to_end(&mut all).map_err(|error| fault(error.kind().to_string()))?;
    Ok(all)
}
