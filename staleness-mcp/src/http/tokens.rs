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

/// A line of the file.
pub(super) struct Token {
    pub line: usize,
    pub digest: Digest,
    /// The folder of the token's project.
    pub folder: PathBuf,
    /// True if the token permits changes to global records.
    pub writes_global: bool,
}

pub(super) fn digest(token: &str) -> Digest {
    Sha256::digest(token).into()
}

/// Reads a file of tokens. Each line has a token, optionally the word `global`, and a folder. Blank lines and lines
/// that begin with `#` are ignored.
///
/// # Errors
/// If the file cannot be read, others may read it, or a line is invalid. No error shows a token.
pub(super) fn read(path: &Path) -> Result<Vec<Token>, ServeError> {
    let refused = |why: String| ServeError(format!("{}: {why}", path.display()));
    let about = std::fs::metadata(path).map_err(|error| refused(error.to_string()))?;
    // This check precedes opening, because opening a pipe would block.
    if !about.is_file() {
        return Err(refused("not a file".to_owned()));
    }
    let file = File::open(path).map_err(|error| refused(error.to_string()))?;
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o077 != 0 {
        return Err(refused(
            "other users can read the tokens; run `chmod 600` on the file".to_owned(),
        ));
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(|error| refused(error.to_string()))?;
    if text.len() as u64 == MAX_BYTES {
        return Err(refused("the file is too large".to_owned()));
    }
    let mut tokens: Vec<Token> = Vec::new();
    for (line, text) in (1..).zip(text.trim_start_matches('\u{feff}').lines().map(str::trim)) {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let refused = |why: &str| refused(format!("line {line}: {why}"));
        let Some((token, folder)) = text.split_once(char::is_whitespace) else {
            return Err(refused("each line needs a token and the folder of its project"));
        };
        if !LENGTH.contains(&token.len()) || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refused(
                "a token must have 32 to 256 characters; `openssl rand -hex 32` makes one",
            ));
        }
        let digest = digest(token);
        if tokens.iter().any(|other| other.digest == digest) {
            return Err(refused("another line has the same token"));
        }
        let folder = folder.trim_start();
        let global =
            folder.strip_prefix("global").filter(|rest| rest.starts_with(char::is_whitespace));
        let (folder, writes_global) = (global.unwrap_or(folder), global.is_some());
        let folder = Path::new(folder.trim_start());
        let whole = folder.is_absolute().then(|| folder.canonicalize().ok()).flatten();
        match whole.filter(|folder| folder.is_dir()) {
            Some(folder) => tokens.push(Token { line, digest, folder, writes_global }),
            None => return Err(refused("use the absolute path of an existing folder")),
        }
    }
    if tokens.is_empty() { Err(refused("the file has no token".to_owned())) } else { Ok(tokens) }
}
