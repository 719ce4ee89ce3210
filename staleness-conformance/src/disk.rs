//! Simulates a disk that loses power, and what remains of unsynced writes.
//!
//! Writes, truncations and deletions are recorded as a program makes them. Synced data is certain. Of all other data a
//! power cut keeps any subset, even parts of writes.

use std::collections::BTreeMap;
use std::ops::Range;

/// Size of an atomic disk write, in bytes.
const SECTOR: usize = 512;

/// An operation of a program on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Did {
    /// Wrote bytes at an offset.
    Write(u64, Vec<u8>),
    /// Set the file's length.
    SetLen(u64),
    /// Synced the file.
    Sync,
    /// Deleted the file.
    Delete,
    /// Synced the folder, which makes its deletions certain. Applies to no particular file.
    SyncFolder,
}

/// The unsynced operations that survive a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// Keeps no unsynced operation.
    Nothing,
    /// A random subset.
    Some,
    /// A random subset of the sectors of all writes.
    Sectors,
    /// Only the last one.
    Last,
    /// All operations up to a random one, and the first bytes of that one.
    Torn,
    /// All operations: only the program was killed.
    All,
}

impl Keeps {
    /// All variants.
    pub const ALL: [Self; 6] =
        [Self::Nothing, Self::Some, Self::Sectors, Self::Last, Self::Torn, Self::All];
}

/// A deterministic pseudo-random generator (splitmix64).
#[derive(Clone, Debug)]
pub struct Draws(pub u64);

impl Draws {
    /// Returns the next number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// A folder of files on a disk.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    files: BTreeMap<String, File>,
}

#[derive(Clone, Debug, Default)]
struct File {
    /// The synced content, or `None` if not even the name is certain.
    sure: Option<Vec<u8>>,
    since: Vec<Did>,
}

impl Disk {
    /// Creates a disk on which these files are synced.
    pub fn with(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let file = |bytes| File { sure: Some(bytes), since: Vec::new() };
        Self { files: files.into_iter().map(|(name, bytes)| (name, file(bytes))).collect() }
    }

    /// Records an operation on a file. Syncing a new file also makes its name certain, as in common file
    /// systems.
    pub fn take(&mut self, name: &str, did: Did) {
        if did == Did::SyncFolder {
            self.files.values_mut().for_each(File::deletions_are_sure);
            return;
        }
        let file = self.files.entry(name.to_owned()).or_default();
        match did {
            Did::Sync => {
                file.sure = Some(file.found(|_, write| vec![write]).unwrap_or_default());
                file.since.clear();
            }
            other => file.since.push(other),
        }
    }

    /// Returns the number of unsynced operations.
    pub fn unsure(&self) -> usize {
        self.files.values().map(|file| file.since.len()).sum()
    }

    /// Returns the files found after a power cut.
    pub fn after_power_cut(&self, keeps: Keeps, draws: &mut Draws) -> BTreeMap<String, Vec<u8>> {
        let found = self.files.iter().filter_map(|(name, file)| {
            let count = file.since.len();
            let torn = draws.below(count as u64 + 1) as usize;
            let found = file.found(|number, write| match keeps {
                Keeps::All => vec![write],
                Keeps::Last if number + 1 == count => vec![write],
                Keeps::Some if draws.below(2) == 0 => vec![write],
                Keeps::Torn if number < torn => vec![write],
                Keeps::Torn if number == torn => {
                    let kept = draws.below(write.len() as u64 + 1) as usize;
                    vec![Range { end: write.start + kept, ..write }]
                }
                Keeps::Sectors => sectors(write).filter(|_| draws.below(2) == 0).collect(),
                Keeps::Nothing | Keeps::Last | Keeps::Some | Keeps::Torn => Vec::new(),
            })?;
            Some((name.clone(), found))
        });
        found.collect()
    }
}

impl File {
    fn deletions_are_sure(&mut self) {
        if let Some(last) = self.since.iter().rposition(|did| *did == Did::Delete) {
            self.since.drain(..=last);
            self.sure = None;
        }
    }

