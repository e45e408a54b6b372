// Every index and range of a program, checked once, so that the views need no error path. Sources: the validity rules
// of the specification (program.fbs, "validity"), and those that upstream's runtime does not check: jump destinations,
// delegate indices, lists that refer to later values, planned memory that a tensor overruns.
#include "runtime/format/program_verify.h"

#include "program_generated.h"
#include "runtime/format/flat.h"
#include "runtime/format/tensor_facts.h"

namespace et::format {

namespace {

constexpr uint32_t kMaxRank = 16;
constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();  // of values: they are addressed with 32 signed bits

using pte_fb::InstructionArguments;
using pte_fb::KernelTypes;

class Checker {
 public:
  Checker(const ProgramSource& source, size_t flat_size) : source_(source), budget_(flat_size) {}

  FileError run() {
    const auto& root = *source_.root;
    if (root.execution_plan() == nullptr) {
      return invalid(&root, "Program.execution_plan", "a list of methods");
    }
    if (FileError e = constants(); !e.ok()) return e;
    if (FileError e = named_data(); !e.ok()) return e;
    for (const auto* p : *root.execution_plan()) {
      if (FileError e = plan(*p); !e.ok()) return e;
    }
    return FileError::none();
  }

 private:
  FileError invalid(const void* at, const char* field, const char* expected, int64_t index = -1) const {
    return failure(Error::InvalidProgram, source_.offset_of(at), field, expected, index);
  }

  FileError subsegment(const pte_fb::SubsegmentOffsets& part, const char* field) const {
    if (!vector_aligned(part.offsets())) return invalid(&part, field, "64-bit offsets at a multiple of 8 bytes");
    if (count_of(part.offsets()) > 1 && part.segment_index() >= source_.segment_count()) {
      return invalid(&part, field, "the index of a segment");
    }
    return FileError::none();
  }

  FileError constants() const {
    const auto& root = *source_.root;
    if (const auto* part = root.constant_segment()) {
      if (FileError e = subsegment(*part, "Program.constant_segment"); !e.ok()) return e;
      if (count_of(part->offsets()) > 1 && count_of(root.constant_buffer()) != 0) {
        return invalid(part, "Program.constant_buffer", "no inline constants next to a constant segment");
      }
    }
    for (uint32_t i = 0; i < count_of(root.mutable_data_segments()); ++i) {
      if (FileError e = subsegment(*root.mutable_data_segments()->Get(i), "Program.mutable_data_segments"); !e.ok()) {
        return e;
      }
    }
    return FileError::none();
  }

  FileError named_data() const {
    const auto* named = source_.root->named_data();
    for (uint32_t i = 0; i < count_of(named); ++i) {
      const auto* n = named->Get(i);
      if (n->key() == nullptr) return invalid(n, "Program.named_data[].key", "a key", i);
      if (n->segment_index() >= source_.segment_count()) {
        return invalid(n, "Program.named_data[].segment_index", "the index of a segment", i);
      }
    }
    return FileError::none();
  }

  FileError plan(const pte_fb::ExecutionPlan& p) {
    plan_ = &p;
    if (p.name() == nullptr) return invalid(&p, "ExecutionPlan.name", "a method name");
    if (p.values() == nullptr) return invalid(&p, "ExecutionPlan.values", "a value table");
    if (p.inputs() == nullptr) return invalid(&p, "ExecutionPlan.inputs", "a list of value indices");
    if (p.outputs() == nullptr) return invalid(&p, "ExecutionPlan.outputs", "a list of value indices");
    if (p.delegates() == nullptr) return invalid(&p, "ExecutionPlan.delegates", "a list (it may be empty)");
    if (p.values()->size() > kMaxCount) return invalid(&p, "ExecutionPlan.values", "at most 2^31 - 1 values");
    if (count_of(p.chains()) == 0) return invalid(&p, "ExecutionPlan.chains", "at least one chain");
    if (FileError e = buffers(); !e.ok()) return e;
    if (FileError e = value_indices(&p, p.inputs(), "ExecutionPlan.inputs"); !e.ok()) return e;
    if (FileError e = value_indices(&p, p.outputs(), "ExecutionPlan.outputs"); !e.ok()) return e;
    for (uint32_t i = 0; i < p.values()->size(); ++i) {
      if (FileError e = value(i); !e.ok()) return e;
    }
    for (uint32_t i = 0; i < count_of(p.operators()); ++i) {
      const auto* op = p.operators()->Get(i);
      if (op->name() == nullptr) return invalid(op, "ExecutionPlan.operators[].name", "an operator name", i);
    }
    for (uint32_t i = 0; i < p.delegates()->size(); ++i) {
      if (FileError e = delegate(i); !e.ok()) return e;
    }
    for (const auto* c : *p.chains()) {
      if (FileError e = chain(*c); !e.ok()) return e;
    }
    return FileError::none();
  }

