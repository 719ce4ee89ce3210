//! The file of tokens.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::stdio::ServeError;

/// Allowed length of a token, in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 32..=256;
/// The largest file, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The digest of a token. The token itself is not stored.
pub(super) type Digest = [u8; 32];

/// Each token with its line and the folder of its project.
pub(super) type Tokens = Vec<(usize, Digest, PathBuf)>;

pub(super) fn digest(token: &str) -> Digest {
    Sha256::digest(token).into()
}

/// Reads a file of tokens: each line has a token and a folder; blank lines and lines that begin with `#`, are
/// ignored.
///
/// # Errors
/// If the file cannot be read, others may read it, or a line is invalid. No error shows a token.
pub(super) fn read(path: &Path) -> Result<Tokens, ServeError> {
    let refused = |why: String| ServeError(format!("{}: {why}", path.display()));
    let about = std::fs::metadata(path).map_err(|error| refused(error.to_string()))?;
    // This check precedes opening, because opening a pipe would block.
    if !about.is_file() {
        return Err(refused("not a file".to_owned()));
    }
    let file = File::open(path).map_err(|error| refused(error.to_string()))?;
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o077 != 0 {
        return Err(refused("others may read the tokens; run `chmod 600` on it".to_owned()));
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(|error| refused(error.to_string()))?;
    if text.len() as u64 == MAX_BYTES {
        return Err(refused("the file is too large".to_owned()));
    }
    let mut tokens = Tokens::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let refused = |why: &str| refused(format!("line {number}: {why}"));
        let Some((token, folder)) = line.split_once(char::is_whitespace) else {
            return Err(refused("a token and the folder of its project are needed"));
        };
        if !LENGTH.contains(&token.len()) || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refused(
                "a token has 32 to 256 characters; `openssl rand -hex 32` makes one",
            ));
        }
        let token = digest(token);
        if tokens.iter().any(|(_, other, _)| *other == token) {
            return Err(refused("another line has the same token"));
        }
        let folder = Path::new(folder.trim_start());
        let whole = folder.is_absolute().then(|| folder.canonicalize().ok()).flatten();
        match whole.filter(|folder| folder.is_dir()) {
            Some(folder) => tokens.push((number, token, folder)),
            None => return Err(refused("the folder must be the absolute path of one that exists")),
        }
    }
    if tokens.is_empty() { Err(refused("there is no token".to_owned())) } else { Ok(tokens) }
}
