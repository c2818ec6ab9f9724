"""Opens IREE device profiles as tables, and answers questions about them.

    import ireescope as ie
    db = ie.open("runs/*.ireeprof")
    db.top()                                   # where the time went
    db.sql("SELECT * FROM dispatches").to_polars()

Kernel times are integers of nanoseconds. docs/tables.md documents the columns of all tables, views and reports; so do
`Rows.columns` and `Rows.describe`.
"""

from ireescope import spec
from ireescope._native import VERSION as __version__
from ireescope.bench import Bench, bench, peaks
from ireescope.capture import Capture, capture, fill
from ireescope.comparison import Comparison, compare
from ireescope.database import Database, Table, open
from ireescope.errors import (
    InputError,
    InternalError,
    IreescopeError,
    IreescopeWarning,
    ResourceError,
    UsageError,
    VerdictError,
)
from ireescope.export import Exported, Rendered, export, render
from ireescope.history import History
from ireescope.race import Race, race
from ireescope.report import Plot, report
from ireescope.rows import Rows
from ireescope.tune import Tuned, tune


def load_ipython_extension(shell: object) -> None:
    """Defines the magics `%%ireescope` and `%%profile`; `%load_ext ireescope` calls it."""
    from ireescope import notebook

    notebook.load(shell)


__all__ = [
    "Bench",
    "Capture",
    "Comparison",
    "Database",
    "Exported",
    "History",
    "InputError",
    "InternalError",
    "IreescopeError",
    "IreescopeWarning",
    "Plot",
    "Race",
    "Rendered",
    "ResourceError",
    "Rows",
    "Table",
    "Tuned",
    "UsageError",
    "VerdictError",
    "__version__",
    "bench",
    "capture",
    "compare",
    "export",
    "fill",
    "open",
    "peaks",
    "race",
    "render",
    "report",
    "spec",
    "tune",
]
