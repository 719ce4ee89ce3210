//! Statements under way: sent one behind the other, answered in the same order.
//!
//! What is sent before the first answer is awaited costs one round trip together.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use crate::pool::{How, Session};
use crate::values::Statement;

type Answer = Result<Vec<Row>, Error>;

enum Sent<'s> {
    Flying(Pin<Box<dyn Future<Output = Answer> + Send + 's>>),
    Landed(Answer),
}

/// Statements under way on one connection.
pub(crate) struct Flight<'s> {
    session: &'s Session,
    sent: VecDeque<Sent<'s>>,
}

impl fmt::Debug for Flight<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flight").field("sent", &self.sent.len()).finish_non_exhaustive()
    }
}

impl<'s> Flight<'s> {
    pub(crate) const fn new(session: &'s Session) -> Self {
        Self { session, sent: VecDeque::new() }
    }

    /// Sends a statement.
    pub(crate) fn send(&mut self, statement: Statement) {
        let session = self.session;
        let how = session.how(&statement);
        self.launch(async move {
            let Statement { sql, args } = &statement;
            match how {
                How::Prepared(prepared) => {
                    let params: Vec<&(dyn ToSql + Sync)> =
                        args.iter().map(|arg| arg.as_sql()).collect();
                    session.client().query(&prepared, &params).await
                }
                How::Once => {
                    let params: Vec<_> =
                        args.iter().map(|arg| (arg.as_sql(), arg.kind())).collect();
                    session.client().query_typed(sql, &params).await
                }
            }
        });
    }

    /// Sends commands that take no parameters and answer nothing.
    pub(crate) fn command(&mut self, sql: String) {
        let client = self.session.client();
        self.launch(async move { client.batch_execute(&sql).await.map(|()| Vec::new()) });
    }

    /// The driver puts a statement on its way when its future is first polled.
    fn launch(&mut self, future: impl Future<Output = Answer> + Send + 's) {
        let mut future: Pin<Box<dyn Future<Output = Answer> + Send + 's>> = Box::pin(future);
        let sent = match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => Sent::Landed(answer),
            Poll::Pending => Sent::Flying(future),
        };
        self.sent.push_back(sent);
    }

    /// Why a statement was not sent, as far as that is known already: those behind it may have been. What
    /// the server says of one that was sent comes in its turn.
    pub(crate) fn unsent(&mut self) -> Option<Error> {
        let is_unsent = |sent: &Sent<'_>| match sent {
            Sent::Landed(Err(error)) => error.as_db_error().is_none(),
            _ => false,
        };
        let at = self.sent.iter().position(is_unsent)?;
        match self.sent.remove(at) {
            Some(Sent::Landed(Err(error))) => Some(error),
            _ => None,
        }
    }

    /// How many answers are still to come.
    pub(crate) fn len(&self) -> usize {
        self.sent.len()
    }

    /// The answer to the statement that was sent first. No rows when none is under way.
    pub(crate) async fn next(&mut self) -> Answer {
        match self.sent.pop_front() {
            Some(Sent::Flying(future)) => future.await,
            Some(Sent::Landed(answer)) => answer,
            None => Ok(Vec::new()),
        }
    }
}
