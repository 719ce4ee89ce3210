//! Refusals: the reasons why a step declines to do its work.

use std::error::Error;
use std::fmt;

use crate::ids::{AgentId, IdError, ItemId, ModelId, SessionId, ToolName, WorkId};
use crate::text::{counted, holder};
use crate::time::Timestamp;

/// The reason why a step refuses to do its work. Nothing is written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no record with this name.
    Unknown {
        /// The kind of record: `tool`, `project`.
        what: &'static str,
        /// The unknown name.
        id: String,
    },
    /// A newer reading of this source was applied in the meantime. The source must be read again.
    Superseded {
        /// The source, as `client/level/part`.
        source: String,
    },
    /// The id is taken. Another one must be chosen, or the existing record changed.
    Taken {
        /// The kind of the existing record: `item`, `work item`.
        what: &'static str,
        /// The id that is taken.
        id: String,
    },
    /// The state of a record does not allow the act.
    Conflict(Conflict),
    /// A text, or the sum of several, is too large to store.
    TooLarge {
        /// The name of the text: `query`, `reason`.
        what: &'static str,
        /// The size of the text, in bytes.
        bytes: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The value is invalid.
    Invalid(Invalid),
    /// A step of another crate refuses, for the reason in the text.
    Other(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { what, id } => write!(f, "no {what} named {id:?}"),
            Self::Superseded { source } => {
                write!(f, "a newer reading of {source} was applied in the meantime")
            }
            Self::Taken { what, id } => {
                write!(f, "{id:?} already names another {what}: change it, or choose another id")
            }
            Self::TooLarge { what, bytes, limit } => {
                write!(f, "the {what} is {bytes} bytes long; at most {limit} are allowed")
            }
            Self::Conflict(why) => why.fmt(f),
            Self::Invalid(why) => why.fmt(f),
            Self::Other(why) => f.write_str(why),
        }
    }
}

impl Error for Refusal {}

impl From<Conflict> for Refusal {
    fn from(why: Conflict) -> Self {
        Self::Conflict(why)
    }
}

impl From<Invalid> for Refusal {
    fn from(why: Invalid) -> Self {
        Self::Invalid(why)
    }
}

impl Refusal {
    pub(crate) fn check_size(what: &'static str, bytes: usize, limit: usize) -> Result<(), Self> {
        if bytes > limit { Err(Self::TooLarge { what, bytes, limit }) } else { Ok(()) }
    }
}

impl Invalid {
    /// Refuses a text that is blank or contains a NUL character.
    pub(crate) fn check_text(what: &'static str, text: &str) -> Result<(), Self> {
        match text {
            _ if text.trim().is_empty() => Err(Self::Blank { what }),
            _ if text.contains('\0') => Err(Self::Nul { what }),
            _ => Ok(()),
        }
    }

    pub(crate) fn check_name(what: &'static str, name: &str) -> Result<(), Self> {
        let start = || name.chars().take(80).collect();
        IdError::check(name).map_err(|why| Self::Name { what, start: start(), why })
    }
}

/// Defines an enum of reasons, each with its text. The text, which contains the names of the fields, is also part of
/// the documentation.
macro_rules! reasons {
    ($(#[$about:meta])* $name:ident {$(
        $(#[$doc:meta])*
        $variant:ident $({ $($field:ident: $type:ty),+ })? $(($place:ident: $of:ty))?
            = $text:literal $(, $value:expr)*;
    )+}) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "the text of a reason says what its fields are")]
        pub enum $name {$(
            $(#[$doc])*
            #[doc = concat!("\n> ", $text)]
            $variant $({ $($field: $type),+ })? $(($of))?,
        )+}

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant $({ $($field),+ })? $(($place))? => write!(f, $text $(, $value)*),)+
                }
            }
        }

        impl Error for $name {}
    };
}

