//! Numbers as hexadecimal digits in formats that people read, because many JSON readers round numbers above 2⁵³. Other
//! formats contain the numbers themselves.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub(crate) trait Hex: Sized {
    const DIGITS: usize;
    fn write(&self, to: &mut String);
    /// The inverse of `write`.
    fn of(digits: &str) -> Option<Self>;
}

macro_rules! hex {
    ($($number:ty)*) => {
        $(impl Hex for $number {
            const DIGITS: usize = 2 * size_of::<Self>();

            fn write(&self, to: &mut String) {
                to.push_str(&format!("{self:0digits$x}", digits = Self::DIGITS));
            }

            fn of(digits: &str) -> Option<Self> {
                Self::from_str_radix(digits, 16).ok()
            }
        })*
    };
}
hex!(u8 u64 u128);

/// The digits of all elements without separators.
impl<T: Hex> Hex for Vec<T> {
    const DIGITS: usize = T::DIGITS;

    fn write(&self, to: &mut String) {
        self.iter().for_each(|each| each.write(to));
    }

    fn of(digits: &str) -> Option<Self> {
        let each = digits.as_bytes().chunks(T::DIGITS);
        each.map(|each| T::of(str::from_utf8(each).ok()?)).collect()
    }
}

pub(crate) fn serialize<T: Hex + Serialize, S: Serializer>(
    value: &T,
    to: S,
) -> Result<S::Ok, S::Error> {
    if !to.is_human_readable() {
        return value.serialize(to);
    }
    let mut digits = String::new();
    value.write(&mut digits);
    to.serialize_str(&digits)
}

/// Reads the output of [`serialize`]. May also read the value in another form, such as with capitals.
pub(crate) fn deserialize<'de, T: Hex + Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<T, D::Error> {
    if !from.is_human_readable() {
        return T::deserialize(from);
    }
    T::of(&String::deserialize(from)?)
        .ok_or_else(|| de::Error::custom("not a number in hexadecimal digits"))
}
