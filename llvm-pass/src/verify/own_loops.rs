//! Loops that the code generator makes of one instruction of the IR: no probe can stand in them, and none is needed.
//!
//! * An atomic operation without an instruction of its own: a compare-exchange that is repeated at once.
//! * A stack frame of several pages: each is touched on the way down.

use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};

/// Instructions of such a loop at most.
const LONGEST: usize = 24;

/// Whether the jump from `at` back to `next` closes one of them.
pub fn is_own_loop(instructions: &[Instruction], at: usize, next: usize) -> bool {
    let Some(body) = instructions.get(next..=at).filter(|body| body.len() <= LONGEST) else { return false };
    let is_plain = |step: &Instruction| {
        matches!(
            step.flow_control(),
            FlowControl::Next | FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
        )
    };
    body.iter().all(is_plain) && (body.iter().any(is_exchange) || body.iter().any(is_page_step))
}

fn is_exchange(step: &Instruction) -> bool {
    matches!(step.mnemonic(), Mnemonic::Cmpxchg | Mnemonic::Cmpxchg16b | Mnemonic::Cmpxchg8b)
        && step.has_lock_prefix()
}

/// `sub rsp, 4096`
fn is_page_step(step: &Instruction) -> bool {
    step.mnemonic() == Mnemonic::Sub
        && step.op0_kind() == OpKind::Register
        && step.op0_register() == Register::RSP
        && step.op1_kind() == OpKind::Immediate32to64
        && step.immediate(1) == 4096
}
