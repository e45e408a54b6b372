// Builds small programs with one thing wrong: a valid program (one method, a constant, a planned tensor, two operators
// of every instruction kind, a delegate in a segment) with a knob for each field that a hostile file may set.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "program_generated.h"

namespace et::format::testing {

struct TensorKnobs {
  int8_t scalar_type = 6;  // float32
  int32_t storage_offset = 0;
  std::optional<std::vector<int32_t>> sizes = std::vector<int32_t>{2, 3};
  std::optional<std::vector<uint8_t>> dim_order = std::vector<uint8_t>{0, 1};
  uint32_t data_buffer_idx = 0;
  bool allocated = true;
  uint32_t memory_id = 1;
  uint32_t offset_low = 0;
  uint32_t offset_high = 0;
  int8_t dynamism = 0;
  bool extra = false;
  const char* fqn = nullptr;
  int8_t location = 0;
};

struct Knobs {
  TensorKnobs planned;                                             // value 0
  TensorKnobs constant{.data_buffer_idx = 1, .allocated = false};  // value 1
  std::vector<int32_t> tensor_list = {0, 1};                       // value 4
  std::vector<int64_t> int_list = {2};                             // value 5
  std::vector<int32_t> optional_list = {-1, 3, 0};                 // value 6
  std::vector<int32_t> inputs = {0};
  std::vector<int32_t> outputs = {0};
  std::vector<int64_t> buffer_sizes = {0, 64};
  std::vector<int32_t> kernel_args = {0, 1, 2, 0, 0};
  std::vector<int32_t> delegate_args = {0, 0};
  int32_t op_index = 0;
  int32_t delegate_index = 0;
  int32_t move_from = 0, move_to = 0;
  int32_t jump_cond = 7, jump_to = 5;
  int32_t free_value = 0;
  uint32_t processed_index = 1;
  int8_t processed_location = 1;
  bool processed = true;
  bool delegate_id = true;
  bool method_name = true;
  bool operator_name = true;
  bool values = true;
  bool chains = true;
  bool delegates = true;
  bool bad_value = false;        // a value without its table
  bool bad_instruction = false;  // an instruction without its table
  std::vector<uint64_t> constant_offsets = {0, 0};
  uint32_t constant_segment = 0;
  std::vector<uint64_t> segment_offsets = {0, 128};
  std::vector<uint64_t> segment_sizes = {24, 5};
  uint32_t named_segment = 1;
  int32_t buffer_device = 1;
  // The extended header.
  uint32_t header_length = 32;
  std::optional<uint64_t> program_size, segment_base, segment_data_size;
  const char* identifier = "ET12";
};

inline flatbuffers::Offset<pte_fb::EValue> make_tensor(flatbuffers::FlatBufferBuilder& b, const TensorKnobs& k) {
  flatbuffers::Offset<flatbuffers::Vector<int32_t>> sizes;
  flatbuffers::Offset<flatbuffers::Vector<uint8_t>> dims;
  if (k.sizes) sizes = b.CreateVector(*k.sizes);
  if (k.dim_order) dims = b.CreateVector(*k.dim_order);
  flatbuffers::Offset<pte_fb::AllocationDetails> allocation;
  if (k.allocated) allocation = pte_fb::CreateAllocationDetails(b, k.memory_id, k.offset_low, k.offset_high);
  flatbuffers::Offset<pte_fb::ExtraTensorInfo> extra;
  if (k.extra) {
    flatbuffers::Offset<flatbuffers::String> fqn;
    if (k.fqn != nullptr) fqn = b.CreateString(k.fqn);
    extra = pte_fb::CreateExtraTensorInfo(b, 0, fqn, k.location);
  }
  const auto t = pte_fb::CreateTensor(b, k.scalar_type, k.storage_offset, sizes, dims, false, k.data_buffer_idx,
                                      allocation, 0, k.dynamism, extra);
  return pte_fb::CreateEValue(b, pte_fb::KernelTypes::Tensor, t.Union());
}

/// The finished flatbuffer with its extended header and 133 bytes of segment data.
inline std::vector<uint8_t> with_header(const flatbuffers::FlatBufferBuilder& b, const Knobs& k) {
  // The header goes between the identifier and the rest; only the root offset counts across it.
  const uint8_t* flat = b.GetBufferPointer();
  const size_t flat_size = b.GetSize();
  std::vector<uint8_t> file(flat_size + 32);
  std::memcpy(file.data(), flat, 8);
  std::memcpy(file.data() + 40, flat + 8, flat_size - 8);
  auto put = [&](size_t at, auto v) { std::memcpy(file.data() + at, &v, sizeof v); };
  uint32_t root_offset = 0;
  std::memcpy(&root_offset, flat, 4);
  put(0, root_offset + 32);
  std::memcpy(file.data() + 8, "eh00", 4);
  put(12, k.header_length);
  const uint64_t program_size = file.size();
  const uint64_t base = (program_size + 127) / 128 * 128;
  put(16, k.program_size.value_or(program_size));
  put(24, k.segment_base.value_or(base));
  put(32, k.segment_data_size.value_or(133));
  file.resize(base + 133, 0xAB);
  return file;
}

/// The file's bytes, 16-byte aligned as `new` gives them.
inline std::vector<uint8_t> build(const Knobs& k) {
  using namespace pte_fb;  // NOLINT: a builder of that schema
  flatbuffers::FlatBufferBuilder b;
  std::vector<flatbuffers::Offset<EValue>> values;
  values.push_back(make_tensor(b, k.planned));
  values.push_back(make_tensor(b, k.constant));
  values.push_back(CreateEValue(b, KernelTypes::Int, CreateInt(b, 7).Union()));
  values.push_back(k.bad_value ? CreateEValue(b, KernelTypes::Tensor, 0)
                               : CreateEValue(b, KernelTypes::Null, CreateNull(b).Union()));
  values.push_back(CreateEValue(b, KernelTypes::TensorList, CreateTensorListDirect(b, &k.tensor_list).Union()));
  values.push_back(CreateEValue(b, KernelTypes::IntList, CreateIntListDirect(b, &k.int_list).Union()));
  values.push_back(
      CreateEValue(b, KernelTypes::OptionalTensorList, CreateOptionalTensorListDirect(b, &k.optional_list).Union()));
  values.push_back(CreateEValue(b, KernelTypes::Bool, CreateBool(b, true).Union()));
  const std::vector<double> doubles = {0.5, 1e300};
  values.push_back(CreateEValue(b, KernelTypes::DoubleList, CreateDoubleListDirect(b, &doubles).Union()));
  const std::vector<uint8_t> bools = {1, 0, 1};
  values.push_back(CreateEValue(b, KernelTypes::BoolList, CreateBoolListDirect(b, &bools).Union()));
  values.push_back(CreateEValue(b, KernelTypes::String, CreateStringDirect(b, "none").Union()));

  std::vector<flatbuffers::Offset<pte_fb::Instruction>> instructions;
  auto add = [&](InstructionArguments kind, flatbuffers::Offset<void> args) {
    instructions.push_back(CreateInstruction(b, kind, args));
  };
  add(InstructionArguments::KernelCall, CreateKernelCallDirect(b, k.op_index, &k.kernel_args).Union());
  add(InstructionArguments::DelegateCall, CreateDelegateCallDirect(b, k.delegate_index, &k.delegate_args).Union());
  add(InstructionArguments::MoveCall, CreateMoveCall(b, k.move_from, k.move_to).Union());
  add(InstructionArguments::JumpFalseCall, CreateJumpFalseCall(b, k.jump_cond, k.jump_to).Union());
  add(InstructionArguments::FreeCall, k.bad_instruction ? 0 : CreateFreeCall(b, k.free_value).Union());
  std::vector<flatbuffers::Offset<FrameList>> stacks;
  std::vector<flatbuffers::Offset<Frame>> frames = {CreateFrameDirect(b, "model.py", 12, "forward", "return x + y")};
  for (size_t i = 0; i < instructions.size(); ++i) stacks.push_back(CreateFrameListDirect(b, &frames));
  std::vector<flatbuffers::Offset<pte_fb::Chain>> chains;
  if (k.chains) chains.push_back(CreateChainDirect(b, nullptr, nullptr, &instructions, &stacks));

  std::vector<flatbuffers::Offset<Operator>> operators = {
      CreateOperatorDirect(b, k.operator_name ? "aten::add" : nullptr, "out")};
  flatbuffers::Offset<BackendDelegateDataReference> processed;
  if (k.processed) processed = CreateBackendDelegateDataReference(b, k.processed_location, k.processed_index);
  flatbuffers::Offset<flatbuffers::String> id;
  if (k.delegate_id) id = b.CreateString("MyBackend");
  const std::vector<uint8_t> spec_value = {4};
  std::vector<flatbuffers::Offset<pte_fb::CompileSpec>> specs = {CreateCompileSpecDirect(b, "max_value", &spec_value)};
  std::vector<flatbuffers::Offset<BackendDelegate>> delegates = {
      CreateBackendDelegate(b, id, processed, b.CreateVector(specs))};
  std::vector<flatbuffers::Offset<NonConstBufferDevice>> devices = {CreateNonConstBufferDevice(b, k.buffer_device, 1)};

  std::vector<flatbuffers::Offset<ExecutionPlan>> plans = {
      CreateExecutionPlanDirect(b, k.method_name ? "forward" : nullptr, CreateContainerMetadataDirect(b, "in", "out"),
                                k.values ? &values : nullptr, &k.inputs, &k.outputs, &chains, &operators,
                                k.delegates ? &delegates : nullptr, &k.buffer_sizes, &devices)};
  std::vector<flatbuffers::Offset<DataSegment>> segments;
  for (size_t i = 0; i < k.segment_offsets.size(); ++i) {
    segments.push_back(CreateDataSegment(b, k.segment_offsets[i], k.segment_sizes[i]));
  }
  std::vector<flatbuffers::Offset<pte_fb::NamedData>> named = {CreateNamedDataDirect(b, "key", k.named_segment)};
  b.ForceVectorAlignment(1, 1, 16);
  const auto root =
      CreateProgramDirect(b, 0, &plans, nullptr, nullptr, &segments,
                          CreateSubsegmentOffsetsDirect(b, k.constant_segment, &k.constant_offsets), nullptr, &named);
  b.Finish(root, k.identifier);
  return with_header(b, k);
}

}  // namespace et::format::testing
