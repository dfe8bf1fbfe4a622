//! What instrumented code and the runtime share: symbol names, word layouts, the build record.
//!
//! Both sides import this crate and nothing of each other. Changing anything here is a change of
//! [`ABI_VERSION`]: a binary carries the version it was compiled for, and the runtime refuses another.
#![no_std]

/// Version of everything in this file.
pub const ABI_VERSION: u32 = 3;

/// Thread-local `u32` that probes compare with zero; alone in its [`LINE_BYTES`] block.
pub const LINE_SYMBOL: &str = "concord_line";
/// Thread-local `u32` that counts guard depth; see [`guard`].
pub const GUARD_SYMBOL: &str = "concord_guard";
/// `preserve_most` function that a probe calls when the line is not [`line::CLEAR`].
pub const PROBE_SLOW_SYMBOL: &str = "concord_probe_slow";
/// `preserve_most` function that a guard's exit calls when the guard word becomes zero.
pub const GUARD_SLOW_SYMBOL: &str = "concord_guard_slow";
/// C function with `pthread_cond_wait`'s arguments and result, which compiled code calls in its place: in a task
/// it lets others run and returns, as if woken without a signal.
pub const CONDITION_WAIT_SYMBOL: &str = "concord_condition_wait";
/// The same for libstdc++'s `std::condition_variable::wait(std::unique_lock<std::mutex>&)`.
pub const CXX_CONDITION_WAIT_SYMBOL: &str = "concord_cxx_condition_wait";
/// Thread-local `u32` that probes of the second build count down; alone in its [`LINE_BYTES`] block, whose other bytes
/// are the runtime's. A probe subtracts its weight, from 2 to 127: the instructions that were to be expected since the
/// last one, in [`WEIGHT_UNIT`]s.
pub const COUNTDOWN_SYMBOL: &str = "concord_countdown";
/// Instructions that a probe's weight counts as one.
pub const WEIGHT_UNIT: u32 = 12;
/// `preserve_most` function that such a probe calls when its weight was more than what was left of the count, which
/// has then wrapped around: the function gives a new one.
pub const CLOCK_SLOW_SYMBOL: &str = "concord_clock_slow";
/// C function from a function to its clone in the second build: null in the runtime's own definition. The pass puts
/// the clone in the place of each call whose argument is a function's name, and makes that function a root of the
/// second build: what it can come to has clones too, as far as it has probes.
pub const SECOND_SYMBOL: &str = "concord_second";
/// The [`BuildInfo`] record that the pass leaves in each linked artefact.
pub const BUILD_INFO_SYMBOL: &str = "concord_build_info";

/// Alignment and size of the blocks that hold `concord_line`, `concord_guard` and `concord_countdown`.
///
/// Two 64-byte lines, because adjacent-line prefetchers of current x86-64 CPUs move lines in pairs.
pub const LINE_BYTES: usize = 128;

/// Values of the line.
pub mod line {
    /// Nothing to do. Every thread starts so.
    pub const CLEAR: u32 = 0;
    /// The dispatcher's own line: always armed, never cleared.
    pub const PERMANENT: u32 = u32::MAX;
    /// Smallest and largest generation of a turn; any value between arms the line for that turn alone.
    pub const FIRST_GENERATION: u32 = 1;
    /// See [`FIRST_GENERATION`].
    pub const LAST_GENERATION: u32 = u32::MAX - 1;
}

/// Layout of the guard word, a signed number: twice the depth, plus one while nothing is pending.
///
/// A guard's exit subtracts [`LEVEL`](guard::LEVEL) and looks at the flags of that subtraction (below or equal): the word is zero when the
/// depth is and a preemption is pending, and negative when a guard was left that nobody had entered.
pub mod guard {
    /// Set while **no** preemption is pending.
    pub const NOT_PENDING: u32 = 1;
    /// What one level of depth adds.
    pub const LEVEL: u32 = 2;
    /// Depth zero, nothing pending: the initial value, and the value between tasks.
    pub const IDLE: u32 = NOT_PENDING;

    /// The depth in `word`; meaningless when [`is_below_zero`] is true.
    pub const fn depth(word: u32) -> u32 {
        word >> 1
    }

