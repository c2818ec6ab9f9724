//! The process that decodes one trace: loads the libraries, and sends what it found. See [`super::request`].

use std::io::{self, BufWriter, Read, Write};

use arrow::error::ArrowError;
use read::store::batch;
use serde::Serialize;

use super::elf::at_address;
use super::error::AttError;
use super::foreign::{Comgr, Decoder, Pc};
use super::grouping::Grouping;
use super::request::{FAILED, LACKING, Parts, Request, send_tables};
use super::rocm::Chosen;
use super::row::{INFOS, InfoRow, TABLES, TraceRow, name_of};

/// Decodes the trace of a request, and sends the tables. Returns whether there are any; the reply says why not.
pub fn serve(request: impl Read, reply: impl Write) -> bool {
    let mut out = BufWriter::new(reply);
    let what = match decode(request, &mut out) {
        Ok(tables) => match send_tables(&mut out, &tables) {
            Ok(()) => return true,
            Err(error) => format!("{FAILED}{error}"),
        },
        Err(error @ AttError::Lacking(_)) => format!("{LACKING}{error}"),
        Err(error) => format!("{FAILED}{error}"),
    };
    // If this fails, the program reports the last step.
    let _ = say(&mut out, &what);
    false
}

/// Writes a line, before anything else happens.
fn say(out: &mut impl Write, what: &str) -> io::Result<()> {
    writeln!(out, "{}", what.replace(['\n', '\r'], " "))?;
    out.flush()
}

fn decode(request: impl Read, out: &mut impl Write) -> Result<Parts, AttError> {
    let mut step = |what: &str| say(out, what).map_err(AttError::system("write the reply"));
    let input = Request::receive(request).map_err(AttError::system("read the request"))?;
    let (request, images, mut trace) = input;
    let chosen = Chosen::of(request.rocm_library_path.as_deref());
    step("librocprofiler-sdk.so was loaded")?;
    let decoder = Decoder::new(chosen.as_ref())?;
    step("libamd_comgr.so was loaded")?;
    let comgr = Comgr::new(chosen.as_ref())?;
    step(&format!("{} was told of the code objects", decoder.path.display()))?;
    for load in &request.loads {
        let image = images.get(load.image).map(Vec::as_slice).unwrap_or_default();
        let address = load.delta.cast_unsigned();
        decoder.load(load.code_object_id, address, load.size, image)?;
    }
    step(&format!("{} decoded it", decoder.path.display()))?;
    let mut grouping = Grouping::new(&request.origin, request.detail);
    decoder.decode(&mut trace, &mut |records| grouping.take(&records))?;
    grouping.check()?;
    let mut infos = Vec::new();
    for kind in &grouping.infos {
        infos.push(InfoRow {
            origin: &request.origin,
            info: name_of(&INFOS, *kind),
            info_value: *kind,
            message: decoder.info(*kind),
        });
    }
    step(&format!("{} disassembled its instructions", comgr.path.display()))?;
    let mut disassemblers = Vec::new();
    for (image, bytes) in request.images.iter().zip(&images) {
        disassemblers.push((image.code_object_id, bytes, comgr.disassembler(bytes)?));
    }
    let instructions = grouping.instructions(|pc: Pc| {
        // As in the reference, an id of several images means the first.
        let (_, image, it) = disassemblers.iter().find(|(id, ..)| *id == pc.code_object)?;
        it.text(pc.address, at_address(image, pc.address)?)
    });
    let trace = TraceRow {
        origin: &request.origin,
        gfxip: Some(grouping.gfxip),
        waves: Some(grouping.wave_count),
        occupancy: Some(grouping.occupancy_count),
        instruction_events: Some(grouping.event_count),
        unique_pcs: Some(instructions.len() as u64),
        info: Some(grouping.infos.len() as u64),
        problem: None,
    };
    let [traces, of_instructions, waves, states, occupancy, of_infos, clocks, executions] = TABLES;
    let tables = [
        rows(traces, &[trace]),
        rows(of_instructions, &instructions),
        rows(waves, &grouping.waves),
        rows(states, &grouping.states),
        rows(occupancy, &grouping.occupancy),
        rows(of_infos, &infos),
        rows(clocks, &grouping.clocks()),
        rows(executions, &grouping.executions),
    ];
    let failed = |error: ArrowError| AttError::Failed(error.to_string());
    let tables = tables.into_iter().collect::<Result<Vec<_>, _>>().map_err(failed)?;
    Ok(tables.concat())
}

/// Number of rows that are converted at once, which takes several times the memory of the batch.
const ROWS: usize = 1 << 16;

/// Converts rows to batches with the columns of a table, at least one.
pub fn rows<Row: Serialize>(table: &'static str, rows: &[Row]) -> Result<Parts, ArrowError> {
    let declared = schemas::find(table).map(schemas::arrow::schema);
    let schema = declared.ok_or_else(|| ArrowError::SchemaError(format!("no table {table}")))?;
    let chunks = if rows.is_empty() { vec![rows] } else { rows.chunks(ROWS).collect() };
    chunks.into_iter().map(|rows| Ok((table, batch(&schema, rows)?))).collect()
}
