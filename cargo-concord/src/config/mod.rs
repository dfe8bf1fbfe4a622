//! Settings of a build: which functions get probes, and how far apart probes may be.
//!
//! Sources, earliest first:
//!
//! 1. the table `[package.metadata.concord]` of a dependency, about its own crate's paths alone
//! 2. `[workspace.metadata.concord]`
//! 3. `[package.metadata.concord]` of the packages that are built
//! 4. `CONCORD_*` variables
//! 5. flags
//!
//! Lists add up. A path that one source excludes and another includes is what the later one says. Of a number
//! the latest source's holds, and so whether there is a second build; of several packages that are built at once, the
//! smallest, and none when one wants none. Between different paths that cover a function the longest decides, whatever their sources.

pub(crate) mod environment;
mod packages;
mod path;
mod table;

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use concord_job::{DEFAULT_BOUND, Instrument, Probes};
use serde::{Deserialize, Serialize};

use crate::workspace::Workspace;

/// The smallest bound: below it, probes would cost more than the code between them.
pub(crate) const SMALLEST_BOUND: u32 = 200;

/// What is wished for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Wish {
    /// No probes.
    Exclude,
    /// Probes, although a shorter path is excluded.
    Include,
}

/// A path, and who named it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PathSetting {
    /// In the form in which the pass compares it.
    pub(crate) path: String,
    /// What is wished for it.
    pub(crate) wish: Wish,
    /// For messages: `exclude in [package.metadata.concord] of /p/Cargo.toml`.
    pub(crate) source: String,
    /// The crate is part of the workspace's graph and not of this build, so that nothing can match.
    pub(crate) is_elsewhere: bool,
}

/// What one source says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layer {
    /// Paths to exclude and include.
    pub(crate) paths: Vec<PathSetting>,
    /// The bound, in instructions.
    pub(crate) bound: Option<u32>,
    /// Whether there is a second build, for the dispatcher.
    pub(crate) second_build: Option<bool>,
}

/// What holds for the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// By path, each once.
    pub(crate) paths: Vec<PathSetting>,
    /// The bound, in instructions.
    pub(crate) bound: u32,
    /// Whether there is a second build, for the dispatcher.
    pub(crate) second_build: bool,
}

impl Settings {
    /// Puts the sources of a build together.
    ///
    /// # Errors
    /// When a source has an unknown key, a value of the wrong type, or contradicts itself; the message names it.
    pub(crate) fn of_build(workspace: &Workspace, flags: Layer) -> Result<Self> {
        let mut layers = packages::layers(workspace)?;
        layers.push(environment::layer(|name| std::env::var(name).ok())?);
        layers.push(flags);
        let mut settings = Self::of_layers(layers)?;
        for setting in &mut settings.paths {
            setting.is_elsewhere = workspace.has_elsewhere(path::root(&setting.path));
        }
        Ok(settings)
    }

    /// `layers` in the order of their sources.
    fn of_layers(layers: Vec<Layer>) -> Result<Self> {
        let mut paths = BTreeMap::new();
        let mut bound = DEFAULT_BOUND;
        let mut second_build = true;
        for layer in layers {
            for setting in layer.once_each()? {
                paths.insert(setting.path.clone(), setting);
            }
            bound = layer.bound.unwrap_or(bound);
            second_build = layer.second_build.unwrap_or(second_build);
        }
        Ok(Self { paths: paths.into_values().collect(), bound, second_build })
    }

    /// The paths with one wish.
    pub(crate) fn paths(&self, wish: Wish) -> impl Iterator<Item = &str> {
        self.paths.iter().filter(move |setting| setting.wish == wish).map(|setting| setting.path.as_str())
    }

    /// As the pass is told.
    pub(crate) fn instrument(&self, probes: Probes) -> Instrument {
        let listed = |wish| self.paths(wish).map(str::to_owned).collect();
        Instrument {
            probes,
            exclude: listed(Wish::Exclude),
            include: listed(Wish::Include),
            bound: self.bound,
            second_build: self.second_build,
        }
    }
}

