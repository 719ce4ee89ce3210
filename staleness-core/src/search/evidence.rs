//! The combined evidence of a tool's text and all queries learned for it.

use super::index::SearchIndex;
use super::question::Question;
use super::weights::{BILLION, queries};
use super::words::{B, Shares};

/// BM25: how quickly repetitions of a word in a tool's text and queries stop helping.
const K1: f64 = 2.0;
/// Weight of the similarity between the question and a tool's queries.
const LIKENESS: f64 = 5.0;
/// Number of queries at which this similarity counts a quarter.
const FEW: f64 = 10.0;

impl SearchIndex {
    /// Computes the combined evidence for each tool, by its index: `whole + 5 × likeness`. Filler words
    /// count too, because people ask for different tools in different ways.
    ///
    /// **whole**: BM25 over the text and the queries as one document, divided by its maximum: `Σ idf × n ÷ (n + 2
    /// × (0.25 + 0.75 × length ÷ mean length)) ÷ Σ idf` over the words of the question. `n` is the count in the
    /// text, where the name counts twice, plus the number of queries with the word.
    ///
    /// **likeness**: the cosine of the question and the sum of the queries, `Σ idf² m ÷ (√Σ idf² × √Σ (idf m)²)`,
    /// times `(N ÷ (N + 10))²`. `m` is the number of queries with the word, and `N` the number of all queries.
    ///
    /// Queries are counted by their confidence.
    ///
    /// # Sources
    /// Robertson, Zaragoza and Taylor, "Simple BM25 Extension to Multiple Weighted Fields", CIKM 2004 (fields as
    /// one document). Rocchio, "Relevance feedback in information retrieval", in Salton (ed.), The SMART Retrieval
    /// System (1971), chapter 14 (the sum of the queries).
    pub(super) fn evidence(&self, question: &Question, shares: &[Shares<'_>]) -> Vec<f64> {
        let (weights, places) = (self.weights(), self.entries.len());
        let (mut whole, mut likeness) = (vec![0.0; places], vec![0.0; places]);
        if weights.all_routes == 0 {
            return whole;
        }
        let (mut written, mut learned) = (vec![0_u64; places], vec![0_u64; places]);
        let mut touched = Vec::new();
        let (mut sum, mut squares) = (0.0, 0.0);
        let words = shares.iter().map(|each| each.stem);
        for stem in words.chain(question.talk.iter().map(AsRef::as_ref)) {
            let number = self.lexicon.number(stem);
            let weight = self.idf(number.map_or(0, |number| weights.held[number as usize]));
            sum += weight;
            squares += weight * weight;
            let Some(number) = number else { continue };
            let word = &self.lexicon[number];
            for posting in &word.texts {
                written[posting.tool as usize] = u64::from(posting.count) * BILLION;
                touched.push(posting.tool as usize);
            }
            for route in word.all_routes().map(|route| &self.routes[route as usize]) {
                learned[route.tool as usize] += u64::from(route.confidence.billionths());
                touched.push(route.tool as usize);
            }
            for place in touched.drain(..) {
                // A tool may be listed several times. Taking the counts makes the first time the only one.
                let learned = std::mem::take(&mut learned[place]);
                let count = queries(std::mem::take(&mut written[place]) + learned);
                if count > 0.0 {
                    let held_back = K1 * B.mul_add(weights.lengths[place], 1.0 - B);
                    whole[place] += weight * count / (count + held_back);
                    likeness[place] += weight * weight * queries(learned);
                }
            }
        }
        for (place, whole) in whole.iter_mut().enumerate() {
            let count = queries(weights.tool_routes[place]);
            let known = count / (count + FEW);
            let norm = squares.sqrt() * weights.tool_norms[place];
            let cosine = if norm > 0.0 { likeness[place] / norm } else { 0.0 };
            *whole = (LIKENESS * known * known).mul_add(cosine, *whole / sum);
        }
        whole
    }
}
