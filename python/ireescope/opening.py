"""How bundles are opened: what names them, and the options."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from typing import IO, Any, Iterator, Sequence, TypedDict, Union

from ireescope.command import program

#: What names bundles: a path, glob or folder, each also as NAME=PATH; the bytes of a bundle; or an open binary file.
Source = Union[str, "os.PathLike[str]", bytes, IO[bytes]]


class OpenOptions(TypedDict, total=False):
    """The options of opening; all have defaults."""

    #: Reject bundles of unfinished captures instead of reading their complete records.
    strict: bool
    #: Number of threads; by default one per processor.
    threads: int | None
    #: Folders of `iree-compile --iree-hal-dump-executable-sources-to`, for `flops`, `bytes` and `op_kind` in SQL.
    sources: Sequence[str | os.PathLike[str]]
    #: Folders of `iree-compile --iree-hal-dump-executable-configurations-to`, for `knobs` in SQL.
    configurations: Sequence[str | os.PathLike[str]]
    #: Number of calls in each bundle, if `top` is not certain of it.
    calls: int | None
    #: The device in `device_peaks` that recorded the bundles, if it cannot be told from them.
    device: str | None
    #: Memory for queries in bytes; by default half of the machine's or container's. Larger ones use the disk.
    memory_limit: int | None
    #: The folder for what queries write to disk; by default that for temporary files.
    spill_folder: str | os.PathLike[str] | None
    #: Refuse SQL that defines or changes something, or opens other files.
    read_only_sql: bool
    #: Copy files before they are read, so that the process needs no handler of SIGBUS.
    copied: bool


_DEFAULTS: dict[str, Any] = {
    "strict": False,
    "threads": None,
    "sources": (),
    "configurations": (),
    "calls": None,
    "device": None,
    "memory_limit": None,
    "spill_folder": None,
    "read_only_sql": False,
    "copied": False,
}


def options(given: OpenOptions) -> dict[str, Any]:
    """Returns all options, for the native module."""
    unknown = given.keys() - _DEFAULTS.keys()
    if unknown:
        raise TypeError(f"there is no option {', '.join(sorted(unknown))}; options are {', '.join(_DEFAULTS)}")
    return {**_DEFAULTS, **given, "program": program()}


@contextmanager
def named(sources: Sequence[Source]) -> Iterator[list[str]]:
    """Names what is opened. Bytes and files become temporary files, which need no longer exist once they are open."""
    names: list[str] = []
    with tempfile.TemporaryDirectory(prefix="ireescope-") as folder:
        for nth, source in enumerate(sources):
            if isinstance(source, (str, os.PathLike)):
                names.append(os.fspath(source))
                continue
            label = "bytes" if isinstance(source, bytes) else os.path.basename(str(getattr(source, "name", "file")))
            label = label.removesuffix(".ireeprof") + (f"-{nth}" if nth else "")
            path = os.path.join(folder, f"{nth}.ireeprof")
            with open(path, "wb") as file:
                if isinstance(source, bytes):
                    file.write(source)
                else:
                    shutil.copyfileobj(source, file)
            names.append(f"{label}={path}")
        yield names


def flat(sources: Sequence[Any]) -> list[Source]:
    """Returns the sources of lists among them one by one."""
    return [one for it in sources for one in (it if isinstance(it, (list, tuple, set)) else [it])]
