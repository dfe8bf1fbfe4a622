//! Options of a server.

mod mechanism;

pub use mechanism::{Assist, Preemption, Rotation};

use crate::error::Error;
use crate::policy;
use crate::sys::affinity::allowed_cores;
use crate::sys::clock::Nanos;
use crate::sys::idle::Manner;

/// Options of a server. Make one by `Config { workers: 2, ..Config::default() }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Worker threads; the dispatcher is one more. Default: 1.
    pub workers: usize,
    /// How long a turn may last while something waits for its worker; `None`: nothing is preempted.
    /// Default: 5 us.
    pub quantum: Option<Nanos>,
    /// Requests that a worker holds at most, the running one included: the k of JBSQ(k). `None`, the default: what
    /// covers the hand-off, as it is measured while requests run; 2 to 16.
    pub jbsq_depth: Option<usize>,
    /// How a turn is ended before its request is done. Default: `Line`.
    pub preemption: Preemption,
    /// Who decides what runs next on a worker. Default: `Dispatcher`.
    pub rotation: Rotation,
    /// Whether the dispatcher runs requests itself while no worker has room. Default: `Auto`.
    pub assist: Assist,
    /// The policy's name, and options after a colon; [`policy::help`] lists them. Default: `ps`.
    pub policy: String,
    /// Bytes of a request's stack. Default: 256 KiB; only what is touched uses memory.
    pub stack_size: usize,
    /// Stacks that each worker maps before the run, at most as many as `queue_bound`. Default: 64.
    pub prepared_stacks: usize,
    /// Where threads run. Default: `Auto`.
    pub pinning: Pinning,
    /// How idle threads wait. Default: `Auto`.
    pub idle: Idle,
    /// Requests under way at most, waiting or started; more are dropped and counted. Default: 4096.
    pub queue_bound: usize,
    /// Bytes of a payload at most. Default: 2048.
    pub request_size: usize,
    /// Bytes of a reply at most. Default: 2048.
    pub reply_size: usize,
    /// Two clock readings of a spinning loop further apart than this are time that the host stole; a turn
    /// that does not see for longer than this what was written to its line is an overrun. Default: 10 us.
    pub stolen_threshold: Nanos,
}

/// Where threads run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pinning {
    /// A core for each thread when there are enough, else nowhere in particular.
    Auto,
    /// Nowhere in particular.
    Off,
    /// On these cores: the dispatcher on the first, the workers on the following ones.
    Cores(Vec<usize>),
}

/// How threads wait for work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// `Poll` when there is a core for each thread, else `Polite`.
    Auto,
    /// Poll without pause: fastest, keeps a core at 100 % for each thread.
    Poll,
    /// Spin shortly, then yield, then sleep: for tests, laptops, containers with few cores. A dispatcher that
    /// sleeps sees a packet up to 100 us late.
    Polite,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            workers: 1,
            quantum: Some(Nanos::from_micros(5)),
            jbsq_depth: None,
            preemption: Preemption::Line,
            rotation: Rotation::Dispatcher,
            assist: Assist::Auto,
            policy: "ps".into(),
            stack_size: 256 << 10,
            prepared_stacks: 64,
            pinning: Pinning::Auto,
            idle: Idle::Auto,
            queue_bound: 4096,
            request_size: 2048,
            reply_size: 2048,
            stolen_threshold: Nanos::from_micros(10),
        }
    }
}

/// Smallest stack: a handler's panic alone needs more than 16 KiB to print its message.
const MIN_STACK: usize = 64 << 10;

/// Most workers; their numbers must fit [`WorkerId`](crate::WorkerId).
const MAX_WORKERS: usize = 1024;

impl Config {
    /// Checks that the options are possible, alone, together and on this machine.
    ///
    /// # Errors
    /// [`Error::Option`] with the first option that is not.
    pub fn validate(&self) -> Result<(), Error> {
        within("workers", self.workers, 1, MAX_WORKERS)?;
        if let Some(quantum) = self.quantum {
            check(quantum > Nanos(0), "quantum", || {
                "is 0; it must be positive, or none to preempt nothing".into()
            })?;
            check(quantum <= Nanos::from_millis(1_000), "quantum", || format!("is {quantum}; at most 1s"))?;
        }
        within("jbsq_depth", self.deepest(), 1, 1024)?;
        self.check_mechanisms()?;
        self.check_policy()?;
        within("stack_size", self.stack_size, MIN_STACK, 1 << 30)?;
        within("queue_bound", self.queue_bound, 1, 1 << 24)?;
        within("prepared_stacks", self.prepared_stacks, 0, 1 << 16)?;
        within("request_size", self.request_size, 1, 1 << 20)?;
        within("reply_size", self.reply_size, 1, 1 << 20)?;
        check(self.stolen_threshold > Nanos(0), "stolen_threshold", || "is 0; it must be positive".into())?;
        self.check_pinning()
    }

    fn check_policy(&self) -> Result<(), Error> {
        let spec = self.policy.parse::<policy::Spec>();
        spec.map(drop).map_err(|error| Error::Option { option: "policy", problem: error.to_string() })
    }

