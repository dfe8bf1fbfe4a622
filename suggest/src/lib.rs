//! "Did you mean": the known word that is closest to one that nobody knows.

/// Below this likeness (0 to 1) a suggestion would be a guess.
const LIKENESS: f64 = 0.75;

/// The one of `known` that is most like `word`, if any is like it.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (likeness(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, candidate)| candidate)
}

/// Case and the two dashes are what people get wrong first.
fn likeness(left: &str, right: &str) -> f64 {
    let plain = |word: &str| word.to_lowercase().replace('-', "_");
    strsim::jaro_winkler(&plain(left), &plain(right))
}

/// `; did you mean ...?`, or nothing.
pub fn question<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    closest(word, known).map(|found| format!("; did you mean `{found}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_word_is_suggested_and_no_far_one() {
        let known = ["exclude", "include", "bound"];
        assert_eq!(closest("exlude", known), Some("exclude"));
        assert_eq!(closest("Includes", known), Some("include"));
        assert_eq!(closest("bounds", known), Some("bound"));
        assert_eq!(closest("quantum", known), None);
        assert_eq!(question("exclud", known), "; did you mean `exclude`?");
        assert_eq!(question("zzz", known), "");
    }
}
