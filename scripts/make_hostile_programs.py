"""Programs that lie: one file for each class of flaw that a runtime must refuse, made from a sound program.

    python scripts/make_hostile_programs.py control_flow_map/program.pte OUT

Writes OUT/<name>.pte and OUT/cases.tsv (file, stage, error, a part of the message). Needs the executorch package, whose
serialiser writes what it is told. Stages: open (Program::load), method (load_method), execute.
"""

import copy
import csv
import pathlib
import sys

from executorch.exir._serialize._program import PTEFile, deserialize_pte_binary, serialize_pte_binary
from executorch.exir.schema import (
    AllocationDetails,
    Bool,
    Double,
    EValue,
    FreeCall,
    Instruction,
    Int,
    IntList,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    Null,
    Operator,
    String,
    Tensor,
    TensorList,
    TensorShapeDynamism,
)


class Case:
    """A copy of a program's plan to be spoiled."""

    def __init__(self, pte):
        self.program = copy.deepcopy(pte.program)
        self.plan = self.program.execution_plan[0]
        self.values = self.plan.values
        self.code = self.plan.chains[0].instructions

    def value(self, v):
        self.values.append(EValue(v))
        return len(self.values) - 1

    def operator(self, name, overload):
        self.plan.operators.append(Operator(name=name, overload=overload))
        return len(self.plan.operators) - 1

    def call(self, name, overload, args, at=0):
        self.code.insert(at, Instruction(KernelCall(op_index=self.operator(name, overload), args=args)))

    def tensors(self):
        return [(i, v.val) for i, v in enumerate(self.values) if isinstance(v.val, Tensor)]

    def planned(self):
        return next(t for _, t in self.tensors() if t.allocation_info is not None)

    def new_tensor(self, sizes, offset=0, memory_id=1, scalar_type=None, dynamism=TensorShapeDynamism.STATIC):
        t = copy.deepcopy(self.planned())
        t.sizes = list(sizes)
        t.dim_order = list(range(len(sizes)))
        t.allocation_info = AllocationDetails(memory_id=memory_id, memory_offset_low=offset, memory_offset_high=0)
        t.shape_dynamism = dynamism
        if scalar_type is not None:
            t.scalar_type = scalar_type
        return self.value(t)


CASES = []


def case(stage, error, message):
    def add(f):
        CASES.append((f.__name__, stage, error, message, f))
        return f

    return add


# Sizes and places ------------------------------------------------------------------------------------------------------


@case("open", "InvalidProgram", "a size in bytes below 2^64")
def nbytes_overflow(c):
    t = c.planned()
    t.sizes = [2**31 - 1] * 4
    t.dim_order = [0, 1, 2, 3]


@case("open", "InvalidProgram", "a tensor that ends inside its planned buffer")
def allocation_overflow(c):
    c.planned().allocation_info.memory_offset_low = 0xFFFFFFF0
    c.planned().allocation_info.memory_offset_high = 0xFFFFFFFF


@case("open", "InvalidProgram", "the id of a planned buffer")
def memory_id_out_of_range(c):
    c.planned().allocation_info.memory_id = 9


@case("open", "InvalidProgram", "a tensor that ends inside its planned buffer")
def undersized_allocation(c):
    c.plan.non_const_buffer_sizes[1] = 4


@case("open", "InvalidProgram", "the index of stored data")
def constant_offset_overflow(c):
    t = c.planned()
    t.allocation_info = None
    t.data_buffer_idx = 77


@case("open", "InvalidProgram", "at most 16 dimensions")
def too_many_dimensions(c):
    t = c.planned()
    t.sizes = [1] * 17
    t.dim_order = list(range(17))


@case("open", "InvalidProgram", "each dimension exactly once")
def dim_order_repeats(c):
    t = next(t for _, t in c.tensors() if len(t.sizes) == 2)
    t.dim_order = [1, 1]


@case("open", "InvalidProgram", "sizes of 0 or more")
def negative_size(c):
    c.planned().sizes[0] = -3


# Lists, jumps, moves, frees ----------------------------------------------------------------------------------------------


@case("open", "InvalidProgram", "the index of an earlier value")
def list_of_itself(c):
    c.value(TensorList(items=[len(c.values)]))


@case("open", "InvalidProgram", "the index of a value")
def argument_out_of_range(c):
    c.code[0].instr_args.args[0] = 10000


@case("open", "InvalidProgram", "an instruction, or the end of the chain")
def jump_out_of_range(c):
    next(i for i in c.code if isinstance(i.instr_args, JumpFalseCall)).instr_args.destination_instruction = 10**6


@case("execute", "InvalidProgram", "instructions (endless loop?)")
def endless_loop(c):
    c.code.insert(0, Instruction(JumpFalseCall(cond_value_index=c.value(Bool(bool_val=False)), destination_instruction=0)))


@case("execute", "InvalidProgram", "jump condition: expected a bool or a tensor, got String")
def jump_on_text(c):
    c.code.insert(0, Instruction(JumpFalseCall(cond_value_index=c.value(String(string_val="no")), destination_instruction=1)))