    fn check_pinning(&self) -> Result<(), Error> {
        let Pinning::Cores(cores) = &self.pinning else { return Ok(()) };
        let threads = self.workers + 1;
        check(cores.len() >= threads, "workers", || {
            format!(
                "is {}, which with the dispatcher makes {threads} threads, but option `pinning` names {} cores; \
                 name more cores or ask for fewer workers",
                self.workers,
                cores.len()
            )
        })?;
        for (index, core) in cores.iter().enumerate() {
            check(!cores[..index].contains(core), "pinning", || format!("names core {core} twice"))?;
        }
        let allowed = allowed_cores();
        let foreign = cores.iter().find(|core| !allowed.contains(core));
        check(foreign.is_none(), "pinning", || {
            format!("core {} is not among those this process may use: {allowed:?}", foreign.unwrap_or(&0))
        })
    }

    /// The core of each thread, the dispatcher's first; empty: pin none.
    pub(crate) fn cores(&self) -> Vec<usize> {
        match &self.pinning {
            Pinning::Off => Vec::new(),
            Pinning::Cores(cores) => cores[..=self.workers].to_vec(),
            Pinning::Auto => {
                if !self.has_core_for_each_thread() {
                    return Vec::new();
                }
                allowed_cores().get(..=self.workers).map(<[usize]>::to_vec).unwrap_or_default()
            }
        }
    }

    /// How the threads wait on this machine.
    pub(crate) fn manner(&self) -> Manner {
        match self.idle {
            Idle::Poll => Manner::Poll,
            Idle::Polite => Manner::Polite,
            Idle::Auto if self.has_core_for_each_thread() => Manner::Poll,
            Idle::Auto => Manner::Polite,
        }
    }

    /// By the allowed cores and by the CPU time that a container's quota grants.
    fn has_core_for_each_thread(&self) -> bool {
        std::thread::available_parallelism().is_ok_and(|cores| cores.get() > self.workers)
    }
}

fn check(is_possible: bool, option: &'static str, problem: impl FnOnce() -> String) -> Result<(), Error> {
    if is_possible { Ok(()) } else { Err(Error::Option { option, problem: problem() }) }
}

fn within(option: &'static str, value: usize, least: usize, most: usize) -> Result<(), Error> {
    check((least..=most).contains(&value), option, || {
        format!("is {value}; it must be between {least} and {most}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(config: Config) -> String {
        config.validate().unwrap_err().to_string()
    }

    #[test]
    fn the_default_is_possible() {
        Config::default().validate().unwrap();
        for policy in policy::names() {
            Config { policy: policy.into(), ..Config::default() }.validate().unwrap();
        }
    }

    #[test]
    fn impossible_options_are_refused_by_name() {
        let default = Config::default;
        let refused = [
            ("workers", Config { workers: 0, ..default() }),
            ("quantum", Config { quantum: Some(Nanos(0)), ..default() }),
            ("jbsq_depth", Config { jbsq_depth: Some(0), ..default() }),
            ("policy", Config { policy: "round-robin".into(), ..default() }),
            (
                "preemption",
                Config { preemption: Preemption::EmulatedInterrupt { cycles: u32::MAX }, ..default() },
            ),
            ("stack_size", Config { stack_size: 4096, ..default() }),
            ("queue_bound", Config { queue_bound: 0, ..default() }),
            ("request_size", Config { request_size: 0, ..default() }),
            ("reply_size", Config { reply_size: 0, ..default() }),
            ("stolen_threshold", Config { stolen_threshold: Nanos(0), ..default() }),
            ("pinning", Config { pinning: Pinning::Cores(vec![0, 0]), ..default() }),
            ("pinning", Config { pinning: Pinning::Cores(vec![0, 100_000]), ..default() }),
        ];
        for (option, config) in refused {
            let message = refusal(config);
            assert!(message.starts_with(&format!("option `{option}`: ")), "{message}");
        }
    }

    #[test]
    fn more_workers_than_cores_asked_for_are_refused() {
        let message =
            refusal(Config { workers: 2, pinning: Pinning::Cores(vec![0, 1]), ..Config::default() });
        assert!(message.contains("`workers`: is 2") && message.contains("names 2 cores"), "{message}");
    }

    #[test]
    fn without_a_core_for_each_thread_the_default_is_polite_and_pins_nothing() {
        let config = Config { workers: MAX_WORKERS, ..Config::default() };
        assert_eq!((config.manner(), config.cores()), (Manner::Polite, vec![]));
        let config = Config { idle: Idle::Poll, ..config };
        assert_eq!(config.manner(), Manner::Poll);
    }

    #[test]
    fn a_misspelt_policy_gets_a_suggestion() {
        let message = refusal(Config { policy: "cfcfs".into(), ..Config::default() });
        assert!(message.contains("did you mean `c-fcfs`?"), "{message}");
        let message = refusal(Config { policy: "xyz".into(), ..Config::default() });
        assert!(!message.contains("did you mean") && message.contains("ps, c-fcfs"), "{message}");
    }

    #[test]
    fn a_policy_s_options_are_checked() {
        let message = refusal(Config { policy: "ps:quanta=3".into(), ..Config::default() });
        assert_eq!(message, "option `policy`: policy `ps` has no option `quanta`; it has none");
    }
}
