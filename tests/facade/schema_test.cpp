// Files read and written through their flatbuffer tables, as tools written for ExecuTorch do it.
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/flat_tensor/serialize/flat_tensor_generated.h>
#include <executorch/extension/flat_tensor/serialize/flat_tensor_header.h>
#include <executorch/extension/flat_tensor/serialize/serialize.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/executor/merged_data_map.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/program_validation.h>
#include <executorch/runtime/executor/pte_data_map.h>
#include <executorch/schema/extended_header.h>
#include <executorch/schema/program_generated.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using executorch::extension::BufferDataLoader;
using executorch::extension::FileDataLoader;
using executorch::extension::FlatTensorDataMap;
using executorch::extension::FlatTensorHeader;
using executorch::runtime::DataLoader;
using executorch::runtime::Error;
using executorch::runtime::ExtendedHeader;
using executorch::runtime::NamedDataMap;
using executorch::runtime::Program;
using executorch::runtime::internal::PteDataMap;

namespace {

constexpr char kModel[] = ET_FIXTURES "/artifacts/add_mul/program.pte";

/// A file at an address that any number may be read from.
std::vector<uint64_t> bytes_of(const char* path, size_t* size) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<uint64_t> bytes(text.size() / 8 + 1);
  std::memcpy(bytes.data(), text.data(), text.size());
  *size = text.size();
  return bytes;
}

TEST(FacadeSchema, AProgramIsReadByItsTables) {
  size_t size = 0;
  const std::vector<uint64_t> file = bytes_of(kModel, &size);
  // This one has no segments, and no header.
  EXPECT_EQ(ExtendedHeader::Parse(file.data(), size).error(), Error::NotFound);
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(file.data()), size);
  ASSERT_TRUE(executorch_flatbuffer::VerifyProgramBuffer(verifier));
  const executorch_flatbuffer::Program* program = executorch_flatbuffer::GetProgram(file.data());
  ASSERT_EQ(program->execution_plan()->size(), 1U);
  const executorch_flatbuffer::ExecutionPlan* plan = program->execution_plan()->Get(0);
  EXPECT_EQ(plan->name()->str(), "forward");
  std::vector<std::string> operators;
  for (const auto* op : *plan->operators()) operators.push_back(op->name()->str() + "." + op->overload()->str());
  EXPECT_EQ(operators, (std::vector<std::string>{"aten::add.out", "aten::mul.out"}));

  EXPECT_EQ(executorch::runtime::validate_program(program), Error::Ok);
  size_t tensors = 0;
  for (const auto* value : *plan->values()) {
    if (value->val_type() != executorch_flatbuffer::KernelTypes::Tensor) continue;
    ++tensors;
    const executorch_flatbuffer::Tensor* t = value->val_as_Tensor();
    EXPECT_EQ(t->scalar_type(), executorch_flatbuffer::ScalarType::FLOAT);
    EXPECT_EQ(t->shape_dynamism(), executorch_flatbuffer::TensorShapeDynamism::STATIC);
    EXPECT_EQ(t->sizes()->size(), t->dim_order()->size());
  }
  EXPECT_GE(tensors, 3U);
  for (const auto* instruction : *plan->chains()->Get(0)->instructions()) {
    ASSERT_NE(instruction->instr_args_as_KernelCall(), nullptr);
  }
}

TEST(FacadeSchema, AProgramWithSegmentsHasAHeader) {
  size_t size = 0;
  const std::vector<uint64_t> file = bytes_of(ET_FIXTURES "/artifacts/mutable_buffer/program.pte", &size);
  const auto header = ExtendedHeader::Parse(file.data(), size);
  ASSERT_TRUE(header.ok());
  EXPECT_LT(header->program_size, size);
  EXPECT_GE(header->segment_base_offset, header->program_size);
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(file.data()), header->program_size);
  ASSERT_TRUE(executorch_flatbuffer::VerifyProgramBuffer(verifier));
  const executorch_flatbuffer::Program* program = executorch_flatbuffer::GetProgram(file.data());
  ASSERT_NE(program->segments(), nullptr);
  for (const auto* segment : *program->segments()) {
    EXPECT_LE(header->segment_base_offset + segment->offset() + segment->size(), size);
  }
}

TEST(FacadeSchema, HeadersSayWhatIsWrong) {
  std::vector<char> head(ExtendedHeader::kNumHeadBytes);
  EXPECT_EQ(ExtendedHeader::Parse(head.data(), 63).error(), Error::InvalidArgument);
  EXPECT_EQ(ExtendedHeader::Parse(head.data(), 64).error(), Error::NotFound);
  std::memcpy(head.data() + 8, "eh00\x17", 5);
  EXPECT_EQ(ExtendedHeader::Parse(head.data(), 64).error(), Error::InvalidProgram);
  // An old writer's has no size of the segments.
  head[12] = 24;
  head[16] = 1;
  head[24] = 2;
  head[32] = 3;
  const auto old = ExtendedHeader::Parse(head.data(), 64);
  ASSERT_TRUE(old.ok());
  EXPECT_EQ(old->program_size, 1U);
  EXPECT_EQ(old->segment_base_offset, 2U);
  EXPECT_EQ(old->segment_data_size, 0U);
  head[12] = 32;
  EXPECT_EQ(ExtendedHeader::Parse(head.data(), 64)->segment_data_size, 3U);

  EXPECT_EQ(FlatTensorHeader::Parse(head.data(), 64).error(), Error::NotFound);
  std::memcpy(head.data() + 8, "FH01\x27", 5);
  EXPECT_EQ(FlatTensorHeader::Parse(head.data(), 64).error(), Error::InvalidExternalData);
}

