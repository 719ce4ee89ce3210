//! Fuzzes files with a query's vector, and the registry's handling of the numbers.
//!
//! Input: a byte that sets the precision and the model's number of dimensions, and the file. If the file
//! begins with `*`, the rest is repeated as set by the next byte. In JSON, `^` stands for something that
//! errors must not quote.

use std::fs;

use staleness_core::route::{Precision, Vector, VectorError};
use staleness_service::ServiceError;
use staleness_service::vectors::{MAX_VECTOR_BYTES, numbers, of_file};

use crate::peak::measured;
use crate::{SECRET, refused};

/// Maximum memory for reading, in bytes, for any file size.
const MOST: usize = 6 << 20;
/// Approximate maximum size of a repeated file, in bytes.
const LONGEST: usize = 3 * MAX_VECTOR_BYTES as usize / 2;
/// Maximum deviation of a length from 1.
const UNIT: f64 = 1e-3;

thread_local! {
    static FOLDER: tempfile::TempDir = tempfile::tempdir().expect("a temporary folder");
}

/// Reads the file and makes a vector of it.
pub fn run(data: &[u8]) {
    let Some((choices, rest)) = data.split_first() else { return };
    let bytes = file(rest);
    let said = [None, None, Some(Precision::F32), Some(Precision::F64)][usize::from(choices & 3)];
    let dimensions = match choices >> 2 {
        0 => None,
        62 => Some(bytes.len() / 4),
        63 => Some(bytes.len() / 8),
        some => Some(usize::from(some)),
    };
    let path = FOLDER.with(|folder| folder.path().join("query.vector"));
    fs::write(&path, &bytes).expect("a file is written");
    let (read, most) = measured(|| of_file(&path, said, dimensions));
    assert!(most <= MOST, "{most} bytes for a file of {}", bytes.len());
    match (read, of_file(&path, said, dimensions)) {
        (Ok(read), Ok(again)) => {
            assert_eq!(bits(&read), bits(&again), "the same twice");
            taken(&read);
        }
        (Err(error), Err(again)) => {
            assert_eq!(error, again, "the same twice");
            told(&error);
        }
        (read, again) => panic!("{read:?}, {again:?}"),
    }
}

fn file(rest: &[u8]) -> Vec<u8> {
    match rest {
        [b'*', times, piece @ ..] => {
            let times = (usize::from(*times) * 64).min(LONGEST / piece.len().max(1));
            piece.repeat(times)
        }
        _ if rest.trim_ascii_start().starts_with(b"[") => {
            let pieces: Vec<&[u8]> = rest.split(|byte| *byte == b'^').collect();
            pieces.join(SECRET.as_bytes())
        }
        _ => rest.to_owned(),
    }
}

/// Asserts that an error is one line that names the file, and quotes nothing from it.
fn told(error: &ServiceError) {
    let line = refused(error, 500);
    assert!(line.contains("query.vector: "), "no place: {line}");
    assert!(!line.contains("PLANTED"), "{line}");
}

/// Asserts that numbers are rejected with the right error, or make a vector of length 1.
fn taken(numbers: &[f64]) {
    assert!(numbers.len() <= Vector::MAX_DIMENSIONS, "{} dimensions", numbers.len());
    for precision in Precision::ALL {
        let direction = match Vector::new(numbers, precision) {
            Ok(vector) => vector,
            Err(VectorError::Empty) if numbers.is_empty() => continue,
            Err(VectorError::NotFinite(at)) if !numbers[at].is_finite() => continue,
            Err(VectorError::Zero) if numbers.iter().all(|number| *number == 0.0) => continue,
            Err(error) => panic!("{error}: {numbers:?}"),
        };
        assert_eq!(direction.dimensions(), numbers.len());
        assert!(direction.numbers().all(f64::is_finite), "{numbers:?}");
        assert!(is_unit(direction.numbers()), "{numbers:?}");
        let bytes = direction.to_bytes();
        assert_eq!(Vector::from_bytes(&bytes, precision).as_ref(), Ok(&direction));
        let cosine = direction.cosine(&direction).expect("as many dimensions");
        assert!((cosine - 1.0).abs() <= UNIT, "{cosine}");
        written(&direction, &bytes);
    }
}

/// Asserts that a vector's bytes are read correctly with the precision given, or without it if only one
/// precision gives length 1.
fn written(vector: &Vector, bytes: &[u8]) {
    let expected: Vec<f64> = vector.numbers().collect();
    let read = |said| numbers(bytes, said, None).expect("a vector is read");
    assert_eq!(bits(&read(Some(vector.precision()))), bits(&expected));
    let other = Precision::ALL.into_iter().find(|other| *other != vector.precision());
    let otherwise = numbers(bytes, other, None).unwrap_or_default();
    let begins_like_json = bytes.trim_ascii_start().starts_with(b"[");
    if !is_unit(otherwise.iter().copied()) && !begins_like_json {
        assert_eq!(bits(&read(None)), bits(&expected), "not told");
    }
}

fn is_unit(numbers: impl Iterator<Item = f64>) -> bool {
    (numbers.map(|number| number * number).sum::<f64>().sqrt() - 1.0).abs() <= UNIT
}

/// Returns the bits of the numbers, so that NaN compares equal to itself.
fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}
