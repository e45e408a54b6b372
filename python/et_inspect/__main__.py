"""python -m et_inspect: the command et-inspect."""

import os
import sys

from .commands import find
from .errors import NotFoundError

try:
    path = find("et-inspect")
except NotFoundError as e:
    sys.exit(f"et_inspect: {e}")
sys.stdout.flush()
os.execv(path, ["et-inspect", *sys.argv[1:]])
