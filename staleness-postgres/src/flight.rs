//! Pipelines statements: sends them in sequence without waiting, and receives results in the same order.
//!
//! All statements sent before the first wait share one round trip. Sending and receiving happen on the connections'
//! thread, so the waiting task is woken once per round trip instead of once per statement. On a busy machine a wake-up
//! costs more than a statement.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use tokio_postgres::{Client, Error, Row};

use crate::pool::Session;
use crate::values::Statement;

type Answer = Result<Vec<Row>, Error>;

type Flying = Pin<Box<dyn Future<Output = Answer> + Send>>;

enum Waiting {
    Statement(Statement),
    Command(String),
}

/// The results of a round trip.
struct Landed {
    answers: VecDeque<Answer>,
    /// The error that kept the next statement and all later ones from being sent.
    unsent: Option<Error>,
}

/// A pipeline of statements on one connection.
pub(crate) struct Flight<'s> {
    session: &'s Session,
    waiting: Vec<Waiting>,
    answers: VecDeque<Answer>,
    /// Number of results not yet taken.
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

    /// Queues a statement. It is sent with all others when a result is awaited.
    pub(crate) fn send(&mut self, statement: Statement) {
        self.waiting.push(Waiting::Statement(statement));
        self.expected += 1;
    }

    /// Queues commands that have no parameters and no result.
    pub(crate) fn command(&mut self, sql: String) {
        self.waiting.push(Waiting::Command(sql));
        self.expected += 1;
    }

    /// Returns the number of results not yet taken.
    pub(crate) const fn len(&self) -> usize {
        self.expected
    }

    /// Sends the queued statements and waits for their results. Fails if a statement could not be sent; in this case no
    /// later statement was sent. Server errors are returned by [`next`](Self::next) instead.
    pub(crate) async fn land(&mut self) -> Result<(), Error> {
        if !self.waiting.is_empty() {
            let client = Arc::clone(self.session.client());
            let trip =
                self.session.runtime().spawn(trip(client, std::mem::take(&mut self.waiting)));
            let landed = match trip.await {
                Ok(landed) => landed,
                Err(ended) => match ended.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    // The runtime ends with the store, and this task with it.
                    Err(_) => std::future::pending().await,
                },
            };
            self.answers.extend(landed.answers);
            self.unsent = landed.unsent;
        }
        self.unsent.take().map_or(Ok(()), Err)
    }

    /// Returns the result of the next statement, or no rows if none is pending.
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

/// Sends all statements in sequence, and waits for all results.
async fn trip(client: Arc<Client>, waiting: Vec<Waiting>) -> Landed {
    let mut sent = Vec::with_capacity(waiting.len());
    let mut unsent = None;
    for each in waiting {
        let mut flying = fly(Arc::clone(&client), each);
        // The driver sends a statement when its future is first polled.
        match poll_fn(|context| Poll::Ready(flying.as_mut().poll(context))).await {
            // An error of the driver means that the statement was not sent. Stop here, or COMMIT would commit without
            // it.
            Poll::Ready(Err(error)) if error.as_db_error().is_none() => {
                unsent = Some(error);
                break;
            }
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

fn fly(client: Arc<Client>, waiting: Waiting) -> Flying {
    Box::pin(async move {
        match waiting {
            Waiting::Command(sql) => client.batch_execute(&sql).await.map(|()| Vec::new()),
            Waiting::Statement(Statement { sql, args }) => {
                let params: Vec<_> = args.iter().map(|arg| (arg.as_sql(), arg.kind())).collect();
                client.query_typed(&sql, &params).await
            }
        }
    })
}
