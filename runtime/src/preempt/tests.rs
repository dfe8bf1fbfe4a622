//! The slow path and guards, driven by explicit probes on a thread that plays both sides.

use std::backtrace::Backtrace;
use std::cell::Cell;
use std::rc::Rc;

use super::turn::{Generation, Turn, TurnWord};
use super::*;
use crate::context::Stack;
use crate::testing;

thread_local! {
    /// Called by the next slow path of this thread.
    pub(super) static IN_SLOW_PATH: Cell<Option<fn()>> = const { Cell::new(None) };
    static BACKTRACE: Cell<String> = const { Cell::new(String::new()) };
}

const STACK_BYTES: usize = 64 << 10;

fn fiber(body: impl FnOnce() + 'static) -> Fiber {
    Fiber::new(Stack::new(STACK_BYTES).unwrap(), |suspender| {
        current::enter(suspender);
        body();
        Outcome::Done
    })
}

/// Runs turn number `generation` of `fiber`.
fn turn(fiber: &mut Fiber, generation: u32) -> Outcome {
    let turn = Turn::new(Generation::from_word(generation), 0);
    run_turn(fiber, turn, &TurnWord::new(), symbols::line())
}

#[test]
fn a_probe_ends_the_turn_it_is_armed_for_and_no_other() {
    let mut task = fiber(|| {
        testing::probe();
        testing::set_line(6);
        testing::probe();
        assert_eq!(testing::line(), 0, "a stale signal is taken out");
        testing::set_line(7);
        testing::probe();
        assert_eq!(testing::line(), 0, "a turn begins with a clear line");
        testing::probe();
    });
    assert_eq!(turn(&mut task, 7), Outcome::Preempted);
    testing::set_line(7);
    assert_eq!(turn(&mut task, 8), Outcome::Done);
}

#[test]
fn a_guard_delays_the_switch_to_its_outermost_end() {
    let reached = Rc::new(Cell::new(0));
    let seen = Rc::clone(&reached);
    let mut task = fiber(move || {
        testing::guard_enter();
        testing::guard_enter();
        testing::set_line(1);
        testing::probe();
        assert!(testing::preemption_is_pending());
        assert_eq!((testing::guard_depth(), testing::line()), (2, 0));
        testing::guard_exit();
        seen.set(1);
        testing::guard_exit();
        seen.set(2);
        assert!(!testing::preemption_is_pending());
    });
    assert_eq!(turn(&mut task, 1), Outcome::Preempted);
    assert_eq!(reached.get(), 1);
    assert_eq!(turn(&mut task, 2), Outcome::Done);
    assert_eq!(reached.get(), 2);
}

/// Runs a turn of `fiber` whose time is up from its begin.
fn overdue_turn(fiber: &mut Fiber) -> Outcome {
    run_watched(fiber, &Watch::new(Vec::new()), Tsc(1), symbols::line())
}

#[test]
fn a_watched_turn_ends_at_the_first_probe_after_its_deadline() {
    let mut task = fiber(|| (0..2).for_each(|_| testing::probe()));
    let watch = Watch::new(Vec::new());
    assert_eq!(overdue_turn(&mut task), Outcome::Preempted);
    assert_eq!(testing::line(), 0, "between turns the line is clear");
    assert_eq!(run_watched(&mut task, &watch, Tsc(u64::MAX), symbols::line()), Outcome::Done);
}

#[test]
fn a_watched_turn_ends_behind_its_guard() {
    let mut task = fiber(|| {
        testing::guard_enter();
        testing::probe();
        assert!(testing::preemption_is_pending());
        testing::guard_exit();
        assert_eq!(testing::line(), concord_abi::line::PERMANENT);
    });
    assert_eq!(overdue_turn(&mut task), Outcome::Preempted);
    assert_eq!(overdue_turn(&mut task), Outcome::Done);
}

#[test]
fn a_recording_leaves_a_watched_turn_its_line() {
    let mut task = fiber(|| {
        let depths = record_probes(testing::probe);
        assert_eq!(depths, [0]);
        testing::probe();
    });
    assert_eq!(overdue_turn(&mut task), Outcome::Preempted);
    assert_eq!(overdue_turn(&mut task), Outcome::Done);
}

