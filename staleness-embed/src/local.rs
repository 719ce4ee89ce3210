//! Runs a sentence transformer on the CPU with candle.

use std::fmt;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::BertModel;
use staleness_core::embed::{EmbedError, Embedder};
use staleness_core::ids::ModelId;
use staleness_core::route::{Precision, Vector};
use tokenizers::{Encoding, Tokenizer, TruncationParams};

use crate::files::{Folder, Pooling, caught, model, told};

/// Maximum number of texts in one batch.
const TOGETHER: usize = 32;
/// Maximum number of bytes read from a text. All tokens that a model accepts fit into it.
const MAX_BYTES: usize = 64 * 1024;

/// An embedder with the model of a sentence-transformer folder.
///
/// Reads `config.json` (model type `bert`), `tokenizer.json`, `model.safetensors` and, if they exist,
/// `modules.json`, `1_Pooling/config.json` and `sentence_bert_config.json`. The result is the mean of the
/// token vectors, or the first one, as the folder specifies, normalised to length 1.
///
/// Mean pooling: Reimers and Gurevych, "Sentence-BERT", EMNLP 2019, section 3.
pub struct LocalEmbedder {
    model: ModelId,
    dimensions: usize,
    pooling: Pooling,
    tokenizer: Tokenizer,
    bert: BertModel,
}

impl fmt::Debug for LocalEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalEmbedder")
            .field("model", &self.model)
            .field("dimensions", &self.dimensions)
            .finish_non_exhaustive()
    }
}

impl LocalEmbedder {
    /// Loads the model in `folder`. Its id consists of the folder's name and a digest of everything that
    /// affects the vectors, so a changed model has a different id.
    ///
    /// # Errors
    /// [`EmbedError::File`] if a file is missing or too large, [`EmbedError::Model`] if a file is invalid or
    /// needs something unsupported. Both name the file.
    pub fn open(folder: &Path) -> Result<Self, EmbedError> {
        let Folder { config, pooling, mut tokenizer, digest, tokens, weights, weights_path } =
            Folder::read(folder)?;
        let name = folder.canonicalize().ok();
        let name = name.as_deref().unwrap_or(folder).file_name().unwrap_or_default();
        let name: String =
            name.to_string_lossy().chars().filter(|c| !c.is_control()).take(64).collect();
        let digest = digest >> 80;
        let id = ModelId::new(format!("{name}@{digest:012x}"));
        let id = id.map_err(|why| EmbedError::Failed(format!("the folder's name {why}")))?;
        let fault = |why: String| model(&weights_path, why);
        if config.hidden_size > Vector::MAX_DIMENSIONS {
            let why = format!(
                "{} dimensions; at most {} are allowed",
                config.hidden_size,
                Vector::MAX_DIMENSIONS
            );
            return Err(fault(why));
        }
        let variables = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)
            .map_err(|why| fault(why.to_string()))?;
        let bert = caught(|| BertModel::load(variables, &config))
            .ok_or_else(|| fault("its parts do not match".into()))?
            .map_err(|why| fault(why.to_string()))?;
        let cut = TruncationParams { max_length: tokens, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(cut)).map_err(failed)?;
        tokenizer.with_padding(None);
        Ok(Self { model: id, dimensions: config.hidden_size, pooling, tokenizer, bert })
    }

    /// Returns the vectors of one batch of texts.
    fn together(&self, encodings: &[&Encoding]) -> candle_core::Result<Vec<Vec<f32>>> {
        let device = &Device::Cpu;
        let longest = encodings.iter().map(|encoding| encoding.len()).max().unwrap_or(0);
        let (mut ids, mut mask) = (Vec::new(), Vec::new());
        for encoding in encodings {
            let padding = longest - encoding.len();
            ids.extend(encoding.get_ids().iter().copied().chain(std::iter::repeat_n(0, padding)));
            mask.extend((0..longest).map(|at| u32::from(at < encoding.len())));
        }
        let shape = (encodings.len(), longest);
        let ids = Tensor::from_vec(ids, shape, device)?;
        let mask = Tensor::from_vec(mask, shape, device)?;
        let kinds = ids.zeros_like()?;
        let hidden = self.bert.forward(&ids, &kinds, Some(&mask))?;
        let pooled = match self.pooling {
            Pooling::First => hidden.narrow(1, 0, 1)?.squeeze(1)?,
            Pooling::Mean => {
                let mask = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
                let sums = hidden.broadcast_mul(&mask)?.sum(1)?;
                sums.broadcast_div(&mask.sum(1)?)?
            }
        };
        pooled.to_vec2()
    }
}

impl Embedder for LocalEmbedder {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        if let Some(at) = texts.iter().position(|text| text.trim().is_empty()) {
            return Err(EmbedError::Empty(at));
        }
        let texts: Vec<&str> = texts.iter().map(|text| beginning(text)).collect();
        let encodings = caught(|| self.tokenizer.encode_batch(texts, true))
            .ok_or_else(|| EmbedError::Failed("the model's tokenizer is damaged".into()))?
            .map_err(failed)?;
        // Batches texts of similar length, because padding costs as much as words.
        let mut order: Vec<usize> = (0..encodings.len()).collect();
        order.sort_by_key(|at| encodings[*at].len());
        let mut vectors = vec![None; encodings.len()];
        for some in order.chunks(TOGETHER) {
            let batch: Vec<&Encoding> = some.iter().map(|at| &encodings[*at]).collect();
            let rows = caught(|| self.together(&batch))
                .ok_or_else(|| EmbedError::Failed("the model's parts do not match".into()))?
                .map_err(failed)?;
            for (at, row) in some.iter().zip(rows) {
                let row: Vec<f64> = row.into_iter().map(f64::from).collect();
                vectors[*at] = Some(Vector::new(&row, Precision::F32)?);
            }
        }
        let all: Option<Vec<Vector>> = vectors.into_iter().collect();
        all.ok_or_else(|| EmbedError::Failed("a vector is missing".into()))
    }

    fn embed_one(&self, text: &str) -> Result<Vector, EmbedError> {
        let mut vectors = self.embed(&[text])?;
        vectors.pop().ok_or_else(|| EmbedError::Failed("a vector is missing".into()))
    }
}

/// Returns the part of a text that a model can read.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_BYTES)]
}

fn failed(why: impl fmt::Display) -> EmbedError {
    EmbedError::Failed(told(&why))
}
