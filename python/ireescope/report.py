"""Reports as pages, and charts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Sequence

from ireescope import _native
from ireescope.errors import UsageError
from ireescope.opening import OpenOptions, Source, flat, named, options

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Plot:
    """A chart: shown in notebooks, written as SVG or PNG."""

    __slots__ = ("_native",)

    def __init__(self, native: _native.pages.Plot) -> None:
        self._native = native

    @property
    def caption(self) -> str:
        """What it shows."""
        return self._native.caption

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes an .svg or a .png file."""
        match os.path.splitext(path)[1]:
            case ".svg":
                drawn = self._native.svg().encode()
            case ".png":
                drawn = self._native.png()
            case _:
                raise UsageError(f"a chart is written as .svg or .png, not as {os.fspath(path)}")
        with open(path, "wb") as file:
            file.write(drawn)

    def __repr__(self) -> str:
        return f"<ireescope.Plot: {self.caption}>"

    def _repr_svg_(self) -> str:
        return self._native.svg()


def report(
    *bundles: Source | Sequence[Source],
    output: str | os.PathLike[str],
    base: Source | None = None,
    new: Source | None = None,
    history: str | os.PathLike[str] | None = None,
    **given: Unpack[OpenOptions],
) -> None:
    """Writes one page that needs nothing else: where the time went, whether it changed, and how sure that is.

    It is about captures, about `base` and `new`, which are compared, or about a `history`. `output` is an HTML file, or with the extension
    .md the same in short as Markdown. Raises as `ireescope.open` and `ireescope.compare` do.
    """
    if (base is None) != (new is None) or sum([bool(bundles), base is not None, history is not None]) != 1:
        raise UsageError("a report is about bundles, about base and new, or about a history")
    is_markdown = os.fspath(output).endswith(".md")
    chosen = flat([it for it in (base, new) if it is not None] or list(bundles))
    with named(chosen) as names:
        sides = (_side("base", names[0]), _side("new", names[1])) if base is not None else None
        folder = None if history is None else os.fspath(history)
        text = _native.pages.report(names, sides, folder, is_markdown, options(given))
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


def _side(name: str, bundle: str) -> str:
    return bundle if "=" in bundle and os.sep not in bundle.split("=", 1)[0] else f"{name}={bundle}"
