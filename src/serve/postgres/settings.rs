//! The settings of a session: what SET, SHOW, `pg_settings` and the parameters of a connection name.
//!
//! Few of them change anything here. A value that would promise what the server does not do is refused; a name that is not in
//! the table belongs to what PostgreSQL's planner or storage do, and is kept for SHOW.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use pgwire::api::ClientInfo;
use pgwire::types::format::FormatOptions;

use super::duration::{milliseconds, shown};
use super::version::VERSION;
use crate::service::Service;

/// One setting.
pub struct Setting {
    pub name: &'static str,
    pub initial: &'static str,
    takes: Takes,
    /// Whether clients are told of the value when they connect, and when it changes.
    is_told: bool,
}

/// The values that a setting takes.
enum Takes {
    /// Only the value that it has.
    One,
    /// Anything, as it changes nothing, or only what the client does.
    Any,
    /// One of these.
    Words(&'static [&'static str]),
    /// A style and an order of dates.
    Dates,
    /// A whole number in a range.
    Number(i8, i8),
    /// A time; 0 for none.
    Time,
    /// An encoding, which is always UTF-8.
    Encoding,
    /// Schemas in which names are looked for, which is always `public`.
    Path,
}

const fn kept(name: &'static str, initial: &'static str, takes: Takes) -> Setting {
    Setting { name, initial, takes, is_told: false }
}

const fn told(name: &'static str, initial: &'static str, takes: Takes) -> Setting {
    Setting { name, initial, takes, is_told: true }
}

/// The settings that clients ask for, by their names.
pub const SETTINGS: &[Setting] = &[
    told("application_name", "", Takes::Any),
    kept("bytea_output", "hex", Takes::Words(&["escape", "hex"])),
    told("client_encoding", "UTF8", Takes::Encoding),
    kept("client_min_messages", "notice", Takes::Any),
    told("DateStyle", "ISO, YMD", Takes::Dates),
    kept("default_transaction_isolation", COMMITTED, Takes::Words(&LEVELS)),
    told("default_transaction_read_only", "on", Takes::One),
    kept("extra_float_digits", "1", Takes::Number(-15, 3)),
    told("in_hot_standby", "off", Takes::One),
    told("integer_datetimes", "on", Takes::One),
    told("IntervalStyle", "postgres", Takes::Words(&INTERVALS)),
    told("is_superuser", "off", Takes::One),
    kept("jit", "off", Takes::Any),
    kept("lc_collate", "C", Takes::One),
    kept("lc_ctype", "C", Takes::One),
    kept("max_identifier_length", "63", Takes::One),
    kept("max_index_keys", "32", Takes::One),
    told("scram_iterations", "4096", Takes::One),
    told("search_path", "public", Takes::Path),
    told("server_encoding", "UTF8", Takes::One),
    told("server_version", VERSION, Takes::One),
    kept("server_version_num", "160006", Takes::One),
    told("standard_conforming_strings", "on", Takes::One),
    kept("statement_timeout", "0", Takes::Time),
    told("TimeZone", "Etc/UTC", Takes::Any),
    kept("transaction_isolation", COMMITTED, Takes::Words(&LEVELS)),
    kept("transaction_read_only", "on", Takes::One),
];
/// Each statement reads one state of the files, and the next one perhaps a newer one.
const COMMITTED: &str = "read committed";
const LEVELS: [&str; 4] = [COMMITTED, "read uncommitted", "repeatable read", "serializable"];
const INTERVALS: [&str; 4] = ["iso_8601", "postgres", "postgres_verbose", "sql_standard"];
const STYLES: [&str; 4] = ["iso", "german", "postgres", "sql"];
const ORDERS: [&str; 3] = ["dmy", "mdy", "ymd"];
/// Parameters of a connection that are no settings.
const OF_CONNECTION: [&str; 4] = ["database", "options", "replication", "user"];

