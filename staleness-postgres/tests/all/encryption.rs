//! Identity of the server: it is refused if its certificate is not valid.

use std::path::Path;

use crate::support::server::{OWNER, PASSWORD, Server};
use staleness_core::store::{RegistryStore, StoreError};
use staleness_postgres::{OpenOptions, PostgresStore};

/// Of `db.example`, by the authority beside it.
const CERTIFICATE: &str = include_str!("fixtures/server.pem");
const KEY: &str = include_str!("fixtures/server.key");

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/fixtures").join(name);
    path.to_str().expect("a path in UTF-8").replace('/', "%2F")
}

#[test]
#[ignore = "needs a Postgres server"]
fn a_server_whose_certificate_does_not_hold_is_refused() {
    let (_server, port) = Server::encrypted(CERTIFICATE, KEY);
    let open = |host: &str, rest: &str| {
        let url = format!("postgres://{OWNER}:{PASSWORD}@{host}:{port}/postgres?{rest}");
        PostgresStore::open(&url, OpenOptions::default())
    };
    let named = "hostaddr=127.0.0.1&sslrootcert=";
    let trusted = format!("{named}{}", fixture("authority.pem"));
    let other = format!("{named}{}", fixture("other-authority.pem"));
    // Whoever signed itself is its own authority, and the system believes none of these.
    let by_the_system = "hostaddr=127.0.0.1".to_owned();
    for (host, rest, why) in [
        ("db.example", &other, "UnknownIssuer"),
        ("other.example", &trusted, "not valid for name"),
        ("127.0.0.1", &format!("sslmode=require&{trusted}"), "not valid for name"),
        ("db.example", &by_the_system, "certificate"),
        ("db.example", &format!("sslmode=prefer&{other}"), "UnknownIssuer"),
    ] {
        let error = open(host, rest).unwrap_err();
        assert!(matches!(error, StoreError::Io { .. }), "{host} {rest}: {error:?}");
        let told = format!("{error} {error:?}");
        assert!(told.contains(why) && !told.contains(PASSWORD), "{host} {rest}: {told}");
    }
    let store = open("db.example", &trusted).unwrap();
    pollster::block_on(store.check()).unwrap();
}