@case("execute", "InvalidState", "has no memory")
def use_after_free(c):
    victim = c.code[2].instr_args.args[0]
    c.code.insert(2, Instruction(FreeCall(value_index=victim)))


@case("execute", "InvalidProgram", "free instruction: expected a tensor, got Int")
def free_of_a_number(c):
    c.code.insert(0, Instruction(FreeCall(value_index=c.value(Int(int_val=1)))))


@case("execute", "InvalidType", "kernel argument 0")
def number_moved_over_a_tensor(c):
    c.code.insert(2, Instruction(MoveCall(move_from=c.value(Int(int_val=1)), move_to=c.code[2].instr_args.args[0])))


# Kernels -----------------------------------------------------------------------------------------------------------------


@case("execute", "InvalidProgram", "arguments")
def too_few_arguments(c):
    c.code[2].instr_args.args = c.code[2].instr_args.args[:2]


@case("method", "InvalidProgram", "is called without arguments")
def no_arguments(c):
    c.code[2].instr_args.args = []


@case("execute", "InvalidType", "argument")
def number_for_a_tensor(c):
    c.code[2].instr_args.args[0] = c.value(Int(int_val=3))


@case("method", "OperatorMissing", "no_such::operator.out has no kernel")
def missing_operators(c):
    for name in ("no_such::operator", "nor_this::one"):
        c.call(name, "out", [0])


@case("execute", "InvalidProgram", "")
def prim_too_few_arguments(c):
    c.call("executorch_prim::add", "Scalar", [c.value(Int(int_val=1))])


@case("execute", "InvalidType", "")
def prim_wrong_types(c):
    text = c.value(String(string_val="x"))
    c.call("executorch_prim::add", "Scalar", [text, text, c.value(Int(int_val=0))])


@case("execute", "InvalidArgument", "")
def prim_division_by_zero(c):
    one, zero = c.value(Int(int_val=1)), c.value(Int(int_val=0))
    c.call("executorch_prim::floordiv", "Scalar", [one, zero, c.value(Int(int_val=0))])


@case("execute", "InvalidArgument", "")
def prim_division_overflow(c):
    least, minus = c.value(Int(int_val=-(2**63))), c.value(Int(int_val=-1))
    c.call("executorch_prim::mod", "Scalar", [least, c.value(Int(int_val=0)), c.value(Int(int_val=0))])
    c.call("executorch_prim::floordiv", "Scalar", [least, minus, c.value(Int(int_val=0))])


@case("execute", "InvalidArgument", "")
def copy_index_negative(c):
    i = next(i for i in c.code if isinstance(i.instr_args, KernelCall) and c.plan.operators[i.instr_args.op_index].name.endswith("et_copy_index"))
    i.instr_args.args[2] = c.value(Int(int_val=-1))


@case("execute", "", "")
def copy_index_huge(c):
    i = next(i for i in c.code if isinstance(i.instr_args, KernelCall) and c.plan.operators[i.instr_args.op_index].name.endswith("et_copy_index"))
    i.instr_args.args[2] = c.value(Int(int_val=2**62))


@case("execute", "", "")
def copy_index_wrong_rank(c):
    i = next(i for i in c.code if isinstance(i.instr_args, KernelCall) and c.plan.operators[i.instr_args.op_index].name.endswith("et_copy_index"))
    i.instr_args.args[0] = i.instr_args.args[1]


@case("execute", "", "")
def view_larger_than_its_source(c):
    small = c.new_tensor([2])
    big = c.new_tensor([40], dynamism=TensorShapeDynamism.DYNAMIC_BOUND)
    c.plan.non_const_buffer_sizes[1] = max(c.plan.non_const_buffer_sizes[1], 160)
    size = c.value(IntList(items=[c.value(Int(int_val=2))]))
    full = c.value(IntList(items=[c.value(Int(int_val=40))]))
    c.call("aten::full", "out", [full, c.value(Double(double_val=1.0)), c.value(Null()), c.value(Null()), c.value(Null()), c.value(Null()), big, big])
    c.call("executorch_prim::et_view", "default", [small, size, big])


@case("execute", "", "")
def result_does_not_fit(c):
    small = c.new_tensor([2])
    c.code[2].instr_args.args[-1] = c.code[2].instr_args.args[-2] = small


def main():
    base = deserialize_pte_binary(pathlib.Path(sys.argv[1]).read_bytes())
    out = pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "cases.tsv", "w", newline="") as f:
        table = csv.writer(f, delimiter="\t", lineterminator="\n")
        table.writerow(["file", "stage", "error", "message"])
        for name, stage, error, message, spoil in CASES:
            c = Case(base)
            spoil(c)
            data = bytes(serialize_pte_binary(PTEFile(program=c.program, mutable_data=base.mutable_data, named_data=base.named_data)))
            (out / f"{name}.pte").write_bytes(data)
            table.writerow([f"{name}.pte", stage, error, message])


if __name__ == "__main__":
    main()
