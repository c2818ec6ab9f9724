"""Tuning specs: files of the transform dialect that tell `iree-compile` how to compile some operations.

A knob is one value of a configuration, such as `distribution` or `workgroup_size`. docs/tuning.md explains both.

    import ireescope as ie
    ie.spec.knobs("model.mlir", profile="run.ireeprof")
    ie.spec.write("model.mlir", "tuned.mlir", dispatch="*matmul_512x*", set={"distribution": [64, 64, 0]})
"""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

from ireescope import _native
from ireescope.bench import Progress, words
from ireescope.errors import UsageError, warn
from ireescope.opening import options
from ireescope.rows import Rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ireescope.opening import OpenOptions

#: A file.
Path = Union[str, "os.PathLike[str]"]


class Trial:
    """What became of a spec that was tried on a model. `bool(trial)` is whether it is good: all of its matchers were applied,
    what they change compiles, and results are equal, if they were compared."""

    __slots__ = ("_tried", "path", "rows")

    def __init__(self, tried: _native._Tried, path: str | None) -> None:
        self._tried = tried
        #: The file of the spec; `None` if it was to be written, and was not.
        self.path = path
        #: For each matcher the dispatches to which it was applied, or why it was not: `matcher`, `result` (`applied`,
        #: `refused`, `lost` or `never`), `dispatch` and `detail`.
        self.rows = Rows(tried["rows"])

    @property
    def summary(self) -> str:
        """How many matchers were applied, and whether what they change compiles."""
        return self._tried["summary"]

    @property
    def reason(self) -> str | None:
        """Why the spec is not good, with the compiler's words if it refuses something; `None` if it is good."""
        return self._tried["reason"]

    @property
    def results(self) -> str | None:
        """On which inputs the results equal those of the untuned model; `None` if they differ or were not compared."""
        return self._tried["results"]

    @property
    def flags(self) -> list[str]:
        """The flags with which `iree-compile` reads the spec for this target."""
        return list(self._tried["flags"])

    def __bool__(self) -> bool:
        return self.reason is None

    def __repr__(self) -> str:
        lines = [repr(self.rows)] if self.rows else []
        return "\n".join([*lines, *self._texts()])

    def _repr_html_(self) -> str:
        table = self.rows._repr_html_() if self.rows else ""
        return table + "".join(f"<p>{html.escape(text)}</p>" for text in self._texts())

    def _texts(self) -> list[str]:
        return [text for text in (self.summary, self.results, self.reason) if text]


class Merged:
    """What was joined. `bool(merged)` is whether the spec was written."""

    __slots__ = ("_done", "conflicts", "path", "trial")

    def __init__(self, done: _native._Merged, path: str) -> None:
        self._done = done
        #: The file of the spec; `None` if it was not written.
        self.path = path if done["is_written"] else None
        #: Matchers of which one hides the other, because it is tried first, matches all that the other does, and sets other
        #: values: a row for each knob.
        self.conflicts = Rows(done["conflicts"])
        #: What became of it on the model; `None` without one.
        self.trial = None if done["tried"] is None else Trial(done["tried"], self.path)

    @property
    def matchers(self) -> int:
        """The number of matchers of the joined spec."""
        return self._done["matchers"]

    @property
    def repeated(self) -> list[tuple[str, str]]:
        """The matchers that were left out, as an earlier one does the same: file and name."""
        return [(os.fspath(path), matcher) for path, matcher in self._done["repeated"]]

    @property
    def reason(self) -> str | None:
        """Why nothing was written; `None` if it was."""
        return self._done["reason"]

    def __bool__(self) -> bool:
        return self.path is not None

    def __repr__(self) -> str:
        what = f"{self.path}: {self.matchers} matchers" if self else self.reason
        return f"<ireescope.spec.Merged, {what}>"

    def _repr_html_(self) -> str:
        what = f"{self.path}: {self.matchers} matchers" if self else str(self.reason)
        conflicts = self.conflicts._repr_html_() if self.conflicts else ""
        trial = self.trial._repr_html_() if self.trial is not None else ""
        return f"<p>{html.escape(what)}</p>{conflicts}{trial}"


