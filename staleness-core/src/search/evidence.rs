//! The combined evidence of all queries learned for a tool.

use super::index::SearchIndex;
use super::weights::queries;
use super::words::Shares;

/// Weight of a word in a tool's queries. A word in its text weighs 1.
const FIELD: f64 = 0.5;
/// Weight of the similarity between the question and a tool's queries.
const LIKENESS: f64 = 2.0;
/// Number of queries at which the combined evidence of a tool counts a quarter.
const FEW: f64 = 3.0;
/// Number of queries from which on a tool gets no benefit of the doubt.
const KNOWN: f64 = 2.0;

/// The combined evidence for each tool, by its index.
#[derive(Debug)]
pub(super) struct Evidence {
    /// Increase of the word score.
    pub(super) field: Vec<f64>,
    /// Weighted similarity to the question, 0..=1.
    pub(super) likeness: Vec<f64>,
}

impl SearchIndex {
    /// Computes the combined evidence of each tool's queries for a question.
    ///
    /// Both parts are multiplied by `(N ÷ (N + 3))²`, where `N` is the tool's number of queries, weighted by
    /// confidence. With few queries, words shared by chance matter less.
    ///
    /// **field**: `0.5 × Σ idf × (1 − share) × n ÷ (n + 1) ÷ Σ idf` over the words of the question. `n` is
    ///  the number of queries with the word, and the share is that of the tool's text.
    ///
    /// **likeness**: twice the cosine of the question and the sum of the queries, `Σ idf² n ÷ (√Σ idf² × √Σ
    ///  (idf n)²)`; at most 1.
    ///
    /// # Sources
    /// Rocchio, "Relevance feedback in information retrieval", in Salton (ed.), The SMART Retrieval System
    /// (1971), chapter 14 (the sum of the queries).
    pub(super) fn evidence(&self, shares: &[Shares<'_>]) -> Evidence {
        let (weights, places) = (self.weights(), self.entries.len());
        let mut all = Evidence { field: vec![0.0; places], likeness: vec![0.0; places] };
        if weights.all_routes == 0 {
            return all;
        }
        let (mut counts, mut in_text) = (vec![0_u64; places], vec![0.0; places]);
        let mut touched = Vec::new();
        for each in shares {
            let Some(number) = self.lexicon.number(each.stem) else { continue };
            for route in &self.lexicon[number].routes {
                let route = &self.routes[*route as usize];
                let count = &mut counts[route.tool as usize];
                if *count == 0 {
                    touched.push(route.tool as usize);
                }
                *count += u64::from(route.confidence.billionths());
            }
            each.of().iter().for_each(|(place, share)| in_text[*place as usize] = *share);
            for place in touched.drain(..) {
                let count = queries(std::mem::take(&mut counts[place]));
                all.field[place] += each.weight * (1.0 - in_text[place]) * count / (count + 1.0);
                all.likeness[place] += each.weight * each.weight * count;
            }
            each.of().iter().for_each(|(place, _)| in_text[*place as usize] = 0.0);
        }
        let whole: f64 = shares.iter().map(|each| each.weight).sum();
        let length = shares.iter().map(|each| each.weight * each.weight).sum::<f64>().sqrt();
        for place in 0..places {
            let count = queries(weights.tool_routes[place]);
            let known = count / (count + FEW);
            let trust = known * known;
            let norm = length * weights.tool_norms[place];
            all.field[place] *= FIELD * trust / whole;
            let cosine = if norm > 0.0 { all.likeness[place] / norm } else { 0.0 };
            all.likeness[place] = (LIKENESS * trust * cosine).min(1.0);
        }
        all
    }

    /// Returns the tool's share of the benefit of the doubt: 1 without learned queries, 0 from two on.
    pub(super) fn doubt(&self, place: u32) -> f64 {
        (1.0 - queries(self.weights().tool_routes[place as usize]) / KNOWN).max(0.0)
    }
}
