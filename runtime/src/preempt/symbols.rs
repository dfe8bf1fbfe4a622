//! The symbols that compiled code names (ARCHITECTURE.md, "The contract of compiled code and runtime"):
//! three thread-local words and three stubs, in one block of assembly so that they are linked together.
//!
//! The words are reached by the initial-exec model (`@gottpoff`), which works in executables, where the
//! linker turns it into a constant, and in shared objects. All symbols are hidden: an executable and a library
//! that both hold the runtime each keep their own.
//!
//! The stubs are entered under `preserve_most`: the caller has spilled its vectors and gives up r11; every
//! other general register must survive. The Rust function that they call saves rbx, rbp and r12-r15 by the C
//! convention, so a stub saves the rest:
//!
//! ```text
//!   rbp+8   return address (in the instrumented function)
//!   rbp     caller's rbp
//!   rbp-8   rax      rbp-16  rcx      rbp-24  rdx      rbp-32  rsi
//!   rbp-40  rdi      rbp-48  r8       rbp-56  r9       rbp-64  r10
//!   rsp     rounded down to 16 bytes: a probe may sit where the caller has not aligned its stack
//! ```
//!
//! The unwind information describes every one of them, so that a backtrace taken in the slow path, and a
//! debugger that walks up from a suspended task, see the caller's registers.

use std::arch::{asm, global_asm};

use super::countdown::{Countdown, clock_hit};
use super::probe::{guard_hit, probe_hit};
use super::wait;
use crate::sync::AtomicU32;

macro_rules! stub {
    ($name:literal, $target:literal) => {
        concat!(
            ".pushsection .text.",
            $name,
            ",\"ax\",@progbits\n",
            ".globl ",
            $name,
            "\n",
            ".hidden ",
            $name,
            "\n",
            ".type ",
            $name,
            ",@function\n",
            ".p2align 4\n",
            $name,
            ":\n",
            ".cfi_startproc\n",
            "push rbp\n",
            ".cfi_def_cfa_offset 16\n",
            ".cfi_offset rbp, -16\n",
            "mov rbp, rsp\n",
            ".cfi_def_cfa_register rbp\n",
            "push rax\n",
            ".cfi_offset rax, -24\n",
            "push rcx\n",
            ".cfi_offset rcx, -32\n",
            "push rdx\n",
            ".cfi_offset rdx, -40\n",
            "push rsi\n",
            ".cfi_offset rsi, -48\n",
            "push rdi\n",
            ".cfi_offset rdi, -56\n",
            "push r8\n",
            ".cfi_offset r8, -64\n",
            "push r9\n",
            ".cfi_offset r9, -72\n",
            "push r10\n",
            ".cfi_offset r10, -80\n",
            "and rsp, -16\n",
            "cld\n",
            "call {",
            $target,
            "}\n",
            "lea rsp, [rbp - 64]\n",
            "pop r10\n",
            "pop r9\n",
            "pop r8\n",
            "pop rdi\n",
            "pop rsi\n",
            "pop rdx\n",
            "pop rcx\n",
            "pop rax\n",
            "pop rbp\n",
            ".cfi_def_cfa rsp, 8\n",
            ".cfi_restore rbp\n",
            "ret\n",
            ".cfi_endproc\n",
            ".size ",
            $name,
            ", . - ",
            $name,
            "\n",
            ".popsection\n",
        )
    };
}

global_asm!(
    // 0: clear.
    ".pushsection .tbss.concord_line,\"awT\",@nobits",
    ".globl concord_line",
    ".hidden concord_line",
    ".type concord_line,@tls_object",
    ".p2align 7",
    "concord_line:",
    ".zero 128",
    ".size concord_line, 128",
    ".popsection",
    // NOT_PENDING, depth 0.
    ".pushsection .tdata.concord_guard,\"awT\",@progbits",
    ".globl concord_guard",
    ".hidden concord_guard",
    ".type concord_guard,@tls_object",
    ".p2align 7",
    "concord_guard:",
    ".long 1",
    ".zero 124",
    ".size concord_guard, 128",
    ".popsection",
    // A count that hardly ever runs out; the rest is zero. See `clock`.
    ".pushsection .tdata.concord_countdown,\"awT\",@progbits",
    ".globl concord_countdown",
    ".hidden concord_countdown",
    ".type concord_countdown,@tls_object",
    ".p2align 7",
    "concord_countdown:",
    ".long 0xffffffff",
    ".zero 124",
    ".size concord_countdown, 128",
    ".popsection",
    stub!("concord_probe_slow", "probe_hit"),
    stub!("concord_guard_slow", "guard_hit"),
    stub!("concord_clock_slow", "clock_hit"),
    probe_hit = sym probe_hit,
    guard_hit = sym guard_hit,
    clock_hit = sym clock_hit,
);

const _: () = assert!(
    concord_abi::LINE_BYTES == 128 && concord_abi::guard::IDLE == 1 && concord_abi::guard::LEVEL == 2
);

