//! Numbers one behind the other, and memory for many of them.
//!
//! A system hands out memory page by page, as each is touched for the first time. For the vectors of 50,000 routes
//! that takes about as long as reading them from a store. Asked for many pages at once it takes two thirds of it.

use std::fmt;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

/// From so many bytes on, memory is a mapping of its own.
const LARGE: usize = if cfg!(test) { 64 } else { 4 << 20 };
/// So many bytes of it are asked for at once, just before they are needed.
const AHEAD: usize = if cfg!(test) { 4 << 10 } else { 1 << 20 };

/// Numbers of 32 or 64 bits, one behind the other.
pub struct Numbers<T> {
    memory: Memory<T>,
    len: usize,
}

/// What can lie in [`Numbers`].
pub trait Number: Pod {
    /// The number whose bytes lie the other way round, where the processor has the greatest byte first.
    #[must_use]
    fn little_end_first(self) -> Self;
}

impl Number for f32 {
    fn little_end_first(self) -> Self {
        Self::from_le_bytes(self.to_ne_bytes())
    }
}

impl Number for f64 {
    fn little_end_first(self) -> Self {
        Self::from_le_bytes(self.to_ne_bytes())
    }
}

/// Room for numbers, all of it zero in the beginning.
enum Memory<T> {
    Heap(Vec<T>),
    Pages {
        pages: MmapMut,
        /// So many bytes were asked for.
        touched: usize,
    },
}

impl<T: Number> Memory<T> {
    /// A mapping with room for so many numbers, where that is worth it and can be had.
    fn pages(count: usize) -> Option<Self> {
        let bytes = count.checked_mul(size_of::<T>()).filter(|bytes| *bytes >= LARGE)?;
        let pages = MmapMut::map_anon(bytes).ok()?;
        Some(Self::Pages { pages, touched: 0 })
    }

    /// The first numbers, so many, are about to be used.
    fn touch(&mut self, count: usize) {
        let Self::Pages { pages, touched } = self else { return };
        let wanted = count * size_of::<T>();
        while *touched < wanted {
            // Advice: where it is not known, pages come as they are touched.
            #[cfg(target_os = "linux")]
            let _ = pages.advise_range(
                memmap2::Advice::PopulateWrite,
                *touched,
                AHEAD.min(pages.len() - *touched),
            );
            *touched += AHEAD;
        }
    }

    fn slots(&self) -> &[T] {
        match self {
            Self::Heap(slots) => slots,
            Self::Pages { pages, .. } => bytemuck::cast_slice(pages),
        }
    }

    fn slots_mut(&mut self) -> &mut [T] {
        match self {
            Self::Heap(slots) => slots,
            Self::Pages { pages, .. } => bytemuck::cast_slice_mut(pages),
        }
    }
}

impl<T: Number> Numbers<T> {
    pub(super) const fn new() -> Self {
        Self { memory: Memory::Heap(Vec::new()), len: 0 }
    }

    /// Makes room for `more` numbers, which may come or not: room that nothing is put in takes no memory.
    pub(super) fn expect(&mut self, more: usize) {
        let wanted = self.len.saturating_add(more);
        if wanted > self.memory.slots().len()
            && let Some(memory) = Memory::pages(wanted)
        {
            self.move_to(memory);
        }
    }

    /// Makes room for `wanted` numbers in all.
    fn grow(&mut self, wanted: usize) {
        if let Memory::Heap(slots) = &mut self.memory {
            // The system moves such memory without copying it.
            slots.resize(wanted.max(slots.len()), T::zeroed());
        } else if wanted > self.memory.slots().len() {
            let more = Memory::pages(wanted.saturating_mul(2));
            self.move_to(more.unwrap_or_else(|| Memory::Heap(vec![T::zeroed(); wanted])));
        }
        self.len = wanted;
        self.memory.touch(wanted);
    }

    fn move_to(&mut self, mut memory: Memory<T>) {
        memory.touch(self.len);
        memory.slots_mut()[..self.len].copy_from_slice(self);
        self.memory = memory;
    }

    /// Puts `count` numbers at the place `at`, or behind the last one; what there are no bytes for is zero.
    pub(super) fn put(&mut self, at: usize, count: usize, bytes: &[u8]) {
        let at = at.min(self.len);
        if at + count > self.len {
            self.grow(at + count);
        }
        let slots = &mut self[at..at + count];
        let plain: &mut [u8] = bytemuck::cast_slice_mut(slots);
        let given = bytes.len().min(plain.len());
        plain[..given].copy_from_slice(&bytes[..given]);
        plain[given..].fill(0);
        if cfg!(target_endian = "big") {
            slots.iter_mut().for_each(|slot| *slot = slot.little_end_first());
        }
    }

    /// Forgets all but the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

impl<T: Number> Deref for Numbers<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory.slots()[..self.len]
    }
}

impl<T: Number> DerefMut for Numbers<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory.slots_mut()[..self.len]
    }
}

impl<T: Number> Clone for Numbers<T> {
    fn clone(&self) -> Self {
        Self { memory: Memory::Heap(self.to_vec()), len: self.len }
    }
}

impl<T> fmt::Debug for Numbers<T> {
    /// How many: there are thousands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Numbers({})", self.len)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// In small memory, in large pages, and from one to the other.
        #[test]
        fn numbers_are_where_they_were_put(
            rows in prop::collection::vec((0_usize..40, any::<[f32; 3]>()), 0..60),
            room in 0_usize..90,
            kept in 0_usize..40,
        ) {
            let mut numbers = Numbers::new();
            let mut plain: Vec<f32> = Vec::new();
            numbers.expect(room);
            for (row, three) in &rows {
                let at = (row * 3).min(plain.len());
                plain.resize(plain.len().max(at + 3), 0.0);
                plain[at..at + 3].copy_from_slice(three);
                numbers.put(row * 3, 3, &three.map(f32::to_le_bytes).concat());
            }
            let same = |one: &[f32], other: &[f32]| {
                one.iter().map(|n| n.to_bits()).eq(other.iter().map(|n| n.to_bits()))
            };
            prop_assert!(same(&numbers, &plain));
            numbers.truncate(kept * 3);
            plain.truncate(kept * 3);
            prop_assert!(same(&numbers.clone(), &plain));
            // What was there before is not seen again.
            numbers.put(usize::MAX, 2, &[]);
            plain.extend([0.0; 2]);
            prop_assert!(same(&numbers, &plain));
        }
    }

    #[test]
    fn what_is_expected_lies_in_pages_of_its_own_and_may_outgrow_them() {
        let mut numbers = Numbers::<f64>::new();
        numbers.put(0, 4, &1.0_f64.to_le_bytes());
        assert!(matches!(numbers.memory, Memory::Heap(_)));
        numbers.expect(usize::MAX);
        assert!(matches!(numbers.memory, Memory::Heap(_)), "nobody has that much");
        numbers.expect(8);
        assert!(matches!(numbers.memory, Memory::Pages { .. }));
        numbers.put(4, 40, &2.0_f64.to_le_bytes());
        assert!(matches!(numbers.memory, Memory::Pages { .. }));
        assert_eq!((numbers.len(), numbers[0], numbers[4], numbers[43]), (44, 1.0, 2.0, 0.0));
        assert_eq!(format!("{numbers:?}"), "Numbers(44)");
    }
}
