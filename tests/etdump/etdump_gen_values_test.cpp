// Logged values: every type comes back with its numbers, what has no place is skipped, and a full sink costs values
// only.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "etdump/etdump_filter.h"
#include "etdump/file_data_sink.h"
#include "tests/etdump/gen_support.h"

namespace et::etdump {
namespace {

using test::Dump;
using test::OwnTensor;
using test::take;

constexpr ScalarType kAll[] = {ScalarType::Byte,
                               ScalarType::Char,
                               ScalarType::Short,
                               ScalarType::Int,
                               ScalarType::Long,
                               ScalarType::Half,
                               ScalarType::Float,
                               ScalarType::Double,
                               ScalarType::ComplexHalf,
                               ScalarType::ComplexFloat,
                               ScalarType::ComplexDouble,
                               ScalarType::Bool,
                               ScalarType::QInt8,
                               ScalarType::QUInt8,
                               ScalarType::QInt32,
                               ScalarType::BFloat16,
                               ScalarType::QUInt4x2,
                               ScalarType::QUInt2x4,
                               ScalarType::Bits1x8,
                               ScalarType::Bits2x4,
                               ScalarType::Bits4x2,
                               ScalarType::Bits8,
                               ScalarType::Bits16,
                               ScalarType::Float8_e5m2,
                               ScalarType::Float8_e4m3fn,
                               ScalarType::Float8_e5m2fnuz,
                               ScalarType::Float8_e4m3fnuz,
                               ScalarType::UInt16,
                               ScalarType::UInt32,
                               ScalarType::UInt64};

bool upstream_reads(ScalarType t) {
  switch (t) {
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Bool:
    case ScalarType::Bits16:
    case ScalarType::UInt16:
    case ScalarType::Short:
    case ScalarType::Half:
    case ScalarType::Int:
    case ScalarType::Float:
    case ScalarType::Double:
    case ScalarType::Long:
      return true;
    default:
      return false;
  }
}

bool is_complex(ScalarType t) {
  return t == ScalarType::ComplexHalf || t == ScalarType::ComplexFloat || t == ScalarType::ComplexDouble;
}

// 2 x 300 elements: all byte patterns for the small types.
OwnTensor sample(ScalarType type, uint8_t top = 0x3f) {
  const size_t element = element_size(type);
  std::vector<uint8_t> bytes(600 * element);
  for (size_t i = 0; i < 600; ++i) {
    for (size_t b = 0; b < element; ++b) bytes[i * element + b] = static_cast<uint8_t>(i * 7 + b * 31);
    if (element == 1) bytes[i] = static_cast<uint8_t>(type == ScalarType::Bool ? i % 2 : i);
    if (element == 8) bytes[i * element + 7] = static_cast<uint8_t>(i % (top + 1u));
  }
  return OwnTensor(type, {2, 300}, std::move(bytes));
}

void expect_same(const OwnTensor& t, const TensorInfo& info, std::span<const uint8_t> buffer) {
  TensorView view;
  ASSERT_EQ(DebugBuffer(buffer).open(info, &view), TensorFault::None);
  const ScalarType type = t.tensor().scalar_type();
  const size_t element = element_size(type);
  const bool pairs = is_complex(type) && view.rank() == 3;
  ASSERT_EQ(view.numel(), pairs ? 1200u : 600u);
  for (size_t i = 0; i < 600; ++i) {
    const double want = element_as_double(type, t.data.data() + i * element);
    const double got = pairs ? std::hypot(view.at(2 * i), view.at(2 * i + 1)) : view.at(i);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got)) << scalar_type_name(type) << " " << i;
    } else {
      EXPECT_EQ(want, got) << scalar_type_name(type) << " " << i;
      EXPECT_EQ(std::signbit(want), std::signbit(got));
    }
  }
}

TEST(EtdumpGenValues, EveryTypeComesBackWithItsNumbers) {
  for (const bool exact : {false, true}) {
    std::vector<uint8_t> buffer(1 << 20);
    ETDumpGen gen;
    ASSERT_TRUE(gen.set_debug_buffer({buffer.data(), buffer.size()}).ok());
    gen.set_exact_dtypes(exact);
    gen.create_event_block("Execute");
    std::vector<OwnTensor> tensors;
    for (const ScalarType type : kAll) tensors.push_back(sample(type));
    for (const OwnTensor& t : tensors) {
      const Result<bool> r = gen.log_evalue(t.value());
      ASSERT_TRUE(r.ok() && *r);
    }
    const Dump d(take(gen));
    ASSERT_EQ(d.events[0].size(), std::size(kAll));
    for (size_t i = 0; i < std::size(kAll); ++i) {
      SCOPED_TRACE(scalar_type_name(kAll[i]));
      const TensorInfo info = d.events[0][i].value.tensor(0);
      if (exact || upstream_reads(kAll[i])) {
        EXPECT_EQ(info.dtype, kAll[i]);
      }
      if (!exact) {
        EXPECT_TRUE(upstream_reads(info.dtype));
      }
      EXPECT_EQ((reinterpret_cast<uintptr_t>(buffer.data()) + static_cast<uint64_t>(info.offset)) % 64, 0u);
      expect_same(tensors[i], info, buffer);
    }
    EXPECT_EQ(gen.losses().skipped_values, 0u);
  }
}

