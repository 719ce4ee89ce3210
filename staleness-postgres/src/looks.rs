//! Steps that look more than once.
//!
//! Locks are taken in one order before anything is read, and none is ever upgraded, so a step that asks to
//! see more begins again: with everything that it asked for so far. Between the two tries it holds nothing,
//! and others may change what it asked by. So it is asked again as if for the first time, look by look, and
//! only where it asks for the same is it given what was loaded for that. Where it asks for something else,
//! it begins again with that instead.

use staleness_core::store::{ChangeSet, Decision, Selection, Step, StoreError, View};

/// The answer of a step to what was loaded.
#[derive(Debug)]
pub(crate) enum Answer {
    /// It has seen enough: what it saw, and what it wants written.
    Write(Box<(View, ChangeSet)>),
    /// It wants to see this, which was not loaded, after its first `after` looks.
    Need { after: usize, more: Box<Selection> },
}

/// Asks a step, given what was loaded for each look that it took when it was last asked. All of it was
/// locked before anything was loaded.
///
/// # Errors
/// The step's refusal, or [`StoreError::Misstep`] when it does not come to a decision within
/// [`View::MAX_LOOKS`] looks.
pub(crate) fn replay(
    step: &dyn Step,
    looks: &[Selection],
    loaded: Vec<View>,
) -> Result<Answer, StoreError> {
    let mut loaded = loaded.into_iter();
    let mut view = loaded.next().unwrap_or_default();
    let mut after = 1;
    loop {
        let more = match step.decide(&view)? {
            Decision::Write(changes) => return Ok(Answer::Write(Box::new((view, changes)))),
            Decision::Need(more) => more,
        };
        match loaded.next() {
            Some(next) if looks.get(after) == Some(&more) => view.merge(next),
            _ if after == View::MAX_LOOKS => {
                let told = format!("no decision after {} looks: {step:?}", View::MAX_LOOKS);
                return Err(StoreError::Misstep(told));
            }
            _ => return Ok(Answer::Need { after, more: Box::new(more) }),
        }
        after += 1;
    }
}

#[cfg(test)]
mod tests {
    use staleness_core::ids::{ProjectId, Scope};
    use staleness_core::journal::Revision;
    use staleness_core::store::{Durability, Refusal, ToolFilter};

    use super::*;

    /// Follows the revision of what it saw: as often as that says.
    #[derive(Debug)]
    struct Follow;

    fn scope(number: u64) -> Selection {
        let project = ProjectId::new(format!("p{number}")).unwrap();
        Selection::new().lock(ToolFilter::Scope(Scope::Project(project)))
    }

    impl Step for Follow {
        fn selection(&self) -> Selection {
            Selection::new()
        }

        fn decide(&self, view: &View) -> Result<Decision, Refusal> {
            Ok(match view.revision.0 {
                0 => Decision::Write(ChangeSet::default()),
                9 => Err(Refusal::Invalid("nine".into()))?,
                number => Decision::Need(scope(number)),
            })
        }

        fn durability(&self) -> Durability {
            Durability::Normal
        }
    }

    fn seen(numbers: &[u64]) -> Vec<View> {
        let view = |number: &u64| {
            let mut view = View::default();
            (view.revision, view.looks) = (Revision(*number), 1);
            view
        };
        numbers.iter().map(view).collect()
    }

    fn asks(looks: &[Selection], numbers: &[u64]) -> (usize, Selection) {
        match replay(&Follow, looks, seen(numbers)).unwrap() {
            Answer::Need { after, more } => (after, *more),
            Answer::Write(written) => panic!("{written:?}"),
        }
    }

    #[test]
    fn a_look_is_given_only_to_who_asks_for_it_again() {
        let first = Selection::new();
        assert_eq!(asks(std::slice::from_ref(&first), &[1]), (1, scope(1)));
        let looks = [first, scope(1), scope(2)];
        // The union's revision is the latest.
        assert_eq!(asks(&looks[..2], &[1, 2]), (2, scope(2)));
        assert_eq!(asks(&looks, &[1, 2, 3]), (3, scope(3)));
        // What it asked by has changed: what was loaded for it is of no use any more.
        assert_eq!(asks(&looks, &[2, 2, 2]), (1, scope(2)));
        assert_eq!(asks(&looks, &[1, 3, 3]), (2, scope(3)));
        // Or it needs it no more.
        match replay(&Follow, &looks, seen(&[0, 2, 3])).unwrap() {
            Answer::Write(written) => {
                let (view, changes) = *written;
                assert_eq!(view.looks, 1);
                assert!(changes.is_empty());
            }
            Answer::Need { more, .. } => panic!("{more:?}"),
        }
    }

    #[test]
    fn a_step_looks_a_bounded_number_of_times_and_may_refuse() {
        let looks = [Selection::new(), scope(1), scope(1), scope(1)];
        let endless = replay(&Follow, &looks, seen(&[1; View::MAX_LOOKS])).unwrap_err();
        assert!(matches!(endless, StoreError::Misstep(_)), "{endless:?}");
        let refused = replay(&Follow, &looks, seen(&[9])).unwrap_err();
        assert!(matches!(refused, StoreError::Refused(_)), "{refused:?}");
    }
}
