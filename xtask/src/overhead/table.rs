//! The results to read.

use comfy_table::{CellAlignment, Table, presets};
use concord_bench::results::AchievedQuantum;

use super::results::{KernelResult, Results};

/// One row for each kernel, the worst first, and the sums of it all.
pub(super) fn render(results: &Results) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header([
        "kernel",
        "in",
        "plain, us",
        "vs plain",
        "probes",
        "95 % of it",
        "instructions",
        "at 5 us: p50 p99 p99.9 max, sd",
        "dropped",
        "at 2 us: p50 p99 p99.9 max, sd",
        "dropped",
    ]);
    for kernel in &results.kernels {
        table.add_row(row(kernel));
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n{}", summary(results))
}

fn row(kernel: &KernelResult) -> [String; 11] {
    let [low, high] = kernel.ci95_pct;
    let (turns_5us, dropped_5us) = turns(kernel.quantum_5us.as_ref());
    let (turns_2us, dropped_2us) = turns(kernel.quantum_2us.as_ref());
    [
        kernel.name.clone(),
        kernel.language.clone(),
        format!("{:.0}", kernel.median_ns.plain / 1e3),
        percent(kernel.vs_plain_pct),
        percent(kernel.overhead_pct),
        format!("{low:+.1} to {high:+.1}"),
        kernel.instructions_pct.map(percent).unwrap_or_default(),
        turns_5us,
        dropped_5us,
        turns_2us,
        dropped_2us,
    ]
}

fn percent(value: f64) -> String {
    format!("{value:+.1} %")
}

/// Lengths of turns in microseconds, and the share that was left out.
fn turns(achieved: Option<&AchievedQuantum>) -> (String, String) {
    let Some(turns) = achieved else { return ("never preempted".into(), String::new()) };
    let [p50, p99, p999, max] =
        [turns.p50, turns.p99, turns.p999, turns.max].map(|time| format!("{:.1}", time / 1e3));
    (format!("{p50} {p99} {p999} {max}, {:.2}", turns.sd / 1e3), format!("{:.2} %", turns.excluded_pct))
}

fn summary(results: &Results) -> String {
    let worst = results.kernels.first().map_or("none", |kernel| kernel.name.as_str());
    let growth = |bytes: u64| percent((bytes as f64 / results.text_bytes.plain as f64 - 1.0) * 100.0);
    let mut summary = format!(
        "probes: geometric mean {:+.2} %, worst {:+.2} % ({worst}); without probes against plain: geometric mean {:+.2} %\n",
        results.geomean_pct, results.max_pct, results.vs_plain_geomean_pct
    );
    if let Some(instructions) = results.instructions_geomean_pct {
        summary.push_str(&format!("instructions: geometric mean {instructions:+.2} %\n"));
    }
    summary.push_str(&format!(
        "machine code of the whole program: {} bytes plain, {} unprobed, {} probed\n",
        results.text_bytes.plain,
        growth(results.text_bytes.unprobed),
        growth(results.text_bytes.probed)
    ));
    let loops = &results.vector_loops;
    summary.push_str(&format!(
        "vector loops: {} plain, {} unprobed, {} probed\n",
        loops.plain, loops.unprobed, loops.probed
    ));
    summary.push_str(
        "gains count as nothing in the means; turns are left out only where the host stopped the worker\n",
    );
    summary
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::*;

    #[test]
    fn a_row_says_what_probes_cost_and_what_they_buy() {
        let text = render(&results());
        let row = text.lines().find(|line| line.contains("worst")).unwrap();
        for part in ["+10.3 %", "+1.0 %", "5.1 5.2 5.9 40.0, 0.10", "0.10 %", "never preempted"] {
            assert!(row.contains(part), "{part} in {row}");
        }
        assert!(text.contains("worst +10.25 % (worst)") && text.contains("+10.0 % probed"), "{text}");
        assert!(text.contains("9 plain, 10 unprobed, 10 probed"), "{text}");
    }
}
