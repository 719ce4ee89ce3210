//! Caches outlines of large configuration files in the folder `<store>.outlines` beside the store's file.
//!
//! A damaged or unreadable cache file counts as missing. Cache errors never fail an operation.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use staleness::{StoreUrl, Timestamp, clock};
use staleness_core::ids::stable_hash;
use staleness_sources::clients::{Outline, Outlines};

use crate::private;

/// Suffix of the folder's name.
pub(crate) const OUTLINES: &str = ".outlines";

/// Maximum number of files in the folder.
const MAX_FILES: usize = 16;

/// Maximum size of one file, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// Length in hex digits of the checksum at the start of a file.
const CHECKSUM: usize = 32;

/// The cached outlines of one store.
#[derive(Debug)]
pub(crate) struct OutlineFolder {
    folder: PathBuf,
    writes: bool,
}

impl OutlineFolder {
    /// Returns the cache for the store at `url`, or `None` if the store is not a file. If `writes` is false,
    /// nothing is written.
    pub(crate) fn of(url: &StoreUrl, writes: bool) -> Option<Self> {
        Some(Self { folder: private::beside(url, OUTLINES)?, writes })
    }

    fn read(&self, key: &str) -> Option<Outline> {
        private::check(&self.folder).ok()?;
        let mut bytes = Vec::new();
        let file = fs::File::open(self.folder.join(key)).ok()?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
        let (sum, json) = bytes.split_at_checked(CHECKSUM)?;
        (sum == checksum(json).as_bytes()).then(|| serde_json::from_slice(json).ok())?
    }

    fn write(&self, key: &str, outline: &Outline) -> io::Result<()> {
        let json = serde_json::to_string(outline)?;
        let bytes = checksum(json.as_bytes()) + &json;
        if bytes.len() as u64 > MAX_BYTES {
            return Ok(());
        }
        private::make(&self.folder)?;
        let names = private::names(&self.folder)?;
        if names.len() >= MAX_FILES && !names.iter().any(|name| name == key) {
            for name in names {
                fs::remove_file(self.folder.join(name))?;
            }
        }
        let partial = self.folder.join(format!("{}.partial", clock::fresh_op()));
        private::write_new(&partial, &bytes.into_bytes())?;
        rename(&partial, &self.folder.join(key))
    }
}

fn rename(partial: &Path, path: &Path) -> io::Result<()> {
    fs::rename(partial, path).inspect_err(|_| {
        let _ = fs::remove_file(partial);
    })
}

fn checksum(bytes: &[u8]) -> String {
    format!("{:032x}", stable_hash(bytes))
}

impl Outlines for OutlineFolder {
    fn now(&self) -> Timestamp {
        clock::now()
    }

    fn get(&self, key: &str) -> Option<Outline> {
        self.read(key)
    }

    fn put(&self, key: &str, outline: &Outline) {
        if self.writes {
            // After a failed write, the configuration file is read again next time.
            let _ = self.write(key, outline);
        }
    }
}

#[cfg(test)]
mod tests {
    use staleness_sources::clients::Liberties;

    use super::*;

    fn place() -> (tempfile::TempDir, OutlineFolder) {
        let temp = tempfile::tempdir().unwrap();
        let url = StoreUrl::Sqlite(temp.path().join("registry.db"));
        let outlines = OutlineFolder::of(&url, true).unwrap();
        (temp, outlines)
    }

    fn outline(text: &str) -> Outline {
        Outline {
            stamp: Some("1 2 3".to_owned()),
            digest: "d".to_owned(),
            content: Ok(text.to_owned()),
            liberties: Liberties::default(),
        }
    }

    fn names(outlines: &OutlineFolder) -> Vec<String> {
        private::names(&outlines.folder).unwrap()
    }

    #[test]
    fn outlines_are_kept_under_their_keys_for_the_owner_alone() {
        let (_temp, outlines) = place();
        outlines.put("a", &outline("{}"));
        outlines.put("a", &outline("{\"new\": \"\n\"}"));
        let failed = Outline { stamp: None, content: Err("why".to_owned()), ..outline("") };
        outlines.put("b", &failed);
        assert_eq!(outlines.get("a"), Some(outline("{\"new\": \"\n\"}")));
        assert_eq!(outlines.get("b"), Some(failed));
        assert_eq!(outlines.get("c"), None);
        assert_eq!(names(&outlines).len(), 2);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&outlines.folder), 0o700);
            assert_eq!(mode(&outlines.folder.join("a")), 0o600);
        }
    }

    #[test]
    fn who_only_looks_writes_nothing() {
        let (_temp, outlines) = place();
        let looking = OutlineFolder { folder: outlines.folder.clone(), writes: false };
        looking.put("a", &outline("{}"));
        assert!(!outlines.folder.exists());
        outlines.put("a", &outline("{}"));
        assert_eq!(looking.get("a"), Some(outline("{}")));
    }

    #[test]
    fn damaged_outlines_are_not_there() {
        let (_temp, outlines) = place();
        outlines.put("a", &outline("{\"mcpServers\": {}}"));
        let path = outlines.folder.join("a");
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(outlines.get("a"), None);
        }
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1;
            fs::write(&path, flipped).unwrap();
            assert_eq!(outlines.get("a"), None);
        }
        outlines.put("a", &outline("{}"));
        assert_eq!(outlines.get("a"), Some(outline("{}")));
    }

    #[test]
    fn outlines_are_bounded_in_number_and_size() {
        let (_temp, outlines) = place();
        for number in 0..100 {
            outlines.put(&number.to_string(), &outline("{}"));
            assert!(names(&outlines).len() <= MAX_FILES);
        }
        assert_eq!(outlines.get("99"), Some(outline("{}")));
        outlines.put("large", &outline(&"x".repeat(MAX_BYTES as usize)));
        assert_eq!(outlines.get("large"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_of_outlines_that_others_may_write_to_or_that_is_a_link_is_not_used() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (temp, outlines) = place();
        outlines.put("a", &outline("{}"));
        fs::set_permissions(&outlines.folder, fs::Permissions::from_mode(0o770)).unwrap();
        outlines.put("b", &outline("{}"));
        assert_eq!((outlines.get("a"), outlines.folder.join("b").exists()), (None, false));
        let elsewhere = temp.path().join("elsewhere");
        fs::rename(&outlines.folder, &elsewhere).unwrap();
        fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o700)).unwrap();
        symlink(&elsewhere, &outlines.folder).unwrap();
        outlines.put("b", &outline("{}"));
        assert_eq!((outlines.get("a"), elsewhere.join("b").exists()), (None, false));
    }
}
