#!/usr/bin/env python3
"""Makes a small, valid ETRecord from a big one: graphs and maps stay byte for byte, weights go.

    slim_etrecord.py IN.bin OUT.bin [--keep-tensors-below BYTES]

The members `*_state_dict`, `*_constants` and `*_example_inputs` become empty torch archives of the same shape
(a dict without entries; `((), {})`). `reference_outputs` and `representative_inputs` stay when they are smaller than
the limit and become empty otherwise. All other members are copied. Members are deflated, where the exporter stores
them: both are legal in a record. Standard library only; nothing of the record is executed.
"""
import argparse
import io
import sys
import zipfile

# Pickles, protocol 2, of the three empty values that take a tensor member's place.
EMPTY_DICT = b"\x80\x02}."
EMPTY_LIST = b"\x80\x02]."
EMPTY_INPUTS = b"\x80\x02)}\x86."  # ((), {}): positional and keyword inputs
DEFAULT_LIMIT = 65536  # bytes
FIXED_DATE = (1980, 1, 1, 0, 0, 0)  # equal input gives an equal file


def write_member(archive, name, data, method):
    info = zipfile.ZipInfo(name, FIXED_DATE)
    info.compress_type = method
    info.external_attr = 0o600 << 16
    archive.writestr(info, data)


def torch_archive(pickle_bytes):
    """The container of torch.save around a pickle that refers to no storage."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as inner:
        for name, data in (
            ("archive/data.pkl", pickle_bytes),
            ("archive/byteorder", b"little"),
            ("archive/version", b"3\n"),
        ):
            write_member(inner, name, data, zipfile.ZIP_STORED)
    return buffer.getvalue()


def replacement(name, size, limit):
    """The bytes that take the place of a member, or None when it is kept."""
    if name.endswith(("_state_dict", "_constants")):
        return torch_archive(EMPTY_DICT)
    if name.endswith("_example_inputs"):
        return torch_archive(EMPTY_INPUTS)
    if size >= limit and name == "reference_outputs":
        return torch_archive(EMPTY_DICT)
    if size >= limit and name == "representative_inputs":
        return torch_archive(EMPTY_LIST)
    return None


def slim(source, target, limit):
    with zipfile.ZipFile(source) as record, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for info in record.infolist():
            data = replacement(info.filename, info.file_size, limit)
            if data is None:
                data = record.read(info)
            write_member(out, info.filename, data, zipfile.ZIP_DEFLATED if data else zipfile.ZIP_STORED)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--keep-tensors-below", type=int, default=DEFAULT_LIMIT, metavar="BYTES")
    args = parser.parse_args()
    try:
        slim(args.source, args.target, args.keep_tensors_below)
    except (OSError, zipfile.BadZipFile) as error:
        sys.exit(f"slim_etrecord: {args.source}: {error}")


if __name__ == "__main__":
    main()
