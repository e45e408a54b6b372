"""What upstream's tests include and its build generates: functions of operators, supported features."""
import copy
import re
from pathlib import Path

import flatcc_reader
from schemas import Schema, Unknown, read_yaml_functions

HEADER = '#pragma once\n#include <tuple>\n#include "kernel_call.h"\n'


def parse(text, kernel=None):
    try:
        return Schema(text, kernel)
    except Unknown:
        return None


def aten_schemas(native_functions, wanted):
    """Of the operators with an out argument, or that write in place, that upstream's kernels implement."""
    rows = []
    for func, _, _ in read_yaml_functions(native_functions):
        name = func and func.split('(')[0]
        if name in wanted and (schema := parse(func)) and schema.outs:
            rows.append(schema)
    return rows


def functions_header(schemas, namespace, name_of):
    out, seen = [HEADER, f'namespace {namespace} {{'], set()
    for s in schemas:
        text = s.function(name_of(s))
        key = text.split('{')[0]
        if key not in seen:
            seen.add(key)
            out.append(text)
    return '\n'.join(out + [f'}}  // namespace {namespace}', ''])


def native_header(schemas):
    """Kernels by their own names, with and without a context."""
    out, seen = [HEADER, 'namespace torch::executor::native {'], set()
    for s in schemas:
        if not s.kernel:
            continue
        for context in (True, False):
            text = s.function(s.kernel, context)
            key = re.sub(r'\b\w+(?=[,)])', '', text.split('{')[0])
            if key not in seen:
                seen.add(key)
                out.append(text)
    return '\n'.join(out + ['}  // namespace torch::executor::native', ''])


def supported_features(checkout, overrides):
    """The header and the definition that upstream makes of its YAML files; `overrides` say what differs for us."""
    spaces, current = {}, None
    for line in checkout.read('kernels/test/supported_features.yaml').splitlines():
        if match := re.match(r'- namespace: (\w+)', line):
            current = spaces.setdefault(match.group(1), {})
        elif match := re.match(r'  (\w+):\s*$', line):
            feature = current.setdefault(match.group(1), {})
        elif match := re.match(r'    (type|default): (\S+)', line):
            feature[match.group(1)] = match.group(2)
    fields = []
    for space, features in spaces.items():
        for name, f in features.items():
            field = name if space == 'global' else f'{space}_{name}'
            fields.append((field, f['type'], overrides.get(field, f['default'])))
    declared = '\n'.join(f'  {t} {n} = {v};' for n, t, v in fields)
    return ('#pragma once\nnamespace torch::executor::testing {\nstruct SupportedFeatures {\n'
            f'  static SupportedFeatures* get();\n{declared}\n}};\n}}\n'), (
            '#include <executorch/kernels/test/supported_features.h>\nnamespace torch::executor::testing {\n'
            'SupportedFeatures* SupportedFeatures::get() {\n  static SupportedFeatures instance;\n  return &instance;\n'
            '}\n}\n')


def write_if_other(path, text):
    """What is the same keeps its time, so that nothing is compiled again for it."""
    if not path.exists() or path.read_text(encoding='utf-8') != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')


def write(folder, checkout, native_functions):
    folder = Path(folder)
    put = lambda path, text: write_if_other(folder / path, text)
    portable = [row for path in ('kernels/portable/functions.yaml', 'kernels/optimized/optimized.yaml')
                for row in read_yaml_functions(checkout.read(path))]
    kernels = {}  # the portable one and, for some, an optimised one
    for _, op, kernel in portable:
        if op:
            kernels.setdefault(op, []).append(kernel)
    schemas = aten_schemas(native_functions, set(kernels))
    native = []
    for s in schemas:
        for kernel in kernels[s.operator.split('::')[1]]:
            s.kernel = kernel
            native.append(copy.copy(s))
    custom = [p for path in ('kernels/portable/functions.yaml', 'kernels/portable/custom_ops.yaml',
                          'kernels/portable/et_copy_ops.yaml')
              for func, _, kernel in read_yaml_functions(checkout.read(path)) if func and (p := parse(func, kernel))]
    quantized = [p for func, _, kernel in read_yaml_functions(checkout.read('kernels/quantized/quantized.yaml'))
                 if func and (p := parse(func, kernel))]
    base = 'executorch/kernels/'
    name_of = lambda s: s.base if s.base.endswith('_') else s.base + '_outf'
    spaces = {}
    for s in schemas + custom:
        spaces.setdefault(s.operator.split('::')[0], []).append(s)
    put(base + 'portable/Functions.h', '#pragma once\n' + ''.join(functions_header(rows, f'torch::executor::{space}', name_of)
                                               for space, rows in spaces.items()).replace('#pragma once\n', ''))
    put(base + 'portable/NativeFunctions.h', native_header(native + custom))
    put(base + 'quantized/NativeFunctions.h', native_header(quantized))
    put(base + 'test/FunctionHeaderWrapper.h', '#pragma once\n#include <executorch/kernels/portable/Functions.h>\n')
    header, definition = supported_features(checkout, {'output_resize': 'false'})
    put(base + 'test/supported_features.h', header)
    put('supported_features.cpp', definition)
    etdump = 'executorch/devtools/etdump/etdump_schema_flatcc_'
    put(etdump + 'reader.h', flatcc_reader.header(checkout.read('devtools/etdump/etdump_schema_flatcc.fbs'),
                                                  checkout.read('devtools/etdump/scalar_type.fbs')))
    put(etdump + 'builder.h', '#pragma once\n')
    return len(schemas), len(custom) + len(quantized)
