"""`python -m bgd`."""

import sys

from bgd.cli import main

sys.exit(main())
