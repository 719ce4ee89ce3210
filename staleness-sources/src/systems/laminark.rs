//! Laminark: a SQLite database of observations, tools and their uses, of all projects. Based on its source
//! (`storage/migrations.ts`) and tested with version 2.22.7, whose last migration is 22.

use super::line::{Line, Mapped, Parts};
use super::row::Row;
use super::{Site, Table};

pub(super) const TABLES: [Table; 7] = [
    Table::of("observations", "observation", elsewhere, observation)
        .needs(&["id", "project_hash", "content", "created_at", "updated_at"])
        .internal(&["rowid", "embedding", "embedding_model", "embedding_version", "classified_at"]),
    Table::of("sessions", "session", elsewhere, session).needs(&[
        "id",
        "project_hash",
        "started_at",
        "summary",
    ]),
    Table::of("tool_registry", "tool", elsewhere, tool)
        .needs(&["name", "tool_type", "project_hash", "server_name"])
        .internal(&["id", "scope", "source", "discovered_at", "updated_at", "last_used_at"])
        .optional(),
    Table::of("tool_usage_events", "use", elsewhere, outcome)
        .needs(&["id", "tool_name", "project_hash", "success", "created_at"])
        .optional(),
    Table::of("context_stashes", "stash", elsewhere, stash)
        .needs(&["id", "project_id", "topic_label", "summary", "created_at"])
        .internal(&["session_id"])
        .optional(),
    Table::of("debug_paths", "debug path", elsewhere, debug_path)
        .needs(&["id", "project_hash", "status", "trigger_summary", "started_at"])
        .optional(),
    Table::of("thought_branches", "thought branch", elsewhere, branch)
        .needs(&["id", "project_hash", "status", "started_at"])
        .internal(&["session_id", "created_at", "arc_stage", "tool_pattern", "observation_count"])
        .optional(),
];

/// Tables about the database itself, and learned thresholds.
pub(super) const INTERNAL: [&str; 5] =
    ["_migrations", "project_metadata", "shift_decisions", "threshold_history", "research_buffer"];

fn elsewhere(row: &mut Row, site: &Site<'_>) -> Option<Mapped> {
    let project = row.text("project_hash").or_else(|| row.text("project_id"));
    let is_other = project.is_some_and(|project| project != site.hash());
    is_other.then(|| Mapped::Left("records of other projects".into()))
}

fn observation(row: &mut Row) -> Mapped {
    if row.text("deleted_at").is_some() {
        return Mapped::Left("deleted observations".into());
    }
    let kind = row.text("kind");
    let is_reference = kind.as_deref() == Some("reference");
    let keywords: Vec<String> = kind.into_iter().chain(row.text("classification")).collect();
    let body = Parts::default().add(row.text("title")).add(row.text("content")).text();
    row.drop(&["session_id", "source"]);
    let kind = if is_reference { "reference" } else { "knowledge" };
    Mapped::Line(
        Line::knowledge(kind, row.text("id").unwrap_or_default())
            .with("body", body)
            .with("keywords", keywords)
            .at("added", row.time("created_at"))
            .at("updated", row.time("updated_at")),
    )
}

fn session(row: &mut Row) -> Mapped {
    let Some(summary) = row.text("summary") else {
        return Mapped::Left("sessions without a summary".into());
    };
    let (started, ended) = (row.time("started_at"), row.time("ended_at"));
    let id = format!("session-{}", row.text("id").unwrap_or_default());
    Mapped::Line(
        Line::work("note", id)
            .with("note_type", "session_end")
            .with("generated", true)
            .with("text", summary)
            .at("created", ended.or(started)),
    )
}

fn tool(row: &mut Row) -> Mapped {
    let name = row.text("name").unwrap_or_default();
    if name.ends_with('*') {
        return Mapped::Left("tools that stand for a whole server".into());
    }
    if let Some(status) = row.text("status").filter(|status| status != "active") {
        row.fields.insert(format!("status={status}"), true.into());
    }
    let kind = row.text("tool_type").unwrap_or_else(|| "unknown".into());
    let server = row.text("server_name").filter(|_| name.starts_with("mcp__"));
    Mapped::Line(
        Line::new("tool")
            .with("name", name)
            .with("kind", kind)
            .with("server", server)
            .with("description", row.text("description")),
    )
}

fn outcome(row: &mut Row) -> Mapped {
    let at = row.time("created_at");
    let number = row.number("id").unwrap_or_default();
    let seconds = at.unwrap_or_default().as_millis() / 1_000;
    let result = if row.flag("success") { "success" } else { "failure" };
    Mapped::Line(
        Line::new("outcome")
            // The number is unique only within one database.
            .with("id", format!("laminark-{number}-{seconds}"))
            .with("tool", row.text("tool_name"))
            .with("result", result)
            .with("session", row.text("session_id"))
            .at("at", at),
    )
}

fn stash(row: &mut Row) -> Mapped {
    let text = Parts::default().add(row.text("topic_label")).add(row.text("summary")).text();
    let is_resumed = row.text("status").as_deref() == Some("resumed");
    Mapped::Line(
        Line::work("note", row.text("id").unwrap_or_default())
            .with("status", if is_resumed { "archived" } else { "visible" })
            .with("generated", true)
            .with("text", text)
            .with("refs", row.list("observation_ids"))
            .at("created", row.time("created_at"))
            .at("updated", row.time("resumed_at")),
    )
}

fn debug_path(row: &mut Row) -> Mapped {
    let text = Parts::default()
        .add(row.text("trigger_summary"))
        .named("Resolution", row.text("resolution_summary"))
        .add(row.text("kiss_summary"));
    let is_active = row.text("status").as_deref() == Some("active");
    Mapped::Line(
        Line::work("trap", row.text("id").unwrap_or_default())
            .with("status", if is_active { "active" } else { "resolved" })
            .with("generated", true)
            .with("text", text.text())
            .at("created", row.time("started_at"))
            .at("updated", row.time("resolved_at")),
    )
}

fn branch(row: &mut Row) -> Mapped {
    let text = Parts::default().add(row.text("title")).add(row.text("summary")).text();
    if text.is_empty() {
        return Mapped::Left("thought branches without a title".into());
    }
    let status = match row.text("status").as_deref() {
        Some("active") => "in_progress",
        Some("abandoned") => "dropped",
        _ => "done",
    };
    Mapped::Line(
        Line::work("plan", row.text("id").unwrap_or_default())
            .with("status", status)
            .with("generated", true)
            .with("text", text)
            .with("refs", row.list("parent_branch_id"))
            .at("created", row.time("started_at"))
            .at("updated", row.time("ended_at")),
    )
}
