//! Finds the traces of a bundle that are to be decoded, and the code objects that each needs.

use std::sync::Arc;

use base::Pattern;
use passes::fold::{Definitions, blocks};
use read::bundle::Bundle;
use schemas::place::Places;

use super::error::AttError;
use super::row::Origin;
use super::stored;

const TRACES: usize = 0;
const CODE_OBJECTS: usize = 1;
const TABLES: [&str; 3] = [TRACE.table, CODE_OBJECT.table, LOAD.table];

const TRACE: Places<6> = Places::new(
    "executable_traces",
    [
        "format",
        "trace_id",
        "dispatch_event_id",
        "executable_id",
        "function_ordinal",
        "physical_device_ordinal",
    ],
);
const CODE_OBJECT: Places<2> =
    Places::new("executable_code_objects", ["executable_id", "code_object_id"]);
const LOAD: Places<5> = Places::new(
    "executable_code_object_loads",
    ["physical_device_ordinal", "executable_id", "code_object_id", "load_delta", "load_size"],
);

/// The number of the format that can be decoded.
const AMDGPU_ATT: u64 = 1;

/// Which traces to decode.
#[derive(Debug, Clone)]
pub struct Selection {
    /// A pattern of the name of the function.
    pub filter: Pattern,
    /// The id of the trace or of its dispatch.
    pub id: Option<u64>,
}

impl Default for Selection {
    fn default() -> Self {
        Self { filter: Pattern::new("*"), id: None }
    }
}

/// A trace, with the device that it is of.
#[derive(Debug)]
pub struct Trace {
    pub bundle: Arc<Bundle>,
    pub origin: Origin,
    device: u64,
    objects: Arc<Objects>,
}

/// A code object that was loaded onto the device of a trace.
#[derive(Debug, Clone, Copy)]
pub struct Loaded<'a> {
    pub code_object_id: u64,
    /// Offset of the record of its image.
    pub offset: u64,
    pub image: &'a [u8],
    pub delta: i64,
    pub size: u64,
}

/// The records of code objects of a bundle: session, ids and, of images, the offset.
#[derive(Debug, Default)]
struct Objects {
    images: Vec<([u64; 3], u64)>,
    loads: Vec<(u64, [u64; 5])>,
}

/// Returns the selected traces of a bundle, in file order.
pub fn traces(bundle: &Arc<Bundle>, selection: &Selection) -> Result<Vec<Trace>, AttError> {
    let mut found = Vec::new();
    let mut objects = Objects::default();
    blocks(bundle, &TABLES, |block| {
        let session = block.header.session_id;
        for row in block.rows() {
            match block.table {
                TRACES => found.push((session, row.byte_offset, row.numbers(&TRACE))),
                CODE_OBJECTS => {
                    let [executable, id] = row.numbers(&CODE_OBJECT);
                    objects.images.push(([session, executable, id], row.byte_offset));
                }
                _ => objects.loads.push((session, row.numbers(&LOAD))),
            }
        }
        Ok(())
    })?;
    let is_named = !selection.filter.matches_all() && !found.is_empty();
    let names = if is_named { Some(Definitions::read(bundle)?) } else { None };
    let objects = Arc::new(objects);
    let wanted = |(session_id, byte_offset, numbers)| {
        let [format, trace_id, dispatch, executable, function, device]: [u64; 6] = numbers;
        let is_id = selection.id.is_none_or(|id| id == trace_id || id == dispatch);
        let is_matched = names.as_ref().is_none_or(|names| {
            let name = names.name(session_id, executable, function);
            name.is_some_and(|name| selection.filter.matches(name))
        });
        (format == AMDGPU_ATT && is_id && is_matched).then(|| Trace {
            bundle: Arc::clone(bundle),
            origin: Origin { bundle: bundle.label.clone(), session_id, trace_id, byte_offset },
            device,
            objects: Arc::clone(&objects),
        })
    };
    Ok(found.into_iter().filter_map(wanted).collect())
}

impl Trace {
    /// Returns its bytes.
    pub fn bytes(&self) -> Result<&[u8], AttError> {
        stored::trace(&self.bundle, self.origin.byte_offset).ok_or_else(|| {
            AttError::Failed(
                "the bundle was converted from a stream, which leaves out the bytes of traces"
                    .to_owned(),
            )
        })
    }

    /// Returns the code objects that were loaded onto its device. Fails if there are none, or the image of one is missing.
    pub fn code_objects(&self) -> Result<Vec<Loaded<'_>>, AttError> {
        let session_id = self.origin.session_id;
        let is_own = |(session, [device, ..]): &&(u64, [u64; 5])| {
            *session == session_id && *device == self.device
        };
        let loaded = |(_, [_, executable, code_object_id, delta, size]): &(u64, [u64; 5])| {
            let ids = [session_id, *executable, *code_object_id];
            let image = self.objects.images.iter().find(|(known, _)| *known == ids);
            let (_, offset) = image.ok_or_else(|| {
                AttError::Failed(format!(
                    "the image of code object {code_object_id} of executable {executable} is missing, which was loaded onto device {}",
                    self.device
                ))
            })?;
            Ok(Loaded {
                code_object_id: *code_object_id,
                offset: *offset,
                image: stored::code_object(&self.bundle, *offset),
                delta: delta.cast_signed(),
                size: *size,
            })
        };
        let loaded = self.objects.loads.iter().filter(is_own).map(loaded);
        let loaded = loaded.collect::<Result<Vec<_>, AttError>>()?;
        if loaded.is_empty() {
            return Err(AttError::Failed(format!(
                "no code object was loaded onto device {}",
                self.device
            )));
        }
        Ok(loaded)
    }
}