  FileError buffers() {
    const auto* sizes = plan_->non_const_buffer_sizes();
    if (count_of(sizes) == 0) {
      return invalid(plan_, "ExecutionPlan.non_const_buffer_sizes", "sizes, of which the first is reserved");
    }
    if (!vector_aligned(sizes)) {
      return invalid(sizes, "ExecutionPlan.non_const_buffer_sizes", "64-bit sizes at a multiple of 8 bytes");
    }
    if (!budget_.spend(sizes->size())) return shared(plan_, "ExecutionPlan.non_const_buffer_sizes");
    for (uint32_t i = 0; i < sizes->size(); ++i) {
      if (sizes->Get(i) < 0) return invalid(sizes, "ExecutionPlan.non_const_buffer_sizes", "a size of 0 or more", i);
    }
    const auto* devices = plan_->non_const_buffer_device();
    for (uint32_t i = 0; i < count_of(devices); ++i) {
      const auto* d = devices->Get(i);
      if (d->buffer_idx() < 0 || static_cast<uint32_t>(d->buffer_idx()) >= sizes->size()) {
        return invalid(d, "ExecutionPlan.non_const_buffer_device[].buffer_idx", "the index of a planned buffer", i);
      }
    }
    return FileError::none();
  }

  bool is_value(int64_t index) const { return index >= 0 && index < static_cast<int64_t>(plan_->values()->size()); }

  FileError shared(const void* at, const char* field) const {
    return invalid(at, field, "lists that together are no longer than the file");
  }

  template <class T>
  FileError value_indices(const void* at, const flatbuffers::Vector<T>* list, const char* field) {
    if (!vector_aligned(list)) return invalid(list, field, "elements at a multiple of their size");
    if (!budget_.spend(count_of(list))) return shared(at, field);
    for (uint32_t i = 0; i < count_of(list); ++i) {
      if (!is_value(list->Get(i))) return invalid(list, field, "the index of a value", i);
    }
    return FileError::none();
  }

  /// Items of a tensor list: tensors that come earlier, so that a loader can resolve the list when it reaches it.
  FileError tensor_list(uint32_t index, const flatbuffers::Vector<int32_t>* items, bool optional) {
    const char* field = optional ? "OptionalTensorList.items" : "TensorList.items";
    if (!budget_.spend(count_of(items))) return shared(items, field);
    for (uint32_t i = 0; i < count_of(items); ++i) {
      const int32_t item = items->Get(i);
      if (optional && item == -1) continue;
      if (item < 0 || static_cast<uint32_t>(item) >= index) {
        return invalid(items, field, "the index of an earlier value", i);
      }
      const KernelTypes kind = plan_->values()->Get(static_cast<uint32_t>(item))->val_type();
      if (kind != KernelTypes::Tensor && !(optional && kind == KernelTypes::Null)) {
        return invalid(items, field, optional ? "the index of a tensor or of Null" : "the index of a tensor", i);
      }
    }
    return FileError::none();
  }

  FileError value(uint32_t i) {
    const auto* v = plan_->values()->Get(i);
    if (v->val_type() == KernelTypes::NONE || v->val_type() > KernelTypes::MAX) {
      return invalid(v, "EValue.val_type", "a kind from 1 to 11", i);
    }
    if (v->val() == nullptr) return invalid(v, "EValue.val", "a value", i);
    switch (v->val_type()) {
      case KernelTypes::Tensor:
        return tensor(*v->val_as_Tensor(), i);
      case KernelTypes::IntList:
        return value_indices(v, v->val_as_IntList()->items(), "IntList.items");
      case KernelTypes::DoubleList:
        if (!vector_aligned(v->val_as_DoubleList()->items())) {
          return invalid(v, "DoubleList.items", "numbers at a multiple of 8 bytes", i);
        }
        return FileError::none();
      case KernelTypes::TensorList:
        return tensor_list(i, v->val_as_TensorList()->items(), false);
      case KernelTypes::OptionalTensorList:
        return tensor_list(i, v->val_as_OptionalTensorList()->items(), true);
      default:
        return FileError::none();
    }
  }

