//! Thresholds: the tables of a policy, with their defaults, their overrides and the checks of their values.

/// Defines a table of a policy: a struct whose fields have these defaults, also when a file omits the fields. `or`
/// names the struct that overrides them, followed by the fields of the table that cannot be overridden.
macro_rules! thresholds {
    (
        $(#[$doc:meta])* $name:ident {
            $($(#[$field_doc:meta])* $field:ident: $type:ty = $default:expr,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $name {
            /// Appends the shares that are out of range to `faults`.
            #[allow(dead_code, reason = "some tables have no shares")]
            pub(crate) fn check_shares(&self, key: &str, faults: &mut Vec<String>) {
                $(crate::thresholds::check_share(key, stringify!($field), &self.$field, faults);)*
            }
        }
    };
    (
        $(#[$doc:meta])* $name:ident {
            $($(#[$field_doc:meta])* $field:ident: $type:ty = $default:expr,)*
        }
        $(#[$over_doc:meta])* or $over:ident { $($own:tt)* }
    ) => {
        thresholds! {
            $(#[$doc])* $name {
                $($(#[$field_doc])* $field: $type = $default,)*
                $($own)*
            }
        }

        $(#[$over_doc])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $over {
            $(
                $(#[$field_doc])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
        }

        impl $over {
            /// Overwrites the values in `policy` with the fields that are set.
            pub fn apply(&self, policy: &mut $name) {
                $(if let Some(value) = &self.$field { policy.$field = value.clone(); })*
            }

            /// Appends the shares that are out of range to `faults`.
            pub(crate) fn check_shares(&self, key: &str, faults: &mut Vec<String>) {
                $(if let Some(value) = &self.$field {
                    crate::thresholds::check_share(key, stringify!($field), value, faults);
                })*
            }
        }
    };
}
pub(crate) use thresholds;

use std::any::Any;

/// Appends an error to `faults` if a value is a share that is out of range. Every `f64` of a policy is a share.
pub(crate) fn check_share(key: &str, name: &str, value: &dyn Any, faults: &mut Vec<String>) {
    if value.downcast_ref::<f64>().is_some_and(|share| !(0.0..=1.0).contains(share)) {
        faults.push(format!("{key}.{name}: must be between 0 and 1"));
    }
}
