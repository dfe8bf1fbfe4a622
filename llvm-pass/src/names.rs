//! Symbols read as paths: the crate that a function belongs to, and the name that catalogues match.
//!
//! A [`Name`]'s `path` is canonical: without generic arguments, hashes and disambiguators, the same for
//! rustc's two manglings. `_ZN3std4sync..5mutex14Mutex$LT$T$GT$4lock17h..E` and the v0 symbol of
//! `<std::sync::..::Mutex<u32>>::lock` are both `std::sync::..::Mutex::lock`; trait methods are
//! `<Type as Trait>::method`.

/// The language that mangled a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// rustc, legacy or v0.
    Rust,
    /// Itanium C++.
    Cpp,
    /// Not mangled: C, or `#[no_mangle]`.
    C,
}

/// A symbol, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// For people: demangled, without rustc's hash.
    pub demangled: String,
    /// For catalogues: see the module's comment.
    pub path: String,
    /// Who mangled it.
    pub language: Language,
    /// For what belongs to no crate by its name (`<u64>::pow`): the crate that the symbol holds, if it does.
    pub origin: Option<String>,
}

/// First words of types that belong to no crate.
const CRATELESS: [&str; 24] = [
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize", "f16", "f32", "f64", "f128", "fn", "for", "unsafe", "extern", "_",
];

impl Name {
    /// Reads a symbol. Suffixes that LLVM adds (`.llvm.123`, `.cold`) are ignored.
    pub fn of(symbol: &str) -> Self {
        if let Ok(demangled) = rustc_demangle::try_demangle(symbol) {
            let demangled = strip_llvm_suffix(&format!("{demangled:#}")).to_owned();
            let path = canonical(&demangled);
            return Self { demangled, path, language: Language::Rust, origin: v0_origin(symbol) };
        }
        let plain = symbol.split('.').next().unwrap_or(symbol);
        if let Some(demangled) = demangle_cpp(plain) {
            return Self { path: demangled.clone(), demangled, language: Language::Cpp, origin: None };
        }
        Self { demangled: symbol.to_owned(), path: plain.to_owned(), language: Language::C, origin: None }
    }

    /// The crate whose source holds the function: for `<Type as Trait>::f` the type's, unless the type is a
    /// primitive, then the trait's; for a method of a primitive the standard library's. `None` for C and C++.
    pub fn crate_name(&self) -> Option<&str> {
        if self.language != Language::Rust {
            return None;
        }
        let qualified = self.path.strip_prefix('<').and_then(|rest| rest.split_once(" as "));
        let root = match qualified {
            Some((own, interface)) if !own.contains("::") => interface,
            Some((own, _)) => own,
            None => &self.path,
        };
        let first = named(root).split(&[':', ' ', '>', ']', '(', ','][..]).next()?;
        let is_crateless = first.is_empty() || CRATELESS.contains(&first);
        Some(if is_crateless { self.origin.as_deref().unwrap_or("core") } else { first })
    }

    /// Whether the function lives in module `module` (a path such as `std::sys`) or below it.
    pub fn is_in(&self, module: &str) -> bool {
        let path = self.path.trim_start_matches(['<', '&']);
        path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    }
}

/// Takes off what stands before the first name in a type: `&mut dyn a::B` -> `a::B`.
fn named(mut text: &str) -> &str {
    loop {
        let bare = text.trim_start_matches(['&', '<', '*', '[', '(']);
        let bare = ["dyn ", "mut ", "const "].iter().find_map(|word| bare.strip_prefix(word)).unwrap_or(bare);
        if bare.len() == text.len() {
            return bare;
        }
        text = bare;
    }
}

/// The crate in which the function, or the impl that it is in, was written: the first one that a v0 symbol names.
fn v0_origin(symbol: &str) -> Option<String> {
    let mut rest = symbol.strip_prefix("_R")?;
    loop {
        let tag = rest.chars().next()?;
        rest = &rest[tag.len_utf8()..];
        match tag {
            'N' => rest = rest.get(1..)?,
            // A disambiguator.
            's' => rest = rest.split_once('_')?.1,
            'v' | 'M' | 'X' | 'I' => {}
            'C' => break,
            _ => return None,
        }
    }
    let identifier = rest.strip_prefix('s').map_or(Some(rest), |number| Some(number.split_once('_')?.1))?;
    let digits = identifier.find(|letter: char| !letter.is_ascii_digit())?;
    let length: usize = identifier[..digits].parse().ok()?;
    let name = identifier[digits..].trim_start_matches('_');
    name.get(..length).map(str::to_owned)
}

fn strip_llvm_suffix(name: &str) -> &str {
    name.find(".llvm.").map_or(name, |at| &name[..at])
}

fn demangle_cpp(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") {
        return None;
    }
    cpp_demangle::Symbol::new(symbol).ok()?.demangle().ok()
}

