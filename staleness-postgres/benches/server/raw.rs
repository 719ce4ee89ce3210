//! The floor: the same statements, by hand, through the driver that the store uses.

use std::hash::{DefaultHasher, Hasher as _};

use tokio::runtime::Runtime;
use tokio::try_join;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, NoTls, Row, Statement};

const COLUMNS: &str = "scope, name, kind, server, plugin, description, holdings, cause, cause_since, revived, \
    failing_since, failing_cause, demotions, last_demoted_at, counted, hold, demoted, ring, uses, discovered_at, \
    last_used_at, updated_at";

const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = 5000; \
    SET LOCAL idle_in_transaction_session_timeout = 10000; SET LOCAL staleness.workspace = 'default'";

const LOCK: &str = "SELECT count(CASE WHEN exclusive THEN pg_advisory_xact_lock(number)::text \
    ELSE pg_advisory_xact_lock_shared(number)::text END) FROM unnest($1, $2) AS lock(number, exclusive)";

const META: &str = "SELECT format, least, revision FROM staleness.meta \
    LEFT JOIN staleness.workspaces ON workspace = $1";

const PROJECT: &str = "SELECT id, root, first_seen_at, last_seen_at, config_digest, told, told_session, \
    told_from FROM staleness.projects JOIN unnest($2) AS sought(sought_0) ON id = sought_0 WHERE workspace = $1";

const KNOWN: &str = "SELECT seq, identity, op, scope, tool, server, credits, mark, at, project, session, \
    agent, client, duration_ms FROM staleness.outcomes WHERE workspace = $1 AND identity = ANY($2)";

const ADVANCE: &str = "WITH advanced AS (UPDATE staleness.workspaces SET last_seq = last_seq + $2, \
    revision = CASE WHEN $3 = 0 THEN revision WHEN revision = $4 THEN revision + 1 END \
    WHERE workspace = $1 RETURNING revision, last_seq) \
    SELECT max(revision), max(last_seq), 1 / count(*) FROM advanced";

const APPEND: &str = "INSERT INTO staleness.outcomes(workspace, seq, identity, op, scope, tool, server, \
    credits, mark, at, project, session, agent, client, duration_ms) SELECT $1, w.last_seq - $2 + n, \
    new.identity, new.op, new.scope, new.tool, new.server, new.credits, new.mark, new.at, new.project, \
    new.session, new.agent, new.client, new.duration_ms FROM staleness.workspaces AS w, \
    unnest($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) WITH ORDINALITY AS \
    new(identity, op, scope, tool, server, credits, mark, at, project, session, agent, client, duration_ms, n) \
    WHERE w.workspace = $1";

/// The bytes of one entry of a ring, behind the first byte of all.
const ENTRY: usize = 17;

/// One use of a tool of a server that the project knows.
pub(crate) struct RawUse {
    pub(crate) project: String,
    pub(crate) tool: String,
    pub(crate) server: String,
    pub(crate) op: String,
    pub(crate) at: i64,
}

/// A connection with its statements prepared.
pub(crate) struct Raw {
    runtime: Runtime,
    client: Client,
    lock: Statement,
    meta: Statement,
    project: Statement,
    tools: Statement,
    entries: Statement,
    known: Statement,
    put: Statement,
    advance: Statement,
    append: Statement,
}

