"""Packages that some things need and most do not."""

from __future__ import annotations

import importlib
from typing import Any


def need(name: str, what: str) -> Any:
    """The package, or an error that says who needs it and how to get it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as e:
        if e.name != name:
            raise
        raise ModuleNotFoundError(f"{what} needs {name}, which is not installed: pip install {name}", name=name) from None
