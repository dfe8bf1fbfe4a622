//! What a switch of stacks must carry besides general registers: state that the C convention treats as the
//! thread's, but that belongs to the code that runs on it.
//!
//! * errno: code between a failed call and its reading of errno may be preempted;
//! * MXCSR and the x87 control word: rounding mode and exception masks that a handler sets for itself;
//! * the C++ runtime's caught and in-flight exceptions, which C++ keeps per thread.

use std::arch::asm;

use crate::sys::weak::{ExceptionGlobals, exception_globals};

/// A copy of the thread's state, taken before a switch and put back after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Registers {
    errno: i32,
    mxcsr: u32,
    x87_control: u16,
    exceptions: Option<ExceptionGlobals>,
}

impl Registers {
    pub(crate) fn save() -> Self {
        Self {
            // SAFETY: errno's address is valid on every thread.
            errno: unsafe { *libc::__errno_location() },
            mxcsr: mxcsr(),
            x87_control: x87_control(),
            // SAFETY: the C++ runtime's pointer is valid on this thread.
            exceptions: exception_globals().map(|globals| unsafe { *globals }),
        }
    }

    pub(crate) fn restore(self) {
        // SAFETY: as in `save`.
        unsafe { *libc::__errno_location() = self.errno };
        // Loading a control register drains the pipeline; usually nothing has changed.
        if mxcsr() != self.mxcsr {
            set_mxcsr(self.mxcsr);
        }
        if x87_control() != self.x87_control {
            set_x87_control(self.x87_control);
        }
        if let (Some(globals), Some(saved)) = (exception_globals(), self.exceptions) {
            // SAFETY: as in `save`.
            unsafe { *globals = saved };
        }
    }
}

fn mxcsr() -> u32 {
    let mut word = 0_u32;
    // SAFETY: stores MXCSR to `word`.
    unsafe { asm!("stmxcsr dword ptr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
    word
}

fn set_mxcsr(word: u32) {
    // SAFETY: `word` came from `mxcsr`, so no reserved bit is set. Compiled code may rely on the default
    // rounding mode; the state put back is the one that the code about to continue had itself.
    unsafe { asm!("ldmxcsr dword ptr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
}

fn x87_control() -> u16 {
    let mut word = 0_u16;
    // SAFETY: stores the control word to `word`.
    unsafe { asm!("fnstcw word ptr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
    word
}

fn set_x87_control(word: u16) {
    // SAFETY: `word` came from `x87_control`; see `set_mxcsr`.
    unsafe { asm!("fldcw word ptr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOWARDS_ZERO: u32 = 0b11 << 13;
    const ALL_ROUNDING: u16 = 0b11 << 10;

    #[test]
    fn restore_puts_back_errno_and_control_words() {
        let before = Registers::save();
        set_mxcsr(before.mxcsr | TOWARDS_ZERO);
        set_x87_control(before.x87_control | ALL_ROUNDING);
        // SAFETY: errno's address is valid on every thread.
        unsafe { *libc::__errno_location() = 4711 };
        let changed = Registers::save();
        assert_eq!(changed.errno, 4711);
        assert_ne!((changed.mxcsr, changed.x87_control), (before.mxcsr, before.x87_control));
        before.restore();
        assert_eq!(Registers::save(), before);
    }
}
