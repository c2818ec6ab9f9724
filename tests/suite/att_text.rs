//! Tests the text of `att`: a screen for each trace, with what was lost, its facts, its categories and its worst runs.

use std::fs;
use std::process::Command;

use crate::Test;
use crate::att_decode::{Place, libraries, traced};
use crate::capture::said;
use crate::support::ask::root;
use crate::support::built_traces::{Traced, image};

pub const TESTS: &[Test] = &[
    ("each_trace_has_a_screen", screens),
    ("the_limit_counts_screens_too", limited),
    ("screens_of_several_bundles_name_theirs", several),
    ("screens_fit_the_terminal", terminal),
    ("nothing_is_suggested_below_no_screen", suggested),
    ("hot_spots_are_those_of_a_session", hot_spots),
    ("waves_that_began_before_the_trace_are_counted", active),
];

/// Traces in the order of the file: one with three categories, one that is empty, and one of which data was lost.
fn three() -> Traced {
    let first = "gfxip 9\nwave 0 0 0 0 90\nrun 6 30 50 0 4096 3\nrun 3 8 40 50 4097 3\nrun 2 2 10 90 9999 8";
    let last = "gfxip 9\nwave 0 0 0 0 40\nrun 6 1 30 0 4096 3\nrun 2 3 10 30 4097 3\ninfo 2\ninfo 1\ninfo 1\ninfo 9";
    traced().trace(2, 0, first.as_bytes()).trace(5, 0, b"gfxip 9").trace(1, 0, last.as_bytes())
}

/// What `att` writes about the traces of [`three`] above the suggestions.
const SCREENS: &str = "
softmax, trace 2, dispatch 12, device 0, workgroups 4×2×1, each 64×1×1
3 executions, 3 instructions, 1 wave, size 86 B, duration 120 ticks

Where the cycles went
 category   share                cycles  stall  of the stall  executions  instructions
 VALU      50.0 %  ██████            50     30        75.0 %           1             1
 VMEM      40.0 %  ████▊             40      8        20.0 %           1             1
 SALU      10.0 %  █▎                10      2         5.0 %           1             1

The worst instructions, with those before and after
 run  rank  of the stall  stall  cycles  executions  category  address  instruction
   1     1        75.0 %     30      50           1  VALU       0x1000  op_10
   1     2        20.0 %      8      40           1  VMEM       0x1001  op_20
   2     3         5.0 %      2      10           1  SALU       0x270f  <unresolved>

<unknown>, trace 5, dispatch 15, device 0
0 executions, size 7 B

! trace 1, data_lost, 2 times, Data was lost.
! trace 1, stitch_incomplete, 1 time, Stitching is incomplete.
! trace 1, 1 time, kind 9
matmul, trace 1, dispatch 11, device 0, workgroups 4×2×1, each 64×1×1
2 executions, 2 instructions, 1 wave, size 92 B, duration 110 ticks

Where the cycles went
 category   share                cycles  stall  of the stall  executions  instructions
 VALU      75.0 %  █████████         30      1        25.0 %           1             1
 SALU      25.0 %  ███               10      3        75.0 %           1             1

The worst instructions, with those before and after
 run  rank  of the stall  stall  cycles  executions  category  address  instruction
   1     2        25.0 %      1      30           1  VALU       0x1000  op_10
   1     1        75.0 %      3      10           1  SALU       0x1001  op_20
";

fn screens() {
    let place = Place::of(three());
    let text = place.fine(&["att", "b.ireeprof"]);
    let (health, rest) = text.split_once('\n').unwrap();
    assert!(health.starts_with("b: complete capture"), "{health}");
    let (screens, _) = rest.split_once("\nAll instructions:").unwrap();
    assert_eq!(screens, SCREENS);
    // One trace alone has the same screen.
    let text = place.fine(&["att", "--id=2", "b.ireeprof"]);
    let first = SCREENS.split("\n<unknown>").next().unwrap();
    assert!(text.contains(&format!("\n{first}\nAll")), "{text}");
    assert!(!text.contains("matmul"), "{text}");
}

fn limited() {
    let place = Place::of(three());
    let text = place.fine(&["att", "--limit=2", "b.ireeprof"]);
    assert!(text.contains(" … and 1 more (--limit)\n\n<unknown>, trace 5"), "{text}");
    assert!(text.contains("size 7 B\n\n… and 1 more trace (--limit)\n\nAll"), "{text}");
    assert!(!text.contains("matmul"), "{text}");
    let text = place.fine(&["att", "--limit=1", "b.ireeprof"]);
    assert!(text.contains("\n… and 2 more traces (--limit)\n"), "{text}");
    assert!(!text.contains("VMEM") && !text.contains("<unknown>"), "{text}");
}

