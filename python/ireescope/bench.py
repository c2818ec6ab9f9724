"""Measures single dispatches of operations, and the peaks of devices."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence, Union

from ireescope import _native
from ireescope.errors import UsageError, warn
from ireescope.rows import Rows

if TYPE_CHECKING:
    from ireescope.database import Database

#: An extent of operations: a number, several numbers, or a sweep as text, such as `"64:512:64"` (without its end).
Extent = Union[int, Iterable[int], str, None]
#: One name or several.
Names = Union[str, Sequence[str]]
#: Takes what is done, and how much of it: a text, and two numbers if they are known.
Progress = Callable[[str, Union[int, None], Union[int, None]], object]

# What is verified and profiled in each mode.
_MODES = {
    "generate": (False, False),
    "compile": (False, False),
    "verify": (True, False),
    "profile": (False, True),
    "run": (True, True),
}

#: How many dispatches are shown.
SHOWN = 20


class Bench:
    """What `bench` did. `bool(result)` is whether every dispatch passed."""

    __slots__ = ("_done", "folder", "mode", "rows")

    def __init__(self, folder: str, mode: str, done: _native._Benched) -> None:
        self._done = done
        #: The folder of sources, modules, captures and results.
        self.folder = folder
        #: What was done: `generate`, `compile`, `verify`, `profile` or `run`.
        self.mode = mode
        rows = done["rows"]
        #: The rows of `dispatch_runs`, one for each dispatch, times in nanoseconds; `None` if nothing was compiled. Those of
        #: dispatches that failed say at which stage, and why (`stage`, `outcome`, `message`).
        self.rows: Rows | None = None if rows is None else Rows(rows)

    @property
    def dispatches(self) -> int:
        """The number of all dispatches: operations with a configuration each."""
        return self._done["dispatches"]

    @property
    def passed(self) -> int:
        """The number of dispatches that passed all stages."""
        return 0 if self.rows is None else len(self.rows) - self.failed

    @property
    def failed(self) -> int:
        """The number of dispatches that failed; those with wrong results are among them."""
        return self._done["failed"]

    @property
    def wrong(self) -> int:
        """The number of dispatches that returned wrong results."""
        return self._done["wrong"]

    @property
    def known(self) -> int:
        """The number of dispatches that were measured before, and not again."""
        return self._done["known"]

    @property
    def skipped(self) -> list[tuple[str, str]]:
        """The dispatches that do not fit the target or their operation, each with the reason."""
        return list(self._done["skipped"])

    @property
    def sources(self) -> list[str]:
        """The generated files of MLIR, one for each operation."""
        return [os.fspath(path) for path in self._done["sources"]]

    @property
    def commands(self) -> list[str]:
        """What a dry run would do, a line for each file and command."""
        return list(self._done["commands"])

    def open(self) -> Database:
        """Opens the folder: all results there, also earlier ones, with the captures."""
        from ireescope.database import open

        return open(self.folder)

    def __bool__(self) -> bool:
        return self.failed == 0

    def __repr__(self) -> str:
        return f"<ireescope.Bench of {self.folder}: {self._summary()}>"

    def _repr_html_(self) -> str:
        head = f"<p>{html.escape(self.folder)}: {html.escape(self._summary())}</p>"
        if self.rows is None:
            lines = "\n".join(self.commands[:SHOWN])
            return head + (f"<pre>{html.escape(lines)}</pre>" if lines else "")
        names = ("operation", "configuration", "rank", "median_ns", "vs_default", "gflops", "gbps", "verification", "message")
        rows = list(self.rows)
        rows.sort(key=lambda row: (row["operation"], row["rank"] is None, row["rank"], row["median_ns"] or 0))
        cells = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(row[name]))}</td>" for name in names) + "</tr>"
            for row in rows[:SHOWN]
        )
        heads = "".join(f"<th>{name}</th>" for name in names)
        rest = f"<small>{SHOWN} of {len(rows)} dispatches</small>" if len(rows) > SHOWN else ""
        return f"{head}<table><thead><tr>{heads}</tr></thead><tbody>{cells}</tbody></table>{rest}"

    def _summary(self) -> str:
        if self.rows is None:
            return f"{self.mode}, {self.dispatches} dispatches"
        wrong = f", {self.wrong} with wrong results" if self.wrong else ""
        return f"{self.mode}, {self.passed} of {self.dispatches} dispatches passed{wrong}"


def bench(
    output: str | os.PathLike[str] = ".",
    *,
    mode: str = "run",
    operation_kind: Names = (),
    types: Names = (),
    epilogue: Names = (),
    problem_m: Extent = None,
    problem_n: Extent = None,
    problem_k: Extent = None,
    batch_count: Extent = None,
    split_k_slices: Extent = None,
    conv_n: Extent = None,
    conv_h: Extent = None,
    conv_w: Extent = None,
    conv_c: Extent = None,
    conv_f: Extent = None,
    filter_h: Extent = None,
    filter_w: Extent = None,
    stride: Extent = None,
    default_config: bool = False,
    dispatches: Names = (),
    device: str = "local-task",
    cuda_arch: str = "sm_80",
    rocm_target: str = "gfx942",
    target_cpu: str = "host",
    vulkan_target: str | None = None,
    jobs: int | None = None,
    force_compile: bool = False,
    compile_limit: float = 300.0,
    compiler_flags: Sequence[str] = (),
    verification_enabled: bool | None = None,
    profiling_enabled: bool | None = None,
    processes: int = 7,
    benchmark_repetitions: int = 5,
    warmup_repetitions: int = 1,
    batch_size: int = 100,
    run_limit: float = 600.0,
    force: bool = False,
    save_cmds: bool = False,
    report: str | os.PathLike[str] | None = None,
    append: bool = False,
    tags: Mapping[str, object] | None = None,
    tool_folder: str | os.PathLike[str] | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Bench:
    """Compiles, verifies and measures dispatches: operations, each with the configurations that fit it.

    `output` is the folder of sources, modules, captures and results; what it has is not compiled or measured again, unless
    `force_compile` or `force` is set. `mode` is `generate`, `compile`, `verify`, `profile` or `run`, which does all of them.

    The operations: `operation_kind` (`matmul`, `batch_matmul`, `matmul_splitk`, `conv2d` or `all`), `types` (such as `f32` or
    `f16-f32`), `epilogue` (`none`, `bias_relu`, `elementwise_add`), and all combinations of extents, each a number, several,
    or a sweep such as `"64:512:64"`. Without them, those that were generated before in the folder, or else a predefined
    list. `default_config` adds the compiler's default configuration, and `dispatches` selects by regular expressions of names.

    The target: `device` is `local-task`, `local-sync`, `vulkan`, `cuda` or `rocm`, with the architecture of its kind. The
    measurement: each dispatch in `processes` processes, with `benchmark_repetitions` calls after `warmup_repetitions`, and
    `batch_size` runs in each call; a 95 % interval needs 6 processes or more. `compile_limit` and `run_limit` are seconds.
    `report` is a file of results, CSV or `.jsonl`, with the `tags` as columns. `tool_folder` has IREE's tools, if they are not
    on the PATH or in an activated Python environment. `dry_run` returns the commands and runs none.

    Ctrl-C ends it, and keeps what was measured. Raises `UsageError` if nothing fits or a name is not known, and `ResourceError`
    if a tool is missing or another sweep is running in the folder. Dispatches that fail are rows, not errors.

        >>> import ireescope as ie
        >>> plan = ie.bench(types="f32", problem_m=64, problem_n=64, problem_k=64, default_config=True, dry_run=True)
        >>> plan.mode, plan.dispatches > 1
        ('run', True)
    """
    if mode not in _MODES:
        raise UsageError(f"mode is one of {', '.join(_MODES)}, not `{mode}`")
    if report is None and append:
        raise UsageError("append needs report, the file that is appended to")
    verify, profile = _MODES[mode]
    if mode != "generate":
        verify = verify if verification_enabled is None else verification_enabled
        profile = profile if profiling_enabled is None else profiling_enabled
    extents = {
        "problem_m": problem_m,
        "problem_n": problem_n,
        "problem_k": problem_k,
        "batch_count": batch_count,
        "split_k_slices": split_k_slices,
        "conv_n": conv_n,
        "conv_h": conv_h,
        "conv_w": conv_w,
        "conv_c": conv_c,
        "conv_f": conv_f,
        "filter_h": filter_h,
        "filter_w": filter_w,
        "stride": stride,
    }
    done = _native.benching.run(
        output,
        shapes={
            "operation_kind": names(operation_kind),
            "types": names(types),
            "epilogue": names(epilogue),
            "default_config": default_config,
            "extents": {name: _sweep(extent) for name, extent in extents.items() if extent is not None},
        },
        dispatches=names(dispatches),
        aim=_aim(device, cuda_arch, rocm_target, target_cpu, vulkan_target),
        compiling=_compiling(jobs, force_compile, compile_limit, compiler_flags, run_limit),
        measuring={
            "verification_enabled": verify,
            "profiling_enabled": profile,
            "processes": processes,
            "benchmark_repetitions": benchmark_repetitions,
            "warmup_repetitions": warmup_repetitions,
            "batch_size": batch_size,
            "force": force,
            "save_cmds": save_cmds,
            "tags": [(str(key), str(value)) for key, value in (tags or {}).items()],
            "report": report,
            "append": append,
        },
        tool_folder=tool_folder,
        is_generating=mode == "generate",
        dry_run=dry_run,
        progress=progress,
    )
    for text in done["warnings"]:
        warn(text)
    return Bench(os.fspath(output), mode, done)


def peaks(
    *,
    device: str = "local-task",
    cuda_arch: str = "sm_80",
    rocm_target: str = "gfx942",
    target_cpu: str = "host",
    vulkan_target: str | None = None,
    size: int | None = None,
    name: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    force_compile: bool = False,
    compile_limit: float = 300.0,
    run_limit: float = 30.0,
    compiler_flags: Sequence[str] = (),
    tool_folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Rows:
    """Measures the peaks of a device, and stores them for `device_peaks` and `report.roofline` in SQL.

    Returns a row for each element type: operations and bytes per second, and the time of a dispatch that does next to nothing
    in nanoseconds; the columns are those of `device_peaks` in docs/tables.md. They replace earlier ones of the same device.

    `size` is the number of rows, columns and depth of the products (1024 for processors and Vulkan, 4096 otherwise), `name` the
    name of the device (its model by default), and `folder` keeps the modules and profiles. The others are those of `bench`;
    `compile_limit` and `run_limit` are seconds. Raises `ResourceError` if dispatches fail, and then stores nothing.
    """
    return Rows(
        _native.peaks.peaks(
            aim=_aim(device, cuda_arch, rocm_target, target_cpu, vulkan_target),
            compiling=_compiling(jobs, force_compile, compile_limit, compiler_flags, run_limit),
            size=size,
            name=name,
            folder=folder,
            tool_folder=tool_folder,
            progress=progress,
        )
    )


def names(given: Names) -> list[str]:
    """Returns names as a list; one name may stand alone."""
    return [given] if isinstance(given, str) else [str(name) for name in given]


def words(parameter: str, given: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Returns the words of a command line, or flags. A text is refused, as it could be one word or several."""
    if isinstance(given, (str, bytes)):
        raise UsageError(f"{parameter} is a list of words, not a text")
    return [os.fspath(word) for word in given]


def _sweep(extent: int | Iterable[int] | str) -> str:
    if isinstance(extent, str):
        return extent
    if isinstance(extent, Iterable):
        return ",".join(str(value) for value in extent)
    return str(extent)


def _aim(device: str, cuda_arch: str, rocm_target: str, target_cpu: str, vulkan_target: str | None) -> dict[str, Any]:
    return {
        "device": device,
        "cuda_arch": cuda_arch,
        "rocm_target": rocm_target,
        "target_cpu": target_cpu,
        "vulkan_target": vulkan_target,
    }


def _compiling(
    jobs: int | None, force_compile: bool, compile_limit: float, compiler_flags: Sequence[str], run_limit: float
) -> dict[str, Any]:
    return {
        "jobs": jobs,
        "force_compile": force_compile,
        "compile_limit": compile_limit,
        "compiler_flags": words("compiler_flags", compiler_flags),
        "run_limit": run_limit,
    }


def _shown(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
