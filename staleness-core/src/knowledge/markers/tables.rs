//! Where a marker can begin: told by three bytes and the one before them.

/// How a marker may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// A word such as `now` or `TODO`.
    Word,
    /// A digit: a version, a year or a day.
    Number,
    /// `v` and a digit.
    Version,
    /// The name of a month.
    Month,
    /// `Q` and a digit.
    Quarter,
    /// `month`, `quarter` or `year`.
    Period,
}

/// The sets of bytes that may stand first, second and third, and what begins so.
const PATTERNS: [(Start, &[&[u8]; 3]); 20] = [
    (Start::Word, &[b"cC", b"uU", b"rR"]),
    (Start::Word, &[b"nN", b"oO", b"wW"]),
    (Start::Word, &[b"lL", b"aA", b"tT"]),
    (Start::Word, &[b"pP", b"lL", b"aA"]),
    (Start::Word, &[b"uU", b"pP", b"cC"]),
    (Start::Word, &[b"wW", b"iI", b"lL"]),
    (Start::Word, &[b"T", b"O", b"D"]),
    (Start::Word, &[b"T", b"B", b"D"]),
    (Start::Number, &[b"0123456789", b"0123456789.", b"0123456789."]),
    (Start::Version, &[b"vV", b"0123456789", b"0123456789."]),
    (Start::Quarter, &[b"Q", b"1234", b" \n\t-/.,;:!?)"]),
    (Start::Month, &[b"J", b"au", b"nl"]),
    (Start::Month, &[b"F", b"e", b"b"]),
    (Start::Month, &[b"M", b"a", b"ry"]),
    (Start::Month, &[b"A", b"pu", b"rg"]),
    (Start::Month, &[b"SD", b"e", b"pc"]),
    (Start::Month, &[b"ON", b"co", b"tv"]),
    (Start::Period, &[b"mM", b"oO", b"nN"]),
    (Start::Period, &[b"qQ", b"uU", b"aA"]),
    (Start::Period, &[b"yY", b"eE", b"aA"]),
];

/// For each byte the patterns that it fits, one bit each.
type Table = [u32; 256];

const fn table(place: usize) -> Table {
    let mut table = [0; 256];
    let mut pattern = 0;
    while pattern < PATTERNS.len() {
        let bytes = PATTERNS[pattern].1[place];
        let mut at = 0;
        while at < bytes.len() {
            table[bytes[at] as usize] |= 1 << pattern;
            at += 1;
        }
        pattern += 1;
    }
    table
}

/// Every pattern, unless the byte is a letter or digit that the word goes on from.
const fn before() -> Table {
    let mut table = [u32::MAX; 256];
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_alphanumeric() || byte == b'_' as usize {
            table[byte] = 0;
        }
        byte += 1;
    }
    table
}

static FIRST: Table = table(0);
static SECOND: Table = table(1);
static THIRD: Table = table(2);
static BEFORE: Table = before();

/// Every place at which a marker may begin, in order.
pub(super) fn starts(bytes: &[u8]) -> impl Iterator<Item = (usize, Start)> + '_ {
    let fits = |before: u8, first: u8, second: u8, third: u8| {
        BEFORE[before as usize]
            & FIRST[first as usize]
            & SECOND[second as usize]
            & THIRD[third as usize]
    };
    let start = |bits: u32| PATTERNS[bits.trailing_zeros() as usize].0;
    let very_first = match *bytes {
        [first, second, third, ..] => fits(b' ', first, second, third),
        _ => 0,
    };
    // `by Q4` at the end of the text.
    let very_last = match *bytes {
        [.., before, first, second] => fits(before, first, second, b' '),
        _ => 0,
    };
    let at_once = (very_first != 0).then(|| (0, start(very_first)));
    let at_last = (very_last != 0).then(|| (bytes.len() - 2, start(very_last)));
    let others = bytes.windows(4).enumerate().filter_map(move |(at, four)| {
        let bits = fits(four[0], four[1], four[2], four[3]);
        (bits != 0).then(|| (at + 1, start(bits)))
    });
    at_once.into_iter().chain(others).chain(at_last)
}
