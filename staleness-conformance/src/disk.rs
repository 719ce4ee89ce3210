//! A disk that loses its power: what it keeps of the writes that nobody waited for.
//!
//! Writes, truncations and deletions are noted as a program makes them. What was synced is certain;
//! of the rest a power cut keeps any part, in any order, down to halves of writes.

use std::collections::BTreeMap;
use std::ops::Range;

/// The bytes that disks write as one piece.
const SECTOR: usize = 512;

/// An act of a program on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Did {
    /// Wrote bytes at an offset.
    Write(u64, Vec<u8>),
    /// Set the length.
    SetLen(u64),
    /// Waited until all of it was on the disk.
    Sync,
    /// Deleted the file.
    Delete,
    /// Waited until what was deleted from the folder is gone for certain; of no file in particular.
    SyncFolder,
}

/// The choice of writes that nobody waited for which a power cut keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// None.
    Nothing,
    /// Each or not, as it falls.
    Some,
    /// Each sector of each or not, as it falls.
    Sectors,
    /// The last one alone.
    Last,
    /// All up to one, and of that one the first bytes.
    Torn,
    /// All: only the program died.
    All,
}

impl Keeps {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Nothing, Self::Some, Self::Sectors, Self::Last, Self::Torn, Self::All];
}

/// Numbers that look random and are the same in every run (splitmix64).
#[derive(Clone, Debug)]
pub struct Draws(pub u64);

impl Draws {
    /// The next number, below `limit`, which is not 0.
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
    /// The bytes for certain; `None`: perhaps not even the name.
    sure: Option<Vec<u8>>,
    since: Vec<Did>,
}

impl Disk {
    /// A disk on which these files are for certain.
    #[must_use]
    pub fn with(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let file = |bytes| File { sure: Some(bytes), since: Vec::new() };
        Self { files: files.into_iter().map(|(name, bytes)| (name, file(bytes))).collect() }
    }

    /// Notes what was done to a file. Whoever syncs a new file is sure of its name, too, as file systems
    /// in use have it.
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

    /// Returns the number of writes that nobody waited for.
    #[must_use]
    pub fn unsure(&self) -> usize {
        self.files.values().map(|file| file.since.len()).sum()
    }

    /// The files that are found when the power comes back.
    #[must_use]
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

    /// The bytes that are found, if the file is. `kept` is given the number of a write and its place in the file,
    /// and returns the parts of it that are kept; what has no bytes is kept if any part is.
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
                // The name is that of the old file still; what follows went to another one.
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

/// The parts of a write that lie in one sector each; one part where it has no bytes.
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
        let ends: std::collections::BTreeSet<usize> = (0..100)
            .map(|_| {
                disk.after_power_cut(Keeps::Torn, &mut draws)["a"]
                    .iter()
                    .filter(|byte| **byte == 2)
                    .count()
            })
            .collect();
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
