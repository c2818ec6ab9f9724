"""Why a call failed. All exceptions of this package are subclasses of `IreescopeError`."""

import os
import sys
import warnings


class IreescopeError(Exception):
    """The base of all exceptions of this package."""


class UsageError(IreescopeError, ValueError):
    """A parameter or the SQL is wrong."""


class InputError(IreescopeError):
    """A bundle or another input cannot be read.

    `path` is the file and `offset` the place in its uncompressed bytes; each is `None` if it is not known.
    """

    def __init__(self, text: str, path: "str | os.PathLike[str] | None" = None, offset: "int | None" = None) -> None:
        super().__init__(text)
        self.path = None if path is None else os.fspath(path)
        self.offset = offset


class ResourceError(IreescopeError):
    """The machine or a tool failed: the file system, memory, a thread, a process, a missing tool."""


class VerdictError(IreescopeError):
    """There is no verdict: what is judged, or its baseline, is missing or not comparable."""


class InternalError(IreescopeError):
    """A bug in ireescope or one of its libraries."""


class IreescopeWarning(UserWarning):
    """What one should know of an operation that went on all the same, such as a bundle that lacks records."""


def warn(text: str) -> None:
    """Issues a warning, at the line outside of this package that led to it."""
    if sys.version_info >= (3, 12):
        warnings.warn(text, IreescopeWarning, skip_file_prefixes=(os.path.dirname(__file__),))
    else:
        warnings.warn(text, IreescopeWarning, stacklevel=3)
