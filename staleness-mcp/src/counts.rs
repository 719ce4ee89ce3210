//! Counters, printed in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::StatusCode;

/// The counters of an HTTP server since its start.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    answers: Mutex<BTreeMap<u16, u64>>,
    calls: Mutex<BTreeMap<(String, bool), (u64, Duration)>>,
    partings: Arc<()>,
}

impl Counts {
    pub(crate) fn answered(&self, status: StatusCode) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        *answers.entry(status.as_u16()).or_default() += 1;
    }

    /// Counts a call of a tool of this server, and adds its duration.
    pub(crate) fn called(&self, tool: &str, is_error: bool, took: Duration) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, sum) = calls.entry((tool.to_owned(), is_error)).or_default();
        *count += 1;
        *sum += took;
    }

    /// Returns a handle to hold while the end of a session is being processed.
    pub(crate) fn parting(&self) -> Arc<()> {
        Arc::clone(&self.partings)
    }

    pub(crate) fn is_parting(&self) -> bool {
        Arc::strong_count(&self.partings) > 1
    }

    /// Prints all counters, and the number of sessions, in the text format of Prometheus.
    pub(crate) fn print(&self, sessions: usize) -> Result<String, fmt::Error> {
        let mut f = String::new();
        writeln!(f, "# TYPE staleness_http_answers_total counter")?;
        for (status, count) in &*self.answers.lock().unwrap_or_else(PoisonError::into_inner) {
            writeln!(f, "staleness_http_answers_total{{status=\"{status}\"}} {count}")?;
        }
        writeln!(f, "# TYPE staleness_mcp_sessions gauge")?;
        writeln!(f, "staleness_mcp_sessions {sessions}")?;
        writeln!(f, "# TYPE staleness_mcp_call_seconds summary")?;
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        for ((tool, is_error), (count, sum)) in &*calls {
            let labels = format!("{{tool=\"{tool}\",error=\"{is_error}\"}}");
            writeln!(f, "staleness_mcp_call_seconds_sum{labels} {}", sum.as_secs_f64())?;
            writeln!(f, "staleness_mcp_call_seconds_count{labels} {count}")?;
        }
        Ok(f)
    }
}
