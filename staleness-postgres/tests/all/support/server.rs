//! A private server in a temporary folder, from the binaries that are installed.

#![allow(dead_code, reason = "no test uses all of it")]

use std::env;
use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tempfile::TempDir;

/// The URL of a database of a running server to use instead, as a role that may create databases.
pub(crate) const VARIABLE: &str = "STALENESS_TEST_POSTGRES";

/// The role that owns what a server starts with.
pub(crate) const OWNER: &str = "owner";

/// The password of the roles of a private server.
pub(crate) const PASSWORD: &str = "correct-horse";

/// A server. It is stopped, and its folder removed, when this is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    /// `None` for one that was running already.
    own: Option<Own>,
    pub(crate) url: String,
}

#[derive(Debug)]
struct Own {
    folder: TempDir,
    pg_ctl: PathBuf,
    user: Option<u32>,
}

impl Server {
    /// Returns true if a server can be had: tests that need one are ignored otherwise.
    pub(crate) fn is_available() -> bool {
        env::var_os(VARIABLE).is_some() || binary("initdb").is_some()
    }

    /// The server that the environment names, or a new private one.
    pub(crate) fn start() -> Self {
        match env::var(VARIABLE) {
            Ok(url) => Self { own: None, url },
            Err(_) => Self::private(),
        }
    }

    /// A private one, by way of its socket.
    fn of(own: Own) -> Self {
        let socket = own.folder.path().to_str().expect("a path in UTF-8").replace('/', "%2F");
        let url = format!("postgres://{OWNER}:{PASSWORD}@/postgres?host={socket}");
        Self { own: Some(own), url }
    }

    /// A private server that also listens on a port of this machine, and encrypts there; with the port.
    pub(crate) fn encrypted(certificate: &str, key: &str) -> (Self, u16) {
        let server = Self::private();
        let own = server.own.as_ref().expect("a private server");
        for (name, text) in [("server.pem", certificate), ("server.key", key)] {
            let path = own.data().join(name);
            fs::write(&path, text).expect("a file");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("its mode");
            }
            own.give_away(&path);
        }
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let port = port.expect("a free port").port();
        own.set(&format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nssl = on\nssl_cert_file = 'server.pem'\n\
             ssl_key_file = 'server.key'\n"
        ));
        own.control(&["stop", "-m", "immediate", "-s"]);
        own.start();
        (server, port)
    }

    /// A standby of a private one, to which that streams what it commits.
    pub(crate) fn follow(&self) -> Self {
        let own = Own::new();
        own.run(
            Command::new(binary("pg_basebackup").expect("pg_basebackup beside initdb"))
                .args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync"])
                .args(["--wal-method=stream", "--username", OWNER, "--host"])
                .arg(self.own.as_ref().expect("a private server").folder.path())
                .arg("--pgdata")
                .arg(own.data())
                .env("PGPASSWORD", PASSWORD),
        );
        own.set(&format!("unix_socket_directories = '{}'\n", own.folder.path().display()));
        own.start();
        Self::of(own)
    }

    /// The one that followed leads from now on.
    pub(crate) fn promote(&self) {
        self.own.as_ref().expect("a private server").control(&["promote", "-w", "-s"]);
    }

    /// The one that other tests of this process use at the same time, or a new one.
    pub(crate) fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = shared.upgrade() {
            return server;
        }
        let server = Arc::new(Self::start());
        *shared = Arc::downgrade(&server);
        server
    }

    /// The URL of its first database, as its owner.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Stops it at once, as a crash would.
    pub(crate) fn crash(&self) {
        self.own.as_ref().expect("a private server").control(&["stop", "-m", "immediate"]);
    }

    /// Starts it again.
    pub(crate) fn restart(&self) {
        self.own.as_ref().expect("a private server").start();
    }

    /// Returns the path of the socket on which a private server listens.
    pub(crate) fn socket(&self) -> PathBuf {
        let own = self.own.as_ref().expect("a private server");
        own.folder.path().join(".s.PGSQL.5432")
    }

    /// Returns true if it was started by this process.
    pub(crate) const fn is_private(&self) -> bool {
        self.own.is_some()
    }

    /// A new server of this process, which may be stopped and killed.
    pub(crate) fn private() -> Self {
        let initdb = binary("initdb").unwrap_or_else(|| {
            panic!("needs a Postgres server: install Postgres, or name a server in {VARIABLE}")
        });
        let own = Own::new();
        own.prepare(&initdb);
        Self::of(own)
    }
}

