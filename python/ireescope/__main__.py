"""`python -m ireescope` is the command `ireescope`."""

import sys

from ireescope.command import main

sys.exit(main())
