//! What begins and ends a guard: the list of known locks, initialisers and thread-local accesses.
//!
//! Guards are found in the *callee*, where the lock's own code says whether it was taken, not by following
//! guard values through callers: a guard that is moved, returned, stored, leaked or dropped while unwinding
//! ends where its destructor runs. Functions that exist only as native code (`declared`) are bracketed where
//! they are called.
//!
//! std's own MIR is optimised when std is built, so that `Mutex::lock` holds the compare-exchange of the raw
//! lock: there is no raw `lock` to catalogue. The one call that runs exactly when std's guard comes into
//! being, taken or poisoned, is the closure in the guard's constructor; the lock functions around it are
//! guarded as well, for the probe that may stand between the exchange and the constructor.

/// What happens at a function of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A guard begins.
    Enter,
    /// A guard begins if the result says so.
    EnterIf(Success),
    /// A guard ends.
    Exit,
    /// A guard becomes another one: the depth stays, whatever the function's body does.
    Keep,
    /// The function itself is a guarded region.
    Region,
}

/// How a try-lock says that it took the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Success {
    /// By `true`.
    True,
    /// By zero, as pthreads do.
    Zero,
    /// By anything but zero (`__cxa_guard_acquire`: the caller initialises).
    NonZero,
}

/// A row of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name in reports.
    pub name: &'static str,
    /// Canonical paths ([`crate::names`]); `<* as ` matches any type that implements the trait.
    pub functions: &'static [&'static str],
    /// What to do in the function's body, when the link has it as bitcode.
    pub defined: Option<Action>,
    /// What to do around its calls, when it is native code.
    pub declared: Option<Action>,
}

use Action::{Enter, EnterIf, Exit, Keep, Region};