/// Why a setting has not a value: the class of the error, and its text.
pub type Refusal = (&'static str, String);

/// The settings of one connection.
pub struct Settings {
    service: Arc<Service>,
    values: Mutex<Values>,
}

/// Values that are not the initial ones, by names in lower case.
#[derive(Default)]
struct Values {
    session: BTreeMap<String, String>,
    /// Those of the transaction alone.
    local: BTreeMap<String, String>,
    /// Those of the session when the transaction began.
    before: Option<BTreeMap<String, String>>,
}

impl Settings {
    /// Returns the settings of a connection.
    pub fn of<C: ClientInfo>(client: &C, service: &Arc<Service>) -> Arc<Self> {
        client
            .session_extensions()
            .get_or_insert_with(|| Self { service: Arc::clone(service), values: Mutex::default() })
    }

    /// Takes the parameters of a connection.
    pub(crate) fn begin_with<'a>(
        &self,
        parameters: impl Iterator<Item = (&'a String, &'a String)>,
    ) -> Result<(), Refusal> {
        for (name, value) in parameters {
            if name == "options" {
                for (name, value) in options(value) {
                    self.set(&name, Some(&value), false)?;
                }
            } else if !OF_CONNECTION.contains(&name.as_str()) && !name.starts_with("_pq_.") {
                self.set(name, Some(value), false)?;
            }
        }
        Ok(())
    }

    /// Returns the value of a setting, or `None` if it has none.
    pub fn get(&self, name: &str) -> Option<String> {
        let (lower, values) = (name.to_lowercase(), self.values.lock());
        let set = values.local.get(&lower).or_else(|| values.session.get(&lower));
        // Each statement outside of a transaction is one of its own.
        let default = (lower == "transaction_isolation").then_some("default_transaction_isolation");
        let set = set.or_else(|| values.session.get(default?));
        set.cloned().or_else(|| Some(known(name)?.initial.to_owned()))
    }

    /// Returns all settings with their values.
    pub fn all(&self) -> BTreeMap<String, String> {
        let mut all: BTreeMap<_, _> =
            SETTINGS.iter().map(|it| (it.name.to_owned(), it.initial.to_owned())).collect();
        let values = self.values.lock();
        for (name, value) in values.session.iter().chain(&values.local) {
            all.insert(known(name).map_or(name.as_str(), |it| it.name).to_owned(), value.clone());
        }
        all
    }

    /// Returns the settings that clients are told of.
    pub fn told(&self) -> BTreeMap<&'static str, String> {
        let told = SETTINGS.iter().filter(|it| it.is_told);
        told.filter_map(|it| Some((it.name, self.get(it.name)?))).collect()
    }

    /// Sets a setting, for the session or the transaction, to a value, or to its initial one.
    pub fn set(&self, name: &str, value: Option<&str>, is_local: bool) -> Result<(), Refusal> {
        let value = match (known(name), value) {
            (Some(setting), Some(value)) => Some(self.checked(setting, value)?),
            (None, Some(value)) => Some(value.to_owned()),
            (Some(setting), None) if is_local => Some(setting.initial.to_owned()),
            (_, None) => None,
        };
        let (name, mut values) = (name.to_lowercase(), self.values.lock());
        if is_local || name == "transaction_isolation" {
            // Outside of a transaction, it would end at once.
            if let (Some(value), true) = (value, values.before.is_some()) {
                values.local.insert(name, value);
            }
            return Ok(());
        }
        values.local.remove(&name);
        match value {
            Some(value) => values.session.insert(name, value),
            None => values.session.remove(&name),
        };
        Ok(())
    }

    /// Gives all settings their initial values.
    pub fn reset(&self) {
        let mut values = self.values.lock();
        values.session.clear();
        values.local.clear();
    }

    /// Returns the values of the session.
    pub fn session(&self) -> BTreeMap<String, String> {
        self.values.lock().session.clone()
    }

    /// Takes back what the statements of a message have set before one of them failed. A transaction does so when it ends.
    pub(crate) fn take_back(&self, kept: &BTreeMap<String, String>) {
        let mut values = self.values.lock();
        if values.before.is_none() {
            values.session.clone_from(kept);
        }
    }

    /// Begins a transaction, with its isolation.
    pub fn begin(&self) {
        let level = self.get("default_transaction_isolation").unwrap_or_default();
        let mut values = self.values.lock();
        values.before = Some(values.session.clone());
        values.local.insert("transaction_isolation".into(), level);
    }

    /// Whether all statements of the transaction read one state of the files.
    pub(crate) fn is_repeatable(&self) -> bool {
        let values = self.values.lock();
        let level = values.local.get("transaction_isolation");
        level.is_some_and(|level| level == "repeatable read" || level == "serializable")
    }

    /// Ends a transaction, and takes back what was set in it, or not.
    pub fn end(&self, takes_back: bool) {
        let mut values = self.values.lock();
        values.local.clear();
        if let (Some(before), true) = (values.before.take(), takes_back) {
            values.session = before;
        }
    }

    /// Returns the longest time of a statement.
    pub fn time(&self) -> Duration {
        let limit = self.service.limits.time;
        let wanted = self.get("statement_timeout").and_then(|value| milliseconds(&value));
        match wanted {
            Some(wanted @ 1..) => limit.min(Duration::from_millis(wanted)),
            _ => limit,
        }
    }

    /// Returns how values are written as text.
    pub fn format(&self) -> FormatOptions {
        let names = ["bytea_output", "datestyle", "extra_float_digits", "intervalstyle"];
        let values = names.map(|name| (name.to_owned(), self.get(name).unwrap_or_default()));
        FormatOptions::from_client_metadata(&HashMap::from(values))
    }

    /// Returns a value as it is kept and shown.
    fn checked(&self, setting: &Setting, value: &str) -> Result<String, Refusal> {
        let name = setting.name;
        let among = |words: &[&str]| {
            let found = words.iter().find(|word| word.eq_ignore_ascii_case(value));
            found.map(|word| (*word).to_owned()).ok_or_else(|| {
                ("22023", format!("{name} cannot be {value}; it is one of {}", words.join(", ")))
            })
        };
        match setting.takes {
            Takes::Any => Ok(value.to_owned()),
            Takes::Words(words) => among(words),
            Takes::One if is_same(setting.initial, value) => Ok(setting.initial.to_owned()),
            Takes::One => {
                Err(("55P02", format!("{name} is always {} on this server", setting.initial)))
            }
            Takes::Number(least, most) => match value.trim().parse::<i8>() {
                Ok(number) if (least..=most).contains(&number) => Ok(number.to_string()),
                _ => Err((
                    "22023",
                    format!("{name} cannot be {value}; it is a number from {least} to {most}"),
                )),
            },
            Takes::Time => milliseconds(value).map(shown).ok_or_else(|| {
                let units = "milliseconds, or a number with us, ms, s, min, h or d";
                ("22023", format!("{name} cannot be {value}; it is a number of {units}"))
            }),
            Takes::Dates => dates(value)
                .ok_or_else(|| ("22023", format!("{name} cannot be {value}; try ISO, YMD"))),
            Takes::Encoding => {
                let plain: String =
                    value.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
                match plain.to_lowercase().as_str() {
                    "utf8" | "unicode" | "sqlascii" => Ok(setting.initial.to_owned()),
                    _ => Err(("0A000", format!("{name} is always UTF8 on this server"))),
                }
            }
            Takes::Path => self.path(value),
        }
    }

    /// Refuses schemas in which names would be looked for before `public`, as they are not.
    fn path(&self, value: &str) -> Result<String, Refusal> {
        let schemas = self.service.snapshot().engine.schemas().unwrap_or_default();
        let names = value.split(',').map(|it| it.trim().trim_matches(['"', '\'']));
        let first = names.filter(|name| *name != "pg_catalog").find(|name| {
            *name == "information_schema" || schemas.iter().any(|(known, _)| known == name)
        });
        match first {
            None | Some("public") => Ok(value.to_owned()),
            Some(name) => Err((
                "0A000",
                format!("names without a schema are always of public; write {name}.NAME instead"),
            )),
        }
    }
}

