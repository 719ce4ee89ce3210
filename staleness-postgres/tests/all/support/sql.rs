//! Statements past the store.

use tokio_postgres::{Client, NoTls, Row};

/// A connection of a test.
#[derive(Debug)]
pub(crate) struct Sql {
    runtime: tokio::runtime::Runtime,
    client: Client,
}

impl Sql {
    /// Connects; the server must be on this machine.
    pub(crate) fn connect(url: &str) -> Result<Self, tokio_postgres::Error> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let (client, connection) = runtime.block_on(tokio_postgres::connect(url, NoTls))?;
        runtime.spawn(async move { drop(connection.await) });
        Ok(Self { runtime, client })
    }

    /// Runs commands.
    pub(crate) fn run(&self, commands: &str) -> Result<(), tokio_postgres::Error> {
        self.runtime.block_on(self.client.batch_execute(commands))
    }

    /// Asks a question.
    pub(crate) fn ask(&self, question: &str) -> Result<Vec<Row>, tokio_postgres::Error> {
        self.runtime.block_on(self.client.query_typed(question, &[]))
    }

    /// Asks for one number.
    pub(crate) fn number(&self, question: &str) -> i64 {
        let rows = self.ask(question).unwrap_or_else(|error| panic!("{question}: {error:?}"));
        rows.first().expect("a row").get(0)
    }
}