TEST(EtdumpGenValues, LargeUnsignedNumbersKeepTheirSign) {
  std::vector<uint8_t> buffer(1 << 16);
  ETDumpGen gen;
  ASSERT_TRUE(gen.set_debug_buffer({buffer.data(), buffer.size()}).ok());
  gen.create_event_block("Execute");
  const OwnTensor t = sample(ScalarType::UInt64, 0xff);
  ASSERT_TRUE(gen.log_evalue(t.value()).ok());
  const Dump d(take(gen));
  EXPECT_EQ(d.events[0][0].value.tensor(0).dtype, ScalarType::Double);
  expect_same(t, d.events[0][0].value.tensor(0), buffer);
}

TEST(EtdumpGenValues, ScalarsListsAndOutputsAreWhatTheyWere) {
  std::vector<uint8_t> buffer(4096);
  ETDumpGen gen;
  ASSERT_TRUE(gen.set_debug_buffer({buffer.data(), buffer.size()}).ok());
  gen.create_event_block("Execute");
  gen.set_chain_debug_handle(1, 4);
  const auto a = OwnTensor::of<float>(ScalarType::Float, {3}, {1, 2, 3});
  const auto empty = OwnTensor::of<float>(ScalarType::Float, {0, 2}, {});
  const OwnTensor last(ScalarType::Byte, {1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 2, 3, 1});
  EValue items[] = {a.value(), empty.value(), last.value()};
  EValue* pointers[] = {&items[0], &items[1], &items[2]};
  Tensor unwrapped[3];
  const BoxedList<Tensor> list{pointers, unwrapped, 3};
  EXPECT_TRUE(*gen.log_evalue(EValue(int64_t{-5})));
  EXPECT_TRUE(*gen.log_evalue(EValue(true)));
  EXPECT_TRUE(*gen.log_evalue(EValue(2.5)));
  EXPECT_TRUE(*gen.log_evalue(EValue(&list)));
  EXPECT_TRUE(*gen.log_intermediate_output_delegate("node", -1, a.value()));
  EXPECT_TRUE(*gen.log_intermediate_output_delegate(nullptr, 12, EValue(int32_t{9})));
  gen.set_chain_debug_handle(-1, 0);
  EXPECT_TRUE(*gen.log_evalue(a.value(), LoggedEValueType::kProgramOutput));
  EXPECT_TRUE(*gen.log_evalue(EValue(int64_t{1}), LoggedEValueType::kProgramOutput));
  const double doubles[] = {1, 2};
  const ArrayRef<double> numbers = doubles;
  const string_view text = "text";
  const ArrayRef<char> letters = text;
  EXPECT_FALSE(*gen.log_evalue(EValue(&letters)));
  EXPECT_FALSE(*gen.log_evalue(EValue()));
  EXPECT_FALSE(*gen.log_evalue(EValue(&numbers)));
  const Dump d(take(gen));
  const auto& e = d.events[0];
  ASSERT_EQ(e.size(), 8u);
  EXPECT_EQ(e[0].value.as_int(), -5);
  EXPECT_EQ(e[0].chain_index, 1);
  EXPECT_EQ(e[0].instruction_id, 4);
  EXPECT_TRUE(e[1].value.as_bool());
  EXPECT_EQ(e[1].value.kind(), ValueKind::Bool);
  EXPECT_EQ(e[2].value.as_double(), 2.5);
  ASSERT_EQ(e[3].value.kind(), ValueKind::TensorList);
  ASSERT_EQ(e[3].value.tensor_count(), 3u);
  EXPECT_EQ(e[3].value.tensor(1).offset, -1);
  const TensorInfo nhwc = e[3].value.tensor(2);
  EXPECT_EQ((std::vector<int64_t>(nhwc.strides.begin(), nhwc.strides.end())), (std::vector<int64_t>{8, 1, 4, 2}));
  TensorView view;
  ASSERT_EQ(DebugBuffer(buffer).open(nhwc, &view), TensorFault::None);
  EXPECT_EQ(view.at(4), 1.0);
  EXPECT_EQ(e[4].delegate_id_str, "node");
  EXPECT_EQ(e[5].delegate_id_int, 12);
  EXPECT_EQ(e[5].value.as_int(), 9);
  for (size_t i = 0; i < 6; ++i) EXPECT_FALSE(e[i].value.is_output());
  EXPECT_TRUE(e[6].value.is_output());
  EXPECT_TRUE(e[7].value.is_output());
  EXPECT_EQ(e[6].chain_index, -1);
  EXPECT_EQ(e[6].instruction_id, 0);
  EXPECT_EQ(gen.losses().skipped_values, 3u);
  EXPECT_EQ(d.label("et.skipped_values"), "3");
}