/// Returns a setting by its name.
fn known(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|it| it.name.eq_ignore_ascii_case(name))
}

/// Whether a value is the one that is there, also in the other words for on and off.
fn is_same(there: &str, value: &str) -> bool {
    let (there, value) = (there.to_lowercase(), value.trim().to_lowercase());
    let others: &[&str] = match there.as_str() {
        "on" => &["true", "yes", "1"],
        "off" => &["false", "no", "0"],
        _ => &[],
    };
    value == there || others.contains(&value.as_str())
}

/// Returns a style and an order of dates as they are shown.
fn dates(value: &str) -> Option<String> {
    let (mut style, mut order) = ("iso", "ymd");
    for word in value.split(',') {
        let word = word.trim().to_lowercase();
        if let Some(known) = STYLES.iter().find(|it| **it == word) {
            style = known;
        } else {
            order = ORDERS.iter().find(|it| **it == word)?;
        }
    }
    let style = match style {
        "german" => "German".to_owned(),
        "postgres" => "Postgres".to_owned(),
        other => other.to_uppercase(),
    };
    Some(format!("{style}, {}", order.to_uppercase()))
}

/// Returns the settings in the options of a connection: `-c name=value` and `--name=value`. A backslash takes the next letter as it is.
fn options(text: &str) -> Vec<(String, String)> {
    let (mut words, mut word, mut letters) = (Vec::new(), String::new(), text.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => word.extend(letters.next()),
            ' ' | '\t' | '\n' => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    let words = words.iter().map(|word| word.strip_prefix("-c").unwrap_or(word));
    let pairs = words.filter_map(|word| word.trim_start_matches("--").split_once('='));
    pairs.map(|(name, value)| (name.replace('-', "_"), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_connection_are_settings() {
        let of = |text| {
            options(text)
                .into_iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(of("-c a=1 -cb=2 --c-d=e\\ f\\\\  -x"), ["a=1", "b=2", "c_d=e f\\"]);
        assert!(of("").is_empty());
    }

    #[test]
    fn styles_of_dates_are_known() {
        assert_eq!(dates("iso").as_deref(), Some("ISO, YMD"));
        assert_eq!(dates("SQL, dmy").as_deref(), Some("SQL, DMY"));
        assert_eq!(dates("German").as_deref(), Some("German, YMD"));
        assert_eq!(dates("bogus"), None);
    }

    #[test]
    fn on_has_other_words() {
        assert!(is_same("on", "TRUE") && is_same("off", "0") && is_same("63", "63"));
        assert!(!is_same("on", "off") && !is_same("C", "en_US"));
    }
}
