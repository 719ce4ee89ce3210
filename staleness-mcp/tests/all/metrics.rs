//! The counters of the gateway, through a recorder of our own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use metrics::{
    Counter, CounterFn, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};
use staleness::Policy;
use staleness::outcome::OutcomeKind::{Failure, Success};
use staleness::scan::ProjectRef;
use staleness_mcp::gateway::{Call, Gateway};

/// The values that were counted, by name and server.
type Counts = Arc<Mutex<BTreeMap<String, Vec<f64>>>>;

#[derive(Default)]
struct Ledger(Counts);

struct Line {
    name: String,
    counts: Counts,
}

impl Line {
    fn note(&self, value: f64) {
        self.counts.lock().unwrap().entry(self.name.clone()).or_default().push(value);
    }
}

impl CounterFn for Line {
    fn increment(&self, value: u64) {
        self.note(value as f64);
    }

    fn absolute(&self, value: u64) {
        self.note(value as f64);
    }
}

impl HistogramFn for Line {
    fn record(&self, value: f64) {
        self.note(value);
    }
}

impl Ledger {
    fn line(&self, key: &Key) -> Arc<Line> {
        let labels: Vec<_> = key.labels().map(|label| label.value()).collect();
        let name = format!("{} {}", key.name(), labels.join(" "));
        Arc::new(Line { name: name.trim().to_owned(), counts: Arc::clone(&self.0) })
    }
}

impl Recorder for Ledger {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.line(key))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.line(key))
    }
}

#[tokio::test]
async fn demotions_restores_and_latency_are_counted() {
    let counts = Counts::default();
    metrics::set_global_recorder(Ledger(Arc::clone(&counts))).unwrap();
    let gateway = Gateway::new("memory:".parse().unwrap(), Policy::default());
    let project = ProjectRef::of_root("/home/me/one");
    for (outcome, millis) in [(Failure, 5), (Failure, 6), (Failure, 7), (Success, 8)] {
        let call = Call::new("s", "a", outcome).took(Duration::from_millis(millis));
        gateway.called(&project, call).await.unwrap();
    }
    let counts = counts.lock().unwrap();
    let of = |name: &str| counts.get(name).map_or(&[][..], Vec::as_slice);
    assert_eq!(of("staleness_calls_total s"), [1.0; 4]);
    assert_eq!(of("staleness_call_duration_ms s"), [5.0, 6.0, 7.0, 8.0]);
    assert_eq!(of("staleness_demotions_total s"), [1.0]);
    assert_eq!(of("staleness_restores_total s"), [1.0]);
}
