//! The text that `--verbose` prints for each dispatch, in the layout of IREE's dispatch profiler.

use crate::bench::Kind;
use crate::bench::report::{PROVIDER, gflops, runtime_ms};
use crate::bench::run::{DispatchRun, Outcome};
use crate::report::text::filled;

/// Maximum width of a line of arguments, and indentation of the lines after the first.
const WIDTH: usize = 80;
const INDENT: usize = 16;

/// Returns the text for a dispatch.
pub fn text(row: &DispatchRun) -> String {
    let kind = Kind::named(&row.operation_kind)
        .map_or_else(|_| row.operation_kind.clone(), |kind| kind.title().to_owned());
    let rows = [
        ("Dispatch", row.dispatch.clone()),
        ("Provider", PROVIDER.to_owned()),
        ("OpKind", kind),
        ("Operation", row.operation.clone()),
        ("Configuration", row.configuration.clone()),
        ("Arguments", filled("", row.arguments.split_whitespace(), INDENT, WIDTH)),
        ("Verification", row.verification.name().to_owned()),
        ("Runtime(ms)", runtime_ms(row).unwrap_or_else(|| "Not profiled".to_owned())),
        ("GFLOPs", gflops(row).unwrap_or_else(|| "Not profiled".to_owned())),
    ];
    // The trailing blank is part of the layout.
    let mut text = format!("{} \n", "-".repeat(64));
    for (name, value) in rows {
        text.push_str(&format!("{name:<14}: {value}\n"));
    }
    if row.outcome != Outcome::Passed {
        let message = row.message.as_deref().unwrap_or_default();
        text.push_str(&format!("Failed        : {}: {message}\n", row.stage.name()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::run::Verification;

    /// The example in the README of the dispatch profiler.
    const SHOWN: &str = "\
---------------------------------------------------------------- 
Dispatch      : matmul_3456x1024x2048_f16t_f16t_f16t_tile_config_128x128_32x5_tensorcore_mmasync
Provider      : IREE Codegen
OpKind        : OperationKind.Matmul
Operation     : matmul_3456x1024x2048_f16t_f16t_f16t
Configuration : tile_config_128x128_32x5_tensorcore_mmasync
Arguments     : --batch_count=1 --m=3456 --n=1024 --k=2048 --lhs=f16t --rhs=f16t --result=f16t
                --split_k_mode=N/A --split_k_slices=N/A
Verification  : SUCCESS
Runtime(ms)   : 0.062
GFLOPs        : 233798.62
";

    fn row() -> DispatchRun {
        DispatchRun {
            dispatch: "matmul_3456x1024x2048_f16t_f16t_f16t_tile_config_128x128_32x5_tensorcore_mmasync".into(),
            operation_kind: "matmul".into(),
            operation: "matmul_3456x1024x2048_f16t_f16t_f16t".into(),
            configuration: "tile_config_128x128_32x5_tensorcore_mmasync".into(),
            arguments: "--batch_count=1 --m=3456 --n=1024 --k=2048 --lhs=f16t --rhs=f16t --result=f16t --split_k_mode=N/A --split_k_slices=N/A".into(),
            verification: Verification::Success,
            runtime_ms: Some(0.062),
            gflops: Some(2.0 * 3456.0 * 1024.0 * 2048.0 / 0.062 / 1e6),
            ..DispatchRun::default()
        }
    }

    #[test]
    fn the_block_is_the_former_one() {
        assert_eq!(text(&row()), SHOWN);
    }

    #[test]
    fn what_was_not_done_is_said() {
        let row = DispatchRun {
            verification: Verification::NotVerified,
            runtime_ms: None,
            gflops: None,
            ..row()
        };
        let text = text(&row);
        let end = "Verification  : Not verified\nRuntime(ms)   : Not profiled\nGFLOPs        : Not profiled\n";
        assert!(text.ends_with(end), "{text}");
    }
}
