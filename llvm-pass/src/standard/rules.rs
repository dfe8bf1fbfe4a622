//! Which crates and modules of the standard library's bitcode get probes.
//!
//! core and alloc do, but for what [`select`](crate::select) never instruments. In std only what is listed here
//! does: the rest wraps the operating system, keeps state of the thread or the process, or starts and ends threads.

use crate::names::{Language, Name};

/// Modules of std whose functions work on their arguments alone.
const PURE: [(&str, &str); 16] = [
    ("std::ascii", "bytes and strings"),
    ("std::char", "characters"),
    ("std::collections", "data structures"),
    ("std::error", "descriptions of errors"),
    ("std::f32", "arithmetic"),
    ("std::f64", "arithmetic"),
    ("std::ffi", "strings"),
    ("std::hash", "arithmetic on the hasher's own words"),
    ("std::io::buffered", "buffers that belong to the caller"),
    ("std::io::copy", "a loop over the caller's reader and writer"),
    ("std::io::cursor", "buffers that belong to the caller"),
    ("std::io::error", "descriptions of errors"),
    ("std::io::impls", "buffers that belong to the caller"),
    ("std::num", "arithmetic"),
    ("std::path", "strings"),
    ("std::time", "arithmetic on what the clock said"),
];

/// Provided functions of std's traits and their loops, which are in no module of their own.
const PROVIDED: [&str; 5] = [
    "std::io::Read",
    "std::io::Write",
    "std::io::BufRead",
    "std::io::default_read_to_end",
    "std::io::default_write_fmt",
];

/// Crates that std holds instances of, for its backtraces.
const BACKTRACES: [&str; 7] =
    ["addr2line", "adler2", "gimli", "memchr", "miniz_oxide", "object", "rustc_demangle"];

/// Why a function of the standard library's bitcode gets no probes, by its name; `None` when the name says nothing
/// against them.
pub(super) fn skip_reason(name: &Name) -> Option<String> {
    if name.language != Language::Rust {
        return Some("called by the code generator or while unwinding".to_owned());
    }
    let root = name.crate_name().unwrap_or_default();
    if BACKTRACES.contains(&root) {
        return Some(format!("{root}: reads debug information for backtraces"));
    }
    let is_listed = PURE.iter().map(|(module, _)| *module).chain(PROVIDED).any(|path| name.is_in(path));
    (root == "std" && !is_listed)
        .then(|| "std: not among its modules that work on their arguments alone".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_and_alloc_are_in_and_std_by_the_list() {
        let is_probed = |path: &str| {
            let name =
                Name { demangled: path.into(), path: path.into(), language: Language::Rust, origin: None };
            skip_reason(&name).is_none()
        };
        for path in [
            "core::str::converts::from_utf8",
            "alloc::string::String::from_utf8_lossy",
            "str::to_lowercase",
            "<u64 as core::fmt::Display>::fmt",
            "std::path::Path::_join",
            "<std::io::error::Error as core::fmt::Display>::fmt",
            "std::io::Write::write_fmt",
        ] {
            assert!(is_probed(path), "{path}");
        }
        for path in [
            "std::io::stdio::_print",
            "std::env::_var_os",
            "std::net::tcp::TcpStream::connect",
            "gimli::read::abbrev::Abbreviations::insert",
        ] {
            assert!(!is_probed(path), "{path}");
        }
    }

    #[test]
    fn symbols_of_c_are_left_alone() {
        assert!(skip_reason(&Name::of("rust_eh_personality")).is_some());
    }
}
