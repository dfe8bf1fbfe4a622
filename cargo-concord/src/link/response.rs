//! Response files: `@file` in place of a line that is too long for the system.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// Longest line that is passed without a response file, in bytes: half of what Linux grants one argument.
const LONGEST_LINE: usize = 64 * 1024;

/// Replaces each `@file` by the words in it.
///
/// # Errors
/// When a response file cannot be read or names itself.
pub(crate) fn expand(words: Vec<String>) -> Result<Vec<String>> {
    expand_nested(words, 0)
}

fn expand_nested(words: Vec<String>, depth: usize) -> Result<Vec<String>> {
    if depth > 16 {
        bail!("response files of the link line are nested more than 16 deep");
    }
    let mut expanded = Vec::with_capacity(words.len());
    for word in words {
        match word.strip_prefix('@') {
            None => expanded.push(word),
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read the linker's response file {path}"))?;
                expanded.extend(expand_nested(split(&text), depth + 1)?);
            }
        }
    }
    Ok(expanded)
}

/// Splits a response file into words, as `cc` does: blanks separate, quotes and backslashes protect.
pub(crate) fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', _) => word.get_or_insert_default().extend(letters.next()),
            (_, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (_, None) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// The text of a response file that holds `words`.
pub(crate) fn join(words: &[String]) -> String {
    let mut text = String::new();
    for word in words {
        for letter in word.chars() {
            if letter.is_whitespace() || matches!(letter, '\\' | '\'' | '"') {
                text.push('\\');
            }
            text.push(letter);
        }
        text.push('\n');
    }
    text
}

/// `words` as they may be passed to a program: a line that is too long goes to a file in `folder`.
///
/// # Errors
/// When that file cannot be written.
pub(crate) fn shorten(words: Vec<String>, folder: &Path) -> Result<Vec<String>> {
    if words.iter().map(|word| word.len() + 1).sum::<usize>() <= LONGEST_LINE {
        return Ok(words);
    }
    let path = folder.join("link.args");
    std::fs::write(&path, join(&words)).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(vec![format!("@{}", path.display())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn blanks_quotes_and_backslashes_of_a_response_file_are_read() {
        let text = "-o out\n\"two words\" 'it\"s' a\\ b\\\\c ''\n";
        assert_eq!(split(text), ["-o", "out", "two words", "it\"s", "a b\\c", ""]);
    }

    #[test]
    fn written_response_files_read_back() {
        let words = owned(&["a b", "c\\d", "'q\"", "-Wl,x", "plain"]);
        assert_eq!(split(&join(&words)), words);
    }

    #[test]
    fn response_files_nest_and_must_exist() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        let outer = folder.path().join("outer");
        std::fs::write(&inner, "x y").unwrap();
        std::fs::write(&outer, format!("a @{} b", inner.display())).unwrap();
        let words = expand(vec!["first".into(), format!("@{}", outer.display())]).unwrap();
        assert_eq!(words, ["first", "a", "x", "y", "b"]);
        let missing = folder.path().join("missing");
        assert!(expand(vec![format!("@{}", missing.display())]).unwrap_err().to_string().contains("missing"));
    }

    #[test]
    fn only_long_lines_go_to_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let short = owned(&["a", "b"]);
        assert_eq!(shorten(short.clone(), folder.path()).unwrap(), short);
        let long = vec!["x".repeat(1000); 100];
        let passed = shorten(long.clone(), folder.path()).unwrap();
        assert_eq!(passed.len(), 1);
        assert_eq!(expand(passed).unwrap(), long);
    }
}