const fn both(name: &'static str, action: Action, functions: &'static [&'static str]) -> Entry {
    Entry { name, functions, defined: Some(action), declared: Some(action) }
}

/// The catalogue.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "std::sync::Mutex",
        functions: &["std::sync::poison::mutex::Mutex::lock"],
        defined: Some(Region),
        declared: Some(Enter),
    },
    both("std::sync::Mutex", Region, &["std::sync::poison::mutex::Mutex::try_lock"]),
    both("std::sync::Mutex", Enter, &["std::sync::poison::mutex::MutexGuard::new::{{closure}}"]),
    both(
        "std::sync::Mutex",
        Exit,
        &["<std::sync::poison::mutex::MutexGuard as core::ops::drop::Drop>::drop"],
    ),
    Entry {
        name: "std::sync::RwLock",
        functions: &["std::sync::poison::rwlock::RwLock::read", "std::sync::poison::rwlock::RwLock::write"],
        defined: Some(Region),
        declared: Some(Enter),
    },
    both(
        "std::sync::RwLock",
        Region,
        &["std::sync::poison::rwlock::RwLock::try_read", "std::sync::poison::rwlock::RwLock::try_write"],
    ),
    both(
        "std::sync::RwLock",
        Enter,
        &[
            "std::sync::poison::rwlock::RwLockReadGuard::new::{{closure}}",
            "std::sync::poison::rwlock::RwLockWriteGuard::new::{{closure}}",
        ],
    ),
    both(
        "std::sync::RwLock",
        Exit,
        &[
            "<std::sync::poison::rwlock::RwLockReadGuard as core::ops::drop::Drop>::drop",
            "<std::sync::poison::rwlock::RwLockWriteGuard as core::ops::drop::Drop>::drop",
        ],
    ),
    // Forgets the writer's guard and makes a reader's.
    both("std::sync::RwLock", Keep, &["std::sync::poison::rwlock::RwLockWriteGuard::downgrade"]),
    // Once, OnceLock and LazyLock all initialise through this native function, which calls the initialiser back.
    both("std::sync::Once", Region, &["std::sys::sync::once::futex::Once::call"]),
    both(
        "std::thread::LocalKey",
        Region,
        &["std::thread::local::LocalKey::try_with", "std::thread::local::LocalKey::initialize_with"],
    ),
    // The locks behind std's standard streams: taken in native code, released in the user's.
    both(
        "std::io",
        Enter,
        &[
            "std::io::stdio::Stdin::lock",
            "std::io::stdio::Stdin::lines",
            "std::io::stdio::Stdout::lock",
            "std::io::stdio::Stderr::lock",
        ],
    ),
    // Take the lock, format by the user's code, and release it. With std's own bitcode this is seen in their code.
    Entry {
        name: "std::io",
        functions: &["std::io::stdio::_print", "std::io::stdio::_eprint"],
        defined: None,
        declared: Some(Region),
    },
    both(
        "std::io",
        Exit,
        &["<std::sync::reentrant_lock::ReentrantLockGuard as core::ops::drop::Drop>::drop"],
    ),
    both("lock_api::RawMutex", Enter, &["<* as lock_api::mutex::RawMutex>::lock"]),
    both(
        "lock_api::RawMutex",
        EnterIf(Success::True),
        &[
            "<* as lock_api::mutex::RawMutex>::try_lock",
            "<* as lock_api::mutex::RawMutexTimed>::try_lock_for",
            "<* as lock_api::mutex::RawMutexTimed>::try_lock_until",
        ],
    ),
    both(
        "lock_api::RawMutex",
        Exit,
        &["<* as lock_api::mutex::RawMutex>::unlock", "<* as lock_api::mutex::RawMutexFair>::unlock_fair"],
    ),
    both(
        "lock_api::RawRwLock",
        Enter,
        &[
            "<* as lock_api::rwlock::RawRwLock>::lock_shared",
            "<* as lock_api::rwlock::RawRwLock>::lock_exclusive",
            "<* as lock_api::rwlock::RawRwLockRecursive>::lock_shared_recursive",
            "<* as lock_api::rwlock::RawRwLockUpgrade>::lock_upgradable",
        ],
    ),
    both(
        "lock_api::RawRwLock",
        EnterIf(Success::True),
        &[
            "<* as lock_api::rwlock::RawRwLock>::try_lock_shared",
            "<* as lock_api::rwlock::RawRwLock>::try_lock_exclusive",
            "<* as lock_api::rwlock::RawRwLockRecursive>::try_lock_shared_recursive",
            "<* as lock_api::rwlock::RawRwLockUpgrade>::try_lock_upgradable",
            "<* as lock_api::rwlock::RawRwLockTimed>::try_lock_shared_for",
            "<* as lock_api::rwlock::RawRwLockTimed>::try_lock_shared_until",
            "<* as lock_api::rwlock::RawRwLockTimed>::try_lock_exclusive_for",
            "<* as lock_api::rwlock::RawRwLockTimed>::try_lock_exclusive_until",
        ],
    ),
    both(
        "lock_api::RawRwLock",
        Exit,
        &[
            "<* as lock_api::rwlock::RawRwLock>::unlock_shared",
            "<* as lock_api::rwlock::RawRwLock>::unlock_exclusive",
            "<* as lock_api::rwlock::RawRwLockFair>::unlock_shared_fair",
            "<* as lock_api::rwlock::RawRwLockFair>::unlock_exclusive_fair",
            "<* as lock_api::rwlock::RawRwLockUpgrade>::unlock_upgradable",
            "<* as lock_api::rwlock::RawRwLockUpgradeFair>::unlock_upgradable_fair",
        ],
    ),
    // Hand the lock to a thread that waits and take it again, with the latter alone through lock_api.
    both(
        "parking_lot::bump",
        Keep,
        &[
            "parking_lot::raw_mutex::RawMutex::bump_slow",
            "parking_lot::raw_rwlock::RawRwLock::bump_shared_slow",
            "parking_lot::raw_rwlock::RawRwLock::bump_exclusive_slow",
            "parking_lot::raw_rwlock::RawRwLock::bump_upgradable_slow",
        ],
    ),
    // The locks of parking_lot's table of waiting threads, which every lock of the process shares.
    both("parking_lot_core::WordLock", Enter, &["parking_lot_core::word_lock::WordLock::lock"]),
    both("parking_lot_core::WordLock", Exit, &["parking_lot_core::word_lock::WordLock::unlock"]),
    both("parking_lot::Once", Region, &["parking_lot::once::Once::call_once_slow"]),
    both("once_cell", Region, &["once_cell::imp::initialize_or_wait"]),
    // Allocators of the link keep state of the thread and locks of their own making: another task that allocates
    // in the middle of one would find both half changed. The default allocator is native code.
    Entry {
        name: "allocator",
        functions: &[
            "__rustc::__rg_alloc",
            "__rustc::__rg_dealloc",
            "__rustc::__rg_realloc",
            "__rustc::__rg_alloc_zeroed",
            "malloc",
            "calloc",
            "realloc",
            "free",
            "posix_memalign",
            "aligned_alloc",
        ],
        defined: Some(Region),
        declared: None,
    },
    // std::mutex, std::shared_mutex, lock_guard and their kin are inline code around these.
    both(
        "pthread",
        EnterIf(Success::Zero),
        &[
            "pthread_mutex_lock",
            "pthread_mutex_trylock",
            "pthread_mutex_timedlock",
            "pthread_mutex_clocklock",
            "pthread_rwlock_rdlock",
            "pthread_rwlock_tryrdlock",
            "pthread_rwlock_timedrdlock",
            "pthread_rwlock_clockrdlock",
            "pthread_rwlock_wrlock",
            "pthread_rwlock_trywrlock",
            "pthread_rwlock_timedwrlock",
            "pthread_rwlock_clockwrlock",
            "pthread_spin_lock",
            "pthread_spin_trylock",
        ],
    ),
    both("pthread", Exit, &["pthread_mutex_unlock", "pthread_rwlock_unlock", "pthread_spin_unlock"]),
    both("pthread_once", Region, &["pthread_once"]),
    both("C++ static initialiser", EnterIf(Success::NonZero), &["__cxa_guard_acquire"]),
    both("C++ static initialiser", Exit, &["__cxa_guard_release", "__cxa_guard_abort"]),
];

