//! A check that nothing built into this program talks over a network, but for `postgres` and `http`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crates that speak a protocol of the network or encrypt one, with all whose names go on with a dash.
const TALKERS: &str = "attohttpc awc curl ftp git2 gix-protocol gix-transport h2 h3 hf-hub hickory \
                       hyper isahc libgit2-sys minreq native-tls openssl quinn reqwest rustls \
                       tonic trust-dns tungstenite ureq webpki";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The way to the server of a `postgres:` URL, which is a feature. (The second is named by tests, too.)
const SERVER: [&str; 2] = ["staleness-postgres", "tokio-postgres"];

/// Folders of that feature.
const OF_HTTP: [&str; 2] = ["staleness-mcp/src/http", "staleness-mcp/src/probe/http"];

/// Crates with which `scan --probe` reaches HTTP servers and `mcp --http` is one: a feature too. `PROBER` names them itself.
const PROBER: &str = "staleness-mcp";
const PROBE: [&str; 5] =
    ["http-body-util", "hyper", "hyper-util", "rustls-native-certs", "tokio-rustls"];

/// The crates of this program with whatever features and on whatever system, but for some: all that
/// `Cargo.lock` lists below it.
fn crates(but: &[&str]) -> BTreeSet<String> {
    let lock = std::fs::read_to_string(workspace().join("Cargo.lock")).unwrap();
    let lock: toml::Table = lock.parse().unwrap();
    let mut below: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in lock["package"].as_array().unwrap() {
        let needs = package.get("dependencies").and_then(toml::Value::as_array);
        // A version follows where there are several.
        let needs = needs.into_iter().flatten().filter_map(|each| each.as_str()?.split(' ').next());
        below.entry(package["name"].as_str().unwrap()).or_default().extend(needs);
    }
    let mut found = BTreeSet::new();
    let mut left = vec!["staleness-cli"];
    while let Some(name) = left.pop() {
        if !but.contains(&name) && found.insert(name.to_owned()) {
            let is_probe = |each: &&str| name == PROBER && !but.is_empty() && PROBE.contains(each);
            left.extend(below[name].iter().copied().filter(|each| !is_probe(each)));
        }
    }
    found
}

/// Those that talk over a network.
fn talkers(but: &[&str]) -> Vec<String> {
    let crates = crates(but);
    assert!(crates.len() > 100, "{crates:?}");
    let member = |name: &str, family: &str| {
        name.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let talks = |name: &String| TALKERS.split(' ').any(|family| member(name, family));
    crates.into_iter().filter(talks).collect()
}

#[test]
fn nothing_that_talks_over_a_network_is_built_in() {
    assert_eq!(talkers(&SERVER), [""; 0]);
    // It would be found: the way to the server is encrypted.
    assert!(talkers(&[]).contains(&"rustls".to_owned()));
}

#[test]
fn the_way_to_http_servers_is_a_feature_that_is_off() {
    let manifest = |folder: &str| -> toml::Table {
        let path = workspace().join(folder).join("Cargo.toml");
        std::fs::read_to_string(path).unwrap().parse().unwrap()
    };
    let (prober, program) = (manifest(PROBER), manifest("staleness-cli"));
    for name in PROBE {
        let optional = &prober["dependencies"][name]["optional"];
        assert_eq!(optional.as_bool(), Some(true), "{name}");
        let takes = |list: &toml::Value| list.to_string().contains(&format!("\"dep:{name}\""));
        let features = prober["features"].as_table().unwrap().iter();
        let takers: Vec<&String> =
            features.filter(|each| takes(each.1)).map(|each| each.0).collect();
        assert_eq!(takers, ["http"], "{name}");
    }
    for manifest in [prober, program] {
        assert!(!manifest["features"]["default"].to_string().contains("http"), "{manifest}");
    }
}

#[test]
fn no_source_but_that_of_the_server_opens_a_socket() {
    let is_ours = |name: &str| name.starts_with("staleness") && name != SERVER[0];
    let crates = std::fs::read_dir(workspace()).unwrap().map(|entry| entry.unwrap().path());
    let ours = crates.filter(|path| is_ours(&path.file_name().unwrap().to_string_lossy()));
    let mut folders: Vec<PathBuf> = ours.map(|path| path.join("src")).collect();
    let (mut read, mut found) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.extend((!OF_HTTP.iter().any(|it| path.ends_with(it))).then_some(path));
                continue;
            }
            read += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            let opens = ["TcpStream", "TcpListener", "TcpSocket", "UdpSocket", "ToSocketAddrs"];
            if opens.iter().any(|word| text.contains(word)) {
                found.push(path);
            }
        }
    }
    assert!(read > 300 && found.is_empty(), "{read}: {found:?}");
}
