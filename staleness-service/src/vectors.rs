//! Vectors as files hold them: numbers as JSON, or as they lie in memory.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::error::Category;
use staleness_core::route::{Precision, Vector};

use crate::error::{ErrorKind, ServiceError, in_words};

/// The largest file of one vector, in bytes: [`Vector::MAX_DIMENSIONS`] numbers in JSON take less.
pub const MAX_VECTOR_BYTES: u64 = 256 * 1024;

/// A number of a stored vector is no larger, whatever model made it: what is was read wrongly.
const SANE: f64 = 1e6;

/// The largest difference between 1 and the length of a vector that counts as normalised.
const UNIT: f64 = 1e-3;

/// Reads the vector in a file, or in what stands on stdin where it is called `-`: see [`numbers`].
///
/// # Errors
/// For a file that cannot be read, is too large, or holds something else. They name the file, and tell
/// nothing of what is in it.
pub fn of_file(
    path: &Path,
    said: Option<Precision>,
    dimensions: Option<usize>,
) -> Result<Vec<f64>, ServiceError> {
    let stdin = path.as_os_str() == "-";
    let shown = if stdin { "stdin".into() } else { path.display().to_string() };
    let mut bytes = Vec::new();
    let limit = MAX_VECTOR_BYTES + 1;
    let read = if stdin {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    read.map_err(|error| {
        ServiceError::new(ErrorKind::Io, format!("{shown}: {}", in_words(&error)))
    })?;
    if bytes.len() as u64 > MAX_VECTOR_BYTES {
        let message =
            format!("{shown}: more than the {MAX_VECTOR_BYTES} bytes that a vector takes");
        return Err(ServiceError::invalid(message).hint("give the vector of one query"));
    }
    numbers(&bytes, said, dimensions).map_err(|mut error| {
        error.message = format!("{shown}: {}", error.message);
        error
    })
}

/// Reads one vector: a JSON array of numbers, or numbers one behind the other, least byte first.
///
/// Such bytes do not say whether a number takes four or eight of them. What was said decides; else how
/// many `dimensions` the model's other vectors have; else which reading has length 1, as embeddings
/// have, or is made of numbers of a sensible size: f32 unless that makes no sense.
///
/// # Errors
/// For what is neither.
pub fn numbers(
    bytes: &[u8],
    said: Option<Precision>,
    dimensions: Option<usize>,
) -> Result<Vec<f64>, ServiceError> {
    if said.is_none() && bytes.trim_ascii_start().first() == Some(&b'[') {
        // Bytes that happen to begin like that are not JSON to their end.
        match serde_json::from_slice::<Vec<f64>>(bytes) {
            Ok(numbers) => return bounded(numbers),
            Err(error) if std::str::from_utf8(bytes).is_ok() => {
                // In its own words it would repeat what stands there.
                let why = match error.classify() {
                    Category::Eof => "it ends too early",
                    Category::Data => "something else stands",
                    Category::Syntax | Category::Io => "it is no JSON",
                };
                let (line, column) = (error.line(), error.column());
                return Err(ServiceError::invalid(format!(
                    "the vector is no JSON array of numbers: {why} at line {line} column {column}"
                )));
            }
            Err(_) => {}
        }
    }
    if bytes.is_empty() {
        return Err(ServiceError::invalid("the vector is empty"));
    }
    let narrow = || floats(bytes);
    let wide = || doubles(bytes);
    let precision = said.or_else(|| by_dimensions(bytes, dimensions)).or_else(|| guessed(bytes));
    match precision {
        Some(Precision::F32) if bytes.len().is_multiple_of(4) => bounded(narrow().collect()),
        Some(Precision::F64) if bytes.len().is_multiple_of(8) => bounded(wide().collect()),
        Some(precision) => Err(ServiceError::invalid(format!(
            "the vector is {} bytes long, which is no whole number of {}",
            bytes.len(),
            precision.as_str()
        ))),
        None => Err(ServiceError::invalid(format!(
            "the vector's {} bytes are neither JSON nor numbers of 32 or 64 bits",
            bytes.len()
        ))
        .hint("give a JSON array, or say --precision f32 or f64")),
    }
}

fn bounded(numbers: Vec<f64>) -> Result<Vec<f64>, ServiceError> {
    if numbers.len() > Vector::MAX_DIMENSIONS {
        return Err(ServiceError::invalid(format!(
            "the vector has {} dimensions; at most {} are allowed",
            numbers.len(),
            Vector::MAX_DIMENSIONS
        )));
    }
    Ok(numbers)
}

fn by_dimensions(bytes: &[u8], dimensions: Option<usize>) -> Option<Precision> {
    let dimensions = dimensions?;
    Precision::ALL.into_iter().find(|precision| bytes.len() == dimensions * precision.bytes())
}

/// Guesses the precision from the numbers themselves; `None` if the length fits neither.
fn guessed(bytes: &[u8]) -> Option<Precision> {
    let fits = |precision: Precision| bytes.len().is_multiple_of(precision.bytes());
    let sane = |number: f64| number.is_finite() && number.abs() <= SANE;
    let (narrow, wide) = (fits(Precision::F32), fits(Precision::F64));
    // Where only one reading has length 1, it is that.
    match (narrow && is_unit(floats(bytes)), wide && is_unit(doubles(bytes))) {
        (true, false) => return Some(Precision::F32),
        (false, true) => return Some(Precision::F64),
        _ => {}
    }
    // Round numbers of 64 bits end in zeros: read as 32 bits, every other number would be none.
    let round = || floats(bytes).step_by(2).all(|half| half == 0.0);
    if wide && round() && doubles(bytes).all(sane) {
        Some(Precision::F64)
    } else if narrow && floats(bytes).all(sane) {
        Some(Precision::F32)
    } else if wide && doubles(bytes).all(sane) {
        Some(Precision::F64)
    } else {
        // Numbers that are none are told of as such.
        narrow.then_some(Precision::F32)
    }
}

fn is_unit(numbers: impl Iterator<Item = f64>) -> bool {
    let length = numbers.map(|number| number * number).sum::<f64>().sqrt();
    (length - 1.0).abs() <= UNIT
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|number| f64::from(f32::from_le_bytes(*number)))
}

