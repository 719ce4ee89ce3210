//! Evidence: what all queries that were learned of a tool say together.

use super::index::SearchIndex;
use super::weights::queries;
use super::words::Shares;

/// The weight of a word that a tool's queries hold, where that of one in its text is 1.
const FIELD: f64 = 0.5;
/// The weight of the likeness of a question to a tool's queries.
const LIKENESS: f64 = 2.0;
/// Queries of a tool after which what they say together counts a quarter.
const FEW: f64 = 3.0;
/// Queries from which on a tool is given no benefit of the doubt.
const KNOWN: f64 = 2.0;

/// The evidence of the queries of each tool, by its place.
#[derive(Debug)]
pub(super) struct Evidence {
    /// By how much their words raise the word score.
    pub(super) field: Vec<f64>,
    /// How much they are like the question, weighted, 0..=1.
    pub(super) likeness: Vec<f64>,
}

impl SearchIndex {
    /// Returns what the queries of each tool say together about a question.
    ///
    /// With `N` queries of a tool, each as sure as it is, both count `(N ÷ (N + 3))²` times: a few happen to share
    /// a word with many questions.
    ///
    /// **field**: `0.5 × Σ idf × (1 − share) × n ÷ (n + 1) ÷ Σ idf` over the words of the question, of which `n`
    /// queries hold each; its share is that of the tool's text.
    ///
    /// **likeness**: twice the cosine of the question and the sum of the queries, `Σ idf² n ÷ (√Σ idf² × √Σ (idf n)²)`;
    /// at most 1.
    ///
    /// # Sources
    /// Rocchio, "Relevance feedback in information retrieval", in Salton (ed.), The SMART Retrieval System (1971),
    /// chapter 14 (the sum of the queries).
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

    /// The share of the benefit of the doubt for the tool at a place: 1 where nothing was learned of it, 0 from
    /// the second query on.
    pub(super) fn doubt(&self, place: u32) -> f64 {
        (1.0 - queries(self.weights().tool_routes[place as usize]) / KNOWN).max(0.0)
    }
}
