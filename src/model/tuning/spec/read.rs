//! Reads tuning specs: the named sequences, and what the matchers match and set.

use super::matcher::{Entry, Sequence, Spec};
use super::operands::{Counts, Operands};
use super::pattern::Pattern;
use super::source::{braces, sequences, without_aliases, without_comments};
use crate::operation::mlir::operation;
use crate::tuning::attribute::{Attribute, Syntax};
use crate::tuning::configuration::{Configuration, Operation};

/// Why a text is no tuning spec.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("it is neither text nor bytecode of MLIR")]
    NoText,
    #[error("it is too long with its aliases written out")]
    TooLong,
    #[error(
        "it has modules in its module; link them with `iree-opt --iree-codegen-link-tuning-specs FILE`"
    )]
    Nested,
    #[error("it has no transform.foreach_match, so it matches nothing")]
    NoMatchers,
    #[error("@{0} is not closed")]
    Open(String),
    #[error("there is no sequence @{0}, which transform.foreach_match names")]
    NoSequence(String),
    #[error("in @{sequence}: {source}")]
    Attribute { sequence: String, source: Syntax },
}

const FOREACH: &str = "transform.foreach_match";
const CONSTANT: &str = "transform.param.constant ";
const DAG: &str = "cast_compatible_dag_from_root";

impl Spec {
    /// Reads a spec.
    pub fn read(text: &str) -> Result<Self, SpecError> {
        if text.contains('\0') {
            return Err(SpecError::NoText);
        }
        let text = without_aliases(&without_comments(text)).ok_or(SpecError::TooLong)?;
        let modules = text.lines().map(str::trim_start);
        let is_module =
            |line: &&str| line.starts_with("module ") || line.starts_with("builtin.module");
        if modules.filter(is_module).count() > 1 {
            return Err(SpecError::Nested);
        }
        let all = sequences(&text).map_err(SpecError::Open)?;
        let (entry_points, sequences): (Vec<Sequence>, Vec<Sequence>) =
            all.into_iter().partition(|sequence| sequence.text.contains(FOREACH));
        let pairs: Vec<(String, String)> =
            entry_points.iter().flat_map(|sequence| pairs(&sequence.text)).collect();
        if pairs.is_empty() {
            return Err(SpecError::NoMatchers);
        }
        let entries = pairs.into_iter().map(|(matcher, action)| entry(&sequences, matcher, action));
        Ok(Self { entries: entries.collect::<Result<_, _>>()?, sequences })
    }
}

/// Returns the pairs `@matcher -> @action` of `transform.foreach_match`.
fn pairs(text: &str) -> Vec<(String, String)> {
    let list = text.split_once(FOREACH).map_or("", |(_, list)| list);
    let list = list.split_once(" : (").or_else(|| list.split_once("\n: (")).map_or(list, |it| it.0);
    let list = list.find('@').and_then(|start| list.get(start..)).unwrap_or_default();
    let name = |text: &str| text.trim().strip_prefix('@').map(|it| it.trim().to_owned());
    let pair = |text: &str| {
        let (matcher, action) = text.split_once("->")?;
        Some((name(matcher)?, name(action.split_whitespace().next()?)?))
    };
    list.split(',').filter_map(pair).collect()
}

fn entry(sequences: &[Sequence], matcher: String, action: String) -> Result<Entry, SpecError> {
    let find = |name: &String| {
        let found = sequences.iter().find(|sequence| sequence.name == *name);
        found.ok_or_else(|| SpecError::NoSequence(name.clone()))
    };
    let (own, applied) = (find(&matcher)?, find(&action)?);
    let mut configuration = configuration(own)?;
    if configuration == Configuration::default() {
        configuration = self::configuration(applied)?;
    }
    Ok(Entry { pattern: pattern(&own.text), matcher, action, configuration })
}