    /// Returns the content found, or `None` if the file does not exist. `kept` takes the index and the byte range of an
    /// operation, and returns the parts that survive. An operation without bytes survives if any part is returned.
    fn found(
        &self,
        mut kept: impl FnMut(usize, Range<usize>) -> Vec<Range<usize>>,
    ) -> Option<Vec<u8>> {
        let mut bytes = self.sure.clone();
        for (number, did) in self.since.iter().enumerate() {
            let (offset, data) = match did {
                Did::Write(offset, data) => (*offset as usize, &data[..]),
                _ => (0, &[][..]),
            };
            let parts = kept(number, offset..offset + data.len());
            match did {
                // The name still refers to the old file. Later operations applied to a different file.
                Did::Delete if parts.is_empty() => break,
                _ if parts.is_empty() => {}
                Did::Delete => bytes = None,
                Did::SetLen(len) => bytes.get_or_insert_default().resize(*len as usize, 0),
                Did::Write(..) => {
                    let bytes = bytes.get_or_insert_default();
                    for part in parts {
                        put(bytes, part.start, &data[part.start - offset..part.end - offset]);
                    }
                }
                Did::Sync | Did::SyncFolder => {}
            }
        }
        bytes
    }
}

fn put(bytes: &mut Vec<u8>, offset: usize, data: &[u8]) {
    if data.is_empty() {
        return;
    }
    let end = offset + data.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[offset..end].copy_from_slice(data);
}

/// Returns the parts of a write within one sector each, or one empty part if it has no bytes.
fn sectors(write: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let (first, end) = (write.start / SECTOR, write.end.div_ceil(SECTOR));
    (first..end.max(first + 1)).map(move |sector| {
        (sector * SECTOR).max(write.start)..((sector + 1) * SECTOR).min(write.end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk() -> Disk {
        let mut disk = Disk::with([("a".to_owned(), vec![1; 1_000])]);
        disk.take("a", Did::Write(500, vec![2; 1_000]));
        disk
    }

    #[test]
    fn what_was_synced_stays_and_the_rest_need_not() {
        let mut draws = Draws(1);
        let mut disk = disk();
        assert_eq!(disk.after_power_cut(Keeps::Nothing, &mut draws)["a"], vec![1; 1_000]);
        let all = disk.after_power_cut(Keeps::All, &mut draws)["a"].clone();
        assert_eq!(all, [vec![1; 500], vec![2; 1_000]].concat());
        assert_eq!(disk.after_power_cut(Keeps::Last, &mut draws)["a"], all);
        disk.take("a", Did::Sync);
        assert_eq!(
            (disk.after_power_cut(Keeps::Nothing, &mut draws)["a"].clone(), disk.unsure()),
            (all, 0)
        );
    }

    #[test]
    fn sectors_are_kept_or_not_each_for_itself() {
        let disk = disk();
        let mut draws = Draws(1);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let found = disk.after_power_cut(Keeps::Sectors, &mut draws)["a"].clone();
            let kept = |at: usize| found.get(at) == Some(&2);
            seen.insert([kept(500), kept(512), kept(1_024)]);
        }
        assert_eq!(seen.len(), 8);
    }

    #[test]
    fn a_torn_write_ends_somewhere() {
        let disk = disk();
        let mut draws = Draws(1);
        let end = |_| {
            let found = disk.after_power_cut(Keeps::Torn, &mut draws);
            found["a"].iter().filter(|byte| **byte == 2).count()
        };
        let ends: std::collections::BTreeSet<usize> = (0..100).map(end).collect();
        assert!(ends.len() > 20, "{ends:?}");
    }

    #[test]
    fn a_file_that_nobody_synced_may_never_have_been_there() {
        let mut disk = Disk::default();
        disk.take("new", Did::Write(0, vec![1]));
        let mut draws = Draws(1);
        assert!(disk.after_power_cut(Keeps::Nothing, &mut draws).is_empty());
        assert_eq!(disk.after_power_cut(Keeps::All, &mut draws)["new"], [1]);
        disk.take("new", Did::Sync);
        assert_eq!(disk.after_power_cut(Keeps::Nothing, &mut draws)["new"], [1]);
        disk.take("new", Did::Delete);
        assert_eq!(disk.after_power_cut(Keeps::Nothing, &mut draws)["new"], [1]);
        assert!(disk.after_power_cut(Keeps::All, &mut draws).is_empty());
        let mut again = disk.clone();
        again.take("new", Did::Write(1, vec![2]));
        assert_eq!(again.after_power_cut(Keeps::Last, &mut draws)["new"], [1], "another file's");
        assert_eq!(again.after_power_cut(Keeps::All, &mut draws)["new"], [0, 2]);
        disk.take("", Did::SyncFolder);
        assert!(disk.after_power_cut(Keeps::Nothing, &mut draws).is_empty());
    }
}
