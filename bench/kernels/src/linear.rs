//! Matrices and images.

use image::{GrayImage, imageops};

use crate::data::{Numbers, hash};
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::rust("matrix-multiply", prepare_multiply, 0xf6b2_49ea),
    Kernel::rust("matrix-rows", prepare_rows, 0x7c18_a99d),
    Kernel::rust("cholesky", prepare_cholesky, 0xf92_615d),
    Kernel::rust("nalgebra-lu", prepare_lu, 411_100),
    Kernel::rust("image-blur", prepare_blur, 0x8ac_1130_4f90_373d),
    Kernel::rust("image-resize", prepare_resize, 0x6760_6ce7_11be_6c23),
];

const SIDE: usize = 128;

fn reals(seed: u64, count: usize) -> Vec<f64> {
    Numbers(seed).take(count).map(|number| (number % 64) as f64).collect()
}

/// Row by column, as it is taught.
fn prepare_multiply() -> Work {
    let (left, right) = (reals(3, SIDE * SIDE), reals(4, SIDE * SIDE));
    Box::new(move || {
        let mut sum = 0.0;
        for row in 0..SIDE {
            for column in 0..SIDE {
                let mut cell = 0.0;
                for inner in 0..SIDE {
                    cell += left[row * SIDE + inner] * right[inner * SIDE + column];
                }
                sum += cell * (row % 5) as f64;
            }
        }
        sum as u64
    })
}

/// The same in the order that vectorises.
fn prepare_rows() -> Work {
    let reals = reals(3, 2 * SIDE * SIDE);
    Box::new(move || {
        let (left, right) = reals.split_at(SIDE * SIDE);
        let mut product = vec![0.0; SIDE * SIDE];
        for row in 0..SIDE {
            for inner in 0..SIDE {
                let factor = left[row * SIDE + inner];
                for column in 0..SIDE {
                    product[row * SIDE + column] += factor * right[inner * SIDE + column];
                }
            }
        }
        product.iter().sum::<f64>() as u64
    })
}

fn prepare_cholesky() -> Work {
    const SIDE: usize = 220;
    let mut matrix = reals(13, SIDE * SIDE);
    for row in 0..SIDE {
        for column in 0..row {
            matrix[column * SIDE + row] = matrix[row * SIDE + column];
        }
        matrix[row * SIDE + row] += 64.0 * SIDE as f64;
    }
    Box::new(move || {
        let mut factor = matrix.clone();
        cholesky(&mut factor, SIDE);
        let diagonal = (0..SIDE).map(|row| factor[row * SIDE + row]);
        (diagonal.sum::<f64>() * 1e4).round() as u64
    })
}

/// Leaves the lower factor in the lower half.
fn cholesky(matrix: &mut [f64], side: usize) {
    for column in 0..side {
        for row in column..side {
            let mut sum = matrix[row * side + column];
            for inner in 0..column {
                sum -= matrix[row * side + inner] * matrix[column * side + inner];
            }
            let diagonal = matrix[column * side + column];
            matrix[row * side + column] = if row == column { sum.sqrt() } else { sum / diagonal };
        }
    }
}

fn prepare_lu() -> Work {
    const SIDE: usize = 220;
    let mut matrix = nalgebra::DMatrix::from_vec(SIDE, SIDE, reals(14, SIDE * SIDE));
    matrix.fill_diagonal(9_000.0);
    let right = nalgebra::DVector::from_vec(reals(15, SIDE));
    Box::new(move || {
        let Some(solution) = matrix.clone().lu().solve(&right) else { return 0 };
        let error = (&matrix * &solution - &right).norm();
        if error < 1e-6 { (solution.sum() * 1e6).round() as i64 as u64 } else { 0 }
    })
}

fn picture() -> GrayImage {
    let mut pixels = Numbers(16);
    GrayImage::from_fn(160, 120, |x, y| {
        let noise = pixels.next().unwrap_or_default() % 32;
        image::Luma([((x * y / 7) as u64 % 224 + noise) as u8])
    })
}

fn prepare_blur() -> Work {
    let picture = picture();
    Box::new(move || {
        let edges = imageops::filter3x3(&picture, &[0.0f32, -1.0, 0.0, -1.0, 8.0, -1.0, 0.0, -1.0, 0.0]);
        let blurred = imageops::blur(&picture, 2.0);
        coarse(&edges) ^ coarse(&blurred).rotate_left(17)
    })
}

fn prepare_resize() -> Work {
    let picture = picture();
    Box::new(move || coarse(&imageops::resize(&picture, 240, 90, imageops::FilterType::Lanczos3)))
}

/// Of the pixels; floats were rounded on the way, by the same operations on every x86-64.
fn coarse(picture: &GrayImage) -> u64 {
    hash(picture.as_raw().iter().copied())
}
