#!/usr/bin/env python3
"""Writes bundled_program/reference/schemas.def: which kernel computes a functional operator of a graph, and how.

    make_operator_schemas.py [OUT.def]          the whole table; scripts/add_operator.py renews the rows of one kernel

Run it with a Python that has torch and executorch (any version whose operators the kernels follow). For every kernel of
runtime/kernels/*/operators.def the table has the functional operators that ExecuTorch's export turns into it, and the
kernel's arguments in order with types and defaults. One row:

    ET_SCHEMA("aten.add.Tensor", "aten::add.out", "self:t other:t alpha:s=1", "t")

operator as a graph names it, kernel, arguments (name:type=default), results. Types: t tensor, s scalar, i int, f float,
b bool, str text, dtype, layout, device, format (memory format); `[]` a list, `?` may be None, `!` is updated in place.
An argument without a default must be given.
"""
import pathlib
import re
import sys

import torch
from executorch.exir.dialects._ops import ops as edge_ops  # noqa: F401  (registers the dim order operators)
from executorch.exir.operator.convert import to_out_variant
from executorch.exir.passes import dim_order_ops_registry  # noqa: F401
from torch.ao.quantization.fx import _decomposed  # noqa: F401

try:  # out variants of the quantised operators
    from executorch.kernels import quantized  # noqa: F401
except ImportError:
    pass
try:
    import executorch.exir.passes._quant_patterns_and_replacements  # noqa: F401
except ImportError:
    pass
try:  # the operators for language models
    from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401
except (ImportError, RuntimeError, AssertionError, OSError):
    pass

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "bundled_program/reference/schemas.def"
LETTERS = {
    "Tensor": "t", "number": "s", "Scalar": "s", "int": "i", "SymInt": "i", "float": "f", "bool": "b", "str": "str",
    "ScalarType": "dtype", "Layout": "layout", "Device": "device", "MemoryFormat": "format",
}


def kernels():
    """Names of all operators in the tables of runtime/kernels."""
    names = []
    for table in sorted(ROOT.glob("runtime/kernels/*/operators.def")):
        names += re.findall(r'^ET_(?:PRIM_)?OPERATOR\("([^"]+)"', table.read_text(), re.MULTILINE)
    return names


def type_text(argument):
    """Type of an argument of torch's schema in the table's letters."""
    kind = argument.real_type if hasattr(argument, "real_type") else argument.type
    text = str(kind)
    optional = text.startswith("Optional[")
    if optional:
        text = text[len("Optional["):-1]
    as_list = text.startswith("List[")
    item_optional = False
    if as_list:
        text = text[len("List["):-1]
        item_optional = text.startswith("Optional[")
        if item_optional:
            text = text[len("Optional["):-1]
    if text not in LETTERS:
        raise ValueError(f"type {text} of {argument.name}")
    return LETTERS[text] + ("?" if item_optional else "") + ("[]" if as_list else "") + ("?" if optional else "")


def default_text(value):
    if value is None:
        return "None"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(default_text(v) for v in value) + "]"
    raise ValueError(f"default {value!r}")


def results_text(schema):
    return " ".join(type_text(r) for r in schema.returns)


def row(functional, out):
    """The kernel's arguments; defaults are the functional operator's, which is what a graph leaves out."""
    given = {a.name: a for a in functional._schema.arguments}
    parts = []
    for argument in out._schema.arguments:
        if argument.is_out:
            continue
        source = given.get(argument.name, argument)
        part = f"{argument.name}:{type_text(argument)}"
        if argument.alias_info and argument.alias_info.is_write:
            part += "!"
        if source.has_default_value():
            part += "=" + default_text(source.default_value)
        parts.append(part)
    return " ".join(parts)


def out_variant(functional):
    """As the export looks it up; where it stumbles over other overloads of the name, by equal arguments."""
    try:
        return to_out_variant(functional)[0]
    except Exception:  # whatever it raises, it found none
        pass
    packet = functional.overloadpacket
    for overload in packet.overloads():
        candidate = getattr(packet, overload)
        arguments = candidate._schema.arguments
        plain = [(a.name, type_text(a)) for a in arguments if not a.is_out]
        given = [(a.name, type_text(a)) for a in functional._schema.arguments]
        if len(plain) < len(arguments) and plain == given:
            return candidate
    return None


def functional_operators():
    for schema in torch._C._jit_get_all_schemas():
        in_place = any(r.alias_info and r.alias_info.is_write for r in schema.returns)
        if in_place or any(a.is_out for a in schema.arguments):
            continue  # a cache that an operator updates beside its result is fine
        namespace, name = schema.name.split("::")
        try:
            yield getattr(getattr(getattr(torch.ops, namespace), name), schema.overload_name or "default")
        except (AttributeError, RuntimeError):
            continue


def schema_rows(wanted):
    """{(operator, kernel, arguments, results)} of the given kernels, with the functional operator of each kernel."""
    rows, functionals = set(), {}
    for functional in functional_operators():
        namespace, name = functional._schema.name.split("::")
        if not any(k.startswith(f"{namespace}::{name}.") for k in wanted):
            continue
        try:
            out = out_variant(functional)
        except ValueError:  # a type that no kernel takes
            continue
        if out is None:
            continue
        kernel = out._schema.name + (f".{out._schema.overload_name}" if out._schema.overload_name else "")
        if kernel not in wanted:
            continue
        try:
            arguments = row(functional, out)
            results = results_text(functional._schema)
        except ValueError as problem:
            print(f"left out: {functional}: {problem}", file=sys.stderr)
            continue
        overload = functional._schema.overload_name or "default"
        rows.add((f"{namespace}.{name}.{overload}", kernel, arguments, results))
        functionals.setdefault(kernel, functional)
    return rows, functionals


def read_table(path):
    return set(re.findall(r'^ET_SCHEMA\("([^"]*)", "([^"]*)", "([^"]*)", "([^"]*)"\)$', path.read_text(), re.MULTILINE))


def write_table(path, rows):
    with open(path, "w") as file:
        file.write("// Made by scripts/make_operator_schemas.py, which says what a row means. Sorted by operator.\n"
                   "// clang-format off\n")
        for operator, kernel, arguments, results in sorted(rows):
            file.write(f'ET_SCHEMA("{operator}", "{kernel}", "{arguments}", "{results}")\n')


def main():
    wanted = set(kernels())
    rows, functionals = schema_rows(wanted)
    for kernel in sorted(k for k in wanted - set(functionals) if "prim::" not in k):
        print(f"no functional operator: {kernel}", file=sys.stderr)
    write_table(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE, rows)
    print(f"{len(rows)} operators, {len(functionals)} of {len(wanted)} kernels", file=sys.stderr)


if __name__ == "__main__":
    main()