#[test]
fn no_preempt_and_worker_local_switch_only_after_their_body() {
    let steps = Rc::new(Cell::new(0));
    let seen = Rc::clone(&steps);
    let mut task = fiber(move || {
        no_preempt(|| {
            testing::set_line(1);
            testing::probe();
            seen.set(1);
        });
        let local = WorkerLocal::new(0);
        local.with(|value| {
            testing::set_line(2);
            testing::probe();
            *value += 1;
            seen.set(2);
        });
        assert_eq!(local.into_inner(), 1);
    });
    assert_eq!((turn(&mut task, 1), steps.get()), (Outcome::Preempted, 1));
    assert_eq!((turn(&mut task, 2), steps.get()), (Outcome::Preempted, 2));
    assert_eq!(turn(&mut task, 3), Outcome::Done);
}

#[test]
#[should_panic(expected = "inside of itself")]
fn worker_local_refuses_a_second_loan() {
    let local = WorkerLocal::new(0);
    local.with(|_| local.with(|_| ()));
}

/// Probes inside a drop that runs while its task unwinds.
struct ProbesInDrop(u32);

impl Drop for ProbesInDrop {
    fn drop(&mut self) {
        testing::set_line(self.0);
        testing::probe();
        no_preempt(|| {
            testing::probe();
        });
    }
}

#[test]
fn a_task_that_unwinds_is_preempted_only_afterwards() {
    let mut task = fiber(|| {
        let caught = std::panic::catch_unwind(|| {
            let _probes = ProbesInDrop(1);
            std::panic::resume_unwind(Box::new("unwinding"));
        });
        assert!(caught.is_err());
        assert_eq!(testing::line(), 1, "the signal waits for the end of the unwinding");
        testing::probe();
    });
    assert_eq!(turn(&mut task, 1), Outcome::Preempted);
    assert_eq!(turn(&mut task, 2), Outcome::Done);
}

#[test]
fn a_plain_thread_only_clears_stale_signals() {
    testing::set_line(9);
    testing::probe();
    assert_eq!(testing::line(), 0);
    testing::guard_enter();
    testing::set_line(9);
    testing::probe();
    assert!(!testing::preemption_is_pending());
    testing::guard_exit();
    assert_eq!(testing::guard_depth(), 0);
}

#[test]
fn a_task_that_forgets_a_guard_leaves_none_to_the_next() {
    let mut task = fiber(testing::guard_enter);
    assert_eq!(turn(&mut task, 1), Outcome::Done);
    assert_eq!(testing::guard_depth(), 0);
}

#[test]
fn recording_notes_the_depth_at_each_probe() {
    let depths = record_probes(|| {
        testing::probe();
        no_preempt(testing::probe);
        testing::probe();
    });
    assert_eq!(depths, [0, 1, 0]);
    assert_eq!(testing::line(), 0);
    assert_eq!(record_probes(|| ()), []);
}

#[test]
fn recording_in_a_task_keeps_a_signal_that_came_meanwhile() {
    let mut task = fiber(|| {
        let depths = record_probes(|| {
            testing::probe();
            testing::set_line(1);
            testing::probe();
        });
        assert_eq!(depths, [0, 0]);
        testing::probe();
    });
    assert_eq!(turn(&mut task, 1), Outcome::Preempted);
    assert_eq!(turn(&mut task, 2), Outcome::Done);
}

/// Calls the stub as compiled code does, and returns every register that it must keep.
#[inline(never)]
fn registers_across_a_switch() -> [u64; 12] {
    let (mut a, mut c, mut d, mut si, mut di) = (1_u64, 2_u64, 3_u64, 4_u64, 5_u64);
    let (mut r8, mut r9, mut r10) = (6_u64, 7_u64, 8_u64);
    let (mut r12, mut r13, mut r14, mut r15) = (9_u64, 10_u64, 11_u64, 12_u64);
    // SAFETY: as in `symbols::probe`; the stub keeps every register listed. The direction flag is set before
    // and cleared by the stub, as Rust code expects it afterwards; rsp is moved off its alignment and back.
    unsafe {
        std::arch::asm!(
            "sub rsp, 8",
            "std",
            "call concord_probe_slow",
            "add rsp, 8",
            inout("rax") a, inout("rcx") c, inout("rdx") d, inout("rsi") si, inout("rdi") di,
            inout("r8") r8, inout("r9") r9, inout("r10") r10,
            inout("r12") r12, inout("r13") r13, inout("r14") r14, inout("r15") r15,
            out("r11") _,
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
            out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
        );
    }
    [a, c, d, si, di, r8, r9, r10, r12, r13, r14, r15]
}

