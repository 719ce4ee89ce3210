//! Statements under way: sent one behind the other, answered in the same order.
//!
//! What is sent before the first answer is awaited costs one round trip together. It is sent, and answered,
//! on the thread on which the connections live: whoever waits is woken once for a round trip, and not once
//! for each statement, which on a busy machine takes longer than the statements do.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row};

use crate::pool::{How, Session};
use crate::values::{Arg, Statement};

type Answer = Result<Vec<Row>, Error>;

type Flying = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// A statement that is to be sent.
enum Waiting {
    Statement(Statement, How),
    Command(String),
    /// A command whose answer is not awaited.
    Aside(String),
}

/// The result of a round trip.
struct Landed {
    answers: VecDeque<Answer>,
    /// Why the last statement of them, and all behind it, were not sent.
    unsent: Option<Error>,
}

/// Statements under way on one connection.
pub(crate) struct Flight<'s> {
    session: &'s Session,
    waiting: Vec<Waiting>,
    answers: VecDeque<Answer>,
    /// Answers that are still to come.
    expected: usize,
    unsent: Option<Error>,
}

impl fmt::Debug for Flight<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flight").field("expected", &self.expected).finish_non_exhaustive()
    }
}

impl<'s> Flight<'s> {
    pub(crate) const fn new(session: &'s Session) -> Self {
        Self { session, waiting: Vec::new(), answers: VecDeque::new(), expected: 0, unsent: None }
    }

    /// Sends a statement, with all others up to the next one that is awaited.
    pub(crate) fn send(&mut self, statement: Statement) {
        let how = self.session.how(&statement);
        self.waiting.push(Waiting::Statement(statement, how));
        self.expected += 1;
    }

    /// Sends commands that take no parameters and answer nothing.
    pub(crate) fn command(&mut self, sql: String) {
        self.waiting.push(Waiting::Command(sql));
        self.expected += 1;
    }

    /// As [`command`](Self::command), but the answer is not awaited.
    pub(crate) fn aside(&mut self, sql: String) {
        self.waiting.push(Waiting::Aside(sql));
    }

    /// Returns the number of answers that are still to come.
    pub(crate) const fn len(&self) -> usize {
        self.expected
    }

    /// Sends what waits, and waits for the answers. An error when something could not be sent, and so nothing
    /// behind it was; what the server says of those that were sent comes in its turn.
    pub(crate) async fn land(&mut self) -> Result<(), Error> {
        if !self.waiting.is_empty() {
            let client = Arc::clone(self.session.client());
            let trip =
                self.session.runtime().spawn(trip(client, std::mem::take(&mut self.waiting)));
            let landed = match trip.await {
                Ok(landed) => landed,
                Err(ended) => match ended.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    // The runtime goes away with the store, and whoever waits here with both.
                    Err(_) => std::future::pending().await,
                },
            };
            self.answers.extend(landed.answers);
            self.unsent = landed.unsent;
        }
        self.unsent.take().map_or(Ok(()), Err)
    }

    /// The answer to the statement that was sent first. No rows when none is under way.
    pub(crate) async fn next(&mut self) -> Answer {
        if self.answers.is_empty()
            && let Err(unsent) = self.land().await
        {
            self.answers.push_back(Err(unsent));
        }
        self.expected = self.expected.saturating_sub(1);
        self.answers.pop_front().unwrap_or_else(|| Ok(Vec::new()))
    }
}

/// Sends everything behind one another, and waits for all answers.
async fn trip(client: Arc<Client>, waiting: Vec<Waiting>) -> Landed {
    let mut sent = Vec::with_capacity(waiting.len());
    let mut unsent = None;
    for each in waiting {
        let is_aside = matches!(each, Waiting::Aside(_));
        let mut flying = fly(Arc::clone(&client), each);
        // The driver puts a statement on its way when its future is first polled.
        match poll_fn(|context| Poll::Ready(flying.as_mut().poll(context))).await {
            // An error of its own: the statement was not sent, and what follows must not be. COMMIT would
            // commit without it.
            Poll::Ready(Err(error)) if error.as_db_error().is_none() => {
                unsent = Some(error).filter(|_| !is_aside);
                break;
            }
            _ if is_aside => {}
            Poll::Ready(answer) => sent.push(Sent::Landed(answer)),
            Poll::Pending => sent.push(Sent::Flying(flying)),
        }
    }
    let mut answers = VecDeque::with_capacity(sent.len());
    for each in sent {
        answers.push_back(match each {
            Sent::Flying(flying) => flying.await,
            Sent::Landed(answer) => answer,
        });
    }
    Landed { answers, unsent }
}

enum Sent {
    Flying(Flying),
    Landed(Answer),
}

/// One statement's way.
fn fly(client: Arc<Client>, waiting: Waiting) -> Flying {
    Box::pin(async move {
        match waiting {
            Waiting::Command(sql) | Waiting::Aside(sql) => {
                client.batch_execute(&sql).await.map(|()| Vec::new())
            }
            Waiting::Statement(Statement { args, .. }, How::Prepared(prepared)) => {
                let params: Vec<&(dyn ToSql + Sync)> = args.iter().map(Arg::as_sql).collect();
                client.query(&prepared, &params).await
            }
            Waiting::Statement(Statement { sql, args }, How::Once) => {
                let params: Vec<_> = args.iter().map(|arg| (arg.as_sql(), arg.kind())).collect();
                client.query_typed(&sql, &params).await
            }
        }
    })
}