  FileError shape(const pte_fb::Tensor& t, uint32_t i) const {
    if (t.sizes() == nullptr) return invalid(&t, "Tensor.sizes", "a list, empty for a scalar", i);
    if (t.dim_order() == nullptr) return invalid(&t, "Tensor.dim_order", "a list, empty for a scalar", i);
    const uint32_t rank = t.sizes()->size();
    if (rank > kMaxRank) return invalid(&t, "Tensor.sizes", "at most 16 dimensions", i);
    if (t.dim_order()->size() != rank) return invalid(&t, "Tensor.dim_order", "as many entries as sizes", i);
    uint32_t seen = 0;
    for (uint32_t d = 0; d < rank; ++d) {
      if (t.sizes()->Get(d) < 0) return invalid(&t, "Tensor.sizes", "sizes of 0 or more", i);
      const uint32_t dim = t.dim_order()->Get(d);
      if (dim >= rank || (seen >> dim & 1u) != 0) {
        return invalid(&t, "Tensor.dim_order", "each dimension exactly once", i);
      }
      seen |= 1u << dim;
    }
    return FileError::none();
  }

  FileError tensor(const pte_fb::Tensor& t, uint32_t i) const {
    const auto type = static_cast<ScalarType>(t.scalar_type());
    if (element_size(type) == 0) return invalid(&t, "Tensor.scalar_type", "a scalar type", i);
    if (t.storage_offset() != 0) {
      return failure(Error::NotSupported, source_.offset_of(&t), "Tensor.storage_offset", "0", i);
    }
    if (t.shape_dynamism() < 0 || t.shape_dynamism() > 2) {
      return invalid(&t, "Tensor.shape_dynamism", "0 (static), 1 (bound) or 2 (unbound)", i);
    }
    if (FileError e = shape(t, i); !e.ok()) return e;
    const auto* extra = t.extra_tensor_info();
    if (extra != nullptr && extra->location() != 0 && extra->location() != 1) {
      return invalid(extra, "ExtraTensorInfo.location", "0 (segment) or 1 (external)", i);
    }

    const uint64_t bytes = byte_count(element_count(span_of(t.sizes())), type);
    const TensorData data = tensor_data(source_, t);
    if (bytes == kUnboundedBytes) {
      // Upper bounds of a dynamic tensor that the caller supplies may be beyond any memory; nothing else may.
      if (data == TensorData::None && t.shape_dynamism() != 0) return FileError::none();
      return invalid(&t, "Tensor.sizes", "a size in bytes below 2^64", i);
    }
    if (FileError e = allocation(t, bytes, i); !e.ok()) return e;
    if (data == TensorData::External || data == TensorData::PlannedExternal) {
      if (extra->fully_qualified_name() == nullptr) {
        return invalid(extra, "ExtraTensorInfo.fully_qualified_name", "the name of an external tensor", i);
      }
    } else if (data != TensorData::None && data != TensorData::Planned) {
      Span<const uint8_t> region;
      if (!tensor_region(source_, t, data, &region)) {
        return invalid(&t, "Tensor.data_buffer_idx", "the index of stored data", i);
      }
      if (bytes > region.size()) {
        return invalid(&t, "Tensor.data_buffer_idx", "data that ends inside its segment or buffer", i);
      }
    }
    return FileError::none();
  }

  FileError allocation(const pte_fb::Tensor& t, uint64_t bytes, uint32_t i) const {
    const auto* a = t.allocation_info();
    if (a == nullptr) return FileError::none();
    const auto* sizes = plan_->non_const_buffer_sizes();
    if (a->memory_id() == 0 || a->memory_id() >= sizes->size()) {
      return invalid(a, "AllocationDetails.memory_id", "the id of a planned buffer, from 1", i);
    }
    const uint64_t offset = (static_cast<uint64_t>(a->memory_offset_high()) << 32) | a->memory_offset_low();
    if (!inside(offset, bytes, static_cast<uint64_t>(sizes->Get(a->memory_id())))) {
      return invalid(a, "AllocationDetails.memory_offset", "a tensor that ends inside its planned buffer", i);
    }
    return FileError::none();
  }