def knobs(
    models: Path | Sequence[Path],
    *,
    profile: Path | Sequence[Path] = (),
    filter: str = "*",
    compiler_flags: Sequence[str] = (),
    tool_folder: Path | None = None,
    compile_limit: float = 600.0,
    progress: Progress | None = None,
    **given: Unpack[OpenOptions],
) -> Rows:
    """Lists the dispatches of a model with the knobs that the compiler chose: a row for each knob.

    `models` are files of MLIR, which are compiled as far as configurations, and files or folders of
    `iree-compile --iree-hal-dump-executable-configurations-to`. `profile` are bundles with the times of the dispatches in
    nanoseconds, of which the longest come first; `given` are the options of opening them. `filter` is a pattern of names.

    `compiler_flags` are flags of `iree-compile`, by default those for the processor of this machine; `tool_folder` has IREE's
    tools, if they are not on the PATH or in an activated Python environment; and `compile_limit` is in seconds. Raises
    `InputError` if the compiler refuses the model, and `ResourceError` if there is no compiler or it takes too long.

        >>> import ireescope as ie
        >>> rows = ie.spec.knobs("tests/data/configurations/mlp")
        >>> rows.columns[:3]
        ['dispatch', 'target', 'operation']
    """
    files = [models] if isinstance(models, (str, os.PathLike)) else list(models)
    if not files:
        raise UsageError("name a model")
    found = _native.specs.knobs(
        files,
        profile=[os.fspath(path) for path in ([profile] if isinstance(profile, (str, os.PathLike)) else profile)],
        filter=filter,
        opening=options(given),
        compiling=_compiling(compiler_flags, tool_folder, compile_limit),
        progress=progress,
    )
    rows = Rows(found)
    if filter != "*" and not rows:
        warn(f"no dispatch matches filter={filter}")
    return rows


def show(spec: Path, *, tool_folder: Path | None = None) -> Rows:
    """Returns what a spec matches and sets: a row for each knob of a matcher, in the order in which they are tried.

    The spec is MLIR, as text or bytecode; `iree-opt` of `tool_folder` reads bytecode. Raises `InputError` if it is no spec.

        >>> import ireescope as ie
        >>> ie.spec.show("tests/data/specs/first.mlir").columns[:2]
        ['matcher', 'operation']
    """
    return Rows(_native.specs.show(spec, _compiling((), tool_folder)))


def diff(base: Path, new: Path, *, tool_folder: Path | None = None) -> Rows:
    """Returns what changed from one spec to another: matchers that were added, removed or moved, and values. No rows mean that
    they are the same. Matchers are the same if they match the same operations, whatever their names.

        >>> import ireescope as ie
        >>> len(ie.spec.diff("tests/data/specs/first.mlir", "tests/data/specs/first.mlir"))
        0
    """
    return Rows(_native.specs.diff(base, new, _compiling((), tool_folder)))


def verify(
    spec: Path,
    model: Path,
    *,
    check_results: bool = False,
    run_flags: Sequence[str] = (),
    run_limit: float = 600.0,
    compiler_flags: Sequence[str] = (),
    tool_folder: Path | None = None,
    compile_limit: float = 600.0,
    progress: Progress | None = None,
) -> Trial:
    """Compiles a model with a spec, and tells which of its matchers were applied.

    A matcher is applied if the dispatch has its values and the compiler did not choose them itself. The dispatches that the
    spec changes are compiled to the end. With `check_results`, the whole model also runs with and without the spec, with
    `run_flags` of `iree-run-module`, such as `--function=main` or `--input=32x128xf32`, and the results are compared.

    The result is false if the spec is not applied as a whole, if the compiler refuses it or a dispatch, or if results differ.
    `run_limit` and `compile_limit` are seconds, for a run and a compilation. Raises `InputError` if the model or the spec
    cannot be read, `VerdictError` if results cannot be compared, and `ResourceError` if a tool is missing.
    """
    compiling = _checking(check_results, run_flags, run_limit, compiler_flags, tool_folder, compile_limit)
    return Trial(_native.specs.verify(spec, model, compiling, progress), os.fspath(spec))


