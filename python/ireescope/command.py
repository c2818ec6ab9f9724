"""The command `ireescope`, which runs in the process of Python and shares the engine with the module."""

import os
import shutil
import signal
import sys
import sysconfig

from ireescope import _native


def program() -> "str | None":
    """Returns the file of the command, which is started again to decode traces; `None` if it is not installed."""
    beside = os.path.join(sysconfig.get_path("scripts"), "ireescope")
    return beside if os.access(beside, os.X_OK) else shutil.which("ireescope")


def main() -> int:
    """Runs the command with the arguments of the process, and returns its exit code."""
    # The command handles Ctrl-C and closed pipes as programs do, not with exceptions.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(sys.argv, program())


if __name__ == "__main__":
    sys.exit(main())
