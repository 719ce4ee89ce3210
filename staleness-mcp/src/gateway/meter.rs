//! Counters for the `metrics` facade. They have no effect unless the program installs a recorder.
//!
//! - `staleness_demotions_total{server}` and `staleness_restores_total{server}`: tools that began to fail, and
//!   tools that recovered.
//! - `staleness_tools_stale_total` and `staleness_tools_restored_total`: tools that were removed from a list, and
//!   tools that returned.
//! - `staleness_calls_total{server}` and `staleness_call_duration_ms{server}`: the number of calls, and their
//!   durations.

use staleness::registry::RecordReport;
use staleness::report::ScanReport;
#[cfg(feature = "metrics")]
use staleness::tool::Status;

#[cfg(feature = "metrics")]
pub(super) fn called(server: &str, duration_ms: Option<u64>, report: &RecordReport) {
    if report.duplicate {
        return;
    }
    let server = server.to_owned();
    metrics::counter!("staleness_calls_total", "server" => server.clone()).increment(1);
    if let Some(millis) = duration_ms {
        metrics::histogram!("staleness_call_duration_ms", "server" => server.clone())
            .record(millis as f64);
    }
    for change in &report.changed {
        let name = match (change.from, change.to) {
            (_, Some(Status::Demoted)) => "staleness_demotions_total",
            (Status::Demoted, _) => "staleness_restores_total",
            _ => continue,
        };
        metrics::counter!(name, "server" => server.clone()).increment(1);
    }
}

#[cfg(feature = "metrics")]
pub(super) fn scanned(report: &ScanReport) {
    metrics::counter!("staleness_tools_stale_total").increment(report.stale.len() as u64);
    metrics::counter!("staleness_tools_restored_total").increment(report.restored.len() as u64);
}

#[cfg(not(feature = "metrics"))]
pub(super) const fn called(_: &str, _: Option<u64>, _: &RecordReport) {}

#[cfg(not(feature = "metrics"))]
pub(super) const fn scanned(_: &ScanReport) {}