impl Layer {
    /// Adds comma-free paths as people write them.
    ///
    /// # Errors
    /// When a path is none; the message names `source`.
    pub(crate) fn add<'a>(
        &mut self,
        wish: Wish,
        paths: impl IntoIterator<Item = &'a str>,
        source: &str,
    ) -> Result<()> {
        for text in paths {
            let path = path::read(text).map_err(|reason| anyhow::anyhow!("{source}: {reason}"))?;
            self.paths.push(PathSetting { path, wish, source: source.to_owned(), is_elsewhere: false });
        }
        Ok(())
    }

    /// The paths; one that is excluded and included by the same source is an error.
    fn once_each(&self) -> Result<Vec<PathSetting>> {
        let mut seen: BTreeMap<&str, &PathSetting> = BTreeMap::new();
        for setting in &self.paths {
            let PathSetting { path, source, .. } = setting;
            match seen.insert(path, setting) {
                Some(other) if other.wish != setting.wish => bail!(
                    "`{path}` is both excluded and included: {}, and {source}; remove one of them",
                    other.source
                ),
                _ => {}
            }
        }
        Ok(seen.into_values().cloned().collect())
    }
}

/// Reads a bound.
///
/// # Errors
/// Says what a bound is.
pub(crate) fn read_bound(text: &str) -> std::result::Result<u32, String> {
    text.trim().parse().ok().filter(|bound| *bound >= SMALLEST_BOUND).ok_or_else(|| {
        format!(
            "a bound is a whole number of instructions, at least {SMALLEST_BOUND} and at most {}, not `{text}`",
            u32::MAX
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(name: &str, exclude: &[&str], include: &[&str], bound: Option<u32>) -> Layer {
        let mut layer = Layer { bound, ..Layer::default() };
        layer.add(Wish::Exclude, exclude.iter().copied(), name).unwrap();
        layer.add(Wish::Include, include.iter().copied(), name).unwrap();
        layer
    }

    #[test]
    fn lists_add_up_and_the_later_source_wins_for_a_path() {
        let settings = Settings::of_layers(vec![
            layer("first", &["a", "b::c"], &["d"], Some(300)),
            layer("second", &["d", "e"], &["a"], None),
        ])
        .unwrap();
        let instrument = settings.instrument(Probes::Full);
        assert_eq!(instrument.exclude, ["b::c", "d", "e"]);
        assert_eq!(instrument.include, ["a"]);
        assert_eq!(instrument.bound, 300);
        let winner = settings.paths.iter().find(|setting| setting.path == "a").unwrap();
        assert_eq!(winner.source, "second");
    }

    #[test]
    fn the_latest_number_holds_and_the_default_without_one() {
        let bound = |layers| Settings::of_layers(layers).unwrap().bound;
        assert_eq!(bound(Vec::new()), DEFAULT_BOUND);
        assert_eq!(
            bound(vec![layer("1", &[], &[], Some(900)), layer("2", &[], &[], Some(500)), Layer::default()]),
            500
        );
    }

    #[test]
    fn there_is_a_second_build_unless_the_latest_word_is_no() {
        let says = |second_build| Layer { second_build, ..Layer::default() };
        let of = |layers| Settings::of_layers(layers).unwrap().instrument(Probes::Full).second_build;
        assert!(of(Vec::new()));
        assert!(!of(vec![says(Some(false)), says(None)]));
        assert!(of(vec![says(Some(false)), says(Some(true))]));
    }

    #[test]
    fn a_source_that_contradicts_itself_is_refused() {
        let message =
            Settings::of_layers(vec![layer("the table", &["a-b"], &["a_b"], None)]).unwrap_err().to_string();
        assert!(message.contains("`a_b` is both excluded and included: the table"), "{message}");
        Settings::of_layers(vec![layer("twice", &["a", "a"], &[], None)]).unwrap();
    }

    #[test]
    fn bounds_say_what_they_may_be() {
        assert_eq!(read_bound("200"), Ok(200));
        for wrong in ["199", "0", "-5", "many", "1.5", "4294967296", ""] {
            let message = read_bound(wrong).unwrap_err();
            assert!(message.contains("at least 200") && message.contains(wrong), "{message}");
        }
    }
}