def write(
    model: Path,
    output: Path,
    *,
    dispatch: str,
    set: Mapping[str, object],
    check_results: bool = False,
    run_flags: Sequence[str] = (),
    run_limit: float = 600.0,
    compiler_flags: Sequence[str] = (),
    tool_folder: Path | None = None,
    compile_limit: float = 600.0,
    progress: Progress | None = None,
) -> Trial:
    """Writes a spec that sets knobs of a dispatch into the file `output`, if it is good, as `verify` tells.

    `dispatch` is its name in `knobs`, or a pattern that only it matches. `set` has values by knobs: numbers, lists of them,
    booleans, or the text of an attribute; `[1]` behind a knob sets one element of its list, as in
    `{"distribution": [64, 64, 0], "vector_common_parallel[1]": 32}`. Other knobs keep the values that the compiler chose. The
    spec applies to all dispatches whose root operation is equal.

    Nothing is written if the result is false; `reason` says why. Raises `UsageError` for a dispatch or knob that there is not.
    The other parameters and errors are those of `verify`.
    """
    if not set:
        raise UsageError("set has no knob")
    tried = _native.specs.write(
        model,
        output,
        dispatch=dispatch,
        values=[(str(knob).strip(), _attribute(value)) for knob, value in set.items()],
        compiling=_checking(check_results, run_flags, run_limit, compiler_flags, tool_folder, compile_limit),
        progress=progress,
    )
    return Trial(tried, os.fspath(output) if tried["reason"] is None else None)


def merge(
    specs: Sequence[Path],
    output: Path,
    *,
    prefer: str | None = None,
    model: Path | None = None,
    check_results: bool = False,
    run_flags: Sequence[str] = (),
    run_limit: float = 600.0,
    compiler_flags: Sequence[str] = (),
    tool_folder: Path | None = None,
    compile_limit: float = 600.0,
    progress: Progress | None = None,
) -> Merged:
    """Joins specs into the file `output`. Of several specs, the compiler reads the last only.

    Matchers are tried in the order of the specs. Where one hides another that sets different values, nothing is written, unless
    `prefer` says whose to keep: those of the `first` or of the `last` spec. With a `model`, it is compiled with the spec, which
    is written only if it is good, as `verify` tells. The other parameters and errors are those of `verify`.
    """
    if isinstance(specs, (str, bytes, os.PathLike)) or len(specs) < 2:
        raise UsageError("specs are two files or more")
    if prefer not in (None, "first", "last"):
        raise UsageError(f"prefer is first or last, not `{prefer}`")
    if model is None and (check_results or compiler_flags):
        raise UsageError("check_results and compiler_flags need a model")
    done = _native.specs.merge(
        list(specs),
        output,
        prefer=prefer,
        model=model,
        compiling=_checking(check_results, run_flags, run_limit, compiler_flags, tool_folder, compile_limit),
        progress=progress,
    )
    return Merged(done, os.fspath(output))


def _checking(
    check_results: bool,
    run_flags: Sequence[str],
    run_limit: float,
    compiler_flags: Sequence[str],
    tool_folder: Path | None,
    compile_limit: float,
) -> dict[str, Any]:
    if run_flags and not check_results:
        raise UsageError("run_flags need check_results")
    return {
        **_compiling(compiler_flags, tool_folder, compile_limit),
        "check_results": check_results,
        "run_flags": words("run_flags", run_flags),
        "run_limit": run_limit,
    }


def _compiling(
    compiler_flags: Sequence[str], tool_folder: Path | None, compile_limit: float = 600.0
) -> dict[str, Any]:
    return {
        "compiler_flags": words("compiler_flags", compiler_flags),
        "tool_folder": tool_folder,
        "compile_limit": compile_limit,
        "check_results": False,
        "run_flags": [],
        "run_limit": 600.0,
    }


def _attribute(value: object) -> str:
    """Returns a value as an attribute of MLIR."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(_attribute(one) for one in value) + "]"
    return str(value)
