//! Tools and routes in brief: the first fields of their records, read in place.

use staleness_core::route::{Confidence, RouteBrief, RouteId};
use staleness_core::tool::ToolBrief;

use super::{CAUSES, HOLDS, Holding1, TOOL_KINDS, word};
use crate::codec::{Bad, Kind, decode_start, open};

/// The first fields of a tool, version 1: kind, server, plugin, description, holdings, cause, since when,
/// whether revived, failing, demotions, the last one, window and hold.
type Tool1Start<'a> = (
    u8,
    Option<&'a str>,
    Option<&'a str>,
    Option<&'a str>,
    Vec<Holding1<&'a str>>,
    u8,
    i64,
    bool,
    Option<(i64, &'a str)>,
    u32,
    Option<i64>,
    u8,
    u8,
);

/// A tool in brief, read in place.
pub(crate) fn tool_brief<'a>(name: &'a str, bytes: &'a [u8]) -> Result<ToolBrief<'a>, Bad> {
    let (1, body) = open(Kind::Tool, bytes)? else { return Err(Bad("version")) };
    let (start, _): (Tool1Start<'_>, _) = decode_start(body)?;
    let (kind, server, plugin, description, _, cause, _, _, failing, _, _, _, hold) = start;
    Ok(ToolBrief {
        name,
        kind: word(&TOOL_KINDS, kind, "kind")?,
        server,
        plugin,
        description,
        hold: word(&HOLDS, hold, "hold")?,
        present: word(&CAUSES, cause, "cause")?.is_present(),
        failing: failing.is_some(),
    })
}

/// A route in brief, read in place.
pub(crate) fn route_brief<'a>(
    tool: &'a str,
    id: RouteId,
    bytes: &'a [u8],
) -> Result<RouteBrief<'a>, Bad> {
    let (1, body) = open(Kind::Route, bytes)? else { return Err(Bad("version")) };
    let ((query, confidence), _): ((&str, u32), _) = decode_start(body)?;
    let confidence = Confidence::of_billionths(confidence).ok_or(Bad("confidence"))?;
    Ok(RouteBrief { id, tool, query, confidence })
}
