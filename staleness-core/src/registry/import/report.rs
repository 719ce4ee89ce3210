//! Reports of imports.

use serde::Serialize;

use crate::transfer::{Record, exported};

macro_rules! counts {
    ($($kind:ident $field:ident: $row:ty;)*) => {
        /// The number of records of each collection.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
        pub struct TransferCounts {
            $(#[doc = concat!("The number of ", stringify!($field), ".")] pub $field: u64,)*
        }

        impl TransferCounts {
            /// Returns the count for the collection of a record.
            pub(super) const fn of(&mut self, record: &Record) -> &mut u64 {
                match record {
                    $(Record::$kind(_) => &mut self.$field,)*
                }
            }

            /// Returns the name and the count of each collection, in the order of an export.
            pub fn each(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($field), self.$field)),*]
            }
        }
    };
}
exported!(logs counts);

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The result of an import, or of its dry run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Records that were written.
    pub imported: TransferCounts,
    /// Records that already existed, or that are older than the existing ones.
    pub skipped: TransferCounts,
    /// True if the store was not empty, so that records were merged into it.
    pub merged: bool,
    /// The number of dependencies removed because work items waited for each other in a cycle. Always 0 in a dry run.
    #[serde(skip_serializing_if = "is_zero")]
    pub untied: u64,
}
