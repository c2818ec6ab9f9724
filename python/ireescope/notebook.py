"""Magics of notebooks: `%%ireescope` runs SQL, `%%profile` runs a command of IREE's tools and shows where the time went."""

from __future__ import annotations

import re
import shlex
from typing import Any

from IPython.core.magic import Magics, cell_magic, line_cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from ireescope.capture import capture
from ireescope.database import Database
from ireescope.database import open as open_bundles
from ireescope.errors import UsageError
from ireescope.rows import Rows

#: The variable of what is open, which the magics read and set.
DEFAULT = "db"


@magics_class
class IreescopeMagics(Magics):
    """The magics. What they open is the variable `db`, unless another is named."""

    @magic_arguments()
    @argument("bundles", nargs="*", help="bundles to open; by default, what the variable has open")
    @argument("-d", "--database", default=DEFAULT, metavar="NAME", help="variable of what is open (default: db)")
    @argument("-o", "--output", metavar="NAME", help="variable for the rows, instead of showing them")
    @line_cell_magic
    def ireescope(self, line: str, cell: str | None = None) -> Rows | None:
        """Runs the cell as SQL. `$name` in it stands for the value of a variable of the notebook. As a line, `%ireescope
        BUNDLE` opens bundles and shows where the time went."""
        given = parse_argstring(self.ireescope, line)
        database = self._database(given)
        if cell is None:
            return database.top()
        rows = database.sql(cell, **self._variables(cell))
        if given.output is None:
            return rows
        self.shell.user_ns[given.output] = rows
        return None

    @magic_arguments()
    @argument("-d", "--database", default=DEFAULT, metavar="NAME", help="variable for what is captured (default: db)")
    @argument("-f", "--for", dest="questions", action="append", default=[], metavar="QUESTION", help="what is asked")
    @argument("-o", "--output", metavar="FOLDER", help="folder of the capture (default: a new one beside the notebook)")
    @argument("-b", "--by", default="function", help="what times are grouped by (default: function)")
    @cell_magic
    def profile(self, line: str, cell: str) -> Rows:
        """Runs the cell, a command of iree-benchmark-module or iree-run-module, with a profile, and shows where the time went.
        The command may have several lines."""
        given = parse_argstring(self.profile, line)
        words = shlex.split(cell.replace("\\\n", " "), comments=True)
        captured = capture(words, for_=given.questions, output=given.output, progress=_say)
        database = captured.open()
        self.shell.user_ns[given.database] = database
        if any(row["severity"] != "info" for row in database.doctor()):
            display(database)
        return database.top(by=given.by)

    def _database(self, given: Any) -> Database:
        names = self.shell.user_ns
        if given.bundles:
            names[given.database] = open_bundles(*given.bundles)
        database = names.get(given.database)
        if isinstance(database, Database):
            return database
        raise UsageError(f"the variable {given.database} has nothing open; name bundles, as in %%ireescope runs/*.ireeprof")

    def _variables(self, cell: str) -> dict[str, object]:
        """Returns the variables of the notebook that the SQL names. What is none of theirs is an error of the SQL."""
        names = set(re.findall(r"\$([A-Za-z_]\w*)", cell))
        values = {name: self.shell.user_ns[name] for name in names if name in self.shell.user_ns}
        for name, value in values.items():
            if value is not None and not isinstance(value, (str, int, float)):
                raise UsageError(f"${name} is a {type(value).__name__}; SQL takes numbers, texts and None")
        return values


def _say(text: str, done: int | None, total: int | None) -> None:
    print(text if total is None else f"{text} ({done} of {total})")


def load(shell: Any) -> None:
    """Defines the magics."""
    shell.register_magics(IreescopeMagics)
