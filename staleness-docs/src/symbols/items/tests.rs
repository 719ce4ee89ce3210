//! Tests of items and of smaller definitions.

use super::*;

use super::defined::tests::{spot, wrong};

fn is_item(marked: &str) -> bool {
    let (text, word) = spot(marked);
    makes(&text, &word, &mut 9)
}

#[test]
fn functions_types_and_values_of_a_file_are_items_and_fields_keys_and_parameters_are_not() {
    assert_eq!(wrong(include_str!("items.txt"), is_item, true), [""; 0]);
    assert_eq!(wrong(include_str!("others.txt"), is_item, false), [""; 0]);
}
