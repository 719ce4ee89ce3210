//! Steps that read more than once.
//!
//! All locks are taken before anything is read and are never upgraded, so a step that requests more rows is restarted
//! with all selections requested so far. It holds no locks between the two attempts, so the data may change. The step
//! therefore runs again from the beginning. It uses preloaded data as long as it requests the same selections. If it
//! requests a different one, it is restarted with that selection instead.

use staleness_core::store::{ChangeSet, Decision, Selection, Step, StoreError, View};

/// The result of replaying a step.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The step decided: the view that it has read, and its changes.
    Write(Box<(View, ChangeSet)>),
    /// After its first `after` looks the step requests a selection that was not loaded.
    Need { after: usize, more: Box<Selection> },
}

/// Replays a step with the data loaded for each look of the previous attempt. Everything was locked before it
/// was loaded.
///
/// # Errors
/// The step's refusal, or [`StoreError::Misstep`] if it makes no decision within [`View::MAX_LOOKS`] looks.
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

    /// A step that selects by the revision that it reads.
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
                9 => Err(Refusal::Other("nine".into()))?,
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
        // The combined view has the latest revision.
        assert_eq!(asks(&looks[..2], &[1, 2]), (2, scope(2)));
        assert_eq!(asks(&looks, &[1, 2, 3]), (3, scope(3)));
        // The first look changed, so the data loaded for the second is unusable.
        assert_eq!(asks(&looks, &[2, 2, 2]), (1, scope(2)));
        assert_eq!(asks(&looks, &[1, 3, 3]), (2, scope(3)));
        // The step no longer needs the last look.
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
