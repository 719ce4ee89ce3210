//! Derives readable ids from texts.

/// Returns an id made from the first words of a text (at most `most` characters) and six hex digits of a hash of
/// `kind`, the text and `salt`.
pub fn id_of(kind: &str, text: &str, salt: &str, most: usize) -> String {
    let line = text.lines().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or("");
    let mut slug = String::new();
    for word in staleness_core::text::terms(line) {
        let word: String = word.chars().take(most).collect();
        if slug.chars().count() + 1 + word.chars().count() > most && !slug.is_empty() {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word);
    }
    let hashed = format!("{kind}\n{text}{salt}");
    let digits = format!("{:032x}", staleness_core::ids::stable_hash(hashed.as_bytes()));
    let slug = if slug.is_empty() { kind } else { &slug };
    format!("{slug}-{}", &digits[..6])
}
