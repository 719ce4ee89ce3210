//! Vectors of embedded queries.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::RouteKey;
use super::dot::{dot_f32, dot_f64};
use crate::ids::ModelId;
pub use crate::refusal::VectorError;
use crate::text::wording;

/// The tolerance for the length of a stored vector, which must be 1.
const UNIT: f64 = 1e-3;

wording! {
    /// The precision of each number of a vector, in bits.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    pub enum Precision {
        /// 32 bits: the precision of common models, and half the memory of `F64`.
        #[default]
        F32 = "f32",
        /// 64 bits.
        F64 = "f64",
    }
}

impl Precision {
    /// Returns the size of one number, in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// A vector of length 1 with at least one dimension. All numbers are finite.
#[derive(Clone, PartialEq)]
pub enum Vector {
    /// 32-bit numbers.
    F32(Arc<[f32]>),
    /// 64-bit numbers.
    F64(Arc<[f64]>),
}

#[derive(Serialize, Deserialize)]
struct Bytes(#[serde(with = "crate::text::hex")] Vec<u8>);

impl Serialize for Vector {
    /// Serializes as precision and bytes, in hexadecimal digits if the format is human-readable.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (self.precision(), Bytes(self.to_bytes())).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Vector {
    /// Borrows the bytes unless the format is human-readable.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let of =
            |bytes: &[u8], precision| Self::from_bytes(bytes, precision).map_err(de::Error::custom);
        if from.is_human_readable() {
            let (precision, Bytes(bytes)) = Deserialize::deserialize(from)?;
            return of(&bytes, precision);
        }
        let (precision, bytes) = <(Precision, &[u8])>::deserialize(from)?;
        of(bytes, precision)
    }
}

// No number is NaN, so equality is total.
impl Eq for Vector {}

impl fmt::Debug for Vector {
    /// Omits the numbers, because there are hundreds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vector({} × {})", self.dimensions(), self.precision().as_str())
    }
}

impl Vector {
    /// The maximum number of dimensions.
    pub const MAX_DIMENSIONS: usize = VectorError::MAX_DIMENSIONS;

    /// Creates a vector from `numbers`, divided by their Euclidean length, which is computed without overflow.
    ///
    /// # Errors
    /// [`VectorError`] if there are no numbers, too many numbers, numbers that are not finite, or only zeros.
    pub fn new(numbers: &[f64], precision: Precision) -> Result<Self, VectorError> {
        if numbers.is_empty() {
            return Err(VectorError::Empty);
        }
        if numbers.len() > Self::MAX_DIMENSIONS {
            return Err(VectorError::TooLong(numbers.len()));
        }
        if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(VectorError::NotFinite(at));
        }
        let largest = numbers.iter().fold(0.0_f64, |most, number| most.max(number.abs()));
        if largest == 0.0 {
            return Err(VectorError::Zero);
        }
        // After scaling, the largest magnitude is 1, so the squares neither overflow nor all underflow. There are two
        // divisions, because the inverse of a subnormal number is infinite.
        let scaled = numbers.iter().map(|number| number / largest);
        let length = scaled.clone().map(|number| number * number).sum::<f64>().sqrt();
        let unit = scaled.map(|number| number / length);
        Ok(match precision {
            Precision::F32 => Self::F32(unit.map(|number| number as f32).collect()),
            Precision::F64 => Self::F64(unit.collect()),
        })
    }

    /// Reads a stored vector: see [`Vector::to_bytes`].
    ///
    /// # Errors
    /// [`VectorError`] if the bytes are not a vector of length 1.
    pub fn from_bytes(bytes: &[u8], precision: Precision) -> Result<Self, VectorError> {
        let (size, dims) = (precision.bytes(), bytes.len() / precision.bytes());
        if !bytes.len().is_multiple_of(size) {
            return Err(VectorError::Length(bytes.len()));
        }
        if dims == 0 {
            return Err(VectorError::Empty);
        }
        if dims > Self::MAX_DIMENSIONS {
            return Err(VectorError::TooLong(dims));
        }
        let vector = match precision {
            Precision::F32 => Self::F32(floats(bytes).collect()),
            Precision::F64 => Self::F64(doubles(bytes).collect()),
        };
        if let Some(at) = vector.numbers().position(|number| !number.is_finite()) {
            return Err(VectorError::NotFinite(at));
        }
        let length = vector.numbers().map(|number| number * number).sum::<f64>().sqrt();
        if (length - 1.0).abs() <= UNIT { Ok(vector) } else { Err(VectorError::NotUnit) }
    }

    /// Returns the numbers as bytes in little-endian order.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::F32(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
            Self::F64(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        }
    }

    /// Returns the number of dimensions.
    pub fn dimensions(&self) -> usize {
        match self {
            Self::F32(numbers) => numbers.len(),
            Self::F64(numbers) => numbers.len(),
        }
    }

    /// Returns the precision of the numbers.
    pub const fn precision(&self) -> Precision {
        match self {
            Self::F32(_) => Precision::F32,
            Self::F64(_) => Precision::F64,
        }
    }

    /// Returns the numbers.
    pub fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        let (narrow, wide) = match self {
            Self::F32(numbers) => (numbers.as_ref(), [].as_slice()),
            Self::F64(numbers) => ([].as_slice(), numbers.as_ref()),
        };
        narrow.iter().map(|number| f64::from(*number)).chain(wide.iter().copied())
    }

    /// Returns the cosine of the angle between two vectors, -1..=1: their dot product, because both have length 1.
    /// `None` if their numbers of dimensions differ.
    pub fn cosine(&self, other: &Self) -> Option<f64> {
        let cosine = match (self, other) {
            _ if self.dimensions() != other.dimensions() => return None,
            (Self::F32(a), Self::F32(b)) => dot_f32(a, b),
            (Self::F64(a), Self::F64(b)) => dot_f64(a, b),
            _ => self.numbers().zip(other.numbers()).map(|(a, b)| a * b).sum(),
        };
        Some(cosine.clamp(-1.0, 1.0))
    }
}

