//! Lists of neighbouring words that decide whether a word is temporal, separated by spaces.

/// Nouns that make `current` refer to a running program rather than the time of writing: `current directory`.
pub(super) const RUNNING: &str = "\
    account address argument block branch buffer byte cell char character chunk class column \
    commit connection context count crate cursor date day depth dir directory document element \
    entry epoch event exception execution file folder frame function generation group handle head \
    host hour id index input instance instant instruction item iteration iterator key length \
    level line locale loop match message method minute module month namespace node object offset \
    output package page panic parser path pixel pointer position process progress project prompt \
    read record repository request response row run runtime scope score screen second segment \
    selection session shell size slice slot span stack state step stream string tab target task \
    terminal test thread tick time timestamp token transaction type user utc value week window \
    word worker working workspace write year";

/// Words after `will be` for actions that happen on every run of a program: `the file will be created`.
pub(super) const ROUTINE: &str = "\
    a able accepted added aligned allocated allowed an appended applied asked assigned assumed at \
    automatically available based bound built cached called caught checked chosen cleaned cleared \
    cloned closed collected compared compiled computed considered consumed converted copied \
    counted created deduced delayed deleted delivered derived different disabled discarded \
    displayed done downloaded dropped either emitted empty enabled encoded equal escaped \
    evaluated exactly executed expanded exposed false filled filtered flushed forwarded found \
    freed generated given handled held if ignored in included inferred inherited initialized \
    inlined inserted installed interpreted invoked kept left less like linked loaded locked \
    logged lost made mapped marked matched merged modified more moved named no non none not \
    notified null omitted on one only opened overridden overwritten padded panicked parsed part \
    passed performed placed populated preserved printed processed produced propagated provided \
    pushed put raised reached read recognized recorded reduced rejected released removed rendered \
    repeated replaced reported represented required reset resolved restored retried returned \
    reused reviewed rounded run satisfied saved searched selected sent separated serialized set \
    shared shown silently similar skipped slower sorted split started stopped stored stripped \
    supplied taken tested the thrown to transformed translated treated triggered tried true \
    truncated turned unable undefined updated used valid verified visible wrapped written your \
    zero";

/// Adjectives after `will be removed in [the]` that refer to the future.
pub(super) const TO_COME: &str = "next upcoming later following coming";

/// Nouns for a release of a project.
pub(super) const RELEASES: &str = "version versions release releases major minor milestone";

/// Words after `will be removed` that refer to the future.
pub(super) const ONE_DAY: &str = "soon eventually imminently";

/// Verbs after `we now` that make it describe the project, not guide the reader.
pub(super) const WE_NOW: &str = "\
    use require support provide ship offer depend rely recommend prefer";

/// Words before `now` that make it guide the reader: `you can now`, `let's now`.
pub(super) const LEADING: &str = "\
    can could should will may might must would let's lets us we you i to until right and by are \
    than just then";

/// Words after a sentence-initial `Now` that make it temporal.
pub(super) const NOW_SO: &str = "\
    supports uses requires deprecated available supported includes maintained";

/// Words before `currently` that make it distinguish things, not times: `the currently open file`.
pub(super) const ARTICLES: &str = "the a an any each every all its your no which that of";

/// Words after which `N.N` is a version.
pub(super) const BEFORE_VERSION: &str = "\
    version versions ver v release releases since rust rustc cargo python node npm go java jdk \
    ruby php perl postgres postgresql mysql sqlite kubernetes django rails react vue angular \
    swift kotlin scala gcc clang llvm ubuntu debian macos ios android msrv api glibc openssl cuda";

/// Words after which a version says when something was added or removed.
pub(super) const TELLING_WHEN: &str = "since until till before after through than";

/// Words in `-ed` that describe the state of a version, not an event.
pub(super) const STATES: &str = "\
    tested supported required needed used based pinned limited locked shipped bundled";

/// Words after which dotted numbers are not a version but a section or another number.
pub(super) const BEFORE_PLACE: &str = "\
    section sections sect sec chapter figure fig table part appendix clause rule rfc paragraph \
    listing equation example step item algorithm lemma theorem page address ip";

/// Words after which a month's name means the month.
pub(super) const BEFORE_MONTH: &str = "\
    in since by until till before after during early mid late last next this of end from through";

/// Words after which `May` or `March` means the month. Fewer than [`BEFORE_MONTH`], because these names also begin
/// sentences and appear in titles.
pub(super) const BEFORE_WORDLIKE_MONTH: &str = "\
    in since by until till during early mid late last next";

/// Words after which four digits are a year.
pub(super) const BEFORE_YEAR: &str = "since until till during year early mid late circa throughout";

/// Words after which four digits may be a year or a number. They are a year unless a countable noun follows.
pub(super) const BEFORE_YEAR_OR_NUMBER: &str = "in by before after from of end around through";

/// Words that may follow a year. A number would be followed by the things counted.
pub(super) const AFTER_YEAR: &str = "\
    a an and as at because but by for had has have he i is it on or our she so than that the \
    there they this to was we were when with";

/// Nouns after four digits that are not a calendar year or do not become outdated, as in `the 2021 edition`.
pub(super) const NO_YEAR_NOUNS: &str = "\
    edition editions bytes byte bits ms items entries lines characters port words pixels records \
    rows standard";

/// Words after which `Q3` means a quarter, not a question.
pub(super) const BEFORE_QUARTER: &str = "\
    in by during until since next early late mid this last end";

/// Full month names that have no other meaning.
pub(super) const NOTHING_ELSE: &str = "january february september october november december";
