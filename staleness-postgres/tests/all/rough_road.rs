//! A long road that breaks again and again: nothing acknowledged is lost, nothing is doubled.

#![cfg(unix)]

use std::sync::Arc;
use std::time::Duration;

use crate::support::proxy::Proxy;
use crate::support::server::Server;
use staleness_core::ids::{ItemId, ItemKey, OpId, ProjectId, Scope, ToolName};
use staleness_core::knowledge::{Item, ItemKind};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::{Act, Use};
use staleness_core::scan::ProjectRef;
use staleness_core::store::{Selection, StoreError};
use staleness_core::time::Timestamp;
use staleness_core::{Policy, Registry, RegistryError, Wait};
use staleness_postgres::{OpenOptions, PostgresStore};

/// The delay to the server, each way.
const FAR: Duration = Duration::from_millis(2);

/// The number of writers at the same time.
const WRITERS: u32 = 4;

/// The number of outcomes that each of them records.
const OUTCOMES: u32 = 40;

/// After so many failures in a row nothing will come of it any more.
const MOST: usize = 200;

/// Does something until it is acknowledged. What a broken road answers may be repeated; nothing else comes.
fn until_done<T, E: Into<RegistryError>>(mut work: impl FnMut() -> Result<T, E>) -> T {
    for _ in 0..MOST {
        match work().map_err(Into::into) {
            Ok(done) => return done,
            Err(RegistryError::Store(
                StoreError::Busy | StoreError::Unknown(_) | StoreError::Io { .. },
            )) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    panic!("{MOST} failures in a row");
}

fn registry(url: &str) -> Registry {
    let store = until_done(|| PostgresStore::open(url, OpenOptions::default()));
    Registry::new(Arc::new(store), Policy::default())
}

fn used(writer: u32, turn: u32) -> Use {
    let result = if turn.is_multiple_of(3) { OutcomeKind::Failure } else { OutcomeKind::Success };
    Use::new(
        OpId::new(format!("{writer}-{turn}")).unwrap(),
        ToolName::new(format!("tool{}", turn % 5)).unwrap(),
        result,
        Timestamp::from_millis(turn.into()),
        ProjectRef::of_root("/p"),
    )
}

fn write_all(url: &str, writer: u32) {
    let registry = registry(url);
    for turn in 0..OUTCOMES {
        until_done(|| registry.tools().record(used(writer, turn)).wait());
        if turn.is_multiple_of(10) {
            let at = Timestamp::from_millis(turn.into());
            let key = ItemKey {
                scope: Scope::Project(ProjectId::of_root("/p")),
                id: ItemId::new(format!("{writer}-{turn}")).unwrap(),
            };
            let act = Act::new(OpId::new(format!("note-{writer}-{turn}")).unwrap(), at);
            let item = Item::new(key, ItemKind::Knowledge, "It is so.", at);
            until_done(|| registry.knowledge().add(item.clone(), act.clone()).wait());
        }
    }
}

#[test]
#[ignore = "needs a Postgres server"]
fn nothing_acknowledged_is_lost_and_nothing_is_doubled() {
    let server = Server::private();
    let database = server.database();
    let near = registry(database.url());
    let road = Proxy::new(&server.socket(), FAR, Some(8));
    let url = road.url(database.url());
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let url = &url;
            scope.spawn(move || write_all(url, writer));
        }
    });
    assert!(road.broken() > 0);

    let view = pollster::block_on(near.store().view(Arc::new(Selection::everything())));
    let view = view.unwrap();
    let ops: std::collections::BTreeSet<String> =
        view.outcomes.values().map(|row| row.op.to_string()).collect();
    let all = (WRITERS * OUTCOMES) as usize;
    assert_eq!((view.outcomes.len(), ops.len()), (all, all));
    // Numbers and revisions have no gaps.
    assert_eq!(view.outcomes.keys().copied().last(), Some(all as u64));
    let uses: u64 = view.tools.values().map(|tool| tool.uses).sum();
    assert_eq!(uses, all as u64);
    let items = (WRITERS * OUTCOMES / 10) as usize;
    assert_eq!(view.knowledge.len(), items);
    let added = view.journal.values().filter(|entry| entry.subject.kind.as_str() == "knowledge");
    assert_eq!(added.count(), items);
    let revisions: std::collections::BTreeSet<u64> =
        view.journal.keys().map(|(revision, _)| revision.0).collect();
    assert!(revisions.iter().copied().eq(1..=view.revision.0), "{revisions:?}");
    pollster::block_on(near.store().check()).unwrap();
}
