//! Paths of crates, modules and functions as people write them.

/// The path in the form in which the pass compares it: the crate by the name that code has for it.
///
/// # Errors
/// Says what is wrong with it.
pub(super) fn read(text: &str) -> Result<String, String> {
    let text = text.trim();
    let refuse = |why: &str| Err(format!("`{text}` is no path of a crate, module or function: {why}"));
    if text.is_empty() {
        return Err("an empty path; remove it, or name a crate, module or function".to_owned());
    }
    if let Some(covering) = text.strip_suffix("::*").or_else(|| text.strip_suffix("::")) {
        return refuse(&format!("a path covers all below it; write `{covering}`"));
    }
    if text.contains(['*', '?', '[']) {
        return refuse("patterns are not understood; name the crate or module that holds the functions");
    }
    if text.split("::").any(str::is_empty) || text.contains([' ', '\t', '/', '\\']) && !text.starts_with('<')
    {
        return refuse("its names are separated by `::`, as in `my_crate::tables::Table::sum`");
    }
    // Packages are named with dashes, and their crates with underscores.
    let (root, rest) = text.split_once("::").map_or((text, None), |(root, rest)| (root, Some(rest)));
    let root = root.replace('-', "_");
    Ok(rest.map_or_else(|| root.clone(), |rest| format!("{root}::{rest}")))
}

/// The crate that a path names.
pub(super) fn root(path: &str) -> &str {
    path.trim_start_matches(['<', '&']).split("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read() {
        for (text, path) in [
            ("my-crate", "my_crate"),
            (" a::b::C::d ", "a::b::C::d"),
            ("some-crate::x", "some_crate::x"),
            ("leveldb_get", "leveldb_get"),
            ("<a::B as core::ops::Drop>::drop", "<a::B as core::ops::Drop>::drop"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(path));
        }
        for (text, hint) in [
            ("", "empty"),
            ("  ", "empty"),
            ("a::b::*", "write `a::b`"),
            ("a::", "write `a`"),
            ("a::::b", "separated by `::`"),
            ("::a", "separated by `::`"),
            ("a b", "separated by `::`"),
            ("src/tables.rs", "separated by `::`"),
            ("serde_*", "patterns"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(hint), "{text}: {message}");
        }
    }

    #[test]
    fn the_root_is_a_crate() {
        assert_eq!((root("a::b"), root("a"), root("<a::B as C>::d")), ("a", "a", "a"));
    }
}