fn several() {
    let place = Place::of(three());
    fs::write(place.path("a.ireeprof"), traced().trace(2, 0, b"gfxip 9\ninfo 1").finish()).unwrap();
    let text = place.fine(&["att", "b.ireeprof", "a.ireeprof"]);
    let own = "\na: ! trace 2, data_lost, 1 time, Data was lost.\na: softmax, trace 2, dispatch 12, device 0, workgroups 4×2×1, each 64×1×1\na: 0 executions, size 14 B, duration 120 ticks\n";
    // The tables are those of one bundle, and do not name it.
    let label = |line: &str| match line {
        line if line.starts_with(['!', '<', '0', '2', '3', 'm', 's']) => format!("b: {line}\n"),
        line => format!("{line}\n"),
    };
    let others: String = SCREENS.lines().map(label).collect();
    assert!(text.contains(&format!("{own}{others}\nAll instructions")), "{text}");
}

fn terminal() {
    let place = Place::of(three());
    for width in [80, 120] {
        let mut command = Command::new("python3");
        command.arg(root().join("tests/tools/terminal.py")).arg(width.to_string());
        let words = ["att", "b.ireeprof"];
        let own = place.command(&words);
        command.arg(own.get_program()).args(words).current_dir(place.path(""));
        command.env("XDG_CACHE_HOME", place.path("cache"));
        command.env("IREE_HAL_AMDGPU_LIBAQLPROFILE_PATH", libraries());
        let text = said(&command.output().unwrap()).out;
        let is_wide = |line: &&str| line.chars().count() > width && !line.contains("  ireescope ");
        assert_eq!(text.lines().find(is_wide), None, "{text}");
        // The instructions outlast the figures.
        assert!(text.contains("  op_20\n") && text.contains("75.0 %"), "{text}");
    }
}

fn suggested() {
    let is_said = |place: &Place, words: &[&str], code| {
        let told = place.run(&[&["att", "b.ireeprof"], words].concat());
        assert_eq!(told.code, Some(code), "{told:?}");
        told.out.contains("\n  ireescope ")
    };
    let place = Place::of(three());
    assert!(is_said(&place, &[], 0) && is_said(&place, &["--id=2"], 0));
    assert!(!is_said(&place, &["--id=99"], 1) && !is_said(&place, &["--filter=x"], 1));
    assert!(!is_said(&Place::of(traced()), &[], 1));
    let place = Place::of(traced().trace(1, 0, b"status 12").trace(2, 0, b"gfxip 9"));
    assert!(is_said(&place, &[], 3) && !is_said(&place, &["--id=1"], 3));
}

/// Returns the rows of a query, without their head.
fn rows(place: &Place, query: &str) -> String {
    let rows = place.fine(&["sql", "--format=csv", "-c", query, "b.ireeprof"]);
    rows.split_once('\n').unwrap().1.to_owned()
}

fn hot_spots() {
    // Of the first session two traces of a function; ids mean something else in the other.
    let run = |category: u8, stall: u32| format!("run {category} {stall} 50 0 4096 3\n");
    let wave = "gfxip 9\nwave 0 0 0 0 90\n";
    let trace = |runs: &str| format!("{wave}{runs}").into_bytes();
    let twice = trace(&run(6, 1).repeat(2));
    let bundle = traced().trace(1, 0, &trace(&run(3, 10))).trace(1, 0, &twice);
    let bundle = bundle.session().image(3, &image(&[0x30])).load(3, 0, 0x7000, 4096);
    let bundle = bundle.trace(1, 0, &trace(&run(3, 5))).trace(1, 0, &trace(&run(2, 15)));
    let query = "SELECT session_id, key, pc, category, hits, stall, cumulative_stall_share, instruction FROM report.att_hot_spot";
    assert_eq!(
        rows(&Place::of(bundle), query),
        "1,matmul,4096,VALU,3,12,1.0000,op_10\n2,matmul,4096,VMEM,2,20,1.0000,op_30\n"
    );
}

fn active() {
    let changes = |trace: &str| {
        let bundle = traced().trace(1, 0, format!("gfxip 9\n{trace}").as_bytes());
        rows(&Place::of(bundle), "SELECT time, waves FROM report.att_active_waves ORDER BY time")
    };
    let at = |time: u32, is_start: u8| format!("occupancy {time} 1 2 3 {is_start} 4096 3\n");
    let within = [at(50, 1), at(90, 1), at(100, 0)].concat();
    assert_eq!(changes(&within), "50,1\n90,2\n100,1\n");
    // Three waves end, of which one began.
    let before = [at(50, 0), at(90, 1), at(100, 0), at(200, 0)].concat();
    assert_eq!(changes(&before), "50,1\n90,2\n100,1\n200,0\n");
}
