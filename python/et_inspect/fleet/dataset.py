"""Data sets: what is in them, writing into them, committing."""

from __future__ import annotations

import contextlib
import os
from typing import Iterator, List, Sequence, Set, Tuple, Union

from .. import _core
from . import writer

PathLike = Union[str, "os.PathLike[str]"]


def columns() -> List[Tuple[str, List[Tuple[str, str, str]]]]:
    """Views in the order of writing, each with (column, INTEGER REAL TEXT or BLOB, Arrow type of a list or "")."""
    return _core.dataset_columns()


def key_of(redact: Union[None, PathLike]) -> str:
    return "" if redact is None else _core.redaction_key(os.fspath(redact))


def stage(
    store: str,
    staging: str,
    known: Set[str],
    *,
    samples: bool = False,
    date: str = "",
    device: str = "",
    build: str = "",
    key: str = "",
) -> Tuple[int, int, int, List[str]]:
    """Writes the traces of a store that are not known into a folder: traces, calls of et-check, files, hashes."""
    return _core.dataset_stage(store, staging, sorted(known), samples, date, device, build, key, writer.write)


@contextlib.contextmanager
def locked(folder: PathLike) -> Iterator[Set[str]]:
    """The data set, for one writer at a time: hashes of what it has. Commits that were cut off are completed."""
    lock = _core.DatasetLock(os.fspath(folder))
    try:
        yield set(_core.dataset_open(os.fspath(folder)))
    finally:
        lock.release()


def export(
    stores: Union[PathLike, Sequence[PathLike]],
    out: PathLike,
    *,
    samples: bool = False,
    date: str = "",
    device: str = "",
    build: str = "",
    redact: Union[None, PathLike] = None,
) -> int:
    """Adds the traces of stores to a data set, as `et-inspect export --format parquet`; returns how many were new.
    ``redact``: file with the key that paths, host names and code are hashed with."""
    paths = [stores] if isinstance(stores, (str, os.PathLike)) else list(stores)
    key = key_of(redact)
    with locked(out) as known:
        staged: List[str] = []
        added: Set[str] = set()
        total = 0
        for path in paths:
            folder = _core.dataset_staging(os.fspath(out))
            staged.append(folder)
            traces, _, _, hashes = stage(
                os.fspath(path), folder, known | added, samples=samples, date=date, device=device, build=build, key=key
            )
            total += traces
            added |= set(hashes)
        _core.dataset_commit(os.fspath(out), staged, sorted(added))
    return total
