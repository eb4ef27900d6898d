"""``python -m fdtd_interface``: what the container runs."""

import sys

from .__cli__ import main

sys.exit(main())
