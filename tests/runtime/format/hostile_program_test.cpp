// Programs that lie: each is refused with the name of the field, and nothing outside the file is touched.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "base/status.h"
#include "runtime/format/program.h"
#include "tests/runtime/format/program_builder.h"
#include "tests/runtime/format/walk_all.h"

namespace et::format {
namespace {

using testing::build;
using testing::Knobs;

FileError open(const std::vector<uint8_t>& bytes) {
  Program p;
  const FileError e = Program::open(bytes, &p);
  if (e.ok()) {
    testing::Walker w;
    w.program(p);
  } else {
    EXPECT_FALSE(p.valid()) << "a refused program must not be usable";
  }
  return e;
}

TEST(HostileProgram, TheUntouchedProgramIsAccepted) {
  const auto file = build({});
  const FileError e = open(file);
  EXPECT_TRUE(e.ok()) << Status::of_file("built", e).message();
  Program p;
  ASSERT_TRUE(Program::open(file, &p).ok());
  const Method m = p.method("forward");
  EXPECT_EQ(m.value(0).as_tensor().data(), TensorData::Planned);
  EXPECT_EQ(m.value(1).as_tensor().data(), TensorData::ConstantSegment);
  EXPECT_EQ(m.value(1).as_tensor().constant_data().size(), 24u);
  EXPECT_EQ(m.value(1).as_tensor().constant_data().data(), file.data() + p.segment(0).file_offset);
  EXPECT_EQ(m.value(6).indices()[0], -1);
  EXPECT_EQ(m.value(8).doubles()[1], 1e300);
  EXPECT_EQ(m.stack_trace(3).frame(0).line, 12);
  EXPECT_EQ(m.stack_trace(3).frame(0).code, "return x + y");
  EXPECT_EQ(m.delegate(0).payload().size(), 5u);
  EXPECT_EQ(m.delegate(0).compile_spec(0).key, "max_value");
  EXPECT_EQ(m.buffer_device(0).device_type, 1);
  EXPECT_EQ(p.named_data(0).bytes.size(), 5u);
  EXPECT_FALSE(p.method("other").valid());
}

struct Case {
  const char* name;
  std::function<void(Knobs&)> change;
  const char* field;
  Error code = Error::InvalidProgram;
};

class HostileFields : public ::testing::TestWithParam<Case> {};

TEST_P(HostileFields, AreRefusedByName) {
  Knobs k;
  GetParam().change(k);
  const FileError e = open(build(k));
  EXPECT_EQ(e.code, GetParam().code);
  EXPECT_STREQ(e.field, GetParam().field);
  EXPECT_STRNE(e.expected, "");
}

const Case kCases[] = {
    {"IdentifierOfAnotherVersion", [](Knobs& k) { k.identifier = "ET99"; }, "file identifier"},
    {"IdentifierOfNoProgram", [](Knobs& k) { k.identifier = "BP08"; }, "file identifier"},
    {"HeaderTooShort", [](Knobs& k) { k.header_length = 23; }, "extended header length"},
    {"HeaderLongerThanTheFile", [](Knobs& k) { k.header_length = 0x7FFFFFFF; }, "extended header length"},
    {"ProgramLargerThanTheFile", [](Knobs& k) { k.program_size = 1u << 20; }, "extended header program_size"},
    {"ProgramSmallerThanItsHeader", [](Knobs& k) { k.program_size = 39; }, "extended header program_size"},
    {"ProgramSizeCutsTheFlatbuffer", [](Knobs& k) { k.program_size = 64; }, "Program"},
    {"SegmentBaseBehindTheFile", [](Knobs& k) { k.segment_base = 1u << 20; }, "extended header segment_base_offset"},
    {"SegmentBaseInsideTheFlatbuffer", [](Knobs& k) { k.segment_base = 48; }, "extended header segment_base_offset"},
    {"SegmentDataWithoutBase", [](Knobs& k) { k.segment_base = 0; }, "extended header segment_base_offset"},
    {"SegmentDataLargerThanTheFile", [](Knobs& k) { k.segment_data_size = 134; }, "extended header segment_data_size"},
    {"SegmentDataOverflows", [](Knobs& k) { k.segment_data_size = UINT64_MAX; }, "extended header segment_data_size"},
    {"SegmentBehindTheData", [](Knobs& k) { k.segment_offsets[1] = 129; }, "Program.segments"},
    {"SegmentOffsetOverflows", [](Knobs& k) { k.segment_offsets[1] = UINT64_MAX - 1; }, "Program.segments"},
    {"SegmentSizeOverflows", [](Knobs& k) { k.segment_sizes[1] = UINT64_MAX; }, "Program.segments"},
    {"ConstantSegmentMissing", [](Knobs& k) { k.constant_segment = 2; }, "Program.constant_segment"},
    {"ConstantOffsetBehindItsSegment", [](Knobs& k) { k.constant_offsets[1] = 25; }, "Tensor.data_buffer_idx"},
    {"ConstantOverrunsItsSegment", [](Knobs& k) { k.constant_offsets[1] = 1; }, "Tensor.data_buffer_idx"},
    {"ConstantIndexOutOfRange", [](Knobs& k) { k.constant.data_buffer_idx = 2; }, "Tensor.data_buffer_idx"},
    {"MutableDataMissing", [](Knobs& k) { k.planned.data_buffer_idx = 1; }, "Tensor.data_buffer_idx"},
    {"NamedDataOutsideTheSegments", [](Knobs& k) { k.named_segment = 9; }, "Program.named_data[].segment_index"},
    {"UnknownScalarType", [](Knobs& k) { k.planned.scalar_type = 99; }, "Tensor.scalar_type"},
    {"NegativeScalarType", [](Knobs& k) { k.planned.scalar_type = -1; }, "Tensor.scalar_type"},
    {"StorageOffset", [](Knobs& k) { k.planned.storage_offset = 4; }, "Tensor.storage_offset", Error::NotSupported},
    {"NoSizes", [](Knobs& k) { k.planned.sizes.reset(); }, "Tensor.sizes"},
    {"NegativeSize",
     [](Knobs& k) {
       k.planned.sizes = {{2, -3}};
     },
     "Tensor.sizes"},
    {"NoDimOrder", [](Knobs& k) { k.planned.dim_order.reset(); }, "Tensor.dim_order"},
    {"DimOrderTooShort", [](Knobs& k) { k.planned.dim_order = {{0}}; }, "Tensor.dim_order"},
    {"DimOrderRepeats",
     [](Knobs& k) {
       k.planned.dim_order = {{1, 1}};
     },
     "Tensor.dim_order"},
    {"DimOrderOutOfRange",
     [](Knobs& k) {
       k.planned.dim_order = {{0, 255}};
     },
     "Tensor.dim_order"},
    {"RankAbove16",
     [](Knobs& k) {
       k.planned.sizes = std::vector<int32_t>(17, 1);
       k.planned.dim_order = std::vector<uint8_t>(17, 0);
     },
     "Tensor.sizes"},
    {"SizesOverflow",
     [](Knobs& k) {
       k.planned.sizes = std::vector<int32_t>(3, INT32_MAX);
       k.planned.dim_order = {{0, 1, 2}};
     },
     "Tensor.sizes"},
    {"BytesOverflow",
     [](Knobs& k) {
       k.planned.sizes = {{INT32_MAX, INT32_MAX, 2}};
       k.planned.dim_order = {{0, 1, 2}};
     },
     "Tensor.sizes"},
    {"UnknownDynamism", [](Knobs& k) { k.planned.dynamism = 3; }, "Tensor.shape_dynamism"},
    {"MemoryIdReserved", [](Knobs& k) { k.planned.memory_id = 0; }, "AllocationDetails.memory_id"},
    {"MemoryIdOutOfRange", [](Knobs& k) { k.planned.memory_id = 2; }, "AllocationDetails.memory_id"},
    {"TensorOverrunsItsPool", [](Knobs& k) { k.planned.offset_low = 41; }, "AllocationDetails.memory_offset"},
    {"OffsetAboveFourGigabytes", [](Knobs& k) { k.planned.offset_high = 1; }, "AllocationDetails.memory_offset"},
    {"OffsetOverflows",
     [](Knobs& k) {
       k.planned.offset_low = UINT32_MAX;
       k.planned.offset_high = UINT32_MAX;
     },
     "AllocationDetails.memory_offset"},
    {"ExternalWithoutName",
     [](Knobs& k) {
       k.constant.extra = true;
       k.constant.location = 1;
     },
     "ExtraTensorInfo.fully_qualified_name"},
    {"UnknownLocation",
     [](Knobs& k) {
       k.constant.extra = true;
       k.constant.location = 2;
     },
     "ExtraTensorInfo.location"},
    {"NoBufferSizes", [](Knobs& k) { k.buffer_sizes.clear(); }, "ExecutionPlan.non_const_buffer_sizes"},
    {"NegativeBufferSize", [](Knobs& k) { k.buffer_sizes[1] = -1; }, "ExecutionPlan.non_const_buffer_sizes"},
    {"BufferDeviceOutOfRange", [](Knobs& k) { k.buffer_device = 2; },
     "ExecutionPlan.non_const_buffer_device[].buffer_idx"},
    {"InputOutOfRange", [](Knobs& k) { k.inputs = {11}; }, "ExecutionPlan.inputs"},
    {"OutputNegative", [](Knobs& k) { k.outputs = {-1}; }, "ExecutionPlan.outputs"},
    {"NoName", [](Knobs& k) { k.method_name = false; }, "ExecutionPlan.name"},
    {"NoValues", [](Knobs& k) { k.values = false; }, "ExecutionPlan.values"},
    {"NoChains", [](Knobs& k) { k.chains = false; }, "ExecutionPlan.chains"},
    {"NoDelegates", [](Knobs& k) { k.delegates = false; }, "ExecutionPlan.delegates"},
    {"ListNamesItself", [](Knobs& k) { k.tensor_list = {4}; }, "TensorList.items"},
    {"ListNamesALaterValue",
     [](Knobs& k) {
       k.tensor_list = {0, 6};
     },
     "TensorList.items"},
    {"ListNamesANumber", [](Knobs& k) { k.tensor_list = {2}; }, "TensorList.items"},
    {"ListHasNone", [](Knobs& k) { k.tensor_list = {-1}; }, "TensorList.items"},
    {"OptionalListOutOfRange", [](Knobs& k) { k.optional_list = {-2}; }, "OptionalTensorList.items"},
    {"IntListOutOfRange", [](Knobs& k) { k.int_list = {int64_t{1} << 32}; }, "IntList.items"},
    {"ValueWithoutTable", [](Knobs& k) { k.bad_value = true; }, "EValue.val"},
    {"InstructionWithoutTable", [](Knobs& k) { k.bad_instruction = true; }, "Instruction.instr_args"},
    {"OperatorIndex", [](Knobs& k) { k.op_index = 1; }, "KernelCall.op_index"},
    {"OperatorIndexNegative", [](Knobs& k) { k.op_index = -1; }, "KernelCall.op_index"},
    {"OperatorWithoutName", [](Knobs& k) { k.operator_name = false; }, "ExecutionPlan.operators[].name"},
    {"KernelArgument", [](Knobs& k) { k.kernel_args[2] = 11; }, "KernelCall.args"},
    {"DelegateIndex", [](Knobs& k) { k.delegate_index = 1; }, "DelegateCall.delegate_index"},
    {"DelegateArgument", [](Knobs& k) { k.delegate_args[0] = -1; }, "DelegateCall.args"},
    {"MoveFrom", [](Knobs& k) { k.move_from = 11; }, "MoveCall.move_from"},
    {"MoveTo", [](Knobs& k) { k.move_to = -1; }, "MoveCall.move_to"},
    {"JumpCondition", [](Knobs& k) { k.jump_cond = 11; }, "JumpFalseCall.cond_value_index"},
    {"JumpBehindTheEnd", [](Knobs& k) { k.jump_to = 6; }, "JumpFalseCall.destination_instruction"},
    {"JumpNegative", [](Knobs& k) { k.jump_to = -1; }, "JumpFalseCall.destination_instruction"},
    {"FreeValue", [](Knobs& k) { k.free_value = 11; }, "FreeCall.value_index"},
    {"DelegateWithoutId", [](Knobs& k) { k.delegate_id = false; }, "BackendDelegate.id"},
    {"DelegateWithoutPayload", [](Knobs& k) { k.processed = false; }, "BackendDelegate.processed"},
    {"PayloadSegment", [](Knobs& k) { k.processed_index = 2; }, "BackendDelegate.processed.index"},
    {"PayloadInline", [](Knobs& k) { k.processed_location = 0; }, "BackendDelegate.processed.index"},
    {"PayloadNowhere", [](Knobs& k) { k.processed_location = 2; }, "BackendDelegate.processed.location"},
};

INSTANTIATE_TEST_SUITE_P(Program, HostileFields, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(HostileProgram, BoundsOfACallersDynamicTensorMayExceedMemory) {
  Knobs k;
  k.planned.allocated = false;
  k.planned.sizes = std::vector<int32_t>(3, INT32_MAX);
  k.planned.dim_order = {{0, 1, 2}};
  k.planned.dynamism = 1;
  const auto file = build(k);
  Program p;
  ASSERT_TRUE(Program::open(file, &p).ok());
  EXPECT_EQ(p.method(0).value(0).as_tensor().nbytes(), kUnboundedBytes);
  EXPECT_TRUE(p.method(0).value(0).as_tensor().constant_data().empty());
}

TEST(HostileProgram, AZeroSizedTensorIsNoOverflow) {
  Knobs k;
  k.planned.sizes = {{INT32_MAX, INT32_MAX, INT32_MAX, 0}};
  k.planned.dim_order = {{0, 1, 2, 3}};
  const auto file = build(k);
  Program p;
  ASSERT_TRUE(Program::open(file, &p).ok());
  EXPECT_EQ(p.method(0).value(0).as_tensor().nbytes(), 0u);
}

TEST(HostileProgram, HeaderOfAnOldWriterHasNoDataSize) {
  Knobs k;
  k.header_length = 24;
  k.segment_data_size = 0;
  const auto file = build(k);
  Program p;
  ASSERT_TRUE(Program::open(file, &p).ok());
  EXPECT_EQ(p.header().segment_data_size, 0u);
  EXPECT_EQ(p.method(0).delegate(0).payload().size(), 5u);
}

TEST(HostileProgram, AnUnalignedBufferIsRefusedNotRead) {
  const auto file = build({});
  std::vector<uint8_t> shifted(file.size() + 1);
  std::copy(file.begin(), file.end(), shifted.begin() + 1);
  Program p;
  EXPECT_EQ(Program::open(std::span<const uint8_t>(shifted).subspan(1), &p).code, Error::InvalidArgument);
}

TEST(HostileProgram, EveryTruncationIsRefused) {
  const auto file = build({});
  for (size_t n = 0; n < file.size(); ++n) {
    const std::vector<uint8_t> cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_FALSE(open(cut).ok()) << n;
  }
}

TEST(HostileProgram, EveryFlippedBitIsReadOrRefused) {
  auto file = build({});
  for (size_t i = 0; i < file.size() * 8; ++i) {
    file[i / 8] = static_cast<uint8_t>(file[i / 8] ^ (1u << (i % 8)));
    (void)open(file);
    file[i / 8] = static_cast<uint8_t>(file[i / 8] ^ (1u << (i % 8)));
  }
}

TEST(HostileProgram, ManyInstructionsThatShareOneHugeListDoNotCostMinutes) {
  using namespace pte_fb;  // NOLINT
  flatbuffers::FlatBufferBuilder b;
  const std::vector<int32_t> args(200'000, 0);
  const auto shared = b.CreateVector(args);
  std::vector<flatbuffers::Offset<pte_fb::Instruction>> instructions;
  for (int i = 0; i < 50'000; ++i) {
    instructions.push_back(
        CreateInstruction(b, InstructionArguments::KernelCall, CreateKernelCall(b, 0, shared).Union()));
  }
  std::vector<flatbuffers::Offset<EValue>> values = {CreateEValue(b, KernelTypes::Null, CreateNull(b).Union())};
  std::vector<flatbuffers::Offset<Operator>> operators = {CreateOperatorDirect(b, "aten::add", "out")};
  std::vector<flatbuffers::Offset<BackendDelegate>> delegates;
  std::vector<flatbuffers::Offset<pte_fb::Chain>> chains = {CreateChainDirect(b, nullptr, nullptr, &instructions)};
  const std::vector<int32_t> none;
  const std::vector<int64_t> buffers = {0};
  std::vector<flatbuffers::Offset<ExecutionPlan>> plans = {
      CreateExecutionPlanDirect(b, "forward", 0, &values, &none, &none, &chains, &operators, &delegates, &buffers)};
  b.Finish(CreateProgramDirect(b, 0, &plans), "ET12");
  const std::vector<uint8_t> file(b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize());
  const FileError e = open(file);
  EXPECT_EQ(e.code, Error::InvalidProgram);
  EXPECT_STREQ(e.field, "KernelCall.args");
}

TEST(HostileProgram, TablesThatShareEachOtherDoNotCostMinutes) {
  using namespace pte_fb;  // NOLINT
  flatbuffers::FlatBufferBuilder b;
  std::vector<flatbuffers::Offset<Frame>> frames(20'000, CreateFrameDirect(b, "a", 1, "b", "c"));
  std::vector<flatbuffers::Offset<FrameList>> stacks(20'000, CreateFrameListDirect(b, &frames));
  std::vector<flatbuffers::Offset<pte_fb::Chain>> chains(20'000,
                                                         CreateChainDirect(b, nullptr, nullptr, nullptr, &stacks));
  std::vector<flatbuffers::Offset<ExecutionPlan>> plans = {
      CreateExecutionPlanDirect(b, "forward", 0, nullptr, nullptr, nullptr, &chains)};
  b.Finish(CreateProgramDirect(b, 0, &plans), "ET12");
  const std::vector<uint8_t> file(b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize());
  EXPECT_EQ(open(file).code, Error::InvalidProgram);
}

TEST(HostileProgram, HugeCountsAndEmptyFilesAreRefused) {
  EXPECT_EQ(open({}).code, Error::InvalidProgram);
  auto file = build({});
  // Every aligned word as a count or offset of 2^31 - 1 and of 2^32 - 1.
  for (size_t at = 0; at + 4 <= file.size(); at += 4) {
    for (uint32_t v : {0x7FFFFFFFu, 0xFFFFFFFFu, 0u}) {
      uint32_t old = 0;
      std::memcpy(&old, file.data() + at, 4);
      std::memcpy(file.data() + at, &v, 4);
      (void)open(file);
      std::memcpy(file.data() + at, &old, 4);
    }
  }
}

}  // namespace
}  // namespace et::format
