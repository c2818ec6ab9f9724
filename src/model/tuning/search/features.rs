//! What the model and the strata see of points.

/// Which knobs belong together, such as all sizes of `distribution`.
#[derive(Debug)]
pub struct Groups {
    /// The group of each knob.
    of: Vec<usize>,
    count: usize,
}

impl Groups {
    /// Groups knobs by their names without index: `wg_0` and `wg_1`, `thread[0]` and `thread[1]`.
    pub fn new(knobs: &[String]) -> Self {
        let mut names: Vec<&str> = Vec::new();
        let of = knobs.iter().map(|knob| {
            let name = knob.split('[').next().unwrap_or(knob);
            let name = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
            names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        });
        let of: Vec<usize> = of.collect();
        Self { of, count: names.len() }
    }

    /// Returns the values, and for each group the logarithm of their product, and of that to the product of the group
    /// before: how many vectors a tile has, for example.
    pub fn features(&self, values: &[i64]) -> Vec<f64> {
        let products = self.products(values);
        let ratios = products.windows(2).map(|pair| match pair {
            [before, after] => before - after,
            _ => 0.0,
        });
        let own = values.iter().map(|value| logarithm(*value));
        own.chain(products.iter().copied()).chain(ratios).collect()
    }

    /// Returns the stratum of a point: the products of its groups, rounded to powers of 4.
    pub(crate) fn stratum(&self, values: &[i64]) -> Vec<i64> {
        let products = self.products(values);
        // From -64 to 64, as logarithms of 64-bit numbers are.
        products
            .iter()
            .map(|product| format!("{:.0}", product / 2.0).parse().unwrap_or(0))
            .collect()
    }

    fn products(&self, values: &[i64]) -> Vec<f64> {
        let mut products = vec![0.0; self.count];
        for (group, value) in self.of.iter().zip(values) {
            if let Some(product) = products.get_mut(*group) {
                *product += logarithm(*value);
            }
        }
        products
    }
}

/// Returns the logarithm to base 2 of sizes. Those of 0 and below, which stand for none and for kinds, stay apart.
fn logarithm(value: i64) -> f64 {
    let size = f64::from(i32::try_from(value).unwrap_or(i32::MAX));
    if value > 0 { size.log2() } else { size - 1.0 }
}
