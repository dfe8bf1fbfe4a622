//! Hard cases of published designs with more than a loop in them: a page index, a scene of surfaces that light
//! each other, bodies that attract each other.

use std::hint::black_box;

use crate::data::{Numbers, hash, text};
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::rust("reverse-index", prepare_reverse_index, 0xb246_9d87_7da9_983c),
    Kernel::rust("radiosity", prepare_radiosity, 0x307_5494),
    Kernel::rust("n-body", prepare_bodies, 781_170),
    Kernel::rust("mandelbrot", || Box::new(|| mandelbrot(black_box(96))), 0x7_e234),
    Kernel::rust("life", prepare_life, 0x638d_3bd5_ff8c_b94a),
];

fn prepare_reverse_index() -> Work {
    let words = text(120_000);
    let pages: Vec<String> = words.as_bytes().chunks(4_000).enumerate().map(page).collect();
    Box::new(move || reverse_index(&pages))
}

/// HTML of words, some of them links.
fn page((number, words): (usize, &[u8])) -> String {
    let mut html = format!("<html><title>{number}</title>");
    for (index, word) in String::from_utf8_lossy(words).split_whitespace().enumerate() {
        if (index + number).is_multiple_of(7) {
            html.push_str(&format!("<a href=\"http://{word}.example/{}\">{word}</a> ", index % 50));
        } else {
            html.push_str(word);
            html.push(' ');
        }
    }
    html
}

/// Which pages hold which link, kept sorted by link, in lists searched by halving.
fn reverse_index(pages: &[String]) -> u64 {
    let mut index: Vec<(&str, Vec<u32>)> = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        let mut rest = page.as_bytes();
        while let Some(start) = find(rest, b"<a href=\"") {
            let Some(end) = rest[start..].iter().position(|byte| *byte == b'"') else { break };
            let link = std::str::from_utf8(&rest[start..start + end]).unwrap_or_default();
            match index.binary_search_by(|(known, _)| (*known).cmp(link)) {
                Ok(at) if index[at].1.last() == Some(&(number as u32)) => {}
                Ok(at) => index[at].1.push(number as u32),
                Err(at) => index.insert(at, (link, vec![number as u32])),
            }
            rest = &rest[start + end..];
        }
    }
    let entry = |(link, pages): &(&str, Vec<u32>)| {
        hash(link.bytes()).wrapping_mul(pages.iter().fold(1, |sum, page| sum * 31 + u64::from(*page)) | 1)
    };
    index.iter().map(entry).fold(0, u64::wrapping_add)
}

/// Where `key` ends in `text`, byte by byte as the published kernel does it.
fn find(text: &[u8], key: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at + key.len() <= text.len() {
        let mut matched = 0;
        while matched < key.len() && text[at + matched] == key[matched] {
            matched += 1;
        }
        if matched == key.len() {
            return Some(at + matched);
        }
        at += 1;
    }
    None
}

/// A square patch of surface, halved in both directions where more detail is wanted.
struct Patch {
    centre: [f64; 3],
    normal: [f64; 3],
    area: f64,
    light: f64,
    gathered: f64,
    parts: Vec<Patch>,
}

fn prepare_radiosity() -> Work {
    let mut numbers = Numbers(6).map(|number| (number % 1_000) as f64 / 100.0);
    let mut number = move || numbers.next().unwrap_or_default();
    let roots = (0..7).map(|index| {
        let normal = [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]][index % 3];
        patch([number(), number(), number() + 11.0 * index as f64], normal, 4.0, 3)
    });
    let mut roots: Vec<Patch> = roots.collect();
    Box::new(move || {
        let mut sum = 0.0;
        for _ in 0..25 {
            roots.iter_mut().for_each(reset);
            (0..2).for_each(|_| exchange(&mut roots));
            sum += roots.iter().map(|root| root.light).sum::<f64>();
        }
        (sum * 1e6).round() as u64
    })
}

/// Every surface gathers the light of every other one.
fn exchange(roots: &mut [Patch]) {
    let mut lights: Vec<f64> = roots.iter().map(|root| root.light).collect();
    for (index, root) in roots.iter_mut().enumerate() {
        for (other, light) in lights.iter().enumerate().filter(|(other, _)| *other != index) {
            gather(root, [other as f64, *light, 3.0 + other as f64], *light);
        }
        push_pull(root, 0.0);
        lights[index] = root.light;
    }
}

fn patch(centre: [f64; 3], normal: [f64; 3], area: f64, depth: u32) -> Patch {
    let side = area.sqrt() / 4.0;
    let part = |index: i32| {
        let shift = |axis: usize| {
            if normal[axis] != 0.0 { 0.0 } else { side * f64::from(2 * (index >> (axis & 1) & 1) - 1) }
        };
        patch([0, 1, 2].map(|axis| centre[axis] + shift(axis)), normal, area / 4.0, depth - 1)
    };
    let parts = if depth == 0 { Vec::new() } else { (0..4).map(part).collect() };
    Patch { centre, normal, area, light: 0.0, gathered: 0.0, parts }
}