/// A program of tables alone that is built with them, loaded and asked.
TEST(FacadeSchema, AProgramIsBuiltFromTables) {
  namespace fb = executorch_flatbuffer;
  flatbuffers::FlatBufferBuilder b;
  const std::vector<int32_t> none;
  const auto meta = fb::CreateContainerMetadataDirect(b, "", "T1#1($)");
  const auto value = fb::CreateEValue(b, fb::KernelTypes::Int, fb::CreateInt(b, 3).Union());
  const std::vector<int64_t> sizes{0};
  const auto chain = fb::CreateChain(b, b.CreateVector(none), b.CreateVector(none),
                                     b.CreateVector(std::vector<flatbuffers::Offset<fb::Instruction>>{}));
  const auto plan = fb::CreateExecutionPlan(
      b, b.CreateString("forward"), meta, b.CreateVector(&value, 1), b.CreateVector(none), b.CreateVector(none),
      b.CreateVector(&chain, 1), b.CreateVector(std::vector<flatbuffers::Offset<fb::Operator>>{}),
      b.CreateVector(std::vector<flatbuffers::Offset<fb::BackendDelegate>>{}), b.CreateVector(sizes));
  const auto constants = fb::CreateSubsegmentOffsets(b, 0, b.CreateVector(std::vector<uint64_t>{0}));
  fb::FinishProgramBuffer(
      b, fb::CreateProgram(b, 0, b.CreateVector(&plan, 1), 0, 0,
                           b.CreateVector(std::vector<flatbuffers::Offset<fb::DataSegment>>{}), constants));
  std::vector<uint64_t> file(b.GetSize() / 8 + 1);
  std::memcpy(file.data(), b.GetBufferPointer(), b.GetSize());
  BufferDataLoader loader(file.data(), b.GetSize());
  const auto program = Program::load(&loader, Program::Verification::InternalConsistency);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->num_methods(), 1U);
  EXPECT_STREQ(*program->get_output_flattening_encoding("forward"), "T1#1($)");
  EXPECT_EQ(program->get_output_flattening_encoding("backward").error(), Error::InvalidArgument);
}

TEST(FacadeSchema, TensorsOfTablesAreValidated) {
  namespace fb = executorch_flatbuffer;
  const auto check = [](std::vector<int32_t> sizes, fb::ScalarType type) {
    flatbuffers::FlatBufferBuilder b;
    b.Finish(fb::CreateTensor(b, type, 0, b.CreateVector(sizes)));
    return executorch::runtime::validate_tensor(flatbuffers::GetRoot<fb::Tensor>(b.GetBufferPointer()));
  };
  EXPECT_EQ(check({2, 0, 3}, fb::ScalarType::FLOAT), Error::Ok);
  EXPECT_EQ(check({2, -1}, fb::ScalarType::FLOAT), Error::InvalidProgram);
  EXPECT_EQ(check({2000000000, 2000000000, 2}, fb::ScalarType::FLOAT), Error::InvalidProgram);
  EXPECT_EQ(check({2}, static_cast<fb::ScalarType>(99)), Error::InvalidProgram);
}

TEST(FacadeSchema, NamedDataAreFoundByTables) {
  namespace fb = executorch_flatbuffer;
  flatbuffers::FlatBufferBuilder b;
  const std::vector<flatbuffers::Offset<fb::NamedData>> names{fb::CreateNamedDataDirect(b, "a", 0),
                                                              fb::CreateNamedDataDirect(b, "lost", 7)};
  const std::vector<flatbuffers::Offset<fb::DataSegment>> segments{fb::CreateDataSegment(b, 4, 3)};
  const auto segment_list = b.CreateVector(segments);
  const auto name_list = b.CreateVector(names);
  b.Finish(fb::CreateProgram(b, 0, 0, 0, 0, segment_list, 0, 0, name_list));
  const fb::Program* tables = fb::GetProgram(b.GetBufferPointer());
  BufferDataLoader loader("0123456789", 10);
  const auto map = PteDataMap::create(&loader, 2, tables->named_data(), tables->segments());
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(*map->get_num_keys(), 2U);
  EXPECT_STREQ(*map->get_key(1), "lost");
  EXPECT_EQ(map->get_key(2).error(), Error::InvalidArgument);
  const auto data = map->get_data("a");
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(std::string(static_cast<const char*>(data->data()), data->size()), "678");
  EXPECT_EQ(map->get_data("lost").error(), Error::InvalidArgument);
  EXPECT_EQ(map->get_data("b").error(), Error::NotFound);
  EXPECT_EQ(PteDataMap::create(&loader, 0, tables->named_data(), nullptr).error(), Error::InvalidArgument);
}

