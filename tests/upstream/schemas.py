"""Schemas of operators as C++ functions, as upstream's code generator declares them."""
import re

TYPES = {
    'Tensor': 'const executorch::aten::Tensor &', 'Tensor?': 'const std::optional<executorch::aten::Tensor> &',
    'Tensor[]': 'executorch::aten::TensorList',
    'Tensor?[]': 'executorch::aten::ArrayRef<std::optional<executorch::aten::Tensor>>',
    'Scalar': 'const executorch::aten::Scalar &', 'Scalar?': 'const std::optional<executorch::aten::Scalar> &',
    'int': 'int64_t', 'int?': 'std::optional<int64_t>', 'int[]': 'executorch::aten::ArrayRef<int64_t>',
    'int[]?': 'std::optional<executorch::aten::ArrayRef<int64_t>>', 'float': 'double',
    'float?': 'std::optional<double>', 'float[]?': 'std::optional<executorch::aten::ArrayRef<double>>',
    'float[]': 'executorch::aten::ArrayRef<double>', 'bool': 'bool', 'bool?': 'std::optional<bool>',
    'bool[]': 'executorch::aten::ArrayRef<bool>', 'str': 'std::string_view', 'str?': 'std::optional<std::string_view>',
    'ScalarType': 'executorch::aten::ScalarType', 'ScalarType?': 'std::optional<executorch::aten::ScalarType>',
    'MemoryFormat?': 'std::optional<executorch::aten::MemoryFormat>',
    'Layout?': 'std::optional<executorch::aten::Layout>', 'Device?': 'std::optional<executorch::aten::Device>',
    'Device': 'executorch::aten::Device',
}


class Unknown(Exception):
    pass


def split_arguments(text):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in '([' and 1 or c in ')]' and -1 or 0
        if c == ',' and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [p.strip() for p in parts if p.strip()]


class Schema:
    """`text`: "ns::name.overload(arguments) -> result"."""

    def __init__(self, text, kernel=None):
        match = re.match(r'(?:(\w+)::)?([\w]+)(?:\.(\w+))?\((.*)\)\s*->\s*(.*)$', text)
        if not match:
            raise Unknown(text)
        space, self.base, overload, arguments, _ = match.groups()
        self.operator = f'{space or "aten"}::{self.base}' + (f'.{overload}' if overload else '')
        self.kernel = kernel
        self.arguments = []  # type, name, whether it is written, whether it is an out
        keyword = self.base.endswith('_') or '*' not in split_arguments(arguments)  # in place: self is the out
        for argument in split_arguments(arguments):
            if argument == '*':
                keyword = True
                continue
            kind, name = argument.split('=')[0].rsplit(' ', 1)
            written = re.search(r'\([a-z]!\)', kind) is not None
            kind = re.sub(r'\([^)]*\)', '', kind).replace('SymInt', 'int')
            kind = re.sub(r'\[\d+\]', '[]', kind)
            if kind not in TYPES:
                raise Unknown(f'{self.operator}: {kind}')
            self.arguments.append((kind, name, written, written and keyword))
        self.outs = [a for a in self.arguments if a[3]]

    def parameters(self):
        """The arguments, then the outs, as torchgen orders them."""
        if self.base.endswith('_'):  # in place: as the schema has it
            return [self.parameter(a) for a in self.arguments]
        return [self.parameter(a) for a in self.arguments if not a[3]] + [self.parameter(a) for a in self.outs]

    @staticmethod
    def parameter(argument):
        kind, name, written, _ = argument
        return f'{"executorch::aten::Tensor &" if written and kind == "Tensor" else TYPES[kind]} {name}'

    def result(self):
        kinds = [k for k, _, _, _ in self.outs]
        if kinds == ['Tensor']:
            return 'executorch::aten::Tensor &', f'return {self.outs[0][1]};'
        if len(kinds) > 1:
            types = ', '.join('executorch::aten::Tensor &' for _ in kinds)
            return f'::std::tuple<{types}>', f'return ::std::tuple<{types}>({", ".join(n for _, n, _, _ in self.outs)});'
        return 'void', ''

    def function(self, name, context=True):
        """A definition with the kernel's context first, or one that makes its own."""
        kind, ending = self.result()
        first = ['executorch::runtime::KernelRuntimeContext & context'] if context else []
        lines = [f'inline {kind} {name}({", ".join(first + self.parameters())}) {{']
        if not context:
            lines.append('  executorch::runtime::KernelRuntimeContext context;')
        lines.append('  et_upstream::KernelCall call;')
        order = [a[1] for a in self.arguments if not a[3]] + [a[1] for a in self.outs]
        if self.base.endswith('_'):
            order = [a[1] for a in self.arguments]
        lines += [f'  call.add({n});' for n in order]
        lines.append(f'  call.run(context, "{self.operator}");')
        if not context:
            lines.append(f'  ET_CHECK_MSG(context.failure_state() == executorch::runtime::Error::Ok, "{name} failed");')
        return '\n'.join(lines + ['  ' + ending, '}'])


def read_yaml_functions(text):
    """(schema, operator, kernel name) of the rows of one of torch's and upstream's YAML files."""
    rows = []
    for block in re.split(r'(?m)^- ', text)[1:]:
        func = re.match(r'func: (.*)', block)
        kernel = re.search(r'kernel_name: (\S+)', block)
        op = re.match(r'op: (\S+)', block)
        rows.append((func and func.group(1).strip(), op and op.group(1), kernel and kernel.group(1).rsplit('::', 1)[1]))
        autogen = re.search(r'(?m)^ +autogen: (.*)', block)
        for name in autogen.group(1).split(', ') if autogen and func else []:
            rows.append((out_variant(name.strip(), func.group(1).strip()), None, None))
    return rows


def out_variant(name, functional):
    """The schema that torch derives: the same arguments, then a tensor to write for each result."""
    arguments, result = functional.split('(', 1)[1].rsplit(') -> ', 1)
    arguments = re.sub(r'\([a-z]!\)', '', arguments)  # of the form that writes in place
    # Of a tensor that is there already these are known.
    arguments = re.sub(r'ScalarType\? dtype=None, Layout\? layout=None, Device\? device=None, bool\? pin_memory=None,? ?',
                       '', arguments)
    results = [r.strip() for r in result.strip('()').split(',') if r.strip()]
    outs = []
    for i, kind in enumerate(results):
        out = 'out' if len(results) == 1 else f'out{i}'
        outs.append(f'Tensor(a!)[] {out}' if kind == 'Tensor[]' else f'Tensor(a!) {out}')
    star = '' if '*, ' in arguments else '*, '
    return f'{name}({arguments}{", " if arguments else ""}{star}{", ".join(outs)}) -> ()'