fn doubles(bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
    let (numbers, _) = bytes.as_chunks::<8>();
    numbers.iter().map(|number| f64::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrow(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn wide(numbers: &[f64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Some direction of so many dimensions, of length 1.
    fn unit(dimensions: u32) -> Vec<f64> {
        let numbers: Vec<f64> =
            (1..=dimensions).map(|n| (f64::from(n) * 0.7).sin() / f64::from(n).sqrt()).collect();
        let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
        numbers.iter().map(|number| number / length).collect()
    }

    fn same(read: &[f64], numbers: &[f64]) -> bool {
        read.len() == numbers.len()
            && read.iter().zip(numbers).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1.0))
    }

    #[test]
    fn every_form_is_read_for_what_it_is() {
        for dimensions in [1, 2, 3, 4, 8, 384, 1_536] {
            let numbers = unit(dimensions);
            let four: Vec<f32> = numbers.iter().map(|number| *number as f32).collect();
            let json = serde_json::to_vec(&numbers).unwrap();
            for bytes in [narrow(&four), wide(&numbers), json] {
                let read = super::numbers(&bytes, None, None).unwrap();
                assert!(same(&read, &numbers), "{dimensions} {}", bytes.len());
            }
        }
        // Not normalised: f32, as most are.
        let bytes = narrow(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(super::numbers(&bytes, None, None).unwrap(), [1.0, 2.0, 3.0, 4.0]);
        let odd = wide(&[0.1, 20.3, -7.7, 31.4, 2.9, -11.3, 4.2, 9.1]);
        assert_eq!(super::numbers(&odd, None, None).unwrap().len(), 8);
        // Every other number is zero, as if they were round numbers of 64 bits; but they have length 1.
        let every_other = narrow(&[0.0, 0.6, 0.0, 0.8]);
        assert_eq!(super::numbers(&every_other, None, None).unwrap().len(), 4);
        // Round numbers of 64 bits end in zeros.
        assert_eq!(super::numbers(&wide(&[3.0, 4.0]), None, None).unwrap(), [3.0, 4.0]);
        assert_eq!(super::numbers(&wide(&[-1.0, 0.0, 2.5]), None, None).unwrap(), [-1.0, 0.0, 2.5]);
    }

    #[test]
    fn what_is_said_decides_and_then_the_dimensions_of_the_model() {
        let bytes = narrow(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(super::numbers(&bytes, Some(Precision::F64), None).unwrap().len(), 2);
        assert_eq!(super::numbers(&bytes, None, Some(2)).unwrap().len(), 2);
        assert_eq!(super::numbers(&bytes, None, Some(4)).unwrap().len(), 4);
        // Neither: told of as it was guessed, and refused for its dimensions by the registry.
        assert_eq!(super::numbers(&bytes, None, Some(3)).unwrap().len(), 4);
        let begins_like_json = [b'[', 0, 0, 0, 0, 0, 128, 63];
        assert_eq!(super::numbers(&begins_like_json, None, None).unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_vector_is_refused_in_words() {
        let refused = |bytes: &[u8]| super::numbers(bytes, None, None).unwrap_err().message;
        assert_eq!(refused(b""), "the vector is empty");
        assert!(refused(b"abc").starts_with("the vector's 3 bytes are neither"));
        assert!(refused(b"[1, 2").starts_with("the vector is no JSON array of numbers"));
        assert_eq!(
            refused(b"[1, \"hunter2\"]"),
            "the vector is no JSON array of numbers: something else stands at line 1 column 13"
        );
        let long = serde_json::to_vec(&vec![1; Vector::MAX_DIMENSIONS + 1]).unwrap();
        assert!(refused(&long).contains("4097 dimensions; at most 4096"));
        let wrong = super::numbers(&[0; 4], Some(Precision::F64), None).unwrap_err().message;
        assert_eq!(wrong, "the vector is 4 bytes long, which is no whole number of f64");
        // The registry refuses what is not finite, with its place.
        let nan = super::numbers(&narrow(&[f32::NAN, 1.0, 1.0]), None, None).unwrap();
        assert!(nan[0].is_nan());
    }

    #[test]
    fn a_file_is_named_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("v.json");
        let told = || of_file(&path, None, None).unwrap_err().render(false);
        assert!(told().ends_with("v.json: no such file or folder"), "{}", told());
        std::fs::write(&path, vec![b' '; MAX_VECTOR_BYTES as usize + 1]).unwrap();
        assert!(told().contains("v.json: more than the 262144 bytes"), "{}", told());
        std::fs::write(&path, "").unwrap();
        assert!(told().ends_with("v.json: the vector is empty"), "{}", told());
        std::fs::write(&path, "[3, 4]").unwrap();
        assert_eq!(of_file(&path, None, None).unwrap(), [3.0, 4.0]);
    }
}
