//! Which symbols an artefact exports: the line's options and the scripts they name.

use std::path::Path;

use anyhow::{Context as _, Result};
use concord_job::Exports;

use super::line::LinkLine;

/// What `line` exports.
///
/// # Errors
/// When a script that it names cannot be read.
pub(crate) fn of_line(line: &LinkLine) -> Result<Exports> {
    let script = match &line.version_script {
        Some(path) => from_version_script(&read(path)?),
        None => Exports::All,
    };
    if line.shared {
        return Ok(script);
    }
    let mut exports = if line.export_dynamic { script } else { Exports::None };
    for path in &line.dynamic_lists {
        exports = with_symbols(exports, from_dynamic_list(&read(path)?));
    }
    if line.dynamic_symbols.is_empty() {
        return Ok(exports);
    }
    Ok(with_symbols(exports, Some(line.dynamic_symbols.clone())))
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read the linker script {}", path.display()))
}

fn with_symbols(exports: Exports, added: Option<Vec<String>>) -> Exports {
    match (exports, added) {
        (Exports::All, _) | (_, None) => Exports::All,
        (Exports::None, Some(added)) => Exports::Listed(added),
        (Exports::Listed(mut symbols), Some(added)) => {
            symbols.extend(added);
            Exports::Listed(symbols)
        }
    }
}

/// Reads a version script: `[VERSION] { global: a; b*; local: *; };`.
///
/// Only `local: *` hides what is not listed. Patterns over demangled C++ names cannot be matched here, so
/// they count as "all": exporting too much costs size, exporting too little breaks the artefact.
fn from_version_script(text: &str) -> Exports {
    let mut listed = Vec::new();
    let mut global = true;
    let mut hides_the_rest = false;
    for word in words(text) {
        match word.as_str() {
            "global:" => global = true,
            "local:" => global = false,
            "extern" => return Exports::All,
            "{" => global = true,
            "}" | ";" => {}
            "*" if !global => hides_the_rest = true,
            name if global => listed.push(name.to_owned()),
            _ => {}
        }
    }
    if hides_the_rest { Exports::Listed(listed) } else { Exports::All }
}

/// Reads a dynamic list, `{ a; b*; };`; `None` when it has patterns over demangled names.
fn from_dynamic_list(text: &str) -> Option<Vec<String>> {
    let words = words(text);
    if words.iter().any(|word| word == "extern") {
        return None;
    }
    Some(words.into_iter().filter(|word| !matches!(word.as_str(), "{" | "}" | ";")).collect())
}

/// The script's words; version names (`LIB_1.0 {`, `} LIB_0.9;`), quotes and comments are left out.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        spaced.push_str(&rest[..start]);
        rest = rest[start..].split_once("*/").map_or("", |(_, after)| after);
    }
    spaced.push_str(rest);
    let spaced: String = spaced
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| line.chars().chain(['\n']))
        .flat_map(|letter| match letter {
            '{' | '}' | ';' => vec![' ', letter, ' '],
            ':' => vec![letter, ' '],
            '"' => vec![' '],
            letter => vec![letter],
        })
        .collect();
    let mut kept = Vec::new();
    let mut depth = 0_usize;
    for word in spaced.split_whitespace() {
        match word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ if depth == 0 => continue,
            _ => {}
        }
        kept.push(word.replace(" :", ":"));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(symbols: &[&str]) -> Exports {
        Exports::Listed(symbols.iter().map(|&symbol| symbol.to_owned()).collect())
    }

    #[test]
    fn rustc_version_script_lists_the_exports() {
        let script = "{\n  global:\n    add;\n    \"quoted\";\n\n  local:\n    *;\n};\n";
        assert_eq!(from_version_script(script), listed(&["add", "quoted"]));
    }

    #[test]
    fn scripts_that_hide_nothing_export_all() {
        assert_eq!(from_version_script("V1.0 { global: a; };"), Exports::All);
        assert_eq!(from_version_script("{ global: extern \"C++\" { ns::*; }; local: *; };"), Exports::All);
    }

    #[test]
    fn versions_and_comments_are_no_symbols() {
        let script = "V1 { /* old */ global: a; local: *; };\n# note\nV2 { b*; } V1;";
        assert_eq!(from_version_script(script), listed(&["a", "b*"]));
    }

    #[test]
    fn an_executable_exports_what_its_options_name() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("list");
        std::fs::write(&list, "{ a; b*; };").unwrap();
        let read = |text: String| {
            of_line(&LinkLine::read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())).unwrap()
        };
        assert_eq!(read("a.o -pie".into()), Exports::None);
        assert_eq!(read("a.o -rdynamic".into()), Exports::All);
        assert_eq!(read("a.o -shared".into()), Exports::All);
        let options = format!("-Wl,--dynamic-list={} -Wl,--export-dynamic-symbol=c", list.display());
        assert_eq!(read(options), listed(&["a", "b*", "c"]));
    }
}
