//! What a kernel is, and the list of all.

use std::hint::black_box;

use crate::{
    codecs, compression, data_formats, dynamic, graphs, languages, leveldb, linear, maps, native, numbers,
    own, scenes, text,
};

/// The work of one kernel with its input made: each call does it once and gives the answer.
pub(crate) type Work = Box<dyn FnMut() -> u64>;

/// What most of a kernel's time is spent in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Rust.
    Rust,
    /// C, compiled by the crate that brings its source.
    C,
    /// C++, likewise.
    Cpp,
}

impl Language {
    /// As it is printed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::C => "C",
            Self::Cpp => "C++",
        }
    }
}

/// One kernel.
pub(crate) struct Kernel {
    /// Its name.
    pub(crate) name: &'static str,
    /// See [`Language`].
    pub(crate) language: Language,
    /// Makes its input.
    pub(crate) prepare: fn() -> Work,
    /// What the work comes to, on every machine.
    pub(crate) answer: u64,
}

impl Kernel {
    pub(crate) const fn rust(name: &'static str, prepare: fn() -> Work, answer: u64) -> Self {
        Self { name, language: Language::Rust, prepare, answer }
    }

    pub(crate) const fn c(name: &'static str, prepare: fn() -> Work, answer: u64) -> Self {
        Self { name, language: Language::C, prepare, answer }
    }

    pub(crate) const fn cpp(name: &'static str, prepare: fn() -> Work, answer: u64) -> Self {
        Self { name, language: Language::Cpp, prepare, answer }
    }

    /// The kernel with this name.
    pub(crate) fn find(name: &str) -> Option<&'static Kernel> {
        all().find(|kernel| kernel.name == name)
    }
}

/// A kernel came to another answer than it must.
#[derive(Debug, thiserror::Error)]
#[error(
    "kernel {name}: wrong answer {answer:#x}, expected {expected:#x}: this build computes something else"
)]
pub(crate) struct WrongAnswer {
    name: &'static str,
    answer: u64,
    expected: u64,
}

impl Kernel {
    /// Does the work once and checks its answer.
    ///
    /// # Errors
    /// When the answer is wrong.
    pub(crate) fn run(&self, work: &mut Work) -> Result<(), WrongAnswer> {
        self.run_by(concord_kernels_measured, work)
    }

    /// The same by another build of the function that runs it.
    ///
    /// # Errors
    /// When the answer is wrong.
    pub(crate) fn run_by(&self, measured: Measured, work: &mut Work) -> Result<(), WrongAnswer> {
        let answer = measured(work);
        let is_right = answer == self.answer;
        let wrong = || WrongAnswer { name: self.name, answer, expected: self.answer };
        if is_right { Ok(()) } else { Err(wrong()) }
    }
}

/// [`concord_kernels_measured`], or its clone.
pub(crate) type Measured = fn(&mut Work) -> u64;

/// All that is measured happens in here: instruction counts are switched on and off by this function's name.
#[unsafe(no_mangle)]
#[inline(never)]
pub(crate) fn concord_kernels_measured(work: &mut Work) -> u64 {
    black_box(black_box(work)())
}

const FAMILIES: [&[Kernel]; 14] = [
    own::KERNELS,
    dynamic::KERNELS,
    scenes::KERNELS,
    numbers::KERNELS,
    linear::KERNELS,
    maps::KERNELS,
    graphs::KERNELS,
    text::KERNELS,
    data_formats::KERNELS,
    codecs::KERNELS,
    compression::KERNELS,
    native::KERNELS,
    languages::KERNELS,
    leveldb::KERNELS,
];

/// All kernels, family after family.
pub(crate) fn all() -> impl Iterator<Item = &'static Kernel> {
    FAMILIES.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_list_is_what_the_suite_promises() {
        let names: HashSet<_> = all().map(|kernel| kernel.name).collect();
        assert_eq!(names.len(), all().count(), "names are unique");
        assert!(names.len() >= 40, "{}", names.len());
        let native = all().filter(|kernel| kernel.language != Language::Rust).count();
        assert!(native >= 8, "{native}");
        for name in ["matrix-multiply", "reverse-index", "radiosity", "cholesky"] {
            assert!(names.contains(name), "{name} is where published designs did worst");
        }
    }

    #[test]
    fn every_kernel_comes_to_its_answer_again_and_again() {
        let mut wrong = Vec::new();
        for kernel in all() {
            let mut work = (kernel.prepare)();
            for _ in 0..2 {
                wrong.extend(kernel.run(&mut work).err().map(|error| error.to_string()));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_wrong_answer_is_an_error_that_names_the_kernel() {
        let kernel = Kernel::rust("two", || Box::new(|| 2), 3);
        let error = kernel.run(&mut (kernel.prepare)()).unwrap_err().to_string();
        assert!(error.contains("two") && error.contains("0x2") && error.contains("0x3"), "{error}");
    }
}
