//! Suggestions for a prompt while others decide otherwise.

use std::sync::Arc;

use async_trait::async_trait;
use staleness::ids::{OpId, SessionId, ToolName};
use staleness::outcome::OutcomeKind;
use staleness::registry::{Act, ByHand, ScopeChoice, Use};
use staleness::scan::ProjectRef;
use staleness::store::{Query, RegistryStore, StoreError, View};
use staleness::tool::Hold;
use staleness::{MemoryStore, Policy, Registry, Timestamp, Wait};
use staleness_conformance::{Around, Manner};

const TOOL: &str = "mcp__mail__send";

fn project() -> ProjectRef {
    ProjectRef::of_root("/p")
}

fn at() -> Timestamp {
    Timestamp::from_millis(1)
}

/// The tool is ignored as soon as the summaries were read.
#[derive(Debug)]
struct Ignores(Option<Registry>);

#[async_trait]
impl Manner for Ignores {
    async fn view(
        &self,
        inner: &dyn RegistryStore,
        query: Arc<dyn Query>,
    ) -> Result<View, StoreError> {
        let view = inner.view(query).await?;
        if let (Some(other), false) = (&self.0, view.summaries.is_empty()) {
            let by_hand = ByHand {
                act: Act::new(OpId::new("ignored").unwrap(), at()),
                name: ToolName::new(TOOL).unwrap(),
                scope: ScopeChoice::Either,
                project: project(),
            };
            other.tools().set_hold(by_hand, Hold::Ignored).await?;
        }
        Ok(view)
    }
}

#[test]
fn a_tool_that_is_ignored_while_it_is_looked_for_is_not_suggested() {
    for ignores in [false, true] {
        let store: Arc<dyn RegistryStore> = Arc::new(MemoryStore::new());
        let other = Registry::new(Arc::clone(&store), Policy::default());
        let used = Use::new(
            OpId::new("used").unwrap(),
            ToolName::new(TOOL).unwrap(),
            OutcomeKind::Success,
            at(),
            project(),
        );
        other.clone().tools().record(used).wait().unwrap();
        let around = Around::of(store, Ignores(ignores.then_some(other)));
        let registry = Registry::new(Arc::new(around), Policy::default());
        let session = SessionId::new("s").unwrap();
        let made = registry
            .tools()
            .suggest_for_prompt(&project(), &session, "send mail", at())
            .wait()
            .unwrap();
        assert_eq!(made.is_empty(), ignores, "{made:?}");
    }
}
