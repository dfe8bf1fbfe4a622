use super::experiment::read_all;
use super::run::Effort;
use super::*;

/// One figure of each kind, as short as can be: names, promised keys, and a picture with its text.
#[test]
fn every_kind_of_figure_is_simulated_and_drawn() {
    let effort = Effort { seeds: 2, curve_seeds: 1, length: 0.002, tolerance: 0.1 };
    let folder = std::env::temp_dir().join(format!("figures-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["persephone-1", "persephone-4-extreme", "persephone-7", "concord-ablation"] {
        let mut experiment = chosen(read_all().unwrap(), &[name.into()]).unwrap().remove(0);
        experiment.loads.truncate(2);
        let figure = run::run(&experiment, effort, &|_| ()).unwrap();
        assert_eq!(figure.series.len() + figure.missing.len(), experiment.series.len());
        let (svg, png) = (folder.join("f.svg"), folder.join("f.png"));
        plot::draw(&experiment, &figure, &svg).unwrap();
        let text = std::fs::read_to_string(&svg).unwrap();
        assert!(text.contains("c-FCFS") || text.contains("Shinjuku"), "{name}: the legend names the series");
        if name == "persephone-1" {
            picture::png(&svg, &png).unwrap();
            assert!(std::fs::metadata(&png).unwrap().len() > 10_000, "{name}");
        }
        for row in published::rows(&experiment, &figure) {
            let row = serde_json::to_value(row).unwrap();
            for key in ["figure", "series", "quantity", "published", "ours", "diff_pct"] {
                assert!(row.get(key).is_some(), "{key} is missing in {row}");
            }
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn figures_are_chosen_by_the_beginning_of_their_names() {
    let names = |only: &[&str]| {
        let only: Vec<String> = only.iter().map(|word| String::from(*word)).collect();
        chosen(read_all().unwrap(), &only)
            .map(|chosen| chosen.iter().map(|experiment| experiment.figure.clone()).collect::<Vec<_>>())
    };
    assert!(names(&[]).unwrap().len() > 10);
    assert_eq!(names(&["persephone-4"]).unwrap(), ["persephone-4-extreme", "persephone-4-high"]);
    assert_eq!(names(&["persephone-1"]).unwrap(), ["persephone-1"]);
    assert!(names(&["figure-1"]).unwrap_err().to_string().contains("persephone-1, "));
}

#[test]
fn gains_are_compared_as_factors() {
    let mut experiment = chosen(read_all().unwrap(), &["concord-bimodal".into()]).unwrap().remove(0);
    experiment.loads = vec![0.1];
    let effort = Effort { seeds: 1, curve_seeds: 1, length: 0.002, tolerance: 0.1 };
    let mut figure = run::run(&experiment, effort, &|_| ()).unwrap();
    let at = |rps| Some(concord_bench::sim::Spread::of(vec![rps]));
    for drawn in &mut figure.series {
        drawn.at_slo = if drawn.name.starts_with("Concord") { at(118.0) } else { at(100.0) };
    }
    let rows = published::rows(&experiment, &figure);
    assert_eq!(rows.len(), 2);
    assert!((rows[0].ours.unwrap() - 18.0).abs() < 1e-9 && rows[0].diff_pct.unwrap().abs() < 1e-9);
    assert!((rows[1].diff_pct.unwrap() - 100.0 * (1.18 / 1.45 - 1.0)).abs() < 1e-9);
}
