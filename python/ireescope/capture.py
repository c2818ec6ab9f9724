"""Captures: runs IREE's tools and records what answers questions, and fills the gaps of captures."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Optional, Sequence

from ireescope import _native
from ireescope.database import Database, open
from ireescope.errors import UsageError, warn
from ireescope.opening import OpenOptions, options
from ireescope.rows import Rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Takes what is done: a text, and how much is done of a total, which are not known here and `None`.
Progress = Callable[[str, Optional[int], Optional[int]], object]

#: Decides whether a command may run: gets its words, and why it may do harm.
Consent = Callable[[List[str], List[str]], bool]


class Capture:
    """What was captured, or would be. Made by `ireescope.capture` and `ireescope.fill`."""

    __slots__ = ("_native",)

    def __init__(self, native: Mapping[str, Any]) -> None:
        self._native = native

    @property
    def folder(self) -> str:
        """The folder of the capture set."""
        return str(self._native["folder"])

    @property
    def bundles(self) -> list[str]:
        """The paths of the bundles that were captured."""
        return [os.fspath(path) for path in self._native["bundles"]]

    @property
    def runs(self) -> Rows:
        """The runs of the tool: `run`, `outcome` (as in the table `runs`, or `planned`), the `path` of the bundle, the
        `questions`, the modes that were `asked`, that were recorded (`got`) and that were `refused`, the `counters`, the
        `command`, `duration_ns` and `exit_code`."""
        return Rows(self._native["runs"])

    @property
    def answers(self) -> dict[str, str]:
        """How each question is answered, or why it is not."""
        return dict(self._native["answers"])

    @property
    def missing(self) -> list[str]:
        """The questions that are not answered, and the modes and counters that were not recorded."""
        return list(self._native["missing"])

    @property
    def notes(self) -> list[str]:
        """What else one should know, such as filters that the driver does not apply."""
        return list(self._native["notes"])

    def open(self, **given: Unpack[OpenOptions]) -> Database:
        """Opens the capture set, with all its bundles, as `ireescope.open` does."""
        return open(self.folder, **given)

    def __repr__(self) -> str:
        lines = [f"{question}: {answer}" for question, answer in self.answers.items()]
        return "\n".join([f"<ireescope.Capture in {self.folder}>", repr(self.runs), *lines, *self.notes])

    def _repr_html_(self) -> str:
        answers = "".join(
            f"<dt>{html.escape(question)}</dt><dd>{html.escape(answer)}</dd>" for question, answer in self.answers.items()
        )
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f"<p>{html.escape(self.folder)}</p>{self.runs._repr_html_()}<dl>{answers}</dl>{notes}"


def capture(
    command: Sequence[str | os.PathLike[str]],
    *,
    for_: str | Sequence[str] = (),
    modes: str | Sequence[str] = (),
    counters: str | Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
    tool_folder: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str | int] | None = None,
    directory: str | os.PathLike[str] | None = None,
    repeat: int = 1,
    time_limit: float | None = None,
    flush_interval_ms: int | None = None,
    replay: bool = False,
    statistics: bool = False,
    function: str | None = None,
    command_buffer: int | None = None,
    command_index: int | None = None,
    physical_device: int | None = None,
    queue: int | None = None,
    all: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Capture:
    """Runs a tool of IREE and records the data for questions, in as few runs as possible.

        captured = ie.capture(["iree-benchmark-module", "--module=m.vmfb", "--function=main"], for_="kernel-time")
        captured.open().top()

    `command` are the words of the command: `iree-run-module`, `iree-benchmark-module`, `iree-benchmark-replay` or the path of
    one, and its arguments. It runs in `directory` (the working directory), with `environment` added to the variables of this process.

    - `for_` names questions, which `SELECT * FROM questions` lists, or is `all`; without it and `modes`, all that do not disturb
      the run. `modes` are recorded in addition, even if the driver is known not to record them. `counters` are names of
      hardware counters; by default all that the driver lists, if counters are asked for.
    - `output` is the folder of the capture set; runs are added to an existing one. By default, `MODULE.capture` in the working
      directory, or `MODULE.capture-2` and so on, if that exists.
    - `tool_folder` has the tool, if it is not on the PATH or in an activated Python environment.
    - `repeat` is how often each run is done. After `time_limit` seconds, a run is stopped, and what it recorded is kept.
      `flush_interval_ms` is how often the tool writes its bundle, so that less is lost then.
    - `replay` records the work once and profiles replays of it. `statistics` adds a run that prints device statistics.
    - `function` (a pattern with `*` and `?`), `command_buffer`, `command_index`, `physical_device` and `queue` restrict heavy
      data. Executable traces need one of the first three, unless `all`.
    - With `dry_run`, nothing runs: `runs` are those that would, and `notes` say what happens if the device refuses modes.

    `progress` is called with a text while it goes on. What a driver refuses is no error: `missing` and `answers` say so.

    Raises `ResourceError` if the tool is missing or fails, with the cause that it printed, or if nothing was recorded, and
    `UsageError` if a parameter is wrong. After Ctrl-C, the tools are ended at once, and of the run that was cut nothing is kept;
    runs before it stay in the folder.
    """
    capturing = _capturing(
        for_, modes, counters, output, tool_folder, repeat, time_limit, flush_interval_ms, replay, statistics,
        function, command_buffer, command_index, physical_device, queue, all,
    )  # fmt: skip
    variables = {name: str(value) for name, value in (environment or {}).items()}
    return Capture(_native.capturing.capture(_words(command), capturing, variables, directory, dry_run, progress))


def fill(
    path: str | os.PathLike[str],
    *,
    for_: str | Sequence[str] = ("kernel-time",),
    modes: str | Sequence[str] = (),
    counters: str | Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
    command: Sequence[str | os.PathLike[str]] | None = None,
    tool_folder: str | os.PathLike[str] | None = None,
    consent: Consent | None = None,
    repeat: int = 1,
    time_limit: float | None = None,
    flush_interval_ms: int | None = None,
    replay: bool = False,
    statistics: bool = False,
    function: str | None = None,
    command_buffer: int | None = None,
    command_index: int | None = None,
    physical_device: int | None = None,
    queue: int | None = None,
    all: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
    **given: Unpack[OpenOptions],
) -> Capture | None:
    """Captures what a capture set or a bundle lacks for questions, with the command that captured it.

        ie.fill("m.capture", for_=["kernel-time", "memory"])

    `path` is a capture set, which is filled in place, or a bundle, for which a set is made: `output`, by default
    `BUNDLE.capture` beside it. Returns `None` if the questions are answered already; and a capture without runs if they are not,
    but no run would answer them, with the reasons in its `answers`.

    `command` is the tool with its arguments; by default, that of the earlier capture. A capture set is data that people send to
    each other: if its command asks for more than a tool of IREE on this machine and its model, `consent` is called with the
    command and the reasons, and it runs only if that returns true.

    The other parameters are those of `capture`, and `given` those of `open`. Warns if variables of the environment differ from
    those of the earlier capture. Raises what `capture` raises, `UsageError` if the command is unknown or not allowed, and
    `InputError` if the set or bundle cannot be read.
    """
    capturing = _capturing(
        for_, modes, counters, output, tool_folder, repeat, time_limit, flush_interval_ms, replay, statistics,
        function, command_buffer, command_index, physical_device, queue, all,
    )  # fmt: skip
    plan = _native.capturing.prepare(os.fspath(path), _words(command or ()), capturing, options(given))
    for is_warning, text in plan.notices:
        if is_warning:
            warn(text)
        elif progress is not None:
            progress(text, None, None)
    if plan.consent is not None and not dry_run:
        words, reasons = plan.consent
        if consent is None or not consent(words, reasons):
            raise UsageError(
                f"the set asks for the command {words}, of which this is not known to be safe: {'; '.join(reasons)}. Allow it "
                "with consent, or give the tool and its arguments as command"
            )
    done = plan.run(dry_run, progress)
    return None if done is None else Capture(done)


def _capturing(
    for_: str | Sequence[str],
    modes: str | Sequence[str],
    counters: str | Sequence[str],
    output: str | os.PathLike[str] | None,
    tool_folder: str | os.PathLike[str] | None,
    repeat: int,
    time_limit: float | None,
    flush_interval_ms: int | None,
    replay: bool,
    statistics: bool,
    function: str | None,
    command_buffer: int | None,
    command_index: int | None,
    physical_device: int | None,
    queue: int | None,
    all: bool,
) -> dict[str, Any]:
    """Returns what is to be captured, for the native module."""
    return {
        "questions": _names(for_),
        "modes": _names(modes),
        "counters": _names(counters),
        "output": output,
        "tool_folder": tool_folder,
        "repeat": repeat,
        "time_limit": time_limit,
        "flush_interval_ms": flush_interval_ms,
        "replay": replay,
        "statistics": statistics,
        "all": all,
        "function": function,
        "command_buffer": command_buffer,
        "command_index": command_index,
        "physical_device": physical_device,
        "queue": queue,
    }


def _names(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _words(command: Sequence[str | os.PathLike[str]]) -> list[str]:
    if isinstance(command, str):
        raise TypeError("command is a list of words: the tool and its arguments")
    return [os.fspath(word) for word in command]
