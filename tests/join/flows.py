"""The ways to export: each takes a model and writes program.pte and etrecord.bin. Adding one is a function and a row."""
import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, Tuple

import torch
from executorch.backends.xnnpack.partition.config.xnnpack_config import ConfigPrecisionType
from executorch.backends.xnnpack.partition.xnnpack_partitioner import (
    XnnpackDynamicallyQuantizedPartitioner,
    XnnpackFloatingPointPartitioner,
    XnnpackPartitioner,
)
from executorch.backends.xnnpack.utils.configs import get_xnnpack_edge_compile_config
from executorch.devtools import generate_etrecord
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower

import passes
import quantise


@dataclass
class Flow:
    export: Callable  # (model, folder)
    wants: Tuple[str, ...] = ()  # kinds of models, any of them; empty: all
    strict: bool = False         # torch.export with strict=True, which keeps the lines of functions and of control flow's bodies


FLOWS: Dict[str, Flow] = {}


def flow(*wants, **more):
    def register(function):
        FLOWS[function.__name__] = Flow(function, wants, **more)
        return function

    return register


def exported(model, strict=False, dynamic=False, prepare=None):
    """The exported programs of a model: one, or a dict when it has other methods than forward."""
    programs = {}
    for name, (module, inputs) in model.methods().items():
        if prepare is not None:
            module = prepare(module, inputs)
        shapes = model.dynamic if dynamic else None
        programs[name] = torch.export.export(module, inputs, dynamic_shapes=shapes, strict=strict)
    return programs["forward"] if set(programs) == {"forward"} else programs


def write(folder: Path, program):
    (folder / "program.pte").write_bytes(program.buffer)


def saved(folder: Path, edge, config=None):
    """The rest of a flow whose record was asked for by flag."""
    program = edge.to_executorch(config or ExecutorchBackendConfig())
    write(folder, program)
    program.get_etrecord().save(str(folder / "etrecord.bin"))


def lowered_by_flag(folder, programs, partitioner=None, **more):
    saved(folder, to_edge_transform_and_lower(programs, partitioner=partitioner, generate_etrecord=True, **more))


# Portable kernels.


@flow()
def portable(model, folder):
    edge = to_edge(exported(model), generate_etrecord=True)
    saved(folder, edge)


@flow("small", "control")
def portable_by_function(model, folder):
    programs = exported(model)
    edge = to_edge(programs)
    record = copy.deepcopy(edge)
    program = edge.to_executorch()
    write(folder, program)
    generate_etrecord(str(folder / "etrecord.bin"), record, program, exported_program=programs)


@flow("small", "control", strict=True)
def portable_strict(model, folder):
    saved(folder, to_edge(exported(model, strict=True), generate_etrecord=True))


@flow("small", "norm")
def portable_lowered(model, folder):
    lowered_by_flag(folder, exported(model))


# to_edge + to_backend.


@flow()
def manual(model, folder):
    """As ExecuTorch's LLM manual does it: the record before the partition."""
    edge = to_edge(exported(model), compile_config=get_xnnpack_edge_compile_config())
    record = copy.deepcopy(edge)
    program = edge.to_backend(XnnpackPartitioner()).to_executorch()
    write(folder, program)
    generate_etrecord(str(folder / "etrecord.bin"), record, program)


@flow("small", "conv", "linear", "norm", "elementwise")
def manual_after(model, folder):
    """The record after the partition, as upstream's examples make it."""
    edge = to_edge(exported(model), compile_config=get_xnnpack_edge_compile_config())
    edge = edge.to_backend(XnnpackPartitioner())
    record = copy.deepcopy(edge)
    program = edge.to_executorch()
    write(folder, program)
    generate_etrecord(str(folder / "etrecord.bin"), record, program)


@flow("small", "linear")
def to_backend_flag(model, folder):
    edge = to_edge(exported(model), compile_config=get_xnnpack_edge_compile_config(), generate_etrecord=True)
    saved(folder, edge.to_backend(XnnpackPartitioner()))


