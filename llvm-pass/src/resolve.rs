//! Symbol resolution as a linker does it, without reading anything itself.
//!
//! Invariants:
//! (1) An object is always live; an archive member is live only when a live unit needs a symbol that no live
//!     object defines and the member is the first on the command line, archives and shared libraries alike,
//!     to define it. Weak references fetch nothing.
//! (2) The first live definition of a symbol prevails.
//! (3) A symbol of the bitcode that anybody outside the bitcode can name stays visible: native units (live or
//!     not, since the real linker decides about those), shared libraries, module assembly, roots, exports.

use std::collections::{HashMap, HashSet, VecDeque};

/// What a unit is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    /// LLVM bitcode: ours.
    Bitcode,
    /// A native object: the real linker's.
    Native,
    /// A shared library.
    Shared,
}

/// The symbols of one object, archive member or shared library.
#[derive(Clone, Debug)]
pub struct UnitSymbols {
    /// What it is made of.
    pub kind: UnitKind,
    /// Taken only when needed.
    pub on_demand: bool,
    /// Global definitions.
    pub defined: Vec<String>,
    /// Strong references.
    pub undefined: Vec<String>,
    /// Weak references.
    pub weak_undefined: Vec<String>,
    /// For bitcode: symbols that its module assembly defines or names.
    pub assembly: Vec<String>,
}

/// The decision about a link.
#[derive(Debug, Default)]
pub struct Resolution {
    /// Indices of live units, in command-line order.
    pub live: Vec<usize>,
    /// Symbols of the bitcode that must keep their name and linkage.
    pub visible: HashSet<String>,
    /// Symbols that live bitcode defines.
    pub bitcode_defined: HashSet<String>,
    /// All symbols that some live unit or shared library defines.
    pub defined: HashSet<String>,
}

/// Resolves a link.
///
/// `roots` are needed whoever names them; `wished` are needed only if somebody defines them.
/// `is_exported` says whether the dynamic linker may see a symbol of default visibility.
pub fn resolve(
    units: &[UnitSymbols],
    roots: &[String],
    wished: &[&str],
    is_exported: impl Fn(&str) -> bool,
) -> Resolution {
    let live = live_units(units, roots, wished);
    let mut resolution = Resolution { live, ..Resolution::default() };
    for &index in &resolution.live {
        let unit = &units[index];
        resolution.defined.extend(unit.defined.iter().cloned());
        if unit.kind == UnitKind::Bitcode {
            resolution.bitcode_defined.extend(unit.defined.iter().cloned());
            resolution.visible.extend(unit.assembly.iter().cloned());
        }
    }
    for unit in units.iter().filter(|unit| unit.kind != UnitKind::Bitcode) {
        resolution.visible.extend(unit.undefined.iter().cloned());
        resolution.visible.extend(unit.weak_undefined.iter().cloned());
        if unit.kind == UnitKind::Native {
            resolution.visible.extend(unit.defined.iter().cloned());
        } else {
            resolution.defined.extend(unit.defined.iter().cloned());
        }
    }
    resolution.visible.extend(roots.iter().cloned());
    resolution
        .visible
        .extend(resolution.bitcode_defined.iter().filter(|symbol| is_exported(symbol)).cloned());
    resolution
}

fn live_units(units: &[UnitSymbols], roots: &[String], wished: &[&str]) -> Vec<usize> {
    let first_definer = first_definers(units);
    let mut is_live: Vec<bool> = units.iter().map(|unit| !unit.on_demand).collect();
    let mut satisfied: HashSet<&str> = HashSet::new();
    let mut wanted: VecDeque<&str> = roots.iter().map(String::as_str).chain(wished.iter().copied()).collect();
    for unit in units.iter().filter(|unit| !unit.on_demand && unit.kind != UnitKind::Shared) {
        satisfied.extend(unit.defined.iter().map(String::as_str));
        wanted.extend(unit.undefined.iter().map(String::as_str));
    }
    while let Some(symbol) = wanted.pop_front() {
        if !satisfied.insert(symbol) {
            continue;
        }
        let Some(&index) = first_definer.get(symbol) else { continue };
        if is_live[index] {
            continue;
        }
        is_live[index] = true;
        satisfied.extend(units[index].defined.iter().map(String::as_str));
        wanted.extend(
            units[index].undefined.iter().map(String::as_str).filter(|name| !satisfied.contains(name)),
        );
    }
    (0..units.len()).filter(|&index| is_live[index] && units[index].kind != UnitKind::Shared).collect()
}