/// Drops generic arguments and disambiguators; see the module's comment.
fn canonical(demangled: &str) -> String {
    let bytes = demangled.as_bytes();
    let mut path = String::with_capacity(demangled.len());
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'<' => {
                let end = matching_bracket(bytes, at);
                if opens_qualified_type(&path) {
                    path.push_str(&canonical_qualified(&demangled[at + 1..end]));
                } else if path.ends_with("::") {
                    path.truncate(path.len() - 2);
                }
                at = end + 1;
            }
            b'{' => {
                let end = demangled[at..].find('}').map_or(bytes.len(), |offset| at + offset);
                let inner = demangled[at..end].trim_start_matches('{');
                let kind = inner.split(['#', ':']).next().unwrap_or(inner);
                path.push_str("{{");
                path.push_str(kind);
                path.push_str("}}");
                at = end;
                while at < bytes.len() && bytes[at] == b'}' {
                    at += 1;
                }
            }
            _ => {
                let end = demangled[at..].find(['<', '{']).map_or(bytes.len(), |offset| at + offset);
                path.push_str(&demangled[at..end]);
                at = end;
            }
        }
    }
    path
}

/// A `<` begins a qualified type when no identifier stands before it; otherwise it begins generic arguments.
fn opens_qualified_type(path: &str) -> bool {
    path.chars()
        .next_back()
        .is_none_or(|before| !(before.is_alphanumeric() || matches!(before, '_' | ':' | '}')))
}

/// The inside of `<..>` at the head of a path: `Type as Trait`, or a plain type in v0's inherent methods.
fn canonical_qualified(inside: &str) -> String {
    match split_as(inside) {
        Some((own, interface)) => format!("<{} as {}>", canonical(own), canonical(interface)),
        None => canonical(inside),
    }
}

fn split_as(inside: &str) -> Option<(&str, &str)> {
    let bytes = inside.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'<' => at = matching_bracket(bytes, at),
            b' ' if inside[at..].starts_with(" as ") => return Some((&inside[..at], &inside[at + 4..])),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Index of the `>` that closes the `<` at `open`; the text's end when there is none.
fn matching_bracket(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0usize;
    for at in open..bytes.len() {
        match bytes[at] {
            b'<' => depth += 1,
            // The arrow of a function type closes nothing.
            b'>' if bytes[at - 1] != b'-' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    bytes.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_manglings_give_the_same_path() {
        for demangled in [
            "std::sync::poison::mutex::Mutex<T>::lock",
            "<std::sync::poison::mutex::Mutex<alloc::vec::Vec<u32>>>::lock",
        ] {
            assert_eq!(canonical(demangled), "std::sync::poison::mutex::Mutex::lock");
        }
        for demangled in [
            "<dashmap::lock::RawRwLock as lock_api::rwlock::RawRwLock>::lock_shared",
            "<dashmap::lock::RawRwLock as lock_api::rwlock::RawRwLock<fn() -> u8>>::lock_shared",
        ] {
            assert_eq!(
                canonical(demangled),
                "<dashmap::lock::RawRwLock as lock_api::rwlock::RawRwLock>::lock_shared"
            );
        }
        for demangled in ["a::MutexGuard<T>::new::{{closure}}", "<a::MutexGuard<u8>>::new::{closure#0}"] {
            assert_eq!(canonical(demangled), "a::MutexGuard::new::{{closure}}");
        }
        assert_eq!(canonical("core::slice::sort::<u32, fn(u8) -> bool>::run"), "core::slice::sort::run");
    }

    #[test]
    fn crates_are_those_of_the_source() {
        let crate_of = |symbol: &str| Name::of(symbol).crate_name().map(str::to_owned);
        assert_eq!(
            crate_of("_ZN3std4sync6poison5mutex14Mutex$LT$T$GT$4lock17h18aba970684159e7E").as_deref(),
            Some("std")
        );
        assert_eq!(
            crate_of("_ZN70_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17hc8a851aa4be5f8a4E").as_deref(),
            Some("alloc")
        );
        assert_eq!(
            crate_of("_ZN35_$LT$u32$u20$as$u20$mine..Thing$GT$3run17hc8a851aa4be5f8a4E").as_deref(),
            Some("mine")
        );
        assert_eq!(crate_of("leveldb_get"), None);
        for (symbol, owner) in [
            ("_RNvMsv_NtCsgEmfK2I1SDS_4core3numj16from_ascii_radix", "core"),
            (
                "_RNvXs1j_NtCsgEmfK2I1SDS_4core3fmtQDNtNtB8_5panic12PanicPayloadEL_NtB6_7Display3fmtCsjrHSEGnQ3l9_3std",
                "core",
            ),
            (
                "_RINvXs_NvMNtCslNYArtu3iFV_5alloc5sliceSp9to_vec_inhNtB5_10ConvertVec6to_vecNtNtBa_5alloc6GlobalECsjrHSEGnQ3l9_3std",
                "alloc",
            ),
            ("_RNvMNtNtCsgEmfK2I1SDS_4core4char7methodsc16escape_debug_ext", "core"),
        ] {
            assert_eq!(crate_of(symbol).as_deref(), Some(owner), "{}", Name::of(symbol).demangled);
        }
        assert_eq!(Name::of("_ZN7leveldb2DB4OpenEv").path, "leveldb::DB::Open()");
    }

    #[test]
    fn modules_are_matched_by_whole_segments() {
        let name = Name::of("_ZN3std6thread5spawn17h18aba970684159e7E");
        assert!(name.is_in("std::thread") && name.is_in("std") && !name.is_in("std::th"));
        assert!(
            Name::of(
                "_ZN58_$LT$std..thread..Foo$u20$as$u20$core..ops..drop..Drop$GT$4drop17hc8a851aa4be5f8a4E"
            )
            .is_in("std::thread")
        );
    }
}