/// The entry for a function, by its canonical path.
pub fn find(path: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.functions.iter().any(|pattern| matches(pattern, path)))
}

fn matches(pattern: &str, path: &str) -> bool {
    match pattern.strip_prefix("<*") {
        Some(interface) => path.starts_with('<') && path.ends_with(interface),
        None => pattern == path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Name;

    fn action(symbol: &str) -> Option<Action> {
        find(&Name::of(symbol).path).and_then(|entry| entry.defined)
    }

    #[test]
    fn symbols_of_both_manglings_are_found() {
        assert_eq!(
            action("_ZN3std4sync6poison5mutex14Mutex$LT$T$GT$4lock17h18aba970684159e7E"),
            Some(Region)
        );
        assert_eq!(
            action(
                "_ZN3std4sync6poison5mutex19MutexGuard$LT$T$GT$3new28_$u7b$$u7b$closure$u7d$$u7d$17he3b59d61fae1b5dbE"
            ),
            Some(Enter)
        );
        assert_eq!(
            action(
                "_ZN87_$LT$std..sync..poison..mutex..MutexGuard$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h7d99718080a7243bE"
            ),
            Some(Exit)
        );
        assert_eq!(action("pthread_mutex_lock"), Some(EnterIf(Success::Zero)));
        assert_eq!(action("pthread_mutex_init"), None);
    }

    #[test]
    fn any_implementation_of_a_raw_lock_is_found() {
        let path = "<dashmap::lock::RawRwLock as lock_api::rwlock::RawRwLock>::lock_shared";
        assert_eq!(find(path).and_then(|entry| entry.defined), Some(Enter));
        assert!(find("lock_api::rwlock::RawRwLock::lock_shared").is_none());
        assert!(find("<X as lock_api::rwlock::RawRwLock>::is_locked").is_none());
    }

    #[test]
    fn no_function_stands_in_two_rows() {
        let mut all: Vec<_> = ENTRIES.iter().flat_map(|entry| entry.functions).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
