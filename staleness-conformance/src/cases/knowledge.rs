//! Items of knowledge in brief.

use staleness_core::ids::Scope;
use staleness_core::knowledge::{Item, ItemBrief};
use staleness_core::store::{ItemFilter, Selection};

use crate::case::Case;
use crate::context::{Context, act, see};
use crate::model::each;
use crate::rows::{Sample as _, item, item_key, scope};
use crate::steps::Write;

pub(super) const CASES: &[Case] = &[
    Case::new("knowledge::briefs_say_what_rows_say", briefs),
    Case::new("knowledge::any_brief_says_what_its_row_says", any_brief),
];

/// The briefs of a scope are those of its rows, in order; and nothing else comes with them. A store that
/// does not know of briefs tells of none.
#[track_caller]
fn assert_briefs(context: &Context, scopes: &[Scope]) {
    let all = scopes.iter().fold(Selection::new(), |all, scope| all.item_briefs(scope.clone()));
    let mut seen = see(context.store(), all);
    for scope in scopes {
        let Some(briefs) = seen.item_briefs.remove(scope) else { continue };
        let rows = Selection::new().peek(ItemFilter::Scope(scope.clone()));
        let rows = see(context.store(), rows).knowledge;
        let expected: Vec<ItemBrief> = rows.into_values().map(ItemBrief::from).collect();
        assert_eq!(briefs, expected, "{scope:?}");
    }
    assert!(seen.is_empty(), "{seen:?}");
}

fn briefs(context: &mut Context) {
    let full = |key| item(key).extremes().swap_remove(0);
    let rows = [
        full(item_key(None, "full")),
        full(item_key(Some("p_"), "b")),
        item(item_key(Some("p_"), "a_b")),
        item(item_key(Some("p_"), "a%")),
        item(item_key(Some("pX"), "x")),
    ];
    act(context.store(), Write::new().puts(rows));
    assert_briefs(context, &[Scope::Global, scope("p_"), scope("pX"), scope("p%")]);
    act(context.store(), Write::new().delete::<Item>(item_key(Some("p_"), "b")));
    assert_briefs(context, &[scope("p_")]);
}

fn any_brief(context: &mut Context) {
    each(&arbitrary::item(Reach::Wide), |item| {
        let scope = item.key.scope.clone();
        act(context.store(), Write::new().put(item));
        assert_briefs(context, &[scope]);
    });
}
