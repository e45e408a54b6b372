"""Rows of a trace: as a pandas DataFrame, an Arrow table, or a dict of lists."""

from __future__ import annotations

import importlib.util
from typing import Any, Dict, List, Literal, Optional

from . import _core
from .optional import need

Format = Literal["auto", "pandas", "arrow", "dict", "table"]


class Table:
    """Columns with names. Consumers of Arrow (pyarrow, polars, duckdb…) take it as it is, without a copy."""

    def __init__(self, core: Any) -> None:
        self._core = core

    @property
    def columns(self) -> List[str]:
        return self._core.names

    def __len__(self) -> int:
        return len(self._core)

    def __getitem__(self, name: str) -> List[Any]:
        return self._core.values(self._index(name))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._core.__arrow_c_stream__(requested_schema)

    def to_dict(self) -> Dict[str, List[Any]]:
        """A list for each column, None where there is no value. Of columns of one name the later ones are a:2, a:3 …"""
        return {name: self._core.values(i) for i, name in enumerate(self._keys())}

    def to_rows(self) -> List[Dict[str, Any]]:
        """A dict for each row."""
        names = self._keys()
        return [dict(zip(names, row)) for row in zip(*(self._core.values(i) for i in range(len(names))))]

    def to_pandas(self) -> Any:
        """A DataFrame. Integers with missing values are nullable integers, never floats."""
        pandas = need("pandas", "to_pandas()")
        columns = {i: self._series(i, pandas) for i in range(len(self.columns))}
        frame = pandas.DataFrame(columns, index=range(len(self)))
        frame.columns = pandas.Index(self.columns)
        return frame

    def to_arrow(self) -> Any:
        """A pyarrow.Table over the same memory."""
        return need("pyarrow", "to_arrow()").table(self)

    def to(self, format: Format = "auto") -> Any:
        """``auto``: pandas where it is installed, else pyarrow, else a dict of lists."""
        if format == "auto":
            format = default_format()
        if format == "pandas":
            return self.to_pandas()
        if format == "arrow":
            return self.to_arrow()
        if format == "dict":
            return self.to_dict()
        if format == "table":
            return self
        raise ValueError(f"format: expected auto, pandas, arrow, dict or table, got {format!r}")

    def __repr__(self) -> str:
        return f"<et_inspect.Table: {len(self)} rows of {', '.join(self.columns)}>"

    def _keys(self) -> List[str]:
        """Names of the columns, each once."""
        out: List[str] = []
        for name in self.columns:
            key, n = name, 1
            while key in out:
                n += 1
                key = f"{name}:{n}"
            out.append(key)
        return out

    def _index(self, name: str) -> int:
        try:
            return self.columns.index(name)
        except ValueError:
            raise KeyError(f"no column {name!r}; there are {', '.join(self.columns)}") from None

    def _series(self, i: int, pandas: Any) -> Any:
        numbers = self._core.numbers(i)
        if numbers is None:
            return pandas.Series(self._core.values(i), dtype=object if len(self) == 0 else None)
        mask = self._core.null_mask(i)
        if mask is None:
            return numbers.copy()  # a frame's own columns can be written
        if numbers.dtype.kind == "i":
            return pandas.arrays.IntegerArray(numbers.copy(), mask)
        values = numbers.copy()
        values[mask] = float("nan")
        return values


def from_rows(rows: List[Dict[str, Any]], columns: List[str], format: Format = "auto") -> Any:
    """What is a list of dicts already."""
    data = {name: [row.get(name) for row in rows] for name in columns}
    if format == "auto":
        format = default_format()
    if format == "pandas":
        import pandas

        return pandas.DataFrame({name: _without_floats(values, pandas) for name, values in data.items()}, columns=columns)
    if format == "arrow":
        import pyarrow

        return pyarrow.table(data)
    if format == "dict":
        return data
    raise ValueError(f"format: expected auto, pandas, arrow or dict, got {format!r}")


def _without_floats(values: List[Any], pandas: Any) -> Any:
    """Integers with missing values stay integers."""
    whole = all(v is None or (isinstance(v, int) and not isinstance(v, bool)) for v in values)
    return pandas.array(values, dtype="Int64") if whole and None in values and any(v is not None for v in values) else values


_default: Optional[Format] = None


def default_format() -> Format:
    """What tables are when nobody says; looked up once."""
    global _default
    if _default is None:
        installed = importlib.util.find_spec
        _default = "pandas" if installed("pandas") else "arrow" if installed("pyarrow") else "dict"
    return _default
