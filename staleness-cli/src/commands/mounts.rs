//! Finds the file system of a folder on Linux.

use std::path::Path;

/// The type of storage of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Medium {
    /// A local disk, with its file system type.
    Local(String),
    /// A network disk, with its file system type.
    Network(String),
    /// The system does not report the type.
    Unknown,
}

/// Types of file systems whose files are on another machine or on the host of a virtual machine.
const NETWORK: [&str; 17] = [
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "gfs2", "gpfs", "lustre", "ncpfs",
    "nfs", "nfs4", "ocfs2", "smb3", "smbfs", "virtiofs",
];
/// Names of network FUSE programs: the part after `fuse.` in the type.
const NETWORK_FUSE: [&str; 10] = [
    "ceph",
    "curlftpfs",
    "davfs",
    "gcsfuse",
    "glusterfs",
    "goofys",
    "rclone",
    "s3fs",
    "sshfs",
    "vmhgfs-fuse",
];

/// Returns the storage of a folder, from `/proc/self/mountinfo`.
pub(super) fn medium_of(folder: &Path) -> Medium {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    medium_among(&mounts, &folder)
}

/// Returns the storage of a folder, from lines in the format of `proc_pid_mountinfo(5)`. The longest mount point wins,
/// and of equal ones the last, which hides the others.
fn medium_among(mounts: &str, folder: &Path) -> Medium {
    let mut best: Option<(usize, &str)> = None;
    for line in mounts.lines() {
        // The number of fields before the dash varies.
        let Some((front, back)) = line.split_once(" - ") else { continue };
        let (Some(point), Some(kind)) = (front.split(' ').nth(4), back.split(' ').next()) else {
            continue;
        };
        let point = unescaped(point);
        let depth = Path::new(&point).components().count();
        if folder.starts_with(&point) && best.is_none_or(|(least, _)| depth >= least) {
            best = Some((depth, kind));
        }
    }
    match best {
        None => Medium::Unknown,
        Some((_, kind)) => {
            let program = kind.strip_prefix("fuse.");
            if NETWORK.contains(&kind) || program.is_some_and(|name| NETWORK_FUSE.contains(&name)) {
                Medium::Network(kind.to_owned())
            } else {
                Medium::Local(kind.to_owned())
            }
        }
    }
}

/// Decodes the characters that Linux writes as three octal digits.
fn unescaped(point: &str) -> String {
    let point = point.replace(r"\040", " ").replace(r"\011", "\t").replace(r"\012", "\n");
    point.replace(r"\134", r"\")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 24 0:22 / /home rw shared:2 master:1 - nfs4 server:/home rw,vers=4.2
31 30 0:30 / /home/me/local rw - btrfs /dev/sdb rw
32 24 0:31 / /mnt/a\\040b rw - fuse.sshfs me@host:/ rw
33 24 0:32 / /mnt/disk rw - fuse.ntfs-3g /dev/sdc rw
34 24 0:33 / /over rw - nfs server:/ rw
35 24 0:34 / /over rw - tmpfs tmpfs rw
half a line
";

    #[test]
    fn the_innermost_and_last_mount_counts() {
        let network = |kind: &str| Medium::Network(kind.into());
        let local = |kind: &str| Medium::Local(kind.into());
        for (folder, expected) in [
            ("/var/lib", local("ext4")),
            ("/home/me/.local/share", network("nfs4")),
            ("/homes", local("ext4")),
            ("/home/me/local/x", local("btrfs")),
            ("/mnt/a b/c", network("fuse.sshfs")),
            ("/mnt/disk", local("fuse.ntfs-3g")),
            ("/over/x", local("tmpfs")),
        ] {
            assert_eq!(medium_among(MOUNTS, Path::new(folder)), expected, "{folder}");
        }
        assert_eq!(medium_among("", Path::new("/")), Medium::Unknown);
    }

    #[test]
    fn octal_escapes_are_read_and_others_stay() {
        assert_eq!(unescaped(r"/a\040b\134c\9\04"), r"/a b\c\9\04");
    }
}