#[test]
fn the_stub_keeps_all_registers_across_a_switch() {
    let mut task = fiber(|| {
        testing::set_line(1);
        assert_eq!(registers_across_a_switch(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    });
    assert_eq!(turn(&mut task, 1), Outcome::Preempted);
    std::hint::black_box([0_u64; 64].map(|x| x ^ 0x5555));
    assert_eq!(turn(&mut task, 2), Outcome::Done);
}

#[inline(never)]
fn a_function_with_a_probe() {
    testing::probe();
    std::hint::black_box(());
}

#[test]
fn a_backtrace_passes_from_the_slow_path_into_the_probed_function() {
    let mut task = fiber(|| {
        IN_SLOW_PATH.set(Some(|| BACKTRACE.set(Backtrace::force_capture().to_string())));
        testing::set_line(1);
        a_function_with_a_probe();
    });
    assert_eq!(turn(&mut task, 1), Outcome::Preempted);
    assert_eq!(turn(&mut task, 2), Outcome::Done);
    let backtrace = BACKTRACE.take();
    let position = |name| backtrace.find(name).unwrap_or_else(|| panic!("no {name} in\n{backtrace}"));
    assert!(position("probe_hit") < position("concord_probe_slow"));
    assert!(position("concord_probe_slow") < position("a_function_with_a_probe"));
    let base = backtrace.rfind("a_backtrace_passes").expect("the task's body is the outermost");
    assert!(position("a_function_with_a_probe") < base);
}

#[test]
fn a_turn_that_began_after_the_clock_was_read_has_not_lasted_at_all() {
    let turn = |start| Turn::new(Generation::from_word(1), start);
    assert_eq!(turn(16_000).ticks_until(15_000), 0);
    assert_eq!(turn(16_000).ticks_until(17_600), 1_600);
    // The start's 32 bits wrap in between.
    assert_eq!(turn((1 << 36) - 1_600).ticks_until((1 << 36) + 1_600), 3_200);
    assert_eq!(turn((1 << 36) + 1_600).ticks_until((1 << 36) - 1_600), 0);
}

#[test]
fn an_exit_without_an_enter_leaves_the_depth_at_zero_and_hides_no_later_guard() {
    symbols::guard_exit();
    assert_eq!(guard_depth(), 0);
    symbols::guard_enter();
    assert_eq!(guard_depth(), 1);
    symbols::guard_exit();
    assert_eq!(guard_depth(), 0);
    assert_eq!(symbols::guard_word(), concord_abi::guard::IDLE);
}

/// Counts down by 1000 until `done` says so.
fn count_down(done: impl Fn() -> bool) {
    while !done() {
        testing::counting_probe(1_000);
    }
}

#[test]
fn code_of_the_second_build_leaves_at_the_end_of_each_slice() {
    let slices = testing::in_slices(crate::Nanos::from_micros(5), STACK_BYTES, || {
        let begin = std::time::Instant::now();
        count_down(|| begin.elapsed().as_micros() > 200);
    });
    let slices = slices.unwrap();
    assert!(slices.len() > 1, "{slices:?}");
    assert!(slices.iter().all(|slice| slice.0 > 3_000), "none ends long before its time: {slices:?}");
}

#[test]
fn a_slice_that_is_over_in_a_guard_ends_with_the_guard() {
    let is_pending = Rc::new(Cell::new(false));
    let seen = Rc::clone(&is_pending);
    let mut task = fiber(move || {
        testing::guard_enter();
        count_down(testing::preemption_is_pending);
        seen.set(true);
        testing::guard_exit();
    });
    assert_eq!(overdue_turn(&mut task), Outcome::Preempted);
    assert!(is_pending.get());
    assert_eq!(overdue_turn(&mut task), Outcome::Done);
}

#[test]
fn outside_of_a_slice_the_countdown_ends_nothing() {
    (0..10_000).for_each(|_| testing::counting_probe(u32::MAX / 2));
    let mut task = fiber(|| (0..10_000).for_each(|_| testing::counting_probe(u32::MAX / 2)));
    assert_eq!(turn(&mut task, 3), Outcome::Done);
}

#[test]
fn a_plain_build_has_no_clones() {
    assert!(testing::clone_of(testing::guard_enter as fn() as *const ()).is_null());
}
