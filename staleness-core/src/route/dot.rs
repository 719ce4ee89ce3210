//! Dot products: one loop over several accumulators, which the compiler vectorises.
//!
//! The order of the additions is fixed, so every machine computes the same bits.

/// The number of independent sums, enough to hide the latency of an addition.
const LANES: usize = 16;

macro_rules! dot {
    ($name:ident, $number:ty) => {
        /// Returns the dot product of two vectors. Truncates the longer one.
        pub(super) fn $name(a: &[$number], b: &[$number]) -> f64 {
            let (a_chunks, a_rest) = a.as_chunks::<LANES>();
            let (b_chunks, b_rest) = b.as_chunks::<LANES>();
            let mut sums = [0.0 as $number; LANES];
            for (a, b) in a_chunks.iter().zip(b_chunks) {
                for lane in 0..LANES {
                    sums[lane] += a[lane] * b[lane];
                }
            }
            // Adds the upper half of the sums to the lower half, which vectorises too.
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
    };
}

dot!(dot_f32, f32);
dot!(dot_f64, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_sums_every_product_once() {
        for length in 0..200_u16 {
            let a: Vec<f64> = (0..length).map(f64::from).collect();
            let b: Vec<f64> = (0..length).map(|at| f64::from(at % 7)).collect();
            let sum: f64 = (0..length).map(|at| f64::from(at) * f64::from(at % 7)).sum();
            assert_eq!(dot_f64(&a, &b), sum, "{length}: whole numbers are exact");
            let (a, b): (Vec<f32>, Vec<f32>) =
                (a.iter().map(|n| *n as f32).collect(), b.iter().map(|n| *n as f32).collect());
            assert_eq!(dot_f32(&a, &b), sum, "{length}");
        }
    }
}
