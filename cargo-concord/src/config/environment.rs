//! The variables `CONCORD_*`.

use anyhow::{Result, bail};

use super::{Layer, Wish, read_bound};
use crate::context::{CONTEXT_VARIABLE, FLAGS_VARIABLE, OPTIONS_VARIABLE};
use crate::rustc::profile::PROFILE_VARIABLE;
use crate::toolchain::PASS_VARIABLE;
use concord_suggest as suggest;

const PREFIX: &str = "CONCORD_";

/// See `exclude`.
pub(crate) const EXCLUDE_VARIABLE: &str = "CONCORD_NO_PROBES_IN";
/// See `include`.
pub(crate) const INCLUDE_VARIABLE: &str = "CONCORD_PROBES_IN";
/// See `bound`.
pub(crate) const BOUND_VARIABLE: &str = "CONCORD_BOUND";
/// See `second-build`; read by the command line's parser.
pub(crate) const NO_SECOND_BUILD_VARIABLE: &str = "CONCORD_NO_SECOND_BUILD";

/// What a person may set.
const SETTINGS: [&str; 9] = [
    EXCLUDE_VARIABLE,
    INCLUDE_VARIABLE,
    BOUND_VARIABLE,
    NO_SECOND_BUILD_VARIABLE,
    "CONCORD_NO_PROBES",
    "CONCORD_EMPTY_PROBES",
    "CONCORD_SAVE_DIR",
    "CONCORD_DUMP_STAGES",
    PASS_VARIABLE,
];

/// What our roles tell each other (a build may run inside a program that runs inside a build), and what our
/// own tests read.
const INTERNAL: [&str; 6] = [
    CONTEXT_VARIABLE,
    OPTIONS_VARIABLE,
    FLAGS_VARIABLE,
    PROFILE_VARIABLE,
    "CONCORD_PROGRAMS",
    "CONCORD_BLESS",
];

/// Refuses variables that nobody reads: a setting that is misspelled would be ignored otherwise.
///
/// # Errors
/// Names the variable, and the one that was meant.
pub(crate) fn check<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let unknown = |name: &&str| !SETTINGS.contains(name) && !INTERNAL.contains(name);
    // The prefix is taken off, since it alone makes any two of them alike.
    let rest = |name: &'a str| name.strip_prefix(PREFIX);
    let mut ours = names.into_iter().filter_map(|name| Some((name, rest(name)?)));
    let Some((name, misspelled)) = ours.find(|(name, _)| unknown(name)) else { return Ok(()) };
    let meant = suggest::closest(misspelled, SETTINGS.iter().filter_map(|name| rest(name)));
    let question = meant.map(|meant| format!("; did you mean `{PREFIX}{meant}`?")).unwrap_or_default();
    bail!(
        "the variable {name} is set, and `cargo concord` knows none of this name{question} (known are {})",
        SETTINGS.join(", ")
    )
}

/// The settings among the variables; one that is set to nothing is not set.
///
/// # Errors
/// When a value is not what the variable takes; the message names it.
pub(super) fn layer(read: impl Fn(&str) -> Option<String>) -> Result<Layer> {
    let read = |name: &str| read(name).filter(|value| !value.trim().is_empty());
    let mut layer = Layer::default();
    for (name, wish) in [(EXCLUDE_VARIABLE, Wish::Exclude), (INCLUDE_VARIABLE, Wish::Include)] {
        if let Some(value) = read(name) {
            layer.add(wish, value.split(','), name)?;
        }
    }
    if let Some(value) = read(BOUND_VARIABLE) {
        let bound = read_bound(&value).map_err(|reason| anyhow::anyhow!("{BOUND_VARIABLE}: {reason}"))?;
        layer.bound = Some(bound);
    }
    Ok(layer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_variables_are_refused_with_the_known_one() {
        check(["PATH", "CONCORD_BOUND", "CONCORD_CONTEXT", "CONCORD_PROGRAMS", "MY_CONCORD_X"]).unwrap();
        let message = check(["CONCORD_NO_PROBE_IN"]).unwrap_err().to_string();
        assert!(message.contains("did you mean `CONCORD_NO_PROBES_IN`?"), "{message}");
        let message = check(["CONCORD_BOUNDS"]).unwrap_err().to_string();
        assert!(message.contains("did you mean `CONCORD_BOUND`?"), "{message}");
        let message = check(["CONCORD_QUANTUM"]).unwrap_err().to_string();
        assert!(message.contains("CONCORD_QUANTUM is set") && !message.contains("did you mean"), "{message}");
    }

    #[test]
    fn variables_are_read() {
        let values = |name: &str| match name {
            EXCLUDE_VARIABLE => Some("a-b,c::d".to_owned()),
            INCLUDE_VARIABLE => Some(String::new()),
            BOUND_VARIABLE => Some("700".to_owned()),
            _ => None,
        };
        let layer = layer(values).unwrap();
        let paths: Vec<_> = layer.paths.iter().map(|set| (set.path.as_str(), set.source.as_str())).collect();
        assert_eq!(paths, [("a_b", EXCLUDE_VARIABLE), ("c::d", EXCLUDE_VARIABLE)]);
        assert_eq!(layer.bound, Some(700));
    }

    #[test]
    fn wrong_values_name_the_variable() {
        for (name, value, hint) in
            [(BOUND_VARIABLE, "100", "at least 200"), (EXCLUDE_VARIABLE, "a,,b", "an empty path")]
        {
            let message = layer(|asked| (asked == name).then(|| value.to_owned())).unwrap_err().to_string();
            assert!(message.starts_with(name) && message.contains(hint), "{message}");
        }
    }
}
