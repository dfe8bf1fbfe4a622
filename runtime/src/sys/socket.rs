//! What the standard library does not offer for sockets. All of it is best effort: a system that refuses only
//! loses packets earlier, or does not say how many.

use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Room for bursts: about 30,000 small packets.
const BUFFER_BYTES: libc::c_int = 32 << 20;

/// Enlarges the socket's buffers as far as the system allows.
pub(crate) fn grow_buffers(socket: &UdpSocket) {
    // The forced options need a privilege; the others stop at the system's limit.
    let both = [(libc::SO_RCVBUFFORCE, libc::SO_RCVBUF), (libc::SO_SNDBUFFORCE, libc::SO_SNDBUF)];
    for (forced, plain) in both {
        if !set_option(socket, forced, BUFFER_BYTES) {
            set_option(socket, plain, BUFFER_BYTES);
        }
    }
}

fn set_option(socket: &UdpSocket, option: libc::c_int, value: libc::c_int) -> bool {
    // SAFETY: the descriptor is open, the value a C int of the length given.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            option,
            (&raw const value).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    result == 0
}

/// `SO_MEMINFO` and the index of the drop counter in its array, of `linux/sock_diag.h`.
const SO_MEMINFO: libc::c_int = 55;
const DROPS: usize = 8;

/// Packets that the system has thrown away since the socket was made, because its buffer was full.
pub(crate) fn dropped_packets(socket: &UdpSocket) -> u64 {
    let mut info = [0_u32; DROPS + 1];
    let mut length = size_of_val(&info) as libc::socklen_t;
    // SAFETY: the descriptor is open, the array as long as said.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            SO_MEMINFO,
            info.as_mut_ptr().cast(),
            &mut length,
        )
    };
    if result == 0 { u64::from(info[DROPS]) } else { 0 }
}

/// Waits until there is something to receive, `at_most` this long.
pub(crate) fn wait_readable(socket: &UdpSocket, at_most: Duration) {
    let mut poll = libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let timeout = libc::timespec {
        tv_sec: at_most.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(at_most.subsec_nanos() as i32),
    };
    // SAFETY: one descriptor, a timeout, and no signal mask.
    unsafe { libc::ppoll(&mut poll, 1, &timeout, std::ptr::null()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_the_buffer_is_counted() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        set_option(&receiver, libc::SO_RCVBUF, 4096);
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        sender.connect(receiver.local_addr().unwrap()).unwrap();
        assert_eq!(dropped_packets(&receiver), 0);
        for _ in 0..64 {
            sender.send(&[0; 1000]).unwrap();
        }
        receiver.set_nonblocking(true).unwrap();
        let received = std::iter::from_fn(|| receiver.recv(&mut [0; 1000]).ok()).count() as u64;
        assert!(received < 64);
        assert_eq!(received + dropped_packets(&receiver), 64);
    }

    #[test]
    fn waiting_ends_with_a_packet() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        wait_readable(&receiver, Duration::from_micros(1));
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        sender.send_to(&[1], receiver.local_addr().unwrap()).unwrap();
        wait_readable(&receiver, Duration::from_secs(3_600));
        receiver.set_nonblocking(true).unwrap();
        assert_eq!(receiver.recv(&mut [0; 2]).unwrap(), 1);
    }
}
