#!/usr/bin/env python3
"""Runs the tests of the Python package for ctest: run.py FOLDER_OF_THE_PACKAGE PATHS... Exit code 77 and a reason where
something that they need is missing; `make wheel-test` brings all of it."""
import importlib
import os
import sys

package, paths = sys.argv[1], sys.argv[2:]
sys.path.insert(0, os.path.abspath(package))
for name in ("numpy", "pytest", "et_inspect._core"):
    try:
        importlib.import_module(name)
    except ImportError as e:
        print(f"skipped: {e} ({sys.executable}; make wheel-test installs what the tests need)")
        sys.exit(77)
import pytest  # noqa: E402

sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *paths]))