fn reset(patch: &mut Patch) {
    patch.light = if patch.normal[1] < 0.0 { 10.0 } else { 0.5 };
    patch.gathered = 0.0;
    patch.parts.iter_mut().for_each(reset);
}

/// Light that arrives from a point, refined into the parts where the patch is large for its distance.
fn gather(patch: &mut Patch, from: [f64; 3], light: f64) {
    let way: [f64; 3] = std::array::from_fn(|axis| from[axis] - patch.centre[axis]);
    let square = way.iter().map(|part| part * part).sum::<f64>() + 1e-3;
    if !patch.parts.is_empty() && patch.area / square > 1e-4 {
        return patch.parts.iter_mut().for_each(|part| gather(part, from, light));
    }
    let slope = way.iter().zip(patch.normal).map(|(way, normal)| way * normal).sum::<f64>().abs();
    patch.gathered += light * slope * patch.area / (std::f64::consts::PI * square * square.sqrt());
}

/// Light flows down to the leaves and its mean back up.
fn push_pull(patch: &mut Patch, from_above: f64) -> f64 {
    let own = from_above + patch.gathered;
    patch.gathered = 0.0;
    if patch.parts.is_empty() {
        patch.light = 0.7 * own + 0.3 * patch.light;
    } else {
        let parts = patch.parts.len() as f64;
        patch.light = patch.parts.iter_mut().map(|part| push_pull(part, own)).sum::<f64>() / parts;
    }
    patch.light
}

fn prepare_bodies() -> Work {
    let coordinates: Vec<f64> =
        Numbers(8).take(6 * 24).map(|number| (number % 1_000) as f64 / 100.0).collect();
    Box::new(move || {
        let mut bodies: Vec<[f64; 6]> =
            coordinates.chunks_exact(6).map(|body| std::array::from_fn(|axis| body[axis])).collect();
        for _ in 0..800 {
            attract(&mut bodies, 1e-4);
        }
        let sum: f64 = bodies.iter().flatten().sum();
        (sum * 1e3).round() as u64
    })
}

/// One step of time: each body is place, then velocity.
fn attract(bodies: &mut [[f64; 6]], step: f64) {
    for index in 0..bodies.len() {
        let (before, after) = bodies.split_at_mut(index + 1);
        let own = &mut before[index];
        for other in after {
            let way = [own[0] - other[0], own[1] - other[1], own[2] - other[2]];
            let square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] + 0.1;
            let pull = step / (square * square.sqrt());
            for axis in 0..3 {
                own[3 + axis] -= way[axis] * pull;
                other[3 + axis] += way[axis] * pull;
            }
        }
    }
    for body in bodies {
        for axis in 0..3 {
            body[axis] += step * body[3 + axis];
        }
    }
}

/// Steps over a square of the plane until each point escapes.
fn mandelbrot(side: u32) -> u64 {
    let mut steps = 0;
    for row in 0..side {
        for column in 0..side {
            let (real, imaginary) = (
                f64::from(column) * 3.0 / f64::from(side) - 2.0,
                f64::from(row) * 2.0 / f64::from(side) - 1.0,
            );
            let (mut x, mut y, mut left) = (0.0, 0.0, 200u64);
            while left > 0 && x * x + y * y <= 4.0 {
                (x, y) = (x * x - y * y + real, 2.0 * x * y + imaginary);
                left -= 1;
            }
            steps += 200 - left;
        }
    }
    steps
}

/// Conway's game on a torus.
fn prepare_life() -> Work {
    const SIDE: usize = 64;
    let start: Vec<u8> = Numbers(11).take(SIDE * SIDE).map(|number| u8::from(number % 3 == 0)).collect();
    Box::new(move || {
        let (mut cells, mut next) = (start.clone(), vec![0; SIDE * SIDE]);
        for _ in 0..30 {
            for row in 0..SIDE {
                let rows = [(row + SIDE - 1) % SIDE, row, (row + 1) % SIDE];
                for column in 0..SIDE {
                    let columns = [(column + SIDE - 1) % SIDE, column, (column + 1) % SIDE];
                    let around: u8 =
                        rows.iter().flat_map(|row| columns.map(|column| cells[row * SIDE + column])).sum();
                    let own = cells[row * SIDE + column];
                    next[row * SIDE + column] = u8::from(around == 3 || (around == 4 && own == 1));
                }
            }
            std::mem::swap(&mut cells, &mut next);
        }
        hash(cells.iter().copied())
    })
}