impl Raw {
    pub(crate) fn open(url: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let opened = async {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            tokio::spawn(async move { drop(connection.await) });
            let tools = format!(
                "SELECT {COLUMNS} FROM staleness.tools JOIN unnest($2, $3) AS sought(sought_0, sought_1) \
                 ON scope = sought_0 AND name = sought_1 WHERE workspace = $1"
            );
            let entries = format!(
                "SELECT {COLUMNS} FROM staleness.tools WHERE workspace = $1 AND scope = $2 AND server = $3 \
                 AND kind = 'mcp_server'"
            );
            let places: Vec<String> = (2..=23).map(|place| format!("${place}")).collect();
            let columns = COLUMNS.split(", ").skip(2);
            let set: Vec<String> =
                columns.map(|name| format!("{name} = excluded.{name}")).collect();
            let put = format!(
                "INSERT INTO staleness.tools(workspace, {COLUMNS}) SELECT $1, * FROM unnest({}) \
                 ON CONFLICT (workspace, scope, name) DO UPDATE SET {}",
                places.join(", "),
                set.join(", ")
            );
            let (text, texts) = (Type::TEXT, Type::TEXT_ARRAY);
            let (number, numbers, bytes) = (Type::INT8, Type::INT8_ARRAY, Type::BYTEA_ARRAY);
            // The types of the columns, in order: texts, bytes and numbers.
            let list = |kind: char| match kind {
                't' => texts.clone(),
                'b' => bytes.clone(),
                _ => numbers.clone(),
            };
            let mut of_put = vec![text.clone()];
            of_put.extend("ttttttbtnnntnnntnbnnnn".chars().map(list));
            let mut of_append = vec![text.clone(), number.clone()];
            of_append.extend("nttttbtnttttn".chars().map(list));
            let of_advance = [text.clone(), number.clone(), number.clone(), number.clone()];
            Ok::<_, Error>((
                client.prepare_typed(LOCK, &[numbers.clone(), Type::BOOL_ARRAY]).await?,
                client.prepare_typed(META, std::slice::from_ref(&text)).await?,
                client.prepare_typed(PROJECT, &[text.clone(), texts.clone()]).await?,
                client.prepare_typed(&tools, &[text.clone(), texts.clone(), texts.clone()]).await?,
                client.prepare_typed(&entries, &[text.clone(), text.clone(), text.clone()]).await?,
                client.prepare_typed(KNOWN, &[text.clone(), numbers.clone()]).await?,
                client.prepare_typed(&put, &of_put).await?,
                client.prepare_typed(ADVANCE, &of_advance).await?,
                client.prepare_typed(APPEND, &of_append).await?,
                client,
            ))
        };
        let (lock, meta, project, tools, entries, known, put, advance, append, client) =
            runtime.block_on(opened).expect("a prepared connection");
        Self { runtime, client, lock, meta, project, tools, entries, known, put, advance, append }
    }

    /// Reads, decodes and writes what recording one use does, in two round trips.
    pub(crate) fn record(&self, used: &RawUse) {
        self.runtime.block_on(self.carry_out(used)).expect("it is recorded");
    }

    async fn carry_out(&self, used: &RawUse) -> Result<(), Error> {
        let (client, workspace, global) = (&self.client, "default", "");
        // Six that all share, and two of the tool, in either scope.
        let own = |kind: i32| if kind < 6 { "" } else { &used.tool };
        let locks: Vec<i64> = (0..8).map(|kind| number(&(kind, own(kind)))).collect();
        let exclusive: Vec<bool> = (0..8).map(|kind| kind > 5).collect();
        let identity = number(&used.op);
        let (projects, names) = ([&used.project], [&used.tool, &used.tool]);
        let scopes = [global, &used.project];
        let known = [number(&(&used.op, 1)), identity];
        let locked: [&(dyn ToSql + Sync); 2] = [&locks, &exclusive];
        let of_tools: [&(dyn ToSql + Sync); 3] =
            [&workspace, &scopes.as_slice(), &names.as_slice()];
        let of_project: [&(dyn ToSql + Sync); 2] = [&workspace, &projects.as_slice()];
        let of_entries: [&(dyn ToSql + Sync); 3] = [&workspace, &used.project, &used.server];
        let of_global: [&(dyn ToSql + Sync); 3] = [&workspace, &global, &used.server];
        let of_known: [&(dyn ToSql + Sync); 2] = [&workspace, &known.as_slice()];
        let of_meta: [&(dyn ToSql + Sync); 1] = [&workspace];
        let (_, _, meta, project, tools, ..) = try_join!(
            client.batch_execute(BEGIN),
            client.query(&self.lock, &locked),
            client.query(&self.meta, &of_meta),
            client.query(&self.project, &of_project),
            client.query(&self.tools, &of_tools),
            client.query(&self.entries, &of_entries),
            client.query(&self.entries, &of_global),
            client.query(&self.known, &of_known),
        )?;
        let revision: i64 = meta.first().expect("the workspace").get(2);
        let root: String = project.first().expect("the project").get(1);
        std::hint::black_box(root);
        let tool = Tool::read(tools.first().expect("the tool")).used(used.at, identity);

        let put = tool.columns();
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![&workspace];
        params.extend(put.iter().map(|column| column.as_sql()));
        let (one, none) = (1_i64, 0_i64);
        let of_advance: [&(dyn ToSql + Sync); 4] = [&workspace, &one, &none, &revision];
        let appended = [
            Column::Number(Some(identity)),
            Column::Text(Some(used.op.clone())),
            Column::Text(Some(used.project.clone())),
            Column::Text(Some(used.tool.clone())),
            Column::Text(Some(used.server.clone())),
            Column::Bytes(Some(Vec::new())),
            Column::Text(Some("S".into())),
            Column::Number(Some(used.at)),
            Column::Text(Some(used.project.clone())),
            Column::Text(None),
            Column::Text(None),
            Column::Text(None),
            Column::Number(None),
        ]
        .map(Column::list);
        let mut of_append: Vec<&(dyn ToSql + Sync)> = vec![&workspace, &one];
        of_append.extend(appended.iter().map(|column| column.as_sql()));
        try_join!(
            client.query(&self.put, &params),
            client.query(&self.advance, &of_advance),
            client.query(&self.append, &of_append),
            client.batch_execute("SET LOCAL synchronous_commit = off"),
            client.batch_execute("COMMIT"),
        )?;
        Ok(())
    }
}