@flow("small")
def to_backend_exported(model, folder):
    """With the exported program in the record."""
    programs = exported(model)
    edge = to_edge(programs, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    record = copy.deepcopy(edge)
    program = edge.to_backend(XnnpackPartitioner()).to_executorch()
    write(folder, program)
    generate_etrecord(str(folder / "etrecord.bin"), record, program, exported_program=programs)


# to_edge_transform_and_lower.


@flow()
def lower(model, folder):
    lowered_by_flag(folder, exported(model), [XnnpackPartitioner()])


@flow("small", "linear", "conv")
def lower_by_function(model, folder):
    """The record by function: the only edge program there is has been lowered."""
    programs = exported(model)
    edge = to_edge_transform_and_lower(programs, partitioner=[XnnpackPartitioner()])
    record = copy.deepcopy(edge)
    program = edge.to_executorch()
    write(folder, program)
    generate_etrecord(str(folder / "etrecord.bin"), record, program)


@flow("small")
def lower_by_function_exported(model, folder):
    programs = exported(model)
    edge = to_edge_transform_and_lower(programs, partitioner=[XnnpackPartitioner()])
    record = copy.deepcopy(edge)
    program = edge.to_executorch()
    write(folder, program)
    generate_etrecord(str(folder / "etrecord.bin"), record, program, exported_program=programs)


@flow("small", "control", "network", strict=True)
def lower_strict(model, folder):
    lowered_by_flag(folder, exported(model, strict=True), [XnnpackPartitioner()])


@flow("dynamic")
def lower_dynamic_shapes(model, folder):
    lowered_by_flag(folder, exported(model, dynamic=True), [XnnpackPartitioner()])


@flow("dynamic")
def portable_dynamic_shapes(model, folder):
    saved(folder, to_edge(exported(model, dynamic=True), generate_etrecord=True))


@flow("small", "network")
def lower_per_op(model, folder):
    lowered_by_flag(folder, exported(model), [XnnpackPartitioner(per_op_mode=True)])


@flow("small")
def lower_fp32_only(model, folder):
    lowered_by_flag(folder, exported(model), [XnnpackFloatingPointPartitioner()])


@flow("small", "linear")
def lower_dim_order_skipped(model, folder):
    config = get_xnnpack_edge_compile_config(skip_dim_order=True)
    lowered_by_flag(folder, exported(model), [XnnpackPartitioner()], compile_config=config)


@flow("small")
def lower_inline(model, folder):
    """Delegates within the program, views that copy."""
    config = ExecutorchBackendConfig(extract_delegate_segments=False, remove_view_copy=False)
    edge = to_edge_transform_and_lower(exported(model), partitioner=[XnnpackPartitioner()], generate_etrecord=True)
    saved(folder, edge, config)


@flow("small")
def portable_stacktraces(model, folder):
    """Stack traces in the program itself."""
    saved(folder, to_edge(exported(model), generate_etrecord=True), ExecutorchBackendConfig(emit_stacktrace=True))


# Quantised.

QUANTISABLE = ("conv", "linear", "network")


@flow(*QUANTISABLE)
def int8_static(model, folder):
    lowered_by_flag(folder, exported(model, prepare=quantise.static), [XnnpackPartitioner()])


@flow("small")
def int8_static_manual(model, folder):
    edge = to_edge(exported(model, prepare=quantise.static), compile_config=get_xnnpack_edge_compile_config())
    record = copy.deepcopy(edge)
    program = edge.to_backend(XnnpackPartitioner()).to_executorch()
    write(folder, program)
    generate_etrecord(str(folder / "etrecord.bin"), record, program)


@flow("conv", "linear")
def int8_static_portable(model, folder):
    import executorch.kernels.quantized  # noqa: F401  registers the out variants

    config = EdgeCompileConfig(_check_ir_validity=False)
    saved(folder, to_edge(exported(model, prepare=quantise.static), compile_config=config, generate_etrecord=True))


@flow("linear")
def int8_dynamic(model, folder):
    lowered_by_flag(folder, exported(model, prepare=quantise.dynamic), [XnnpackPartitioner()])


@flow("linear")
def int8_dynamic_partitioner(model, folder):
    """As the LLM exporters do it: dynamically quantised linears first, then the rest."""
    programs = exported(model, prepare=quantise.dynamic)
    lowered_by_flag(folder, programs, [XnnpackDynamicallyQuantizedPartitioner(), XnnpackPartitioner()])


@flow("linear")
def int8_dynamic_per_op(model, folder):
    first = XnnpackPartitioner(config_precisions=ConfigPrecisionType.DYNAMIC_QUANT, per_op_mode=True)
    lowered_by_flag(folder, exported(model, prepare=quantise.dynamic), [first, XnnpackPartitioner()])


@flow("linear")
def int4_torchao(model, folder):
    """8da4w of torchao."""
    programs = exported(model, prepare=quantise.int4_weights)
    lowered_by_flag(folder, programs, [XnnpackDynamicallyQuantizedPartitioner(), XnnpackPartitioner()])


@flow("linear")
def int4_torchao_manual(model, folder):
    edge = to_edge(exported(model, prepare=quantise.int4_weights), compile_config=get_xnnpack_edge_compile_config())
    record = copy.deepcopy(edge)
    edge = edge.to_backend(XnnpackDynamicallyQuantizedPartitioner()).to_backend(XnnpackPartitioner())
    program = edge.to_executorch()
    write(folder, program)
    generate_etrecord(str(folder / "etrecord.bin"), record, program)


# Passes of the user's own.


@flow("small")
def renamed(model, folder):
    saved(folder, to_edge(exported(model), generate_etrecord=True).transform([passes.Rename()]))


@flow("small")
def reordered(model, folder):
    config = EdgeCompileConfig(_check_ir_validity=False)
    saved(folder, to_edge(exported(model), compile_config=config, generate_etrecord=True).transform([passes.Reorder()]))


@flow("small")
def replaced(model, folder):
    config = EdgeCompileConfig(_check_ir_validity=False)
    saved(folder, to_edge(exported(model), compile_config=config, generate_etrecord=True).transform([passes.Replace()]))


@flow("conv", "norm", "network")
def folded(model, folder):
    """Batch norms folded and constants computed by the user's passes."""
    from executorch.backends.transforms.fuse_batch_norm_with_conv import FuseBatchNormWithConvPass

    config = EdgeCompileConfig(_check_ir_validity=False)
    edge = to_edge(exported(model), compile_config=config, generate_etrecord=True)
    passes_of = {name: [FuseBatchNormWithConvPass(edge.exported_program(name))] for name in edge.methods}
    saved(folder, edge.transform(passes_of))


@flow("small")
def reordered_lowered(model, folder):
    edge = to_edge_transform_and_lower(exported(model), transform_passes=[passes.Rename(), passes.Reorder()],
                                       partitioner=[XnnpackPartitioner()], generate_etrecord=True)
    saved(folder, edge)


@flow("small")
def passes_to_executorch(model, folder):
    """Passes behind the edge program: the record's graph does not have them."""
    edge = to_edge(exported(model), generate_etrecord=True)
    saved(folder, edge, ExecutorchBackendConfig(passes=[passes.Rename(), passes.Reorder()]))


# Demonstration backends.


@flow("small", "linear")
def demo_backend(model, folder):
    from executorch.exir.backend.test.op_partitioner_demo import AddMulPartitionerDemo

    lowered_by_flag(folder, exported(model), [AddMulPartitionerDemo()])


@flow("small")
def demo_executor(model, folder):
    from executorch.exir.backend.test.op_partitioner_demo import AllNodesPartitionerDemo

    lowered_by_flag(folder, exported(model), [AllNodesPartitionerDemo()])
