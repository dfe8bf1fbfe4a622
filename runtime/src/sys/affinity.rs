//! Which cores this process may use, and pinning a thread to one.

use std::io;

/// Cores that the calling thread may run on, ascending: what a cpuset, a container or `taskset` left.
pub(crate) fn allowed_cores() -> Vec<usize> {
    // SAFETY: an all-zero set is a valid value of this plain struct.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is as long as said.
    let result = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) };
    if result != 0 {
        return Vec::new();
    }
    // SAFETY: every index is below the set's size.
    (0..libc::CPU_SETSIZE as usize).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) }).collect()
}

/// Pins the calling thread to `core`.
pub(crate) fn pin(core: usize) -> io::Result<()> {
    // SAFETY: as in `allowed_cores`; `CPU_SET` checks the index itself.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    if core >= libc::CPU_SETSIZE as usize {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    // SAFETY: the index was checked.
    unsafe { libc::CPU_SET(core, &mut set) };
    // SAFETY: the set is as long as said.
    match unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_can_be_pinned_to_an_allowed_core_only() {
        std::thread::spawn(|| {
            let core = *allowed_cores().last().unwrap();
            pin(core).unwrap();
            assert_eq!(allowed_cores(), [core]);
            assert!(pin(libc::CPU_SETSIZE as usize).is_err());
        })
        .join()
        .unwrap();
    }
}
