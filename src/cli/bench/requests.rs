//! Selects the operations of a command: those whose shapes are given, else those of earlier requests in the folder,
//! else the predefined ones. Given shapes alone select the kinds that they describe, without an epilogue.

use std::path::Path;

use super::args::{Common, Shapes};
use crate::bench::request::{ConvolutionSweeps, sweep};
use crate::bench::run::Folders;
use crate::bench::{BenchError, Collection, Epilogue, Kind, Request, Target, Types, collections};
use crate::cli::error::CliError;
use crate::cli::files::write_text;

/// Returns the operations of a command for a target. Stores a new request in the folder, except in a dry run.
pub fn meant(
    common: &Common,
    target: &Target,
    folders: &Folders,
    is_generating: bool,
) -> Result<Vec<Collection>, CliError> {
    let given = completed(&common.shapes)?;
    let mut known = remembered(&folders.requests())?;
    let before = known.iter().filter_map(|known| narrowed(known, &common.shapes));
    let mut asked: Vec<Shapes> = before.collect();
    let is_new = is_generating || common.shapes.has_extents() || asked.is_empty();
    if is_new {
        asked = vec![given.clone()];
        if !common.shapes.has_extents() {
            eprintln!("ireescope: no shapes are given; using the predefined list");
        }
    }
    let mut all: Vec<Collection> = Vec::new();
    for shapes in &asked {
        for collection in collections(&request(shapes, &common.dispatches)?, target)? {
            merge(&mut all, collection);
        }
    }
    if is_new && !common.dry_run && !all.is_empty() && !known.contains(&given) {
        known.push(given);
        remember(&folders.requests(), &known)?;
    }
    Ok(all)
}

/// Fills in the kinds and the epilogue that given extents imply.
fn completed(given: &Shapes) -> Result<Shapes, BenchError> {
    let mut shapes = given.clone();
    if given.has_extents() {
        if shapes.operation_kind.is_empty() {
            let described = request(given, &[])?.described();
            shapes.operation_kind = described.iter().map(|kind| kind.name().to_owned()).collect();
        }
        if shapes.epilogue.is_empty() {
            shapes.epilogue = vec![Epilogue::None.name().to_owned()];
        }
    }
    Ok(shapes)
}

/// Restricts an earlier request to the kinds, types and epilogues that are given. `None` if nothing is left.
fn narrowed(known: &Shapes, given: &Shapes) -> Option<Shapes> {
    let both = |known: &[String], given: &[String]| -> Option<Vec<String>> {
        let is_any = |names: &[String]| names.is_empty() || names.iter().any(|name| name == "all");
        match (is_any(known), is_any(given)) {
            (_, true) => Some(known.to_vec()),
            (true, false) => Some(given.to_vec()),
            (false, false) => {
                let common = known.iter().filter(|name| given.contains(name)).cloned();
                Some(common.collect::<Vec<_>>()).filter(|common| !common.is_empty())
            }
        }
    };
    Some(Shapes {
        operation_kind: both(&known.operation_kind, &given.operation_kind)?,
        types: both(&known.types, &given.types)?,
        epilogue: both(&known.epilogue, &given.epilogue)?,
        default_config: known.default_config || given.default_config,
        ..known.clone()
    })
}

/// Adds a collection. If the operation is already in the list, adds the configurations that it lacks, and those that
/// were skipped.
fn merge(all: &mut Vec<Collection>, collection: Collection) {
    let Some(known) = all.iter_mut().find(|known| known.operation == collection.operation) else {
        return all.push(collection);
    };
    for configuration in collection.configurations {
        if known.configurations.iter().all(|it| it.name() != configuration.name()) {
            known.configurations.push(configuration);
        }
    }
    for (configuration, reason) in collection.skipped {
        if known.skipped.iter().all(|(it, _)| it.name() != configuration.name()) {
            known.skipped.push((configuration, reason));
        }
    }
}

fn request(shapes: &Shapes, dispatches: &[String]) -> Result<Request, BenchError> {
    let values = |given: &Option<String>| given.as_deref().map_or(Ok(Vec::new()), sweep);
    let is_any = shapes.operation_kind.iter().any(|kind| kind == "all");
    let kinds = shapes.operation_kind.iter().filter(|_| !is_any);
    Ok(Request {
        kinds: kinds.map(|it| Kind::named(it)).collect::<Result<_, _>>()?,
        types: shapes.types.iter().map(|it| Types::named(it)).collect::<Result<_, _>>()?,
        epilogues: shapes
            .epilogue
            .iter()
            .map(|it| Epilogue::named(it))
            .collect::<Result<_, _>>()?,
        m: values(&shapes.problem_m)?,
        n: values(&shapes.problem_n)?,
        k: values(&shapes.problem_k)?,
        batch_count: values(&shapes.batch_count)?,
        split_k_slices: values(&shapes.split_k_slices)?,
        convolution: ConvolutionSweeps {
            batch: values(&shapes.conv_n)?,
            height: values(&shapes.conv_h)?,
            width: values(&shapes.conv_w)?,
            channels: values(&shapes.conv_c)?,
            filters: values(&shapes.conv_f)?,
            filter_height: values(&shapes.filter_h)?,
            filter_width: values(&shapes.filter_w)?,
            stride: values(&shapes.stride)?,
        },
        default_config: shapes.default_config,
        dispatches: dispatches.to_vec(),
    })
}

fn remembered(path: &Path) -> Result<Vec<Shapes>, CliError> {
    match std::fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map_err(CliError::reading(path)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(CliError::reading(path)(error)),
    }
}

fn remember(path: &Path, known: &[Shapes]) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(known).map_err(CliError::writing(path))? + "\n";
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(CliError::writing(path))?;
    write_text(path, &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::operation::Shape;
    use crate::bench::{Configuration, Operation};

    #[test]
    fn extents_alone_select_what_they_describe() {
        let extent = || Some("64".to_owned());
        let matmul = Shapes { problem_m: extent(), problem_k: extent(), ..Shapes::default() };
        let shapes = completed(&matmul).expect("sweeps");
        assert_eq!(shapes.operation_kind, ["matmul"]);
        assert_eq!(shapes.epilogue, ["none"]);
        let names = |shapes: Shapes| completed(&shapes).expect("sweeps").operation_kind;
        let batched = Shapes { batch_count: extent(), ..matmul.clone() };
        assert_eq!(names(batched.clone()), ["batch_matmul"]);
        let convolution = Shapes { conv_h: extent(), ..batched };
        assert_eq!(names(convolution), ["batch_matmul", "conv2d"]);
        // What is asked for stays.
        let all = Shapes {
            operation_kind: vec!["all".to_owned()],
            epilogue: vec!["bias_relu".to_owned()],
            ..matmul
        };
        assert_eq!(completed(&all).expect("sweeps"), all);
        assert_eq!(completed(&Shapes::default()).expect("nothing"), Shapes::default());
    }

    #[test]
    fn merged_collections_keep_what_was_skipped() {
        let shape = Shape::Matmul { m: 1, n: 1, k: 1 };
        let operation = Operation { shape, types: Types::F32, epilogue: Epilogue::None };
        let (skipped, configurations) = (Vec::new(), Vec::new());
        let mut all = vec![Collection { operation, configurations, skipped }];
        for _ in 0..2 {
            let skipped = vec![(Configuration::DEFAULT, "unsuitable".to_owned())];
            merge(&mut all, Collection { operation, configurations: Vec::new(), skipped });
        }
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].skipped.len(), 1);
    }
}