    /// Whether a guard was left that nobody had entered.
    pub const fn is_below_zero(word: u32) -> bool {
        (word as i32) < 0
    }
}

/// What stands before a function that has a clone and whose address is taken, up to its first byte: two 64-bit words,
/// [`MAGIC`](prefix::MAGIC) and the distance from the function to the clone. Only calls through pointers in the second
/// build read it; such a call of anything else goes to the code that the pointer names.
pub mod prefix {
    /// First word; its low half alone is compared. Both halves begin with bytes that code does not end in.
    pub const MAGIC: u64 = 0xf1c3_5ec0_f1c3_5ec0;
    /// Bytes before the function where the magic word begins.
    pub const MAGIC_AT: u64 = 16;
    /// Bytes before the function where the distance begins.
    pub const DISTANCE_AT: u64 = 8;
    /// Bytes of one word.
    pub const WORD: u64 = 8;
}

/// Section of the note that tools read ([`NOTE_OWNER`], [`NOTE_TYPE`], then a [`BuildInfo`]).
pub const NOTE_SECTION: &str = ".note.concord";
/// Owner name of the note, without its terminating zero.
pub const NOTE_OWNER: &str = "Concord";
/// Type of the note.
pub const NOTE_TYPE: u32 = 1;

/// What the pass did to an artefact. All fields little-endian, in this order, without padding.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildInfo {
    /// [`BUILD_INFO_MAGIC`].
    pub magic: u32,
    /// [`ABI_VERSION`] of the pass.
    pub abi_version: u32,
    /// Functions selected for instrumentation.
    pub functions: u32,
    /// Probes in the emitted code.
    pub probes: u32,
    /// Loops in instrumented functions.
    pub loops: u32,
    /// [`FLAG_PROBES`], [`FLAG_SECOND_BUILD`].
    pub flags: u32,
    /// Hash of the options that shaped the code.
    pub options_hash: u64,
}

/// First word of a [`BuildInfo`]: "CNRD".
pub const BUILD_INFO_MAGIC: u32 = 0x4452_4e43;

/// Bit of [`BuildInfo::flags`]: probes were inserted (clear for a build without probes).
pub const FLAG_PROBES: u32 = 1;
/// Bit of [`BuildInfo::flags`]: there is a second build of what requests come to.
pub const FLAG_SECOND_BUILD: u32 = 2;

const _: () = assert!(size_of::<BuildInfo>() == 32);

impl BuildInfo {
    /// The record's bytes, as they stand in the note and behind the symbol.
    pub fn to_bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let words = [self.magic, self.abi_version, self.functions, self.probes, self.loops, self.flags];
        for (slot, word) in bytes.chunks_exact_mut(4).zip(words) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
        bytes[24..].copy_from_slice(&self.options_hash.to_le_bytes());
        bytes
    }

    /// Reads a record; `None` when `bytes` is too short or does not begin with the magic word.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let word = |index: usize| -> Option<u32> {
            Some(u32::from_le_bytes(bytes.get(index * 4..index * 4 + 4)?.try_into().ok()?))
        };
        let options_hash = u64::from_le_bytes(bytes.get(24..32)?.try_into().ok()?);
        let info = Self {
            magic: word(0)?,
            abi_version: word(1)?,
            functions: word(2)?,
            probes: word(3)?,
            loops: word(4)?,
            flags: word(5)?,
            options_hash,
        };
        (info.magic == BUILD_INFO_MAGIC).then_some(info)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_info_round_trips_and_rejects_other_bytes() {
        let info = BuildInfo {
            magic: BUILD_INFO_MAGIC,
            abi_version: ABI_VERSION,
            functions: 7,
            probes: 11,
            loops: 5,
            flags: FLAG_PROBES,
            options_hash: 0x0123_4567_89ab_cdef,
        };
        assert_eq!(BuildInfo::from_bytes(&info.to_bytes()), Some(info));
        assert_eq!(BuildInfo::from_bytes(&info.to_bytes()[..31]), None);
        assert_eq!(BuildInfo::from_bytes(&[0; 32]), None);
    }
}
