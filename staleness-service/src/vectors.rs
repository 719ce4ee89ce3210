//! Reads vectors from files: numbers in JSON, or as little-endian binary.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::error::Category;
use staleness_core::route::{Precision, Vector};

use crate::error::{ErrorKind, ServiceError, in_words};

/// Maximum size of a vector's file, in bytes. [`Vector::MAX_DIMENSIONS`] numbers in JSON fit into it.
pub const MAX_VECTOR_BYTES: u64 = 256 * 1024;

/// Maximum absolute value of a plausible number. A larger number means that the precision was guessed
/// wrongly.
const SANE: f64 = 1e6;

/// Maximum deviation of the length from 1 for a normalised vector.
const UNIT: f64 = 1e-3;

/// Reads a vector from a file, or from stdin if the path is `-`. See [`numbers`].
///
/// # Errors
/// If the file cannot be read, is too large, or does not contain a vector. Errors name the file and do not
/// quote its content.
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
        let message = format!("{shown}: larger than {MAX_VECTOR_BYTES} bytes");
        return Err(ServiceError::invalid(message).hint("give the vector of one query"));
    }
    numbers(&bytes, said, dimensions).map_err(|mut error| {
        error.message = format!("{shown}: {}", error.message);
        error
    })
}

/// Parses one vector: a JSON array of numbers, or consecutive little-endian numbers.
///
/// Binary data does not say its precision. `said` decides, or else the number of `dimensions` of the model's other
/// vectors, or else the precision that gives length 1 or plausible values. If in doubt, the precision is f32.
///
/// # Errors
/// If the bytes are neither JSON nor such numbers.
pub fn numbers(
    bytes: &[u8],
    said: Option<Precision>,
    dimensions: Option<usize>,
) -> Result<Vec<f64>, ServiceError> {
    if said.is_none() && bytes.trim_ascii_start().first() == Some(&b'[') {
        // Binary data may begin with `[`, but is then not valid JSON.
        match serde_json::from_slice::<Vec<f64>>(bytes) {
            Ok(numbers) => return bounded(numbers),
            Err(error) if std::str::from_utf8(bytes).is_ok() => {
                // The original message of the error would quote the input.
                let why = match error.classify() {
                    Category::Eof => "it ends too early",
                    Category::Data => "it contains other data",
                    Category::Syntax | Category::Io => "it is not JSON",
                };
                let (line, column) = (error.line(), error.column());
                return Err(ServiceError::invalid(format!(
                    "the vector is not a JSON array of numbers: {why} at line {line} column {column}"
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
            "the vector is {} bytes long, which is not a whole number of {} values",
            bytes.len(),
            precision.as_str()
        ))),
        None => Err(ServiceError::invalid(format!(
            "the vector's {} bytes are neither JSON nor numbers of 32 or 64 bits",
            bytes.len()
        ))
        .hint("use a JSON array, or set --precision f32 or f64")),
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

/// Guesses the precision from the numbers. `None` if the length fits neither precision.
fn guessed(bytes: &[u8]) -> Option<Precision> {
    let fits = |precision: Precision| bytes.len().is_multiple_of(precision.bytes());
    let sane = |number: f64| number.is_finite() && number.abs() <= SANE;
    let (narrow, wide) = (fits(Precision::F32), fits(Precision::F64));
    // Only one precision gives length 1.
    match (narrow && is_unit(floats(bytes)), wide && is_unit(doubles(bytes))) {
        (true, false) => return Some(Precision::F32),
        (false, true) => return Some(Precision::F64),
        _ => {}
    }
    // Round f64 numbers end in zeros. Read as f32, every other number is zero.
    let round = || floats(bytes).step_by(2).all(|half| half == 0.0);
    if wide && round() && doubles(bytes).all(sane) {
        Some(Precision::F64)
    } else if narrow && floats(bytes).all(sane) {
        Some(Precision::F32)
    } else if wide && doubles(bytes).all(sane) {
        Some(Precision::F64)
    } else {
        // Implausible numbers are rejected later, with a specific error.
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

    /// Returns a vector of length 1.
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
        // Not normalised: f32 is the default.
        let bytes = narrow(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(super::numbers(&bytes, None, None).unwrap(), [1.0, 2.0, 3.0, 4.0]);
        let odd = wide(&[0.1, 20.3, -7.7, 31.4, 2.9, -11.3, 4.2, 9.1]);
        assert_eq!(super::numbers(&odd, None, None).unwrap().len(), 8);
        // Every other number is zero, as in round f64 numbers, but the f32 vector has length 1.
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
        // Fits neither precision, so the registry rejects it for its dimensions.
        assert_eq!(super::numbers(&bytes, None, Some(3)).unwrap().len(), 4);
        let begins_like_json = [b'[', 0, 0, 0, 0, 0, 128, 63];
        assert_eq!(super::numbers(&begins_like_json, None, None).unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_vector_is_refused_in_words() {
        let refused = |bytes: &[u8]| super::numbers(bytes, None, None).unwrap_err().message;
        assert_eq!(refused(b""), "the vector is empty");
        assert!(refused(b"abc").starts_with("the vector's 3 bytes are neither"));
        assert!(refused(b"[1, 2").starts_with("the vector is not a JSON array of numbers"));
        assert_eq!(
            refused(b"[1, \"hunter2\"]"),
            "the vector is not a JSON array of numbers: it contains other data at line 1 column 13"
        );
        let long = serde_json::to_vec(&vec![1; Vector::MAX_DIMENSIONS + 1]).unwrap();
        assert!(refused(&long).contains("4097 dimensions; at most 4096"));
        let wrong = super::numbers(&[0; 4], Some(Precision::F64), None).unwrap_err().message;
        assert_eq!(wrong, "the vector is 4 bytes long, which is not a whole number of f64 values");
        // The registry rejects numbers that are not finite, and names their position.
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
        assert!(told().contains("v.json: larger than 262144 bytes"), "{}", told());
        std::fs::write(&path, "").unwrap();
        assert!(told().ends_with("v.json: the vector is empty"), "{}", told());
        std::fs::write(&path, "[3, 4]").unwrap();
        assert_eq!(of_file(&path, None, None).unwrap(), [3.0, 4.0]);
    }
}
