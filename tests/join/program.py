"""What a program and its XNNPACK payloads contain, read by upstream's own readers: operators with the shapes they produce."""
import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

import executorch.backends.xnnpack.serialization as xnnpack_schema
from executorch.exir._serialize._flatbuffer import _flatc_decompile
from executorch.exir._serialize._program import deserialize_pte_binary


@dataclass
class Node:
    """A node of a payload."""

    kind: str  # FullyConnected
    shape: Tuple[int, ...]
    clamped: bool = False  # has bounds for its output
    inputs: List[int] = field(default_factory=list)  # values of the payload
    output: int = -1


@dataclass
class Instruction:
    operator: str = ""  # of a kernel: aten::add
    shapes: List[Tuple[int, ...]] = field(default_factory=list)
    inputs: List[int] = field(default_factory=list)  # values of the method
    output: int = -1
    backend: str = ""   # of a delegate call
    nodes: List[Node] = field(default_factory=list)  # of an XNNPACK payload
    outside: Dict[int, int] = field(default_factory=dict)  # value of that payload → value of the method
    program: Dict[int, "Instruction"] = field(default_factory=dict)  # of a payload that is a program itself
    demo: List[Tuple[str, int]] = field(default_factory=list)  # of BackendWithCompilerDemo: operator and numel


def payload_graph(payload):
    """The flatbuffer behind the XH00 header, as JSON data."""
    if payload[4:8] == b"XH00":
        start = int.from_bytes(payload[10:14], "little")
        payload = payload[start : start + int.from_bytes(payload[14:18], "little")]
    with tempfile.TemporaryDirectory() as folder:
        schema = os.path.join(folder, "schema.fbs")
        with open(os.path.join(list(xnnpack_schema.__path__)[0], "schema.fbs"), "rb") as f:
            open(schema, "wb").write(f.read())
        data = os.path.join(folder, "data.bin")
        open(data, "wb").write(payload)
        _flatc_decompile(folder, schema, data, [])
        text = open(os.path.join(folder, "data.json")).read()
    return json.loads(text.replace("-inf", '"-inf"').replace(": inf", ': "inf"'))


NOT_EXTERNAL = 0xFFFFFFFF


def payload_nodes(payload):
    """The nodes, and for each value that is an argument of the call its position."""
    graph = payload_graph(payload)
    shapes, arguments = {}, {}
    for value in graph.get("xvalues", []):
        union = value["xvalue_union"]
        tensor = union.get("tensor_value", union)
        shapes[tensor.get("id_out", 0)] = tuple(tensor.get("dims", []))
        if tensor.get("external_id", NOT_EXTERNAL) != NOT_EXTERNAL and tensor.get("flags", 0):
            arguments[tensor.get("id_out", 0)] = tensor.get("external_id", 0)
    nodes = []
    for n in graph["xnodes"]:
        union = n["xnode_union"]
        output = union.get("output_id", union.get("output_value_id", 0))
        bounds = n.get("output_min_max")
        clamped = bool(bounds) and (str(bounds["output_min"]), str(bounds["output_max"])) != ("-inf", "inf")
        inputs = [v for k, v in union.items() if re.fullmatch(r"input\w*_id", k)]
        nodes.append(Node(n["xnode_union_type"][3:], shapes.get(output, ()), clamped, inputs, output))
    return nodes, arguments


def tensor_shapes(plan, value_index) -> List[Tuple[int, ...]]:
    value = plan.values[value_index].val
    if hasattr(value, "sizes"):
        return [tuple(value.sizes)]
    items = getattr(value, "items", None)
    if isinstance(items, list):
        return [s for i in items if isinstance(i, int) and i >= 0 for s in tensor_shapes(plan, i)]
    return []


def read_payload(entry, payloads, index, values):
    """Fills in what a delegate call runs; payloads: index → bytes, or what they were read as."""
    if entry.backend == "XnnpackBackend":
        if isinstance(payloads[index], bytes):
            payloads[index] = payload_nodes(payloads[index])
        entry.nodes, arguments = payloads[index]
        entry.outside = {v: values[place] for v, place in arguments.items() if place < len(values)}
    elif entry.backend == "ExecutorBackend":
        entry.program = read_program(payloads[index])["forward"]
    elif entry.backend == "BackendWithCompilerDemo":
        text = payloads[index].decode(errors="replace")
        entry.demo = [(op, int(n)) for op, n in re.findall(r"op:demo::([\w.:]+), numel:(\d+)", text)]


class Memory:
    """Views that the lowering took out leave values that nothing makes: they lie where another value was made."""

    def __init__(self, plan):
        self.plan, self.made = plan, {}

    def place(self, value):
        info = getattr(self.plan.values[value].val, "allocation_info", None)
        return info and (info.memory_id, info.memory_offset_high, info.memory_offset_low)

    def source(self, value):
        """The value that was made last where this one lies."""
        return self.made.get(self.place(value), value)

    def make(self, value):
        self.made[self.place(value)] = value
        self.made.pop(None, None)


def read_kernel(entry, plan, args, memory):
    entry.operator = plan.operators[args.op_index].name
    out = args.args[-1] if args.args else None
    if out is None:
        return
    entry.shapes = tensor_shapes(plan, out)
    entry.inputs = [memory.source(a) for a in args.args if a != out and hasattr(plan.values[a].val, "sizes")]
    entry.output = out
    memory.make(out)


def read_program(data: bytes) -> Dict[str, Dict[int, Instruction]]:
    """method → instruction number → what it does."""
    program = deserialize_pte_binary(data).program
    payloads = {}
    methods = {}
    for plan in program.execution_plan:
        methods[plan.name], memory = {}, Memory(plan)
        for number, instruction in enumerate(plan.chains[0].instructions):
            args = instruction.instr_args
            entry = methods[plan.name][number] = Instruction()
            if hasattr(args, "op_index"):
                read_kernel(entry, plan, args, memory)
            elif hasattr(args, "delegate_index"):
                delegate = plan.delegates[args.delegate_index]
                entry.backend = delegate.id
                index = delegate.processed.index
                if index not in payloads:
                    payloads[index] = bytes(program.backend_delegate_data[index].data)
                read_payload(entry, payloads, index, args.args)
                made = {entry.outside[n.output] for n in entry.nodes if n.output in entry.outside}
                entry.outside = {v: o if o in made else memory.source(o) for v, o in entry.outside.items()}
                for value in made:
                    memory.make(value)
    return methods


@dataclass
class Event:
    """One event of an execution, by what makes it the same one in every reader."""

    chain: int
    instruction: int
    name: str
    inside: bool  # inside a delegate
    nth: int      # among those of the same instruction and name in an execution


def read_executions(etdump: bytes) -> List[List[Event]]:
    """The events of every execution, with upstream's reader."""
    from executorch.devtools.etdump.serialize import deserialize_from_etdump_flatcc

    executions = []
    for block in deserialize_from_etdump_flatcc(etdump).run_data:
        if block.name != "Execute":
            continue
        events, seen = [], {}
        for item in block.events or []:
            e = item.profile_event
            if e is None:
                continue
            label = delegate_label(e)
            key = (e.chain_index, e.instruction_id, label or e.name)
            seen[key] = seen.get(key, -1) + 1
            events.append(Event(e.chain_index, e.instruction_id, label or e.name or "", label is not None, seen[key]))
        executions.append(events)
    return executions


def delegate_label(event) -> Optional[str]:
    if event.delegate_debug_id_str:
        return event.delegate_debug_id_str
    if event.delegate_debug_id_int is not None and event.delegate_debug_id_int != -1:
        return str(event.delegate_debug_id_int)
    return None
