//! `[workspace.metadata.concord]` and `[package.metadata.concord]`.
//!
//! A key is one line of [`KEYS`] and one function that reads its value.

use anyhow::{Result, bail};
use serde_json::Value;

use super::{Layer, Wish, read_bound};
use concord_suggest as suggest;

/// Where a table stands.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// `workspace.metadata.concord` or `package.metadata.concord`.
    pub(super) table: &'static str,
    /// The manifest's path.
    pub(super) manifest: String,
}

impl Origin {
    /// For messages about `key`.
    pub(super) fn of(&self, key: &str) -> String {
        format!("`{key}` in [{}] of {}", self.table, self.manifest)
    }
}

struct Key {
    name: &'static str,
    /// For messages about a value of another type.
    expects: &'static str,
    read: fn(&Value, &str, &mut Layer) -> Reading,
}

/// A value of the wrong type is `Ok(false)`: the message is the same for all keys.
type Reading = Result<bool>;

const PATHS: &str = r#"a list of paths, such as ["my_crate::tables", "other_crate"]"#;

const KEYS: [Key; 4] = [
    Key {
        name: "exclude",
        expects: PATHS,
        read: |value, source, layer| read_paths(value, Wish::Exclude, source, layer),
    },
    Key {
        name: "include",
        expects: PATHS,
        read: |value, source, layer| read_paths(value, Wish::Include, source, layer),
    },
    Key { name: "bound", expects: "a whole number of instructions, such as 4000", read: read_number },
    Key { name: "second-build", expects: "true or false", read: read_switch },
];

/// Reads a table; `null` is none.
///
/// # Errors
/// When a key is unknown or a value is not what the key takes; the message names the manifest and the key.
pub(super) fn read(table: &Value, origin: &Origin) -> Result<Layer> {
    let mut layer = Layer::default();
    let entries = match table {
        Value::Null => return Ok(layer),
        Value::Object(entries) => entries,
        other => {
            bail!(
                "`concord` in [{}] of {} is {}; it is a table",
                parent(origin),
                origin.manifest,
                kind(other)
            )
        }
    };
    for (name, value) in entries {
        let source = origin.of(name);
        let Some(key) = KEYS.iter().find(|key| key.name == name) else {
            let known = KEYS.map(|key| key.name);
            bail!("{source} is not known{} (known are {})", suggest::question(name, known), known.join(", "));
        };
        if !(key.read)(value, &source, &mut layer)? {
            bail!("{source} is {}; it takes {}", kind(value), key.expects);
        }
    }
    Ok(layer)
}

fn parent(origin: &Origin) -> &str {
    origin.table.strip_suffix(".concord").unwrap_or(origin.table)
}

fn read_paths(value: &Value, wish: Wish, source: &str, layer: &mut Layer) -> Reading {
    let Some(items) = value.as_array() else { return Ok(false) };
    let paths: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    let Some(paths) = paths else { return Ok(false) };
    layer.add(wish, paths, source)?;
    Ok(true)
}

fn read_number(value: &Value, source: &str, layer: &mut Layer) -> Reading {
    let Value::Number(number) = value else { return Ok(false) };
    let bound = read_bound(&number.to_string()).map_err(|reason| anyhow::anyhow!("{source}: {reason}"))?;
    layer.bound = Some(bound);
    Ok(true)
}

fn read_switch(value: &Value, _: &str, layer: &mut Layer) -> Reading {
    layer.second_build = value.as_bool();
    Ok(layer.second_build.is_some())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(items) if items.iter().all(Value::is_string) => "a list",
        Value::Array(_) => "a list with other things than strings",
        Value::Object(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Layer> {
        let table: Value = serde_json::from_str(text).unwrap();
        read(&table, &Origin { table: "package.metadata.concord", manifest: "/p/Cargo.toml".to_owned() })
    }

    #[test]
    fn tables_are_read() {
        let layer = parsed(
            r#"{"exclude": ["a-b", "c::d"], "include": ["c::d::e"], "bound": 400, "second-build": false}"#,
        )
        .unwrap();
        let paths: Vec<_> = layer.paths.iter().map(|set| (set.path.as_str(), set.wish)).collect();
        assert_eq!(paths, [("a_b", Wish::Exclude), ("c::d", Wish::Exclude), ("c::d::e", Wish::Include)]);
        assert_eq!((layer.bound, layer.second_build), (Some(400), Some(false)));
        assert_eq!(layer.paths[0].source, "`exclude` in [package.metadata.concord] of /p/Cargo.toml");
        assert_eq!(parsed("null").unwrap(), Layer::default());
        assert_eq!(parsed("{}").unwrap(), Layer::default());
    }

    #[test]
    fn what_is_wrong_is_said_with_key_manifest_and_mend() {
        for (text, words) in [
            (r#"{"exlude": []}"#, &["`exlude`", "did you mean `exclude`?", "exclude, include, bound"][..]),
            (r#"{"quantum": 5}"#, &["`quantum`", "is not known (known are"]),
            (r#"{"exclude": "a"}"#, &["`exclude`", "is a string", "a list of paths"]),
            (r#"{"include": ["a", 1]}"#, &["`include`", "other things than strings", "a list of paths"]),
            (r#"{"exclude": ["a::*"]}"#, &["`exclude`", "`a::*` is no path", "write `a`"]),
            (r#"{"bound": "400"}"#, &["`bound`", "is a string", "a whole number"]),
            (r#"{"bound": 100}"#, &["`bound`", "at least 200", "not `100`"]),
            (r#"{"bound": 400.5}"#, &["`bound`", "at least 200", "not `400.5`"]),
            (r#"{"bound": -1}"#, &["`bound`", "at least 200"]),
            (r#"{"second-build": "no"}"#, &["`second-build`", "is a string", "true or false"]),
            (r#"["a"]"#, &["`concord` in [package.metadata]", "is a list", "it is a table"]),
        ] {
            let message = parsed(text).unwrap_err().to_string();
            assert!(message.contains("/p/Cargo.toml"), "{message}");
            for word in words {
                assert!(message.contains(word), "{text}: no `{word}` in: {message}");
            }
        }
    }
}
