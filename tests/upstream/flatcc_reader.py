"""Readers as flatcc generates them, as C++ functions over Google's flatbuffers: upstream's ETDump tests read dumps so."""
import re

SCALARS = {'bool': 'uint8_t', 'byte': 'int8_t', 'ubyte': 'uint8_t', 'uint8': 'uint8_t', 'short': 'int16_t',
           'ushort': 'uint16_t', 'int': 'int32_t', 'uint': 'uint32_t', 'float': 'float', 'double': 'double',
           'long': 'int64_t', 'int64': 'int64_t', 'ulong': 'uint64_t', 'uint64': 'uint64_t'}
PRELUDE = '''#pragma once
#include <cstddef>
#include <cstring>
#include "flatbuffers/flatbuffers.h"

typedef const char* flatbuffers_string_t;
inline size_t flatbuffers_string_len(flatbuffers_string_t s) { return s == nullptr ? 0 : std::strlen(s); }
inline void* flatbuffers_read_size_prefix(void* b, size_t* size) {
  *size = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(b);
  return static_cast<char*>(b) + sizeof(flatbuffers::uoffset_t);
}
'''


def vector_of(name, item, value):
    """Type and functions of a vector: `item` as stored, `value` as read."""
    return (f'typedef const flatbuffers::Vector<{item}>* {name}_vec_t;\n'
            f'inline size_t {name}_vec_len({name}_vec_t v) {{ return v == nullptr ? 0 : v->size(); }}\n'
            f'inline {value} {name}_vec_at({name}_vec_t v, size_t i) {{ return v->Get(i); }}\n')


def field_of(table, name, kind, default, slot, enums):
    """The functions that read one field."""
    head = f'inline {{}} {table}_{name}({table}_table_t t) {{{{ return '
    place = str(4 + 2 * slot)
    if kind in SCALARS or kind in enums:
        stored = SCALARS.get(kind, 'int8_t')
        kind_out, body = stored, f't->GetField<{stored}>({place}, {default or 0})'
    elif kind == 'string':
        kind_out = 'flatbuffers_string_t'
        body = (f't->GetPointer<const flatbuffers::String*>({place}) == nullptr ? nullptr : '
                f't->GetPointer<const flatbuffers::String*>({place})->c_str()')
    elif kind.startswith('['):
        item = kind[1:-1]
        kind_out = f'flatbuffers_{SCALARS[item][:-2]}_vec_t' if item in SCALARS else f'etdump_{item}_vec_t'
        body = f't->GetPointer<{kind_out}>({place})'
    else:
        kind_out = f'etdump_{kind}_table_t'
        body = f't->GetPointer<{kind_out}>({place})'
    function = head.format(kind_out).replace('{{', '{') + body + '; }\n'
    return (function + function.replace(f'{table}_{name}(', f'{table}_{name}_get(') +
            f'inline bool {table}_{name}_is_present({table}_table_t t) {{ return t->CheckField({place}); }}\n')


def header(schema, scalar_types):
    """The header for the tables of `schema`; `scalar_types` is the schema of dtypes that it includes."""
    strip = lambda text: re.sub(r'//.*', '', text)
    schema, scalar_types = strip(schema), strip(scalar_types)
    out = [PRELUDE]
    for kind in sorted(set(SCALARS.values())):
        if kind.endswith('_t'):
            out.append(vector_of(f'flatbuffers_{kind[:-2]}', kind, kind))
    space = re.search(r'namespace (\w+);', scalar_types).group(1)
    for name, body in re.findall(r'enum (\w+)\s*:\s*byte\s*{([^}]*)}', scalar_types):
        out.append(f'typedef int8_t {space}_{name}_enum_t;\n')
        out += [f'constexpr int8_t {space}_{name}_{n} = {v};\n' for n, v in re.findall(r'(\w+)\s*=\s*(-?\d+)', body)]
    enums = set(re.findall(r'enum (\w+)', schema)) | {f'{space}.ScalarType'}
    tables = re.findall(r'table (\w+)\s*{([^}]*)}', schema)
    for name, _ in tables:
        out.append(f'typedef const flatbuffers::Table* etdump_{name}_table_t;\n')
        out.append(vector_of(f'etdump_{name}', 'flatbuffers::Offset<flatbuffers::Table>', 'const flatbuffers::Table*'))
    for name, body in tables:
        fields = re.findall(r'(\w+)\s*:\s*([\w.\[\]]+)\s*(?:=\s*(-?[\w.]+))?\s*;', body)
        out += [field_of(f'etdump_{name}', f, kind, default, i, enums) for i, (f, kind, default) in enumerate(fields)]
    root = re.search(r'root_type (\w+);', schema).group(1)
    identifier = re.search(r'file_identifier "(....)"', schema).group(1)
    out.append(f'constexpr const char* etdump_{root}_file_identifier = "{identifier}";\n'
               f'inline etdump_{root}_table_t etdump_{root}_as_root_with_identifier(const void* b, const char* id) {{\n'
               '  if (!flatbuffers::BufferHasIdentifier(b, id)) return nullptr;\n'
               '  return flatbuffers::GetRoot<flatbuffers::Table>(b);\n}\n')
    return ''.join(out)
