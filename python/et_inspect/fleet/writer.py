"""Writes a file of a data set with pyarrow: as et_parquet.so does for the command (fleet/parquet/parquet_writer.cpp)."""

from __future__ import annotations

import json
from typing import Any, Dict, List

from ..optional import need


def _list_type(text: str, pa: Any) -> Any:
    types = {
        "list<int64>": pa.list_(pa.int64()),
        "list<string>": pa.list_(pa.string()),
        "list<struct<key: string, value: string>>": pa.list_(pa.struct([("key", pa.string()), ("value", pa.string())])),
    }
    return types[text]


def _with_lists(batch: Any, lists: Dict[str, str], pa: Any) -> Any:
    columns: List[Any] = list(batch.columns)
    fields = list(batch.schema)
    for i, field in enumerate(fields):
        if field.name in lists:
            kind = _list_type(lists[field.name], pa)
            values = [None if text is None else json.loads(text) for text in columns[i].to_pylist()]
            columns[i], fields[i] = pa.array(values, kind), pa.field(field.name, kind)
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))


def write(path: str, stream: Any, metadata: Dict[str, str], lists: Dict[str, str], row_group_rows: int) -> None:
    """``stream`` has ``__arrow_c_stream__``."""
    pa = need("pyarrow", "writing Parquet")
    pq = need("pyarrow.parquet", "writing Parquet")
    writer = None
    try:
        for batch in pa.RecordBatchReader.from_stream(stream):
            batch = _with_lists(batch, lists, pa)
            if writer is None:
                counting = [f.name for f in batch.schema if pa.types.is_int64(f.type) and _counts(f.name)]
                writer = pq.ParquetWriter(
                    path,
                    batch.schema,
                    version="2.6",
                    compression="zstd",
                    use_dictionary=[f.name for f in batch.schema if f.name not in counting],
                    column_encoding={name: "DELTA_BINARY_PACKED" for name in counting},
                    write_page_index=True,
                    store_schema=False,
                )
                writer.add_key_value_metadata(metadata)
            writer.write_batch(batch, row_group_size=row_group_rows)
    finally:
        if writer is not None:
            writer.close()


def _counts(name: str) -> bool:
    return name.endswith("_id") or name in ("start_ns", "sample")
