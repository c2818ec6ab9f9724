"""What the native module has; the package's own modules call it."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

VERSION: str

def main(arguments: Sequence[str], program: str | None) -> int: ...

class Rows:
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    @property
    def columns(self) -> list[tuple[str, str, str | None, str | None]]: ...
    @property
    def is_answer(self) -> bool: ...
    @property
    def count(self) -> int | None: ...
    def head(self, most: int) -> tuple[list[tuple[Any, ...]], bool]: ...
    def read(self) -> Rows: ...

class Database:
    def __init__(self, arguments: Sequence[str], opening: Mapping[str, Any]) -> None: ...
    def sql(self, script: str, variables: Sequence[tuple[str, str]]) -> Rows: ...
    def top(self, by: str, sort: str, filter: str, warm_up: str) -> Rows: ...
    def report(
        self,
        command: str,
        *,
        filter: str,
        id: int | None,
        warm_up: str,
        dispatch_events: bool,
        counter_samples: bool,
        rows: Sequence[str],
    ) -> list[tuple[str, Rows]]: ...
    def doctor(self) -> Rows: ...
    def gaps(self, names: Sequence[str]) -> Rows: ...
    def register(self, name: str, rows: object) -> None: ...
    def names(self) -> list[str]: ...
    @property
    def bundles(self) -> dict[str, str]: ...
    def plot(self, what: str, function: str | None) -> pages.Plot | None: ...
    def datafusion_table(self, session: object, name: str) -> object: ...

class comparing:
    class Comparison:
        @property
        def sides(self) -> list[str]: ...
        @property
        def rows(self) -> Rows: ...
        @property
        def gate(self) -> tuple[str, str] | None: ...
        def text(self, limit: int, width: int | None) -> str: ...
        def markdown(self, limit: int) -> str: ...
        def junit(self) -> str: ...

    @staticmethod
    def compare(
        sides: Sequence[tuple[str | None, Sequence[str]]],
        race: str | None,
        measuring: Mapping[str, Any],
        judging: Mapping[str, Any],
        opening: Mapping[str, Any],
    ) -> Comparison: ...

class tracking:
    @staticmethod
    def add(
        folder: str, adding: Mapping[str, Any], opening: Mapping[str, Any]
    ) -> tuple[str, int, bool, list[str]]: ...
    @staticmethod
    def entries(folder: str, branch: str | None, labels: Sequence[str], limit: int | None) -> Rows: ...
    @staticmethod
    def check(
        folder: str, checking: Mapping[str, Any], judging: Mapping[str, Any], opening: Mapping[str, Any]
    ) -> dict[str, Any]: ...
    @staticmethod
    def accept(
        folder: str, entry: str | None, branch: str | None, labels: Sequence[str], at: str | None
    ) -> tuple[str, str]: ...
    @staticmethod
    def drift(
        folder: str,
        branch: str | None,
        across: Sequence[str],
        filter: str,
        last: int | None,
        labels: Sequence[str],
    ) -> dict[str, Any]: ...
    @staticmethod
    def compact(folder: str) -> tuple[int, int]: ...

class racing:
    @staticmethod
    def race(
        base: Sequence[str],
        new: Sequence[str],
        racing: Mapping[str, Any],
        judging: Mapping[str, Any],
        opening: Mapping[str, Any],
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> tuple[str, os.PathLike[str], list[str]]: ...

class exporting:
    @staticmethod
    def dataset(
        bundles: Sequence[str],
        folder: str,
        tables: Sequence[str],
        condition: str | None,
        opening: Mapping[str, Any],
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> dict[str, Any]: ...
    @staticmethod
    def ireeperf(
        bundles: Sequence[str],
        path: str,
        opening: Mapping[str, Any],
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> dict[str, Any]: ...
    @staticmethod
    def table(
        bundles: Sequence[str],
        path: str,
        name: str | None,
        relation: str,
        condition: str | None,
        opening: Mapping[str, Any],
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> dict[str, Any]: ...
    @staticmethod
    def render(
        bundles: Sequence[str],
        path: str,
        window: str | None,
        filter: str | None,
        queries: Sequence[tuple[str, str]],
        only_queries: bool,
        gpu_packets: bool,
        traces: str | None,
        zero: str,
        opening: Mapping[str, Any],
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> dict[str, Any]: ...
    @staticmethod
    def write(rows: Rows, path: str | os.PathLike[str], name: str | None) -> int: ...

class capturing:
    class Plan:
        @property
        def consent(self) -> tuple[list[str], list[str]] | None: ...
        @property
        def notices(self) -> list[tuple[bool, str]]: ...
        def run(
            self, is_dry_run: bool, progress: Callable[[str, int | None, int | None], object] | None
        ) -> dict[str, Any] | None: ...

    @staticmethod
    def capture(
        words: Sequence[str],
        capturing: Mapping[str, Any],
        environment: Mapping[str, str],
        directory: str | os.PathLike[str] | None,
        is_dry_run: bool,
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> dict[str, Any]: ...
    @staticmethod
    def prepare(
        path: str, words: Sequence[str], capturing: Mapping[str, Any], opening: Mapping[str, Any]
    ) -> Plan: ...

class _Benched(TypedDict):
    rows: Rows | None
    dispatches: int
    wrong: int
    failed: int
    known: int
    commands: list[str]
    skipped: list[tuple[str, str]]
    sources: list[os.PathLike[str]]
    warnings: list[str]

class benching:
    @staticmethod
    def run(
        folder: str | os.PathLike[str],
        *,
        shapes: Mapping[str, Any],
        dispatches: Sequence[str],
        aim: Mapping[str, Any],
        compiling: Mapping[str, Any],
        measuring: Mapping[str, Any],
        tool_folder: str | os.PathLike[str] | None,
        is_generating: bool,
        dry_run: bool,
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> _Benched: ...

class peaks:
    @staticmethod
    def peaks(
        *,
        aim: Mapping[str, Any],
        compiling: Mapping[str, Any],
        size: int | None,
        name: str | None,
        folder: str | os.PathLike[str] | None,
        tool_folder: str | os.PathLike[str] | None,
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> Rows: ...

class _Tried(TypedDict):
    rows: Rows
    summary: str
    reason: str | None
    results: str | None
    flags: list[str]
    is_refused: bool

class _Merged(TypedDict):
    conflicts: Rows
    repeated: list[tuple[os.PathLike[str], str]]
    matchers: int
    is_written: bool
    reason: str | None
    tried: _Tried | None

class specs:
    @staticmethod
    def knobs(
        models: Sequence[str | os.PathLike[str]],
        *,
        profile: Sequence[str],
        filter: str,
        opening: Mapping[str, Any],
        compiling: Mapping[str, Any],
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> Rows: ...
    @staticmethod
    def show(spec: str | os.PathLike[str], compiling: Mapping[str, Any]) -> Rows: ...
    @staticmethod
    def diff(
        base: str | os.PathLike[str], new: str | os.PathLike[str], compiling: Mapping[str, Any]
    ) -> Rows: ...
    @staticmethod
    def verify(
        spec: str | os.PathLike[str],
        model: str | os.PathLike[str],
        compiling: Mapping[str, Any],
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> _Tried: ...
    @staticmethod
    def write(
        model: str | os.PathLike[str],
        output: str | os.PathLike[str],
        *,
        dispatch: str,
        values: Sequence[tuple[str, str]],
        compiling: Mapping[str, Any],
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> _Tried: ...
    @staticmethod
    def merge(
        specs: Sequence[str | os.PathLike[str]],
        output: str | os.PathLike[str],
        *,
        prefer: str | None,
        model: str | os.PathLike[str] | None,
        compiling: Mapping[str, Any],
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> _Merged: ...

class _Tuned(TypedDict):
    folder: os.PathLike[str]
    outcome: str
    dispatches: Rows
    report: str | None
    is_in_time: bool
    counts: tuple[int, int, int] | None
    spec: os.PathLike[str] | None
    module: os.PathLike[str] | None
    flags: list[str]
    ns: tuple[float, float] | None
    ratio: tuple[float, float, float] | None

class tuning:
    @staticmethod
    def run(
        request: Mapping[str, Any],
        options: Mapping[str, Any],
        opening: Mapping[str, Any],
        progress: Callable[[str, int | None, int | None], object] | None,
    ) -> _Tuned: ...

class pages:
    class Plot:
        @property
        def caption(self) -> str: ...
        def svg(self) -> str: ...
        def png(self) -> bytes: ...

    @staticmethod
    def report(
        bundles: Sequence[str],
        sides: tuple[str, str] | None,
        history: str | None,
        is_markdown: bool,
        opening: Mapping[str, Any],
    ) -> str: ...