TEST(EtdumpGenValues, AFullBufferCostsValuesOnly) {
  std::vector<uint8_t> buffer(256);
  ETDumpGen gen;
  ASSERT_TRUE(gen.set_debug_buffer({buffer.data(), buffer.size()}).ok());
  gen.create_event_block("Execute");
  const auto t = OwnTensor::of<uint8_t>(ScalarType::Byte, {60}, std::vector<uint8_t>(60, 9));
  const auto wide = OwnTensor::of<uint16_t>(ScalarType::BFloat16, {60}, std::vector<uint16_t>(60, 9));
  size_t stored = 0;
  for (int i = 0; i < 10; ++i) {
    const Result<bool> r = gen.log_evalue(t.value());
    if (r.ok()) ++stored;
    if (!r.ok()) {
      EXPECT_EQ(r.error(), Error::OutOfResources);
    }
    gen.end_profiling(gen.start_profiling("a"));
  }
  EXPECT_EQ(gen.log_evalue(wide.value()).error(), Error::OutOfResources);
  EXPECT_TRUE(gen.log_evalue(EValue(int64_t{1})).ok());
  EXPECT_GE(stored, 3u);
  EXPECT_EQ(gen.losses().values, 11 - stored);
  const Dump d(take(gen));
  EXPECT_EQ(d.events[0].size(), stored + 11);
  EXPECT_EQ(d.label("et.lost_values"), std::to_string(11 - stored));
}

TEST(EtdumpGenValues, TensorsThatCannotBeStoredAreCounted) {
  ETDumpGen gen;
  gen.create_event_block("Execute");
  const auto t = OwnTensor::of<uint8_t>(ScalarType::Byte, {2}, {1, 2});
  EXPECT_EQ(gen.log_evalue(t.value()).error(), Error::InvalidState);  // no sink
  std::vector<uint8_t> buffer(256);
  ASSERT_TRUE(gen.set_debug_buffer({buffer.data(), buffer.size()}).ok());
  t.impl->set_data(nullptr);
  EXPECT_EQ(gen.log_evalue(t.value()).error(), Error::InvalidState);
  EXPECT_EQ(gen.losses().values, 2u);
  EXPECT_FALSE(*gen.log_evalue(EValue(Tensor())));
  EXPECT_EQ(gen.losses().skipped_values, 1u);
  EXPECT_FALSE(gen.set_debug_buffer({static_cast<uint8_t*>(nullptr), 8}).ok());
  EXPECT_TRUE(Dump(take(gen)).events[0].empty());
}

TEST(EtdumpGenValues, AFileHoldsTheSameValues) {
  const std::string path = testing::TempDir() + "et_gen_values.bin";
  std::vector<OwnTensor> tensors;
  for (const ScalarType type : kAll) tensors.push_back(sample(type));
  ETDumpGen gen;
  std::vector<uint8_t> dump;
  {
    Result<FileDataSink> sink = FileDataSink::create(path.c_str());
    ASSERT_TRUE(sink.ok());
    gen.set_data_sink(&*sink);
    gen.create_event_block("Execute");
    for (const OwnTensor& t : tensors) ASSERT_TRUE(gen.log_evalue(t.value()).ok());
    EXPECT_TRUE(sink->close());
    EXPECT_EQ(gen.log_evalue(tensors[0].value()).error(), Error::AccessFailed);
    EXPECT_EQ(sink->get_used_bytes(), std::filesystem::file_size(path));
    dump = take(gen);
  }
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> chars((std::istreambuf_iterator<char>(file)), {});
  const std::vector<uint8_t> bytes(chars.begin(), chars.end());
  const Dump d(dump);
  for (size_t i = 0; i < tensors.size(); ++i) expect_same(tensors[i], d.events[0][i].value.tensor(0), bytes);
  std::filesystem::remove(path);
  EXPECT_FALSE(FileDataSink::create("/nowhere/at/all").ok());
  EXPECT_FALSE(FileDataSink::create(nullptr).ok());
}

