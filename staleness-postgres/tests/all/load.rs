//! Round trips, counted on the road; and many clients at once.

#![cfg(unix)]

use std::sync::Arc;
use std::time::Duration;

use crate::support::proxy::Proxy;
use crate::support::scan::{TOOLS, scan};
use crate::support::server::Server;
use staleness_core::ids::{OpId, ToolName};
use staleness_core::outcome::OutcomeKind;
use staleness_core::registry::Use;
use staleness_core::scan::ProjectRef;
use staleness_core::store::Selection;
use staleness_core::time::Timestamp;
use staleness_core::{Policy, Registry, Wait};
use staleness_postgres::{OpenOptions, PostgresStore};

/// The delay to the server, each way: longer than it takes to send all that goes in one round trip.
const FAR: Duration = Duration::from_millis(40);

/// Of so many tries the one with the fewest trips counts: the machine has other work as well, and the first
/// try connects.
const TRIES: u32 = 6;

fn registry(url: &str) -> Registry {
    let store = PostgresStore::open(url, OpenOptions::default()).unwrap();
    Registry::new(Arc::new(store), Policy::default())
}

fn used(op: &str, tool: &str) -> Use {
    Use::new(
        OpId::new(op).unwrap(),
        ToolName::new(tool).unwrap(),
        OutcomeKind::Success,
        Timestamp::from_millis(1_000),
        ProjectRef::of_root("/p"),
    )
}

#[test]
#[ignore = "needs a Postgres server"]
fn an_outcome_takes_two_round_trips_and_a_scan_of_ten_thousand_tools_four() {
    let server = Server::private();
    let database = server.database();
    let near = registry(database.url());
    let project = ProjectRef::of_root("/p");
    assert_eq!(scan(&near, &project, 1), TOOLS);
    let road = Proxy::new(&server.socket(), FAR, None);
    let far = road.url(database.url());
    let far = registry(&far);
    let fewest = |work: &dyn Fn(u32)| {
        let trips = (0..TRIES).map(|turn| {
            let before = road.trips();
            work(turn);
            road.trips() - before
        });
        trips.min().unwrap()
    };
    let outcome = fewest(&|turn| {
        let tool = format!("mcp__server{turn}__tool{turn}");
        far.tools().record(used(&turn.to_string(), &tool)).wait().unwrap();
    });
    let scanned =
        fewest(&|turn| assert_eq!(scan(&far, &project, 2 + i64::from(turn)), 0, "{turn}"));
    // On a busy machine two trips may be counted as one.
    assert!((1..=2).contains(&outcome) && (1..=4).contains(&scanned), "{outcome} {scanned}");
}

#[test]
#[ignore = "needs a Postgres server"]
fn clients_that_use_the_same_tools_lose_no_update() {
    const CLIENTS: usize = 8;
    const EACH: usize = 25;
    let (_server, database) = Server::and_database();
    drop(registry(database.url()));
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let registry = registry(database.url());
            scope.spawn(move || {
                for turn in 0..EACH {
                    let (op, tool) = (format!("{client}-{turn}"), format!("tool{}", turn % 3));
                    registry.tools().record(used(&op, &tool)).wait().unwrap();
                }
            });
        }
    });
    let store = Arc::clone(registry(database.url()).store());
    let view = pollster::block_on(store.view(Arc::new(Selection::everything()))).unwrap();
    let uses: u64 = view.tools.values().map(|tool| tool.uses).sum();
    assert_eq!((uses, view.outcomes.len(), view.tools.len()), (200, CLIENTS * EACH, 3));
}
