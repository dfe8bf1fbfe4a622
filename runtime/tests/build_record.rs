//! A binary that carries a build record, as the pass leaves one.

use concord::Build;
use concord_abi::{ABI_VERSION, BUILD_INFO_MAGIC, BuildInfo, FLAG_PROBES};

// SAFETY: the pass did not run on this test, so nothing else defines the symbol.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the ABI's name")]
static concord_build_info: BuildInfo = BuildInfo {
    magic: BUILD_INFO_MAGIC,
    abi_version: ABI_VERSION,
    functions: 3,
    probes: 5,
    loops: 2,
    flags: FLAG_PROBES,
    options_hash: 7,
};

#[test]
fn the_record_is_found_through_its_weak_symbol() {
    assert_eq!(Build::of_this_artefact().unwrap(), Build::Probes(concord_build_info));
}