/// For each symbol the first archive member or shared library that defines it.
fn first_definers(units: &[UnitSymbols]) -> HashMap<&str, usize> {
    let mut first = HashMap::new();
    for (index, unit) in units.iter().enumerate() {
        if unit.on_demand || unit.kind == UnitKind::Shared {
            for symbol in &unit.defined {
                first.entry(symbol.as_str()).or_insert(index);
            }
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(kind: UnitKind, on_demand: bool, defined: &[&str], undefined: &[&str]) -> UnitSymbols {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        UnitSymbols {
            kind,
            on_demand,
            defined: own(defined),
            undefined: own(undefined),
            weak_undefined: Vec::new(),
            assembly: Vec::new(),
        }
    }

    fn live(units: &[UnitSymbols]) -> Vec<usize> {
        resolve(units, &["main".into()], &[], |_| false).live
    }

    #[test]
    fn members_are_fetched_only_on_demand_and_transitively() {
        use UnitKind::Bitcode;
        let units = [
            unit(Bitcode, false, &["main"], &["a"]),
            unit(Bitcode, true, &["unused"], &["b"]),
            unit(Bitcode, true, &["a"], &["b"]),
            unit(Bitcode, true, &["b"], &["absent"]),
        ];
        assert_eq!(live(&units), [0, 2, 3]);
    }

    #[test]
    fn the_first_definer_on_the_command_line_wins_shared_libraries_included() {
        use UnitKind::{Bitcode, Native, Shared};
        let main = unit(Native, false, &["main"], &["f", "g"]);
        let archive = unit(Bitcode, true, &["f"], &[]);
        let second = unit(Bitcode, true, &["g", "f"], &[]);
        let library = unit(Shared, false, &["f"], &[]);
        assert_eq!(live(&[main.clone(), library.clone(), archive.clone()]), [0]);
        assert_eq!(live(&[main.clone(), archive.clone(), library]), [0, 1]);
        assert_eq!(live(&[main, archive, second]), [0, 1, 2]);
    }

    #[test]
    fn an_object_beats_archives_and_weak_references_fetch_nothing() {
        use UnitKind::Bitcode;
        let mut main = unit(Bitcode, false, &["main"], &["f"]);
        main.weak_undefined.push("w".into());
        let units = [
            main,
            unit(Bitcode, true, &["f"], &[]),
            unit(Bitcode, true, &["w"], &[]),
            unit(Bitcode, false, &["f"], &[]),
        ];
        assert_eq!(live(&units), [0, 3]);
    }

    #[test]
    fn what_native_code_or_a_root_names_stays_visible() {
        use UnitKind::{Bitcode, Native, Shared};
        let units = [
            unit(Bitcode, false, &["main", "called_by_native", "private", "called_by_library", "api"], &[]),
            unit(Native, true, &["n"], &["called_by_native"]),
            unit(Shared, false, &["x"], &["called_by_library"]),
        ];
        let resolution = resolve(&units, &["main".into()], &[], |symbol| symbol == "api");
        for name in ["main", "called_by_native", "called_by_library", "api"] {
            assert!(resolution.visible.contains(name), "{name}");
        }
        assert!(!resolution.visible.contains("private"));
    }

    #[test]
    fn wished_symbols_fetch_their_member_and_may_be_absent() {
        use UnitKind::Bitcode;
        let units = [unit(Bitcode, false, &["main"], &[]), unit(Bitcode, true, &["concord_line"], &[])];
        assert_eq!(resolve(&units, &["main".into()], &["concord_line", "absent"], |_| false).live, [0, 1]);
        assert_eq!(live(&units), [0]);
    }
}