class SavedTensors : public ::testing::TestWithParam<size_t> {};

TEST_P(SavedTensors, AreReadBack) {
  const auto weight = executorch::extension::make_tensor_ptr({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const auto bias = executorch::extension::make_tensor_ptr({3}, std::vector<int64_t>{-1, 0, 1});
  const auto empty = executorch::extension::make_tensor_ptr({0}, std::vector<float>{});
  std::ostringstream out;
  ASSERT_EQ(
      executorch::extension::flat_tensor::save_ptd(out, {{"w", *weight}, {"b", *bias}, {"e", *empty}}, GetParam()),
      Error::Ok);
  const std::string text = out.str();
  std::vector<uint64_t> file(text.size() / 8 + 1);
  std::memcpy(file.data(), text.data(), text.size());
  const auto header = FlatTensorHeader::Parse(file.data(), text.size());
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->segment_base_offset + header->segment_data_size, text.size());
  EXPECT_EQ(header->segment_base_offset % GetParam(), 0U);
  const auto* tables = flat_tensor_flatbuffer::GetFlatTensor(file.data());
  ASSERT_EQ(tables->named_data()->size(), 3U);
  EXPECT_EQ(tables->named_data()->Get(0)->tensor_layout()->scalar_type(), executorch_flatbuffer::ScalarType::LONG);

  BufferDataLoader loader(file.data(), text.size());
  const auto map = FlatTensorDataMap::load(&loader);
  ASSERT_TRUE(map.ok());
  const auto layout = map->get_tensor_layout("w");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->nbytes(), 24U);
  float values[6] = {};
  ASSERT_EQ(map->load_data_into("w", values, sizeof values), Error::Ok);
  EXPECT_EQ(values[5], 6);
  int64_t whole[3] = {};
  ASSERT_EQ(map->load_data_into("b", whole, sizeof whole), Error::Ok);
  EXPECT_EQ(whole[0], -1);
}
INSTANTIATE_TEST_SUITE_P(Alignments, SavedTensors, ::testing::Values(1, 8, 16, 4096));

TEST(FacadeSchema, WhatCannotBeSavedIsRefused) {
  std::ostringstream out;
  const auto t = executorch::extension::make_tensor_ptr({1}, std::vector<float>{1});
  EXPECT_EQ(executorch::extension::flat_tensor::save_ptd(out, {{"t", *t}}, 3), Error::InvalidArgument);
  EXPECT_EQ(executorch::extension::flat_tensor::save_ptd("/nowhere/at/all.ptd", {{"t", *t}}, 16), Error::AccessFailed);
  const auto without = executorch::extension::from_blob(nullptr, {1});
  EXPECT_EQ(executorch::extension::flat_tensor::save_ptd(out, {{"t", *without}}, 16), Error::InvalidArgument);
}

TEST(FacadeSchema, MapsAreMerged) {
  const auto save = [](const char* name, float value, std::vector<uint64_t>* file) {
    const auto t = executorch::extension::make_tensor_ptr({1}, std::vector<float>{value});
    std::ostringstream out;
    EXPECT_EQ(executorch::extension::flat_tensor::save_ptd(out, {{name, *t}}, 16), Error::Ok);
    file->resize(out.str().size() / 8 + 1);
    std::memcpy(file->data(), out.str().data(), out.str().size());
    return BufferDataLoader(file->data(), out.str().size());
  };
  std::vector<uint64_t> files[2];
  auto loader_a = save("a", 1, &files[0]);
  auto loader_b = save("b", 2, &files[1]);
  const auto a = FlatTensorDataMap::load(&loader_a);
  const auto b = FlatTensorDataMap::load(&loader_b);
  ASSERT_TRUE(a.ok() && b.ok());
  using executorch::runtime::internal::MergedDataMap;
  const auto both = MergedDataMap::load(&*a, &*b);
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(*both->get_num_keys(), 2U);
  EXPECT_STREQ(*both->get_key(1), "b");
  EXPECT_TRUE(both->get_data("b").ok());
  EXPECT_EQ(MergedDataMap::load(&*a, &*a).error(), Error::InvalidArgument);
  EXPECT_EQ(MergedDataMap::load(nullptr, &*a).error(), Error::InvalidArgument);
  std::vector<const NamedDataMap*> list{&*b, &*a};
  const auto several = executorch::extension::merged_data_map::MergedDataMap::load({list.data(), list.size()});
  ASSERT_TRUE(several.ok());
  EXPECT_STREQ(*several->get_key(0), "b");
}

}  // namespace
