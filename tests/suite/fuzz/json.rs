//! Seeded changes of JSON values and of texts.

use serde_json::{Value, json};

use crate::support::random::Random;

/// Changes a node of a value: another value, another type, a missing, repeated or unknown member.
pub fn change(value: &mut Value, random: &mut Random) {
    // Goes down until a draw stops it, or there is nothing below.
    if random.below(4) > 0 {
        match value {
            Value::Array(list) if !list.is_empty() => {
                let at = random.below(list.len());
                return change(&mut list[at], random);
            }
            Value::Object(members) if !members.is_empty() => {
                let at = random.below(members.len());
                let below = members.values_mut().nth(at).unwrap();
                if random.below(5) > 0 {
                    return change(below, random);
                }
                let name = members.keys().nth(at).unwrap().clone();
                let taken = members.remove(&name).unwrap();
                if random.below(2) == 0 {
                    members.insert(format!("{name}_"), taken);
                }
                return;
            }
            _ => {}
        }
    }
    if let (Value::Array(list), 0) = (&mut *value, random.below(2)) {
        let copies = list.clone();
        list.extend(copies);
        return;
    }
    *value = other(value, random);
}

fn other(value: &Value, random: &mut Random) -> Value {
    if let (Some(number), true) = (value.as_u64(), random.below(2) == 0) {
        let step = random.below(3) as u64;
        return json!(number.wrapping_add(step).wrapping_sub(1));
    }
    match random.below(16) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(0),
        3 => json!(-1),
        4 => json!(u64::MAX),
        5 => json!(i64::MIN),
        6 => json!(1e300),
        7 => json!(4_294_967_296_u64),
        8 => json!(0.5),
        9 => json!(""),
        10 => json!("a\"b\\c\n\u{0}\u{1f}\u{202e}é"),
        11 => json!("../../x"),
        12 => json!([[[[value]]]]),
        13 => json!({ "": value }),
        14 => json!("x".repeat(70_000)),
        _ => json!(random.next()),
    }
}

/// Damages a text without regard to its structure.
pub fn damage(text: &mut Vec<u8>, random: &mut Random) {
    const PIECES: [&[u8]; 9] = [
        b"{",
        b"\"",
        b"[[[[[[[[",
        b"\xff",
        b"\0",
        b"\\ud800",
        b"1e999999",
        b"\n\n",
        b"\xef\xbb\xbf",
    ];
    let at = random.below(text.len());
    match random.below(5) {
        0 => text.truncate(at),
        1 => {
            let end = (at + 1 + random.below(20)).min(text.len());
            text.drain(at..end);
        }
        2 => {
            let piece = PIECES[random.below(PIECES.len())];
            text.splice(at..at, piece.iter().copied());
        }
        3 => {
            let deep = if random.below(2) == 0 { b'[' } else { b'{' };
            text.splice(at..at, std::iter::repeat_n(deep, 100_000));
        }
        _ => {
            if let Some(byte) = text.get_mut(at) {
                *byte = random.next() as u8;
            }
        }
    }
}
