//! Multiplies matrices of small integers in f32. The result is exact: [`super::values`] limits every sum to 2^24.

/// Rows and columns of the register tile, so small that its accumulators stay in registers.
const ROWS: usize = 4;
const COLUMNS: usize = 8;

/// A function that writes a row of the left operand.
pub type FillRow<'a> = dyn Fn(usize, &mut [i8]) + Sync + 'a;

/// Multiplies a left operand, whose rows `fill` writes, by a right operand of `k` rows and `n` columns. Returns `rows`
/// rows of `n` values. Each thread computes a range of rows.
pub fn product(rows: usize, n: usize, k: usize, fill: &FillRow<'_>, right: &[i8]) -> Vec<f32> {
    let blocks = columns(right, n, k);
    let mut result = vec![0.0; rows * n];
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = rows.div_ceil(threads).next_multiple_of(ROWS);
    std::thread::scope(|scope| {
        for (index, part) in result.chunks_mut(share * n).enumerate() {
            let blocks = &blocks;
            scope.spawn(move || some_rows(index * share, part, n, k, fill, blocks));
        }
    });
    result
}

/// Packs the right operand into panels of [`COLUMNS`] columns, so that the inner loop reads memory sequentially (as in
/// Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008).
fn columns(right: &[i8], n: usize, k: usize) -> Vec<Vec<[f32; COLUMNS]>> {
    let mut blocks = vec![vec![[0.0; COLUMNS]; k]; n.div_ceil(COLUMNS)];
    for (row, values) in right.chunks(n).enumerate() {
        for (block, values) in blocks.iter_mut().zip(values.chunks(COLUMNS)) {
            let Some(to) = block.get_mut(row) else { continue };
            for (to, value) in to.iter_mut().zip(values) {
                *to = f32::from(*value);
            }
        }
    }
    blocks
}

fn some_rows(
    first: usize,
    result: &mut [f32],
    n: usize,
    k: usize,
    fill: &FillRow<'_>,
    blocks: &[Vec<[f32; COLUMNS]>],
) {
    let mut row = vec![0; k];
    let mut left = vec![[0.0; ROWS]; k];
    for (group, part) in result.chunks_mut(ROWS * n).enumerate() {
        for lane in 0..part.len() / n {
            fill(first + group * ROWS + lane, &mut row);
            for (to, value) in left.iter_mut().zip(&row) {
                if let Some(to) = to.get_mut(lane) {
                    *to = f32::from(*value);
                }
            }
        }
        for (index, block) in blocks.iter().enumerate() {
            let sums = tile(&left, block);
            for (row, sums) in part.chunks_mut(n).zip(sums) {
                for (to, sum) in row.iter_mut().skip(index * COLUMNS).zip(sums) {
                    *to = sum;
                }
            }
        }
    }
}

fn tile(left: &[[f32; ROWS]], right: &[[f32; COLUMNS]]) -> [[f32; COLUMNS]; ROWS] {
    let mut sums = [[0.0; COLUMNS]; ROWS];
    for (left, right) in left.iter().zip(right) {
        for (sums, left) in sums.iter_mut().zip(left) {
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum += left * right;
            }
        }
    }
    sums
}

/// Converts an extent to a length. It saturates, because such a length cannot be allocated either.
pub fn size(extent: u64) -> usize {
    usize::try_from(extent).unwrap_or(usize::MAX)
}