impl Own {
    /// A folder for a server, and who it is to belong to.
    fn new() -> Self {
        let own = Self {
            folder: TempDir::new().expect("a temporary folder"),
            pg_ctl: binary("pg_ctl").expect("pg_ctl beside initdb"),
            user: ordinary_user(),
        };
        own.give_away(own.folder.path());
        own
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn give_away(&self, path: &Path) {
        #[cfg(unix)]
        if let Some(user) = self.user {
            std::os::unix::fs::chown(path, Some(user), Some(user)).expect("to give it away");
        }
        #[cfg(not(unix))]
        let _ = path;
    }

    /// Adds settings, which count more than those before.
    fn set(&self, settings: &str) {
        let path = self.data().join("postgresql.conf");
        let before = fs::read_to_string(&path).expect("its settings");
        fs::write(&path, before + settings).expect("its settings");
    }

    fn prepare(&self, initdb: &Path) {
        let folder = self.folder.path();
        let password = folder.join("password");
        fs::write(&password, PASSWORD).expect("a file");
        self.give_away(&password);
        let data = self.data();
        self.run(
            Command::new(initdb)
                .args(["--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--no-sync"])
                .arg(format!("--username={OWNER}"))
                .arg(format!("--pwfile={}", password.display()))
                .arg("--pgdata")
                .arg(&data),
        );
        let socket = folder.display();
        // What makes the tests fast loses data only when the machine loses power.
        self.set(&format!(
            "listen_addresses = ''\nunix_socket_directories = '{socket}'\nmax_connections = 200\n\
             fsync = off\nfull_page_writes = off\nlog_min_messages = fatal\n\
             max_locks_per_transaction = 64\n"
        ));
        self.start();
    }

    fn start(&self) {
        let log = self.folder.path().join("log");
        self.control(&["start", "-w", "-s", "-l", log.to_str().expect("a path in UTF-8")]);
    }

    fn control(&self, words: &[&str]) {
        let mut command = Command::new(&self.pg_ctl);
        // A busy machine may take longer than the minute that is usual.
        command.env("PGCTLTIMEOUT", "600");
        self.run(command.args(words).arg("-D").arg(self.data()));
    }

    /// Runs a program as a user that Postgres accepts.
    fn run(&self, command: &mut Command) {
        #[cfg(unix)]
        if let Some(user) = self.user {
            use std::os::unix::process::CommandExt as _;
            command.uid(user).gid(user);
        }
        // A server that inherits the pipe of the output would keep it open for ever.
        let Output { status, stderr, .. } = command
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output()
            .expect("a program of Postgres");
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let told = String::from_utf8_lossy(&stderr);
        assert!(status.success(), "{command:?}: {status}\n{told}\n{log}");
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let mut stop = Command::new(&self.pg_ctl);
        stop.args(["stop", "-m", "immediate", "-s", "-D"]).arg(self.data());
        #[cfg(unix)]
        if let Some(user) = self.user {
            use std::os::unix::process::CommandExt as _;
            stop.uid(user).gid(user);
        }
        let stop = stop.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
        // It may be down already.
        let _ = stop.stderr(Stdio::null()).status();
    }
}

/// Postgres does not run as root: `nobody` then.
fn ordinary_user() -> Option<u32> {
    const NOBODY: u32 = 65_534;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // What this process creates belongs to whom it runs as.
        let mine = tempfile::tempfile().and_then(|file| file.metadata());
        mine.is_ok_and(|file| file.uid() == 0).then_some(NOBODY)
    }
    #[cfg(not(unix))]
    None
}

/// A program of Postgres: from the path, or from where distributions keep them.
fn binary(name: &str) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let versions = |folder: &str| -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path().join("bin"))).collect()
    };
    let mut installed = versions("/usr/lib/postgresql").unwrap_or_default();
    installed.sort();
    folders.extend(installed.into_iter().rev());
    folders.into_iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// A name that no other database of the server has.
pub(crate) fn new_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("t{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Returns the statement that creates a database.
pub(crate) fn new_database(name: &str) -> String {
    format!("CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
}

/// Returns a URL with another database. The result always has parameters.
pub(crate) fn with_database(url: &str, name: &str) -> String {
    let (start, parameters) = url.split_once('?').unwrap_or((url, ""));
    let authority = start.find("://").map_or(0, |at| at + 3);
    let end = start[authority..].find('/').map_or(start.len(), |at| authority + at);
    let parameters = if parameters.is_empty() { "application_name=test" } else { parameters };
    format!("{}/{name}?{parameters}", &start[..end])
}
