//! Which functions have a clone, decided on plain graphs.
//!
//! Invariants of a choice:
//! (1) Chosen are only functions that can be cloned and that a root can come to through such functions; a call
//!     through a pointer comes to every function of its kind whose address is taken.
//! (2) Chosen is among those each that has a probe or comes to a chosen one. The others are the same in both builds:
//!     one copy serves.

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Whether a clone of it would do what it does.
    pub can_be_cloned: bool,
    /// Whether a probe stands in it.
    pub has_probe: bool,
    /// What it calls by name.
    pub calls: Vec<usize>,
    /// The kinds of pointers that it calls.
    pub pointers: Vec<usize>,
}

/// The functions of a module.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// By their number.
    pub functions: Vec<Function>,
    /// For each kind of pointer the functions that it may lead to.
    pub kinds: Vec<Vec<usize>>,
}

impl Program {
    /// For each function whether it has a clone.
    pub fn choose(&self, roots: &[usize]) -> Vec<bool> {
        let is_reached = self.reached(roots);
        let mut callers = vec![Vec::new(); self.functions.len()];
        let mut callers_of_kind = vec![Vec::new(); self.kinds.len()];
        let mut kinds_of = vec![Vec::new(); self.functions.len()];
        for (kind, targets) in self.kinds.iter().enumerate() {
            targets.iter().for_each(|&target| kinds_of[target].push(kind));
        }
        let reached = || (0..self.functions.len()).filter(|&index| is_reached[index]);
        for index in reached() {
            let function = &self.functions[index];
            function.calls.iter().for_each(|&callee| callers[callee].push(index));
            function.pointers.iter().for_each(|&kind| callers_of_kind[kind].push(index));
        }
        let mut is_chosen = vec![false; self.functions.len()];
        let mut is_kind_seen = vec![false; self.kinds.len()];
        let mut open: Vec<usize> = reached().filter(|&index| self.functions[index].has_probe).collect();
        while let Some(index) = open.pop() {
            if std::mem::replace(&mut is_chosen[index], true) {
                continue;
            }
            open.extend(&callers[index]);
            for &kind in &kinds_of[index] {
                if !std::mem::replace(&mut is_kind_seen[kind], true) {
                    open.extend(&callers_of_kind[kind]);
                }
            }
        }
        is_chosen
    }

    fn reached(&self, roots: &[usize]) -> Vec<bool> {
        let mut is_reached = vec![false; self.functions.len()];
        let mut is_kind_seen = vec![false; self.kinds.len()];
        let mut open: Vec<usize> = roots.to_vec();
        while let Some(index) = open.pop() {
            let function = &self.functions[index];
            if !function.can_be_cloned || std::mem::replace(&mut is_reached[index], true) {
                continue;
            }
            open.extend(&function.calls);
            for &kind in &function.pointers {
                if !std::mem::replace(&mut is_kind_seen[kind], true) {
                    open.extend(&self.kinds[kind]);
                }
            }
        }
        is_reached
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn function(has_probe: bool, calls: &[usize], pointers: &[usize]) -> Function {
        Function { can_be_cloned: true, has_probe, calls: calls.to_vec(), pointers: pointers.to_vec() }
    }

    fn chosen(program: &Program) -> Vec<usize> {
        let is_chosen = program.choose(&[0]);
        (0..is_chosen.len()).filter(|&index| is_chosen[index]).collect()
    }

    #[test]
    fn what_leads_from_the_root_to_probes_is_cloned_and_nothing_else() {
        let functions = vec![
            function(false, &[1, 2], &[]),
            function(true, &[], &[]),
            // Without a probe on any way.
            function(false, &[3], &[]),
            function(false, &[], &[]),
            // Not called.
            function(true, &[1], &[]),
        ];
        assert_eq!(chosen(&Program { functions, kinds: Vec::new() }), [0, 1]);
    }

    #[test]
    fn pointers_lead_to_all_of_their_kind() {
        let functions = vec![
            function(false, &[], &[0]),
            function(true, &[], &[]),
            function(false, &[], &[]),
            function(true, &[], &[]),
        ];
        assert_eq!(chosen(&Program { functions, kinds: vec![vec![1, 2], vec![3]] }), [0, 1]);
    }

    #[test]
    fn what_cannot_be_cloned_ends_the_second_build() {
        let mut functions =
            vec![function(false, &[1], &[]), function(true, &[2], &[]), function(true, &[], &[])];
        functions[1].can_be_cloned = false;
        assert!(chosen(&Program { functions, kinds: Vec::new() }).is_empty());
    }

    prop_compose! {
        fn programs()(size in 1_usize..12)(
            functions in prop::collection::vec(
                (any::<bool>(), prop::bool::weighted(0.8), prop::collection::vec(0..size, 0..3),
                 prop::collection::vec(0_usize..2, 0..2)),
                size,
            ),
            kinds in prop::collection::vec(prop::collection::vec(0..size, 0..3), 2),
        ) -> Program {
            let functions = functions.into_iter().map(|(has_probe, can_be_cloned, calls, pointers)| {
                Function { can_be_cloned, has_probe, calls, pointers }
            });
            Program { functions: functions.collect(), kinds }
        }
    }

    proptest! {
        #[test]
        fn a_choice_keeps_the_invariants(program in programs()) {
            let is_reached = program.reached(&[0]);
            let is_chosen = program.choose(&[0]);
            for (index, function) in program.functions.iter().enumerate() {
                let targets = function.pointers.iter().flat_map(|&kind| &program.kinds[kind]);
                let leads_to_chosen = function.calls.iter().chain(targets).any(|&callee| is_chosen[callee]);
                let expected = is_reached[index] && (function.has_probe || leads_to_chosen);
                prop_assert_eq!(is_chosen[index], expected);
            }
        }
    }
}
