//! Dot products: one loop over several accumulators, which the compiler turns into vector
//! instructions.
//!
//! The order of the additions is that of the source, whatever the processor: every machine gets the
//! same bits. See decision record 19 for what was measured against libraries of intrinsics.

/// How many sums run side by side: enough to hide the latency of an addition behind the loads.
const LANES: usize = 16;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A number that vectors are made of: `f32` or `f64`.
pub trait Component:
    sealed::Sealed + Copy + Default + Send + Sync + std::fmt::Debug + 'static
{
    /// The dot product of two vectors; the longer one is cut to the length of the other.
    #[must_use]
    fn dot(a: &[Self], b: &[Self]) -> f64;
    /// The number in double precision.
    #[must_use]
    fn wide(self) -> f64;
    /// The nearest number of this precision.
    #[must_use]
    fn narrow(wide: f64) -> Self;
}

macro_rules! component {
    ($number:ty) => {
        impl Component for $number {
            fn dot(a: &[Self], b: &[Self]) -> f64 {
                let (a_chunks, a_rest) = a.as_chunks::<LANES>();
                let (b_chunks, b_rest) = b.as_chunks::<LANES>();
                let mut sums = [0.0 as $number; LANES];
                for (a, b) in a_chunks.iter().zip(b_chunks) {
                    for lane in 0..LANES {
                        sums[lane] += a[lane] * b[lane];
                    }
                }
                // Halving keeps the additions of neighbours side by side.
                let mut width = LANES / 2;
                while width > 0 {
                    for lane in 0..width {
                        sums[lane] += sums[lane + width];
                    }
                    width /= 2;
                }
                let rest: $number = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
                f64::from(sums[0] + rest)
            }

            fn wide(self) -> f64 {
                f64::from(self)
            }

            #[allow(clippy::cast_possible_truncation, reason = "rounding is what it is for")]
            fn narrow(wide: f64) -> Self {
                wide as Self
            }
        }
    };
}

component!(f32);
component!(f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_sums_every_product_once() {
        for length in 0..200_u16 {
            let a: Vec<f64> = (0..length).map(f64::from).collect();
            let b: Vec<f64> = (0..length).map(|at| f64::from(at % 7)).collect();
            let sum: f64 = (0..length).map(|at| f64::from(at) * f64::from(at % 7)).sum();
            assert_eq!(f64::dot(&a, &b), sum, "{length}: whole numbers are exact");
            let (a, b): (Vec<f32>, Vec<f32>) =
                (a.iter().map(|n| *n as f32).collect(), b.iter().map(|n| *n as f32).collect());
            assert_eq!(f32::dot(&a, &b), sum, "{length}");
        }
    }
}