// A sink of an application, which knows only write().
class CollectingSink : public DataSinkBase {
 public:
  Result<size_t> write(const void* data, size_t length) override {
    const size_t at = bytes.size();
    const uint8_t* p = static_cast<const uint8_t*>(data);
    bytes.insert(bytes.end(), p, p + length);
    return at;
  }
  size_t get_used_bytes() const override { return bytes.size(); }
  std::vector<uint8_t> bytes;
};

TEST(EtdumpGenValues, ASinkOfTheApplicationGetsWholeValues) {
  CollectingSink sink;
  ETDumpGen gen;
  gen.set_data_sink(&sink);
  gen.create_event_block("Execute");
  const OwnTensor t = sample(ScalarType::BFloat16);
  ASSERT_TRUE(gen.log_evalue(t.value()).ok());
  expect_same(t, Dump(take(gen)).events[0][0].value.tensor(0), sink.bytes);
}

TEST(EtdumpFilter, SaysWhatItKeepsAndWhatItDrops) {
  ETDumpFilter f;
  EXPECT_FALSE(*f.filter("anything", -1));  // nothing set: nothing dropped
  ASSERT_EQ(f.include("conv*#?"), Error::Ok);
  ASSERT_EQ(f.include("[a-c]\\*[!0-9]"), Error::Ok);
  ASSERT_EQ(f.exclude("*bad*"), Error::Ok);
  EXPECT_TRUE(f.keeps("conv2d (NHWC) #1"));
  EXPECT_FALSE(f.keeps("conv2d #12"));
  EXPECT_FALSE(f.keeps("xconv2d #1"));
  EXPECT_FALSE(f.keeps("conv bad #1"));
  EXPECT_TRUE(f.keeps("b*x"));
  EXPECT_FALSE(f.keeps("b*7"));
  EXPECT_FALSE(f.keeps("bbx"));
  EXPECT_TRUE(f.keeps(5));  // patterns say nothing of ids
  ASSERT_EQ(f.include_ids(10, 20), Error::Ok);
  ASSERT_EQ(f.exclude_ids(12, 13), Error::Ok);
  EXPECT_FALSE(f.keeps(9));
  EXPECT_TRUE(f.keeps(10));
  EXPECT_FALSE(f.keeps(12));
  EXPECT_FALSE(f.keeps(20));
  EXPECT_TRUE(*f.filter(nullptr, 20));
  EXPECT_EQ(f.filter(nullptr, -1).error(), Error::InvalidArgument);
  EXPECT_EQ(f.filter("x", 1).error(), Error::InvalidArgument);
  EXPECT_EQ(f.include(""), Error::InvalidArgument);
  EXPECT_EQ(f.include("a[b"), Error::InvalidArgument);
  EXPECT_EQ(f.include("a\\"), Error::InvalidArgument);
  EXPECT_EQ(f.include(std::string(96, 'a')), Error::OutOfResources);
  EXPECT_EQ(f.include_ids(3, 3), Error::InvalidArgument);
  for (size_t i = 3; i < ETDumpFilter::kMaxPatterns; ++i) EXPECT_EQ(f.include("x"), Error::Ok);
  EXPECT_EQ(f.include("x"), Error::OutOfResources);
}

TEST(EtdumpFilter, GlobsMatchWholeNamesInLittleTime) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_FALSE(glob_matches("?", ""));
  EXPECT_TRUE(glob_matches("a*b*c", "a--b--b--c"));
  EXPECT_FALSE(glob_matches("a*b*c", "a--b--b--"));
  EXPECT_TRUE(glob_matches("[]x]", "]"));
  EXPECT_TRUE(glob_matches("[^]x]", "y"));
  EXPECT_FALSE(glob_matches("[^]x]", "]"));
  EXPECT_TRUE(glob_matches("[a-]", "-"));
  EXPECT_FALSE(glob_matches("*a*a*a*a*a*a*a*a*b", std::string(3000, 'a')));
}

TEST(EtdumpGenValues, TheFilterDropsIntermediateValuesOfDelegates) {
  ETDumpFilter filter;
  ASSERT_EQ(filter.exclude("drop*"), Error::Ok);
  ETDumpGen gen;
  gen.set_delegation_intermediate_output_filter(&filter);
  gen.create_event_block("Execute");
  EXPECT_FALSE(*gen.log_intermediate_output_delegate("drop me", -1, EValue(1.0)));
  EXPECT_TRUE(*gen.log_intermediate_output_delegate("keep me", -1, EValue(1.0)));
  EXPECT_TRUE(*gen.log_evalue(EValue(1.0)));
  EXPECT_EQ(Dump(take(gen)).events[0].size(), 2u);
}

}  // namespace
}  // namespace et::etdump
