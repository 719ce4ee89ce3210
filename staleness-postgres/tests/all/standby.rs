//! Two servers: the first one dies under load, and the other goes on with everything that was acknowledged.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex};

use crate::support::server::Server;
use crate::support::sql::Sql;
use staleness_core::ids::{ItemId, ItemKey, OpId, ProjectId, Scope};
use staleness_core::knowledge::{Item, ItemKind};
use staleness_core::registry::Act;
use staleness_core::store::Selection;
use staleness_core::time::Timestamp;
use staleness_core::{Policy, Registry, RegistryError, Wait};
use staleness_postgres::{OpenOptions, PostgresStore};

/// The number of writers at the same time.
const WRITERS: u32 = 3;

/// The number of writes that are acknowledged before the first server dies.
const BEFORE: usize = 60;

/// The number of writes that each writer adds once the second server leads.
const AFTER: u32 = 20;

/// After so many failures in a row nothing will come of it any more.
const MOST: usize = 200;

fn open(url: &str) -> Registry {
    let store = PostgresStore::open(url, OpenOptions::default()).unwrap();
    Registry::new(Arc::new(store), Policy::default())
}

/// Writes down what a person decided: that waits for the standby.
fn note(registry: &Registry, writer: u32, turn: u32) -> Result<(), RegistryError> {
    let at = Timestamp::from_millis(turn.into());
    let id = format!("{writer}-{turn}");
    let key = ItemKey {
        scope: Scope::Project(ProjectId::of_root("/p")),
        id: ItemId::new(id.as_str()).unwrap(),
    };
    let act = Act::new(OpId::new(format!("op-{id}")).unwrap(), at);
    let item = Item::new(key, ItemKind::Knowledge, "It is so.", at);
    registry.knowledge().add(item, act).wait().map(drop)
}

/// The server that leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Leader {
    #[default]
    First,
    Nobody,
    Second,
}

#[derive(Debug, Default)]
struct Lead {
    now: Mutex<Leader>,
    changed: Condvar,
}

impl Lead {
    fn is_second(&self) -> bool {
        *self.now.lock().unwrap() == Leader::Second
    }

    fn pass_to(&self, leader: Leader) {
        *self.now.lock().unwrap() = leader;
        self.changed.notify_all();
    }

    /// Waits while nobody leads.
    fn wait(&self) {
        let nobody = |leader: &mut Leader| *leader == Leader::Nobody;
        drop(self.changed.wait_while(self.now.lock().unwrap(), nobody).unwrap());
    }
}

/// Writes until there is enough after the second server has begun to lead. What fails is repeated while
/// somebody leads: it may be there or not.
fn live(url: &str, writer: u32, acknowledged: &Sender<String>, lead: &Lead) {
    let registry = open(url);
    let (mut turn, mut after, mut failures) = (0, 0, 0);
    while after < AFTER {
        match note(&registry, writer, turn) {
            Ok(()) => {
                after += u32::from(lead.is_second());
                acknowledged.send(format!("{writer}-{turn}")).unwrap();
                (turn, failures) = (turn + 1, 0);
            }
            Err(error) => {
                lead.wait();
                failures += 1;
                assert!(failures < MOST, "{error:?}");
            }
        }
    }
}

#[test]
#[ignore = "needs a Postgres server"]
fn what_was_acknowledged_outlives_the_server_that_acknowledged_it() {
    let first = Server::private();
    drop(open(first.url()));
    let second = first.follow();
    let sql = Sql::connect(first.url()).unwrap();
    sql.run("ALTER SYSTEM SET synchronous_standby_names = '*'").unwrap();
    sql.run("SELECT pg_reload_conf()").unwrap();
    let followed = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
    let is_followed = || {
        sql.run("SELECT pg_sleep(0.02)").unwrap();
        sql.number(followed) == 1
    };
    assert!((0..3_000).any(|_| is_followed()), "it is not followed");
    drop(sql);

    let host = |server: &Server| server.url().split_once("host=").unwrap().1.to_owned();
    let hosts = format!("@{},{}/", host(&first), host(&second));
    let (front, _) = first.url().split_once('?').unwrap();
    let both = front.replacen("@/", &hosts, 1) + "?target_session_attrs=read-write";
    let lead = Lead::default();
    let (acknowledged, told) = channel();
    let told: BTreeSet<String> = std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (both, lead, acknowledged) = (&both, &lead, acknowledged.clone());
            scope.spawn(move || live(both, writer, &acknowledged, lead));
        }
        drop(acknowledged);
        let mut all: BTreeSet<String> = told.iter().take(BEFORE).collect();
        lead.pass_to(Leader::Nobody);
        first.crash();
        second.promote();
        lead.pass_to(Leader::Second);
        all.extend(told.iter());
        all
    });
    assert!(told.len() >= BEFORE + (WRITERS * AFTER) as usize, "{}", told.len());

    let registry = open(second.url());
    let store = Arc::clone(registry.store());
    let view = pollster::block_on(store.view(Arc::new(Selection::everything()))).unwrap();
    let there: BTreeSet<String> = view.knowledge.keys().map(|key| key.id.to_string()).collect();
    let lost: Vec<&String> = told.difference(&there).collect();
    assert!(lost.is_empty(), "{lost:?}");
    let added: Vec<&str> = view.journal.values().map(|entry| entry.subject.id.as_str()).collect();
    assert_eq!((added.len(), there.len()), (there.len(), told.len()), "each once");
    pollster::block_on(store.check()).unwrap();
}