/// Returns what the parameters of a sequence set.
fn configuration(of: &Sequence) -> Result<Configuration, SpecError> {
    let mut found = Configuration::default();
    for (at, _) in of.text.match_indices(CONSTANT) {
        let rest = of.text.get(at + CONSTANT.len()..).unwrap_or_default();
        let (attribute, _) = Attribute::parse_prefix(rest)
            .map_err(|source| SpecError::Attribute { sequence: of.name.clone(), source })?;
        let named = |word: &str| match &attribute {
            Attribute::Dialect { name, .. } => name.ends_with(word),
            _ => false,
        };
        if named("compilation_info") {
            found.lowering = attribute.get("lowering_config").cloned();
            found.translation = attribute.get("translation_info").cloned();
        } else if named("lowering_config") {
            found.lowering = Some(attribute);
        } else if named("translation_info") {
            found.translation = Some(attribute);
        } else if matches!(&attribute, Attribute::Dictionary(_)) {
            found.decomposition = Some(attribute);
        }
    }
    Ok(found)
}

/// Returns what a sequence matches.
fn pattern(text: &str) -> Pattern {
    if let Some(operation) = text.split_once(DAG).and_then(|(_, rest)| root(rest)) {
        return Pattern::Operation(Box::new(operation));
    }
    let statements: Vec<String> = statements(body(text));
    let matching: Vec<&String> = statements.iter().filter(|it| it.contains(".match.")).collect();
    let name = matching.iter().find_map(|it| {
        let (_, names) = it.split_once("match.operation_name")?;
        let (_, names) = names.split_once("[\"")?;
        names.split_once("\"]").map(|(name, _)| name.to_owned())
    });
    let operand = |value: &str| {
        let getting = statements.iter().find(|it| it.starts_with(&format!("{value} = ")))?;
        let (_, number) = getting.split_once("transform.get_operand")?;
        number.split_once('[')?.1.split_once(']')?.0.parse::<usize>().ok()
    };
    let of_operand = |it: &&String| {
        let (_, rest) = it.split_once("match.cast_compatible_type ")?;
        let (value, wanted) = rest.split_once(" = ")?;
        Some((operand(value.trim())?, wanted.rsplit_once(" : ")?.0.trim().to_owned()))
    };
    let types: Vec<(usize, String)> = matching.iter().filter_map(of_operand).collect();
    let lines: Vec<&str> = body(text).lines().map(str::trim).collect();
    match name {
        // Other conditions than those of names, types, ranks and numbers of operands would make the pattern too wide.
        Some(name)
            if !types.is_empty()
                && matching.iter().all(|it| {
                    ["operation_name", "cast_compatible_type", "match.structured", "match.param"]
                        .iter()
                        .any(|word| it.contains(word))
                }) =>
        {
            Pattern::Operands(Operands { name, types, counts: Counts::read(&lines) })
        }
        _ => Pattern::Conditions(matching.into_iter().cloned().collect()),
    }
}

/// Returns the body of a sequence.
fn body(text: &str) -> &str {
    let end = text.rfind('}').unwrap_or(text.len());
    let start = text.find('\n').unwrap_or(0);
    text.get(start..end).unwrap_or_default()
}

/// Returns the last operation of the region that follows, which is the root of what is matched.
fn root(text: &str) -> Option<Operation> {
    let start = text.find('{')?;
    let rest = text.get(start..)?;
    let region = rest.get(1..braces(rest)? - 1)?;
    let last = statements(region).into_iter().rfind(|it| operation(it).is_some())?;
    let lines: Vec<&str> = last.lines().collect();
    // What precedes the body is one line.
    let opens = |pair: &[&str]| matches!(pair, [_, next] if next.trim_start().starts_with('^'));
    let head = lines.windows(2).position(opens).map_or(lines.len(), |nth| nth + 1);
    let (head, body) = lines.split_at_checked(head)?;
    let head = head.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let all: Vec<&str> = std::iter::once(head.as_str()).chain(body.iter().copied()).collect();
    Operation::read(&all)
}

/// Divides a region into its statements, which may have several lines.
fn statements(region: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    for line in region.lines() {
        let short = line.trim();
        let begins = depth == 0
            && (short.starts_with(['%', '^']) || operation(short).is_some())
            && !short.is_empty();
        match found.last_mut() {
            _ if begins => found.push(short.to_owned()),
            Some(last) if !short.is_empty() => {
                last.push('\n');
                last.push_str(short);
            }
            _ => {}
        }
        for letter in short.chars() {
            match letter {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    found
}