/// Decodes little-endian 32-bit numbers. Ignores trailing bytes.
fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    bytes.chunks_exact(4).map(|part| f32::from_le_bytes([part[0], part[1], part[2], part[3]]))
}

/// Decodes little-endian 64-bit numbers. Ignores trailing bytes.
fn doubles(bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
    bytes.chunks_exact(8).map(|part| {
        let mut eight = [0; 8];
        eight.copy_from_slice(part);
        f64::from_le_bytes(eight)
    })
}

/// The vector of a route's query, and the model that made it. Stored separately from the route, so that changing a
/// counter rewrites no vector and pruning reads none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteVector {
    /// The key of the route.
    pub key: RouteKey,
    /// The model that made the vector.
    pub model: ModelId,
    /// The vector, normalised to length 1.
    pub vector: Vector,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_infinite_zero_and_endless_vectors_are_refused() {
        let refused = |numbers: &[f64]| Vector::new(numbers, Precision::F32).unwrap_err();
        assert_eq!(refused(&[]), VectorError::Empty);
        assert_eq!(refused(&[0.0, -0.0]), VectorError::Zero);
        assert_eq!(refused(&[1.0, f64::NAN]), VectorError::NotFinite(1));
        assert_eq!(refused(&[f64::INFINITY]), VectorError::NotFinite(0));
        assert_eq!(refused(&vec![1.0; Vector::MAX_DIMENSIONS + 1]), VectorError::TooLong(4_097));
        assert!(Vector::new(&vec![1.0; Vector::MAX_DIMENSIONS], Precision::F32).is_ok());
    }

    #[test]
    fn a_vector_has_length_one_whatever_it_had() {
        for scale in [1.0, 1e-300, 1e300, f64::MIN_POSITIVE / 4.0] {
            for precision in Precision::ALL {
                let vector = Vector::new(&[3.0 * scale, -4.0 * scale], precision).unwrap();
                let numbers: Vec<f64> = vector.numbers().collect();
                assert!((numbers[0] - 0.6).abs() < 1e-6, "{scale} {numbers:?}");
                assert!((numbers[1] + 0.8).abs() < 1e-6, "{scale} {numbers:?}");
            }
        }
    }

    #[test]
    fn a_precision_is_called_as_the_policy_calls_it() {
        for precision in Precision::ALL {
            let word = serde_json::to_string(&precision).unwrap();
            assert_eq!(word, format!("\"{}\"", precision.as_str()));
        }
    }

    #[test]
    fn bytes_come_back_as_the_same_vector() {
        for precision in Precision::ALL {
            let vector = Vector::new(&[0.1, -0.2, 0.3], precision).unwrap();
            assert_eq!(Vector::from_bytes(&vector.to_bytes(), precision), Ok(vector));
        }
    }

    #[test]
    fn bytes_that_are_no_vector_are_refused() {
        let refused = |bytes: &[u8]| Vector::from_bytes(bytes, Precision::F32).unwrap_err();
        assert_eq!(refused(&[]), VectorError::Empty);
        assert_eq!(refused(&[0; 3]), VectorError::Length(3));
        assert_eq!(refused(&f32::NAN.to_le_bytes()), VectorError::NotFinite(0));
        assert_eq!(refused(&2.0_f32.to_le_bytes()), VectorError::NotUnit);
        assert_eq!(
            refused(&vec![0; 4 * (Vector::MAX_DIMENSIONS + 1)]),
            VectorError::TooLong(4_097)
        );
    }

    #[test]
    fn the_cosine_of_a_vector_with_itself_is_one() {
        let of = |numbers: &[f64]| Vector::new(numbers, Precision::F64).unwrap();
        let (a, b) = (of(&[1.0, 2.0]), of(&[2.0, -1.0]));
        assert!((a.cosine(&a).unwrap() - 1.0).abs() < 1e-12);
        assert!(a.cosine(&b).unwrap().abs() < 1e-12);
        assert_eq!(a.cosine(&of(&[1.0])), None);
    }
}