// Callable as C functions too: `preserve_most` keeps a superset of what the C convention keeps.
unsafe extern "C" {
    fn concord_probe_slow();
    fn concord_guard_slow();
    fn concord_clock_slow();
}

/// Makes the linker take the archive member that defines the symbols, even when no code of this link names
/// them yet: the pass inserts its probes only after the linker's choice of members.
pub(crate) fn keep_linked() {
    std::hint::black_box([concord_probe_slow as *const (), concord_guard_slow as *const ()]);
    std::hint::black_box(concord_clock_slow as *const ());
    std::hint::black_box(wait::ENTRIES);
}

/// This thread's line.
pub(crate) fn line() -> &'static AtomicU32 {
    let address: *const AtomicU32;
    // SAFETY: reads the thread pointer and a constant of the linker; touches no memory of the program's.
    unsafe {
        asm!(
            "mov {address}, qword ptr fs:[0]",
            "add {address}, qword ptr [rip + concord_line@gottpoff]",
            address = out(reg) address,
            options(pure, readonly, nostack),
        );
    }
    // SAFETY: the block is aligned, initialised, only ever accessed atomically, and lives as long as the
    // thread. The `'static` is not the truth for other threads: whoever sends the reference to one must end
    // that thread's use before this thread ends (the server joins its workers after its dispatcher).
    unsafe { &*address }
}

/// This thread's countdown; not to be kept beyond the caller's stay on this thread.
pub(crate) fn countdown() -> &'static Countdown {
    let address: *const Countdown;
    // SAFETY: as in `line`.
    unsafe {
        asm!(
            "mov {address}, qword ptr fs:[0]",
            "add {address}, qword ptr [rip + concord_countdown@gottpoff]",
            address = out(reg) address,
            options(pure, readonly, nostack),
        );
    }
    // SAFETY: the block is aligned, zero but for the count (a valid value of the type), this thread's alone, and lives
    // as long as the thread; `Countdown` is not `Sync`, so the reference stays here.
    unsafe { &*address }
}

/// This thread's guard word.
pub(crate) fn guard_word() -> u32 {
    let word: u32;
    // SAFETY: loads a thread-local word that only this thread accesses.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + concord_guard@gottpoff]",
            "mov {word:e}, dword ptr fs:[{offset}]",
            offset = out(reg) _,
            word = out(reg) word,
            options(readonly, nostack, preserves_flags),
        );
    }
    word
}

/// Overwrites this thread's guard word.
pub(crate) fn set_guard_word(word: u32) {
    // SAFETY: stores to a thread-local word that only this thread accesses.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + concord_guard@gottpoff]",
            "mov dword ptr fs:[{offset}], {word:e}",
            offset = out(reg) _,
            word = in(reg) word,
            options(nostack, preserves_flags),
        );
    }
}

/// What the pass inserts where a guard begins.
#[inline]
pub(crate) fn guard_enter() {
    // SAFETY: adds to a thread-local word that only this thread accesses. Not `nomem`: the region's accesses
    // must not be moved out of it.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + concord_guard@gottpoff]",
            "add dword ptr fs:[{offset}], 2",
            offset = out(reg) _,
            options(nostack),
        );
    }
}

/// What the pass inserts where a guard ends: leaves it, and takes a pending preemption.
#[inline]
pub(crate) fn guard_exit() {
    let pending: u8;
    // SAFETY: as in `guard_enter`.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + concord_guard@gottpoff]",
            "sub dword ptr fs:[{offset}], 2",
            "setle {pending}",
            offset = out(reg) _,
            pending = out(reg_byte) pending,
            options(nostack),
        );
    }
    if pending != 0 {
        // SAFETY: the guard word is zero or below, which is when compiled code calls the stub.
        unsafe { concord_guard_slow() }
    }
}

/// What the pass inserts at a site.
#[inline(always)]
pub(crate) fn probe() {
    // SAFETY: compares this thread's line; when it is armed, calls the stub, which keeps all registers but r11
    // and the vectors. What a C call clobbers is declared: all of these, whatever the target's features are.
    unsafe {
        asm!(
            "mov r11, qword ptr [rip + concord_line@gottpoff]",
            "cmp dword ptr fs:[r11], 0",
            "je 2f",
            "call {slow}",
            "2:",
            slow = sym concord_probe_slow,
            out("r11") _,
            clobber_abi("sysv64"),
        );
    }
}

/// What the pass inserts at a site of the second build.
#[inline(always)]
pub(crate) fn counting_probe(weight: u32) {
    // SAFETY: subtracts from this thread's countdown; when it wraps, calls the stub. See `probe` for the clobbers.
    unsafe {
        asm!(
            "mov r11, qword ptr [rip + concord_countdown@gottpoff]",
            "sub dword ptr fs:[r11], {weight:e}",
            "jnb 2f",
            "call {slow}",
            "2:",
            weight = in(reg) weight,
            slow = sym concord_clock_slow,
            out("r11") _,
            clobber_abi("sysv64"),
        );
    }
}
