"""Where the commands of this package are."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import List, Optional

from .errors import NotFoundError


def find(name: str) -> str:
    """Path of et-inspect, et-run, et-check or et-inspect-gui: beside this interpreter first, then on PATH."""
    folders: List[Optional[str]] = [os.environ.get("ET_INSPECT_BIN"), sysconfig.get_path("scripts")]
    folders.append(str(Path(sys.executable).parent))
    # pip install --user, and --target (bin beside the package)
    folders.append(sysconfig.get_path("scripts", f"{os.name}_user"))
    folders.append(str(Path(__file__).resolve().parent.parent / "bin"))
    for folder in folders:
        if folder and os.access(path := os.path.join(folder, name), os.X_OK):
            return path
    if found := shutil.which(name):
        return found
    raise NotFoundError(f"{name}: not found beside {sys.executable} nor on PATH; ET_INSPECT_BIN names its folder", 0x20, "NotFound")
