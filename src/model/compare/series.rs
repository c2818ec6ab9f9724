//! The times of functions over many builds.

use std::collections::{HashMap, HashSet};

use super::matching::{By, matched};
use super::side::Function;

/// The time of a function in a build.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    pub name: String,
    pub hash: Option<String>,
    pub value: f64,
}

/// The times of a function in those builds that have it.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the last of them.
    pub name: String,
    /// The index of the build, and the time.
    pub values: Vec<(usize, f64)>,
}

/// Returns the series of all functions of builds, which are in order. A function continues a series of its name. One with
/// a new name continues that of the function of the build before that it matches, as in comparisons, unless it replaced
/// several or the other is still there.
pub fn series(builds: &[Vec<Timed>]) -> Vec<Series> {
    let mut found: Vec<Series> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut before: &[Timed] = &[];
    for (build, functions) in builds.iter().enumerate() {
        if functions.iter().any(|function| !known.contains_key(&*function.name)) {
            for (old, new) in renamed(before, functions) {
                if let Some(nth) = known.get(old).copied() {
                    known.entry(new).or_insert(nth);
                }
            }
        }
        for function in functions {
            let nth = *known.entry(&function.name).or_insert_with(|| {
                found.push(Series { name: String::new(), values: Vec::new() });
                found.len() - 1
            });
            if let Some(series) = found.get_mut(nth) {
                series.name.clone_from(&function.name);
                series.values.push((build, function.value));
            }
        }
        before = functions;
    }
    found
}

/// Returns the names of functions that were renamed, before and after.
fn renamed<'a>(before: &'a [Timed], after: &'a [Timed]) -> Vec<(&'a str, &'a str)> {
    let of = |function: &Timed| Function {
        name: function.name.clone(),
        hash: function.hash.clone(),
        ..Function::default()
    };
    let functions = [before, after].map(|all| all.iter().map(of).collect::<Vec<_>>());
    let there: HashSet<&str> = after.iter().map(|function| &*function.name).collect();
    let matches = matched(&functions[0], &functions[1]).into_iter();
    let single = matches.filter(|it| !matches!(it.by, By::Name | By::Replaced | By::Alone));
    let names = single.filter_map(|it| {
        let (old, new) = (before.get(*it.base.first()?)?, after.get(*it.new.first()?)?);
        Some((&*old.name, &*new.name))
    });
    names.filter(|(old, _)| !there.contains(old)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(names: &[&str], value: f64) -> Vec<Timed> {
        let timed = |name: &&str| Timed { name: (*name).to_owned(), hash: None, value };
        names.iter().map(timed).collect()
    }

    #[test]
    fn a_series_goes_on_where_its_function_is_renumbered() {
        let (matmul, softmax) = ("f_dispatch_0_matmul_4x4x4_f32", "f_dispatch_1_softmax_4x4xf32");
        let moved = "f_dispatch_2_softmax_4x4xf32";
        let builds = [
            build(&[matmul, softmax], 1.0),
            build(&[matmul, "g", moved], 2.0),
            build(&[softmax], 3.0),
        ];
        let found = series(&builds);
        let told: Vec<_> = found.iter().map(|it| (it.name.as_str(), it.values.clone())).collect();
        assert_eq!(
            told,
            [
                (matmul, vec![(0, 1.0), (1, 2.0)]),
                (softmax, vec![(0, 1.0), (1, 2.0), (2, 3.0)]),
                ("g", vec![(1, 2.0)]),
            ]
        );
    }

    #[test]
    fn functions_that_are_there_together_have_series_of_their_own() {
        let hash = Some("x".to_owned());
        let one = |name: &str| Timed { name: name.to_owned(), hash: hash.clone(), value: 1.0 };
        let found = series(&[vec![one("a")], vec![one("a"), one("b")], vec![one("b")]]);
        let told: Vec<_> = found.iter().map(|it| (it.name.as_str(), it.values.len())).collect();
        assert_eq!(told, [("a", 2), ("b", 2)]);
    }
}