reasons! {
    /// The state of a record does not allow an act. Kinds and states of work, and kinds of items, are given as words.
    Conflict {
        /// An agent may not change a person's decision. `typed` is the tool's name on a command line.
        HeldByPerson { tool: ToolName, hold: &'static str, typed: String }
            = "a person {hold} {tool}, so only a person can change that, with `staleness tools restore {typed}`";
        /// An agent may not pin or ignore a tool.
        NotByAgent { tool: ToolName, verb: &'static str, typed: String }
            = "only a person can {verb} {tool}, with `staleness tools {verb} {typed}`";
        /// The tool has no changed definition to accept.
        NoChange { tool: ToolName } = "{tool} has no change to accept";
        /// The server withdrew the definition that the caller wants to accept.
        TakenBack { tool: ToolName }
            = "{tool} changed after you saw it: its server reverted the change; look again";
        /// The pending definition is not the one that the caller wants to accept.
        OtherVersion { tool: ToolName } = "{tool} is not the version you saw; look again";
        /// A suspicious definition can be accepted only by giving its digest.
        Suspicious { tool: ToolName } = "{tool} is suspicious; review it first";
        /// A route to a tool whose definition is not accepted cannot be learned.
        Withheld { tool: ToolName }
            = "the tool {tool} awaits approval: nothing is learned until a person accepts its definition";
        /// A route to an absent tool cannot be learned.
        Gone { tool: ToolName, since: Timestamp }
            = "the tool {tool} has been gone since {since}; nothing is learned until it is found or used again";
        /// Two queries have the same route id.
        SameRoute { id: String, query: String }
            = "the query cannot be learned: its id {id} belongs to the query {query:?}";
        /// The session belongs to another agent.
        OtherAgent { session: SessionId, owner: AgentId, agent: AgentId }
            = "the session {:?} belongs to {:?}, not to {:?}", session.as_str(), owner.as_str(), agent.as_str();
        /// The session already has the maximum number of claims.
        TooManyClaims { limit: usize } = "a session can claim at most {limit} items";
        /// Another agent holds the work item.
        Claimed { id: WorkId, agent: AgentId, session: Option<SessionId>, until: Timestamp }
            = "{:?} is claimed by {} until {until}; take other work, or wait", id.as_str(), holder(agent.as_str(), session.as_ref().map(SessionId::as_str));
        /// Another session of the same agent, or an unnamed one, holds the claim.
        ClaimedInSession { id: WorkId, agent: AgentId, session: Option<SessionId>, until: Timestamp }
            = "{:?} is claimed by {} until {until}; release it if that session is over", id.as_str(), holder(agent.as_str(), session.as_ref().map(SessionId::as_str));
        /// An agent cannot release another agent's claim.
        NotHolder { id: WorkId, agent: AgentId, session: Option<SessionId>, until: Timestamp }
            = "{:?} is claimed by {} until {until}; only that agent or a person can release it", id.as_str(), holder(agent.as_str(), session.as_ref().map(SessionId::as_str));
        /// There is no claim to release.
        NotClaimed { id: WorkId } = "nobody has claimed {:?}", id.as_str();
        /// An ended work item cannot be claimed.
        NotOpen { id: WorkId, status: &'static str } = "{:?} is {status}; reopen it first", id.as_str();
        /// An ended work item cannot move to another state.
        Ended { id: WorkId, status: &'static str } = "{:?} is {status}; reopen it first", id.as_str();
        /// The work item is open.
        NotEnded { id: WorkId, status: &'static str }
            = "{:?} is {status}, so there is nothing to reopen", id.as_str();
        /// The kind of work has no such state.
        NotOfKind { id: WorkId, kind: &'static str, to: &'static str, states: String }
            = "{:?}: a {kind} cannot be {to}; use one of: {states}", id.as_str();
        /// The work item is not overdue.
        NotOverdue { id: WorkId, status: &'static str }
            = "{:?} is {status} and not overdue; only overdue items can be resolved", id.as_str();
        /// Another agent accepted the handoff.
        Accepted { id: WorkId, by: AgentId } = "{:?} was already accepted, by {:?}", id.as_str(), by.as_str();
        /// Work items would wait for each other.
        WaitsForItself { id: WorkId } = "{:?} would wait for itself", id.as_str();
        /// The item is stored in a file.
        InFile { id: ItemId, path: String } = "{:?} is stored in {path:?}; change it there", id.as_str();
        /// The record is not as the change to undo left it.
        Changed { id: String } = "{id:?} has changed since then, so nothing was undone";
        /// Two items cannot replace each other.
        Replaces { old: ItemId, new: ItemId }
            = "{:?} already replaces {:?}; undo that first", old.as_str(), new.as_str();
        /// An agent cannot verify an item that a person marked as wrong. `reason` is the beginning of the person's
        /// reason.
        Contradicted { id: ItemId, by: String, at: Timestamp, reason: String }
            = "{by} marked {:?} as wrong on {}: {reason:?}", id.as_str(), at.date();
        /// The item is neither a to-do nor expired.
        NotToDo { id: ItemId, kind: &'static str }
            = "{:?} is of kind {kind}; only a to-do or an expired item can be done or reopened", id.as_str();
        /// The caller is confined to one project.
        NotOwn = "this caller may change only records of its own project";
        /// The project has items of knowledge.
        HasItems { count: usize, first: ItemId }
            = "{} to this project, such as {:?}; remove them first, or delete them with it",
            counted(count, "item of knowledge belongs", "items of knowledge belong"), first.as_str();
        /// The project has work items.
        HasWork { count: usize, first: WorkId }
            = "{} to this project, such as {:?}; delete them with it",
            counted(count, "work item belongs", "work items belong"), first.as_str();
    }
}

reasons! {
    /// A reason why a value is invalid. Kinds and states of work are given as words.
    Invalid {
        /// A text is blank.
        Blank { what: &'static str } = "the {what} is empty";
        /// A text contains a NUL character.
        Nul { what: &'static str } = "the {what} contains a NUL character";
        /// A text that must be on one line contains a control character.
        Control { text: String } = "{text:?} contains a control character";
        /// A name breaks the rules for identifiers.
        Name { what: &'static str, start: String, why: IdError } = "the {what} {start:?} {why}";
        /// A query has no letter and no digit.
        NoWords = "the query has no words";
        /// A number is not in the range of a share.
        NoShare { what: &'static str, number: String } = "the {what} {number} is not between 0 and 1";
        /// The numbers are not a vector.
        Vector(why: VectorError) = "{why}";
        /// A vector is given without its query.
        NoQuery = "a vector needs the query from which it was made";
        /// The number of dimensions of a new vector differs from that of the model's other vectors.
        Dimensions { model: ModelId, found: usize, known: usize }
            = "the vector has {found} dimensions; those of the model {:?} have {known}", model.as_str();
        /// The number of dimensions of the query's vector differs from that of the model's stored vectors.
        QueryDimensions { model: ModelId, found: usize, known: usize }
            = "the vector has {found} dimensions; those of the model {model} have {known}";
        /// A route remembers too many ops.
        RouteOps { ops: usize, limit: usize } = "the route remembers {ops} ops; at most {limit} are allowed";
        /// The id of a route does not match its tool and query.
        RouteId { id: String, tool: ToolName }
            = "the id {id} does not match the tool {tool} and the query; omit the id and the vector";
        /// A citation has no path.
        NoPath = "a citation needs a path";
        /// The cited lines are not a valid range.
        Lines { first: u32, last: u32, path: String } = "lines {first}-{last} of {path:?} are not a range";
        /// An item would replace itself.
        ReplacesItself { id: ItemId } = "{:?} cannot replace itself", id.as_str();
        /// An item cannot replace an item of another scope.
        OtherScope { old: ItemId, new: ItemId }
            = "{:?} and {:?} belong to different scopes; an item can replace only one of its own scope", old.as_str(), new.as_str();
        /// The id of a work item looks like the printed id of a global item.
        PrintedId { id: WorkId }
            = "the id {:?} begins with `global:`, which is reserved for items of all projects", id.as_str();
        /// A work item has a status that its kind does not have.
        NotOfKind { kind: &'static str, status: &'static str, states: String }
            = "a {kind} cannot be {status:?}; use one of: {states}";
        /// A work item has a status that cannot follow its previous status.
        StateBefore { kind: &'static str, status: &'static str, before: &'static str }
            = "a {kind} that is {status} was not {before} before it ended";
        /// A work item of this kind and in this state cannot have a claim.
        ClaimOf { kind: &'static str, status: &'static str } = "a {kind} that is {status} cannot be claimed";
        /// A claim ends before it begins.
        ClaimOrder = "the claim ends before it begins";
        /// A claim lasts too long.
        ClaimTime = "a claim lasts at most 30 days";
        /// The duration of a new claim is zero or above the limit.
        NewClaimTime = "a claim must last more than 0 and at most 30 days";
        /// A claim needs the name of an agent.
        NoAgent = "only a named agent can claim work";
        /// Work of this kind is not a task that can be carried out.
        NoTask { id: WorkId, kind: &'static str } = "{:?} is a {kind}; claim a plan or handoff", id.as_str();
        /// Work of this kind never ends, so nothing can wait for it.
        NeverEnds { id: String, kind: &'static str } = "{id:?} is a {kind}, which never ends";
    }
}

reasons! {
    /// The reason why numbers are not a valid vector.
    #[derive(Copy)]
    VectorError {
        /// There are no numbers.
        Empty = "the vector is empty";
        /// There are too many numbers. The value is their count.
        TooLong(found: usize)
            = "the vector has {found} dimensions; at most {} are allowed", Self::MAX_DIMENSIONS;
        /// A number is NaN or infinite. The value is its index.
        NotFinite(at: usize) = "number {at} of the vector, counted from 0, is not a finite number";
        /// All numbers are zero, so the vector has no direction.
        Zero = "the vector is zero and has no direction";
        /// The length in bytes, which is the value, is not a multiple of the size of a number.
        Length(bytes: usize) = "the vector is {bytes} bytes long, which is not a whole number of values";
        /// The stored vector does not have length 1.
        NotUnit = "the vector does not have length 1";
    }
}

impl VectorError {
    pub(crate) const MAX_DIMENSIONS: usize = 4_096;
}
