//! A tool as the server offers it: its name, what a model reads of it, its schemas, and what it does.

use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use staleness_service::ServiceError;

use crate::answer::Answer;
use crate::arguments::check;
use crate::call::Call;

/// Effect of a tool that a client may rely on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Effect {
    /// It changes nothing.
    Reads,
    /// It writes; the same call twice is the same as once.
    Settles,
    /// It writes, each time anew.
    Adds,
    /// It writes, and may put a new text in the place of one that somebody wrote.
    Rewrites,
}

/// Class of a call by its duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// It asks the registry alone.
    Quick,
    /// It may read documents and ask git.
    Slow,
}

/// Texts about a tool, and its effect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    /// The name by which it is called.
    pub name: &'static str,
    /// The name that a person reads.
    pub title: &'static str,
    /// Words by which a client finds it that does not show all tools to its model.
    pub search_hint: &'static str,
    /// Begins with when to call it.
    pub description: &'static str,
    pub effect: Effect,
    /// Next step for a model when it fails.
    pub next: &'static str,
}

/// Function that does a tool's work with its arguments.
pub(crate) type Run = dyn Fn(&Call<'_>, JsonObject) -> Result<Answer, ServiceError> + Send + Sync;

/// A tool.
pub(crate) struct Spec {
    /// As `tools/list` has it.
    pub tool: Tool,
    /// Class by its duration.
    pub pace: Pace,
    /// Next step for a model when it fails.
    pub next: &'static str,
    /// Does the work. It blocks.
    pub run: Arc<Run>,
}

impl Spec {
    /// A tool whose arguments are an `A`, and which answers a `T`.
    pub(crate) fn new<A: DeserializeOwned + JsonSchema, T: Serialize + JsonSchema>(
        about: About,
        run: impl Fn(&Call<'_>, A) -> Result<Answer<T>, ServiceError> + Send + Sync + 'static,
    ) -> Self {
        let About { name, title, search_hint, description, effect, next } = about;
        // Nothing here reaches beyond the registry and the project. Clients ask a person before what is
        // destructive: a text that is replaced is gone.
        let hints = ToolAnnotations::new().open_world(false);
        let hints = match effect {
            Effect::Reads => hints.read_only(true).idempotent(true).destructive(false),
            Effect::Settles => hints.read_only(false).idempotent(true).destructive(false),
            Effect::Adds => hints.read_only(false).idempotent(false).destructive(false),
            Effect::Rewrites => hints.read_only(false).idempotent(false).destructive(true),
        };
        let input = Arc::new(input_schema::<A>());
        let tool = Tool::new(name, description, Arc::clone(&input))
            .with_title(title)
            .with_raw_output_schema(Arc::new(output_schema::<T>()))
            .with_annotations(hints)
            .with_meta(meta("anthropic/searchHint", search_hint.into()));
        let run = move |call: &Call<'_>, arguments: JsonObject| {
            check(&input, &arguments)?;
            let arguments = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
                ServiceError::invalid(crate::text::cut(&error.to_string(), 300))
                    .hint("correct the arguments by the tool's schema and call it again")
            })?;
            run(call, arguments).map(Answer::into_json)
        };
        Self { tool, pace: Pace::Quick, next, run: Arc::new(run) }
    }

    /// Describes a tool that may take long.
    pub(crate) const fn slow(mut self) -> Self {
        self.pace = Pace::Slow;
        self
    }

    /// Describes a tool that a model should see from the beginning, where a client shows it others only
    /// when it searches for them.
    pub(crate) fn always_loaded(mut self) -> Self {
        let meta = self.tool.meta.get_or_insert_default();
        meta.insert("anthropic/alwaysLoad".into(), true.into());
        self
    }
}

fn meta(key: &str, value: Value) -> MetaObject {
    let mut meta = MetaObject::new();
    meta.insert(key.into(), value);
    meta
}

/// The schema of arguments, as short as it can be said: every model reads it in every session. The
/// folder of the project goes with every tool.
fn input_schema<A: JsonSchema>() -> JsonObject {
    let mut schema = schema::<A>();
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    let project = "Folder of another project";
    properties["project"] = json!({ "type": "string", "description": project });
    schema
}

/// The schema of what a tool answers: its fields and their types. Nothing is required, since a refusal has
/// `error` alone.
fn output_schema<T: JsonSchema>() -> JsonObject {
    let mut schema = Value::Object(schema::<T>());
    keep_types(&mut schema);
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

fn keep_types(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    for name in ["additionalProperties", "description", "required"] {
        fields.remove(name);
    }
    if let Some(items) = fields.get_mut("items") {
        keep_types(items);
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().for_each(keep_types);
    }
}

fn schema<A: JsonSchema>() -> JsonObject {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<A>().to_value();
    shorten(&mut schema);
    let Value::Object(mut schema) = schema else { return JsonObject::new() };
    schema.remove("description");
    schema.insert("type".into(), "object".into());
    schema
}

/// Leaves out what only repeats that a field may be left out, or how Rust stores it.
fn shorten(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    for name in ["default", "format", "minimum", "title"] {
        fields.remove(name);
    }
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|each| each != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(words)) = fields.get_mut("enum") {
        words.retain(|each| !each.is_null());
    }
    if let Some(Value::Array(mut each)) = fields.remove("anyOf") {
        each.retain(|one| one["type"] != "null");
        if let [Value::Object(only)] = each.as_slice() {
            let only = only.clone();
            only.into_iter().for_each(|(name, value)| {
                fields.entry(name).or_insert(value);
            });
            return shorten(schema);
        }
        fields.insert("anyOf".into(), Value::Array(each));
    }
    // Each word of an enumeration by itself, with its description: the words alone.
    if let Some(Value::Array(each)) = fields.get("oneOf") {
        let words: Vec<Value> = each.iter().filter_map(|one| one.get("const").cloned()).collect();
        if words.len() == each.len() {
            fields.remove("oneOf");
            fields.insert("enum".into(), Value::Array(words));
        }
    }
    // The words say of what type they are.
    if fields.contains_key("enum") {
        fields.remove("type");
    }
    if let Some(items) = fields.get_mut("items") {
        shorten(items);
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().for_each(shorten);
    }
}