fn number(of: &impl std::hash::Hash) -> i64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish().cast_signed()
}

/// A cell of a row.
#[derive(Clone)]
enum Column {
    Text(Option<String>),
    Number(Option<i64>),
    Bytes(Option<Vec<u8>>),
}

/// A column of a batch of one row.
enum List {
    Texts(Vec<Option<String>>),
    Numbers(Vec<Option<i64>>),
    Bytes(Vec<Option<Vec<u8>>>),
}

impl Column {
    fn list(self) -> List {
        match self {
            Self::Text(cell) => List::Texts(vec![cell]),
            Self::Number(cell) => List::Numbers(vec![cell]),
            Self::Bytes(cell) => List::Bytes(vec![cell]),
        }
    }
}

impl List {
    fn as_sql(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::Texts(cells) => cells,
            Self::Numbers(cells) => cells,
            Self::Bytes(cells) => cells,
        }
    }
}

/// A tool's row, decoded.
struct Tool(Vec<Column>);

impl Tool {
    fn read(row: &Row) -> Self {
        let cell = |(at, column): (usize, &tokio_postgres::Column)| match *column.type_() {
            Type::INT8 => Column::Number(row.get(at)),
            Type::BYTEA => Column::Bytes(row.get(at)),
            _ => Column::Text(row.get(at)),
        };
        Self(row.columns().iter().enumerate().map(cell).collect())
    }

    /// One more use: the ring, its count, and when.
    fn used(mut self, at: i64, identity: i64) -> Self {
        let place = |name: &str| COLUMNS.split(", ").position(|column| column == name);
        if let Some(Column::Bytes(Some(ring))) = place("ring").map(|at| &mut self.0[at]) {
            if ring.is_empty() {
                ring.push(1);
            }
            if ring.len() > 31 * ENTRY + 1 {
                ring.drain(1..=ENTRY);
            }
            ring.push(b'S');
            ring.extend_from_slice(&at.to_le_bytes());
            ring.extend_from_slice(&identity.to_le_bytes());
        }
        for (name, by) in [("uses", 1), ("counted", 1)] {
            if let Some(Column::Number(Some(number))) = place(name).map(|at| &mut self.0[at]) {
                *number = (*number + by).min(if name == "counted" { 32 } else { i64::MAX });
            }
        }
        for name in ["last_used_at", "updated_at"] {
            if let Some(cell) = place(name).map(|at| &mut self.0[at]) {
                *cell = Column::Number(Some(at));
            }
        }
        self
    }

    fn columns(self) -> Vec<List> {
        self.0.into_iter().map(Column::list).collect()
    }
}
