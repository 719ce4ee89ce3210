//! TLS connections to the server.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use staleness_core::store::StoreError;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Creates a connector that trusts the certificates in `roots`, or the system's. The server's name is always
/// checked.
pub(crate) fn connector(roots: Option<&Path>) -> Result<MakeRustlsConnect, StoreError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Backend(Box::new(error)))?
        .with_root_certificates(match roots {
            Some(path) => of_file(path)?,
            None => of_system()?,
        })
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn of_file(path: &Path) -> Result<RootCertStore, StoreError> {
    let doing = || format!("reading the certificates of {}", path.display());
    let bytes = std::fs::read(path).map_err(|source| StoreError::io(doing(), source))?;
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let added = certificate
            .map_err(|error| error.to_string())
            .and_then(|certificate| store.add(certificate).map_err(|error| error.to_string()));
        added.map_err(|why| {
            StoreError::io(doing(), io::Error::new(io::ErrorKind::InvalidData, why))
        })?;
    }
    if store.is_empty() {
        let why = io::Error::new(io::ErrorKind::InvalidData, "it contains no certificate");
        return Err(StoreError::io(doing(), why));
    }
    Ok(store)
}

fn of_system() -> Result<RootCertStore, StoreError> {
    let mut store = RootCertStore::empty();
    let (added, _) =
        store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 {
        let why = "this system has no certificates; name a certificate file with sslrootcert=PATH";
        return Err(StoreError::io(
            "preparing an encrypted connection",
            io::Error::new(io::ErrorKind::NotFound, why),
        ));
    }
    Ok(store)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_certificates_is_read_or_its_fault_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        let told = |path: &Path| connector(Some(path)).map(drop).unwrap_err().to_string();
        assert!(told(&path).contains("ca.pem"), "{}", told(&path));
        for (text, why) in [
            ("nothing", "no certificate"),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "ca.pem"),
        ] {
            std::fs::write(&path, text).unwrap();
            assert!(told(&path).contains(why), "{}", told(&path));
        }
    }
}
