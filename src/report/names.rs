//! Names of functions in little room: what most of them begin with is said once, and different names stay different where their
//! middle is left out.

use std::collections::BTreeMap;

use super::text::shorten;

/// Letters before the first difference of names that are shown with it.
const BEFORE: usize = 2;

/// Replaces what most of the names begin with, as `module$async_dispatch_`, by `…`, and returns it.
pub fn without_beginning(names: &mut [String]) -> Option<String> {
    let count = |of: &str| names.iter().filter(|name| beginning(name) == Some(of)).count();
    let beginnings = names.iter().filter_map(|name| beginning(name));
    let most = beginnings.max_by_key(|of| count(of))?.to_owned();
    for name in names {
        if let Some(rest) = name.strip_prefix(&most).filter(|_| beginning(name) == Some(&most)) {
            *name = format!("…{rest}");
        }
    }
    Some(most)
}

/// Returns what precedes the ordinal of a dispatch in the name of its function: `module$async_dispatch_`.
fn beginning(name: &str) -> Option<&str> {
    const WORD: &str = "dispatch_";
    let mut ends = name.match_indices(WORD).map(|(at, _)| at + WORD.len());
    let is_number = |end: &usize| {
        name.get(*end..).is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_digit()))
    };
    ends.find(is_number).and_then(|end| name.get(..end))
}

/// Shortens names to `width` characters. Those that would become equal without their middle keep where they differ; if that
/// does not fit either, they are longer.
pub fn shortened(names: &[String], width: usize) -> Vec<String> {
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    for width in width..longest {
        let mut short = BTreeMap::new();
        tell_apart(&different(names), width, &mut |name, text| {
            short.insert(name.to_owned(), text);
        });
        if different(&short.values().cloned().collect::<Vec<_>>()).len() == short.len() {
            let of = |name: &String| short.get(name).cloned().unwrap_or_else(|| name.clone());
            return names.iter().map(of).collect();
        }
    }
    names.to_vec()
}

fn different(names: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Gives each name a short text. Those with the same one are tried again, with what follows their common beginning.
fn tell_apart(names: &[&str], width: usize, put: &mut impl FnMut(&str, String)) {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in names {
        groups.entry(shorten(name, width)).or_default().push(name);
    }
    for (text, names) in groups {
        let [_, _, ..] = names.as_slice() else {
            for name in names {
                put(name, text.clone());
            }
            continue;
        };
        let at = common(&names).saturating_sub(BEFORE);
        for name in names {
            put(name, shorten_around(name, at, width));
        }
    }
}

/// Returns with how many characters all names begin.
fn common(names: &[&str]) -> usize {
    let (Some(first), Some(last)) = (names.iter().min(), names.iter().max()) else { return 0 };
    first.chars().zip(last.chars()).take_while(|(one, other)| one == other).count()
}

/// Shortens a name to its beginning and what follows from a place.
fn shorten_around(name: &str, at: usize, width: usize) -> String {
    let front = width.saturating_sub(2) / 4;
    let shown = width.saturating_sub(front + 2);
    let letters: Vec<char> = name.chars().collect();
    // What follows to the end is shown whole if it fits.
    let at = if letters.len().saturating_sub(at) <= shown + 1 {
        letters.len().saturating_sub(shown + 1)
    } else {
        at
    };
    let [start, rest]: [String; 2] =
        [letters.iter().take(front).collect(), letters.iter().skip(at).take(shown + 1).collect()];
    if letters.len() <= at + shown + 1 {
        return format!("{start}…{rest}");
    }
    let rest: String = rest.chars().take(shown).collect();
    format!("{start}…{rest}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_beginning_ends_before_an_ordinal() {
        assert_eq!(beginning("a$async_dispatch_12_softmax_dispatch_3"), Some("a$async_dispatch_"));
        assert_eq!(
            beginning("dispatch_tensor_store_dispatch_2"),
            Some("dispatch_tensor_store_dispatch_")
        );
        assert_eq!(beginning("my_kernel"), None);
    }

    #[test]
    fn only_the_most_frequent_beginning_goes() {
        let mut names =
            strings(&["a_dispatch_1_x", "init_dispatch_0_y", "a_dispatch_2_z", "other"]);
        assert_eq!(without_beginning(&mut names).as_deref(), Some("a_dispatch_"));
        assert_eq!(names, ["…1_x", "init_dispatch_0_y", "…2_z", "other"]);
    }

    #[test]
    fn different_names_stay_different() {
        let names = [
            "main$async_dispatch_7_matmul_like_32x256x128_f32_bias",
            "main$async_dispatch_7_matmul_like_32x512x128_f32_bias",
            "main$async_dispatch_7_matmul_like_64x512x128_f32_bias",
            "short",
            "main$async_dispatch_7_matmul_like_32x256x128_f32_bias",
        ];
        for width in 3..60 {
            let short = shortened(&strings(&names), width);
            assert_eq!(short[0], short[4], "{width}");
            assert_eq!(different(&short).len(), 4, "{width}: {short:?}");
            let excess =
                short.iter().map(|it| it.chars().count()).max().unwrap().saturating_sub(width);
            assert!(excess == 0 || width < 16, "{width}: {short:?}");
        }
        assert_eq!(
            shortened(&strings(&names[..3]), 24),
            ["main$…e_32x256x128_f32_…", "main$…e_32x512x128_f32_…", "main$…e_64x512x128_f32_…"]
        );
        // One that is cut alone keeps its ends.
        assert_eq!(shortened(&strings(&["abcdefghij", "abc"]), 5), ["ab…ij", "abc"]);
    }
}