  FileError delegate(uint32_t i) const {
    const auto* d = plan_->delegates()->Get(i);
    if (d->id() == nullptr) return invalid(d, "BackendDelegate.id", "the name of a backend", i);
    const auto* where = d->processed();
    if (where == nullptr) return invalid(d, "BackendDelegate.processed", "a reference to the payload", i);
    if (where->location() == 0) {
      if (where->index() >= count_of(source_.root->backend_delegate_data())) {
        return invalid(where, "BackendDelegate.processed.index", "the index of inline delegate data", i);
      }
    } else if (where->location() == 1) {
      if (where->index() >= source_.segment_count()) {
        return invalid(where, "BackendDelegate.processed.index", "the index of a segment", i);
      }
    } else {
      return invalid(where, "BackendDelegate.processed.location", "0 (inline) or 1 (segment)", i);
    }
    return FileError::none();
  }

  FileError chain(const pte_fb::Chain& c) {
    if (c.instructions() == nullptr) return invalid(&c, "Chain.instructions", "a list (it may be empty)");
    for (uint32_t i = 0; i < c.instructions()->size(); ++i) {
      if (FileError e = instruction(c, i); !e.ok()) return e;
    }
    return FileError::none();
  }

  FileError instruction(const pte_fb::Chain& c, uint32_t i) {
    const auto* ins = c.instructions()->Get(i);
    const InstructionArguments kind = ins->instr_args_type();
    if (kind == InstructionArguments::NONE || kind > InstructionArguments::MAX) {
      return invalid(ins, "Instruction.instr_args_type", "a kind from 1 to 5", i);
    }
    if (ins->instr_args() == nullptr) return invalid(ins, "Instruction.instr_args", "the instruction's arguments", i);
    switch (kind) {
      case InstructionArguments::KernelCall: {
        const auto* call = ins->instr_args_as_KernelCall();
        if (call->op_index() < 0 || static_cast<uint32_t>(call->op_index()) >= count_of(plan_->operators())) {
          return invalid(call, "KernelCall.op_index", "the index of an operator", i);
        }
        return value_indices(call, call->args(), "KernelCall.args");
      }
      case InstructionArguments::DelegateCall: {
        const auto* call = ins->instr_args_as_DelegateCall();
        if (call->delegate_index() < 0 || static_cast<uint32_t>(call->delegate_index()) >= plan_->delegates()->size()) {
          return invalid(call, "DelegateCall.delegate_index", "the index of a delegate", i);
        }
        return value_indices(call, call->args(), "DelegateCall.args");
      }
      case InstructionArguments::MoveCall: {
        const auto* move = ins->instr_args_as_MoveCall();
        if (!is_value(move->move_from())) return invalid(move, "MoveCall.move_from", "the index of a value", i);
        if (!is_value(move->move_to())) return invalid(move, "MoveCall.move_to", "the index of a value", i);
        return FileError::none();
      }
      case InstructionArguments::JumpFalseCall: {
        const auto* jump = ins->instr_args_as_JumpFalseCall();
        if (!is_value(jump->cond_value_index())) {
          return invalid(jump, "JumpFalseCall.cond_value_index", "the index of a value", i);
        }
        const int32_t to = jump->destination_instruction();
        if (to < 0 || static_cast<uint32_t>(to) > c.instructions()->size()) {
          return invalid(jump, "JumpFalseCall.destination_instruction", "an instruction, or the end of the chain", i);
        }
        return FileError::none();
      }
      case InstructionArguments::FreeCall: {
        const auto* call = ins->instr_args_as_FreeCall();
        if (!is_value(call->value_index())) return invalid(call, "FreeCall.value_index", "the index of a value", i);
        return FileError::none();
      }
      default:
        return FileError::none();
    }
  }

  const ProgramSource& source_;
  Budget budget_;
  const pte_fb::ExecutionPlan* plan_ = nullptr;
};

}  // namespace

FileError verify_program(const ProgramSource& source, size_t flat_size) { return Checker(source, flat_size).run(); }

}  // namespace et::format
