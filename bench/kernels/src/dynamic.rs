//! Work behind pointers that the optimiser cannot see through: closures that call closures, an interpreter whose
//! instructions are trait objects.

use std::hint::black_box;

use crate::data::{Numbers, hash, text};
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::rust("closure-chain", prepare_closure_chain, 0x95f5_84fd_f0a8_8200),
    Kernel::rust("trait-interpreter", prepare_trait_interpreter, 0xaaf2_05a4_5bf3_4893),
];

/// A request on its way through layers, each of which looks at it before and after the next.
struct Passed {
    path: String,
    headers: Vec<(u32, u32)>,
    state: u64,
}

type Layer = Box<dyn Fn(&mut Passed) -> u64>;

/// What servers call middleware: each layer holds the one behind it.
fn layers() -> Layer {
    let mut next: Layer = Box::new(|request| hash(request.path.bytes()) ^ request.state);
    for number in 0..12_u32 {
        let inner = next;
        next = match number % 3 {
            0 => Box::new(move |request| {
                request.headers.push((number, request.state as u32));
                let answer = inner(request);
                request.headers.pop();
                answer.rotate_left(number)
            }),
            1 => Box::new(move |request| {
                let seen = request.headers.iter().filter(|(name, _)| name % 2 == number % 2).count();
                request.state = request.state.wrapping_mul(31).wrapping_add(seen as u64);
                inner(request)
            }),
            _ => Box::new(move |request| {
                let is_known = request.path.as_bytes().iter().take(8).any(|letter| *letter == b'q');
                inner(request) ^ u64::from(is_known) << number
            }),
        };
    }
    next
}

fn prepare_closure_chain() -> Work {
    let paths: Vec<String> = text(60_000).split_whitespace().map(str::to_owned).collect();
    let chain = black_box(layers());
    Box::new(move || {
        paths.iter().fold(0_u64, |sum, path| {
            let mut request = Passed { path: path.clone(), headers: Vec::with_capacity(8), state: sum };
            sum.rotate_left(1) ^ chain(&mut request)
        })
    })
}

/// What a program works on.
struct Machine {
    registers: [u64; 8],
    memory: Vec<u64>,
    next: usize,
}

trait Operation {
    fn run(&self, machine: &mut Machine);
}

struct Add(usize, usize);
struct Multiply(usize, usize);
struct Load(usize, usize);
struct Store(usize, usize);
/// Sums so many words of memory from where the register says.
struct Sum(usize, usize, usize);
struct JumpIfLess(usize, u64, usize);

impl Operation for Add {
    fn run(&self, machine: &mut Machine) {
        machine.registers[self.0] = machine.registers[self.0].wrapping_add(machine.registers[self.1]);
    }
}

impl Operation for Multiply {
    fn run(&self, machine: &mut Machine) {
        let product = machine.registers[self.0].wrapping_mul(machine.registers[self.1] | 1);
        machine.registers[self.0] = product ^ product >> 29;
    }
}

impl Operation for Load {
    fn run(&self, machine: &mut Machine) {
        let at = machine.registers[self.1] as usize % machine.memory.len();
        machine.registers[self.0] = machine.memory[at];
    }
}

impl Operation for Store {
    fn run(&self, machine: &mut Machine) {
        let at = machine.registers[self.1] as usize % machine.memory.len();
        machine.memory[at] = machine.registers[self.0];
    }
}

impl Operation for Sum {
    fn run(&self, machine: &mut Machine) {
        let from = machine.registers[self.1] as usize % (machine.memory.len() - self.2);
        let words = &machine.memory[from..from + self.2];
        machine.registers[self.0] = words.iter().fold(0, |sum, word| sum ^ word.rotate_left(3));
    }
}

impl Operation for JumpIfLess {
    fn run(&self, machine: &mut Machine) {
        machine.registers[self.0] += 1;
        if machine.registers[self.0] < self.1 {
            machine.next = self.2;
        }
    }
}

fn prepare_trait_interpreter() -> Work {
    let memory: Vec<u64> = Numbers(5).take(4096).collect();
    let program: Vec<Box<dyn Operation>> = vec![
        Box::new(Load(1, 0)),
        Box::new(Multiply(2, 1)),
        Box::new(Add(2, 0)),
        Box::new(Sum(3, 2, 24)),
        Box::new(Add(4, 3)),
        Box::new(Store(4, 2)),
        Box::new(JumpIfLess(0, 15_000, 0)),
    ];
    let program = black_box(program);
    Box::new(move || {
        let mut machine = Machine { registers: [0; 8], memory: memory.clone(), next: 0 };
        while let Some(operation) = program.get(machine.next) {
            machine.next += 1;
            operation.run(&mut machine);
        }
        machine.registers.iter().fold(0, |sum, register| sum.rotate_left(7) ^ register)
    })
}
