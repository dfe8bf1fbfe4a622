//! Links modules in pairs of about the same size.
//!
//! LLVM walks over all of the target each time something is linked into it: one after the other into the first,
//! a thousand units would take a thousand walks over the whole program. In pairs each unit is walked over ten
//! times. Neighbours are paired, so the order stays, and with it whose definition of a weak symbol counts.

use inkwell::module::Module;

/// Takes modules one after the other, gives one.
#[derive(Default)]
pub(crate) struct Merge<'ctx> {
    /// With how often each has been a target; the last ones are the smallest.
    modules: Vec<(u32, Module<'ctx>)>,
}

impl<'ctx> Merge<'ctx> {
    /// Adds a module.
    ///
    /// # Errors
    /// LLVM's message when two cannot be linked.
    pub(crate) fn push(&mut self, module: Module<'ctx>) -> Result<(), String> {
        self.modules.push((0, module));
        while let [.., (left, _), (right, _)] = self.modules[..]
            && left == right
        {
            self.link_last_pair()?;
        }
        Ok(())
    }

    fn link_last_pair(&mut self) -> Result<(), String> {
        if let (Some((_, source)), Some((times, target))) = (self.modules.pop(), self.modules.last_mut()) {
            target.link_in_module(source).map_err(|message| message.to_string())?;
            *times += 1;
        }
        Ok(())
    }

    /// All in one; `None` when there was none.
    ///
    /// # Errors
    /// As [`Merge::push`].
    pub(crate) fn finish(mut self) -> Result<Option<Module<'ctx>>, String> {
        while self.modules.len() > 1 {
            self.link_last_pair()?;
        }
        Ok(self.modules.pop().map(|(_, module)| module))
    }
}

#[cfg(test)]
mod tests {
    use inkwell::context::Context;
    use inkwell::memory_buffer::MemoryBuffer;

    use super::*;

    fn module(context: &Context, index: usize) -> Module<'_> {
        let ir =
            format!("@first = weak constant i32 {index}\ndefine i32 @f{index}() {{ ret i32 {index} }}\n\0");
        let buffer = MemoryBuffer::create_from_memory_range_copy(ir.as_bytes(), "m");
        context.create_module_from_ir(buffer).unwrap()
    }

    #[test]
    fn everything_is_there_and_of_a_weak_symbol_the_first_definition() {
        for count in 1..=9 {
            let context = Context::create();
            let mut merge = Merge::default();
            for index in 0..count {
                merge.push(module(&context, index)).unwrap();
            }
            let merged = merge.finish().unwrap().unwrap();
            let functions: Vec<String> = merged
                .get_functions()
                .map(|function| function.get_name().to_string_lossy().into_owned())
                .collect();
            assert_eq!(functions, (0..count).map(|index| format!("f{index}")).collect::<Vec<_>>());
            let first = merged.get_global("first").unwrap().get_initializer().unwrap();
            assert_eq!(first.into_int_value().get_zero_extended_constant(), Some(0));
        }
        assert!(Merge::default().finish().unwrap().is_none());
    }

    #[test]
    fn what_cannot_be_linked_is_an_error() {
        let context = Context::create();
        let mut merge = Merge::default();
        merge.push(module(&context, 1)).unwrap();
        assert!(merge.push(module(&context, 1)).unwrap_err().contains("f1"));
    }
}
