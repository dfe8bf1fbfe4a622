//! Interpreters: their dispatch loops are where a bound on the path between two probes is hardest won.

use crate::data::hash;
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::c("lua", prepare_lua, 0x21d_271b),
    Kernel::c("quickjs", prepare_quickjs, 0x26cc_e1ac_c3a3_4ccc),
    Kernel::c("sqlite-insert", prepare_sqlite_insert, 0x1e_cdd9),
    Kernel::c("sqlite-query", prepare_sqlite_query, 0x82b0_54d7_2c7b_66c2),
    Kernel::rust("rhai", prepare_rhai, 0x23f4_22b9),
    Kernel::rust("wasmi", prepare_wasmi, 0x4da9_d33b),
];

fn prepare_lua() -> Work {
    const PROGRAM: &str = r#"
        local words, sum = {}, 0
        for index = 1, 4000 do
            local key = string.format("k%d", index * 7919 % 997)
            words[key] = (words[key] or 0) + index
        end
        local keys = {}
        for key in pairs(words) do keys[#keys + 1] = key end
        table.sort(keys)
        local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
        for place, key in ipairs(keys) do sum = (sum * 31 + words[key] * place) % 1000003 end
        return sum * 1000 + fib(16)
    "#;
    let lua = mlua::Lua::new();
    let program = lua.load(PROGRAM).into_function().expect("the program is valid");
    Box::new(move || {
        // The program does not keep its interpreter alive.
        let _ = &lua;
        program.call::<u64>(()).unwrap_or_default()
    })
}

fn prepare_quickjs() -> Work {
    const PROGRAM: &str = r#"
        (function () {
            const counts = new Map();
            for (let index = 1; index <= 2000; index++) {
                const key = "k" + (index * 7919 % 499);
                counts.set(key, (counts.get(key) || 0) + index);
            }
            const rows = [...counts].sort((left, right) => left[0] < right[0] ? -1 : 1);
            const text = JSON.stringify(rows.map(([key, count]) => ({ key, count })));
            const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2);
            return text.replace(/k(\d)/g, "$1-") + fib(13);
        })
    "#;
    let runtime = rquickjs::Runtime::new().expect("memory for an interpreter");
    // It measures its stack from where it was made, and requests have stacks of their own.
    runtime.set_max_stack_size(0);
    let context = rquickjs::Context::full(&runtime).expect("memory for its globals");
    Box::new(move || {
        let text = context.with(|context| {
            let function: rquickjs::Function<'_> = context.eval(PROGRAM)?;
            function.call::<_, String>(())
        });
        text.map_or(0, |text| hash(text.bytes()))
    })
}

fn database() -> rusqlite::Connection {
    let database = rusqlite::Connection::open_in_memory().expect("memory for a database");
    database
        .execute_batch("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL, kind INTEGER)")
        .expect("the statement is valid");
    database
}

fn fill(database: &mut rusqlite::Connection, rows: u32) -> rusqlite::Result<()> {
    let transaction = database.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO item VALUES (?1, ?2, ?3, ?4)")?;
        for row in 0..rows {
            let name = format!("item {}", row.wrapping_mul(2_654_435_761) % 10_007);
            insert.execute((row, name, f64::from(row % 100) * 0.25, row % 13))?;
        }
    }
    transaction.commit()
}

fn prepare_sqlite_insert() -> Work {
    let mut database = database();
    Box::new(move || {
        let mut filled = || {
            database.execute("DELETE FROM item", ())?;
            fill(&mut database, 2_000)?;
            database.query_row("SELECT sum(id) + length(group_concat(name)) FROM item", (), |row| {
                row.get::<_, i64>(0)
            })
        };
        filled().unwrap_or_default() as u64
    })
}

fn prepare_sqlite_query() -> Work {
    const QUERY: &str = "SELECT kind, count(*), sum(price), max(name) FROM item \
        WHERE name LIKE '%7%' AND id % 3 != 0 GROUP BY kind ORDER BY sum(price) DESC, kind";
    let mut database = database();
    fill(&mut database, 9_000).expect("rows fit");
    Box::new(move || {
        let rows = || {
            let mut query = database.prepare(QUERY)?;
            let row = |row: &rusqlite::Row<'_>| {
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get::<_, i64>(1)?,
                    row.get::<_, f64>(2)?,
                    row.get::<_, String>(3)?,
                ))
            };
            query.query_map((), row)?.collect::<rusqlite::Result<Vec<_>>>()
        };
        rows().map_or(0, |rows| hash(format!("{rows:?}").bytes()))
    })
}

fn prepare_rhai() -> Work {
    const PROGRAM: &str = r#"
        let numbers = [];
        for index in 0..600 { numbers.push(index * 7919 % 997); }
        numbers.sort();
        let sum = 0;
        for number in numbers { sum = (sum * 31 + number) % 1000003; }
        fn fib(n) { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }
        sum * 1000 + fib(13)
    "#;
    let mut engine = rhai::Engine::new();
    // Its debug builds allow few.
    engine.set_max_call_levels(64);
    let program = engine.compile(PROGRAM).expect("the program is valid");
    Box::new(move || engine.eval_ast::<i64>(&program).unwrap_or_default() as u64)
}

fn prepare_wasmi() -> Work {
    const PROGRAM: &str = r#"
        (module
            (memory 1)
            (func $fib (param $n i32) (result i32)
                (if (result i32) (i32.lt_u (local.get $n) (i32.const 2))
                    (then (local.get $n))
                    (else (i32.add (call $fib (i32.sub (local.get $n) (i32.const 1)))
                                   (call $fib (i32.sub (local.get $n) (i32.const 2)))))))
            (func (export "run") (param $count i32) (result i32)
                (local $index i32) (local $sum i32)
                (memory.fill (i32.const 0) (i32.const 0) (i32.const 65536))
                (loop $again
                    (i32.store (i32.and (i32.mul (local.get $index) (i32.const 7916)) (i32.const 65532)) (local.get $index))
                    (local.set $sum (i32.add (i32.mul (local.get $sum) (i32.const 31))
                        (i32.load (i32.and (i32.mul (local.get $index) (i32.const 4)) (i32.const 65532)))))
                    (local.set $index (i32.add (local.get $index) (i32.const 1)))
                    (br_if $again (i32.lt_u (local.get $index) (local.get $count))))
                (i32.add (local.get $sum) (call $fib (i32.const 17)))))
    "#;
    let engine = wasmi::Engine::default();
    let module = wasmi::Module::new(&engine, PROGRAM).expect("the program is valid");
    let mut store = wasmi::Store::new(&engine, ());
    let instance = wasmi::Linker::<()>::new(&engine)
        .instantiate_and_start(&mut store, &module)
        .expect("it imports nothing");
    let run = instance.get_typed_func::<i32, i32>(&store, "run").expect("it exports `run`");
    Box::new(move || run.call(&mut store, 40_000).map_or(0, |sum| u64::from(sum as u32)))
}
