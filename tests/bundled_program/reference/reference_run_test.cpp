#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bundled_program/cases/tensor_value.h"
#include "bundled_program/compare.h"
#include "bundled_program/verify/side_tolerances.h"
#include "runtime/module/log_capture.h"
#include "tests/bundled_program/reference/support.h"

namespace et::reference::test {
namespace {

using bundled::Comparison;
using bundled::LoadedCase;

/// What the record itself says that a case gives; null where it says nothing.
const etrecord::TorchTensor* recorded_output(const etrecord::TorchArchive& outputs, const std::string& method,
                                             size_t test_case, size_t output) {
  const etrecord::PickleValue* value = outputs.root().find(method);
  for (size_t index : {test_case, output}) {
    if (value == nullptr || !value->is_sequence() || index >= value->items.size()) return nullptr;
    value = value->items[index];
  }
  return value->tensor.get();
}

class Artifacts : public testing::TestWithParam<Artifact> {};

// Every case of every method gives the expected outputs, within the tolerance that stands beside the bundle.
TEST_P(Artifacts, OutputsAreTheExpectedOnes) {
  const Artifact& a = GetParam();
  Loaded files;
  ASSERT_NO_FATAL_FAILURE(files.open(a));
  capture_errors();
  bundled::SideTolerances tolerances;
  const bundled::CaseSource& cases = files.cases.cases();
  ASSERT_GT(cases.total(), 0u);
  etrecord::TorchArchive recorded;
  static_cast<void>(files.record.tensors("reference_outputs", &recorded));
  size_t compared_with_record = 0;
  double worst = 0;
  for (size_t suite = 0; suite < cases.suite_count(); ++suite) {
    const std::string method(cases.method(suite));
    std::unique_ptr<ReferenceRun> run;
    const Status opened = ReferenceRun::open(files.record, method, Limits(), &run);
    if (files.record.edge_program(method) == nullptr) {
      EXPECT_EQ(opened.code(), Error::NotFound);
      GTEST_SKIP() << opened.message();  // a record that the exporter left half-written
    }
    ASSERT_TRUE(opened.ok()) << opened.message();
    EXPECT_EQ(run->missing_operators(), std::vector<std::string>());
    for (size_t i = 0; i < cases.case_count(suite); ++i) {
      LoadedCase test;
      ASSERT_TRUE(cases.load(suite, i, &test).ok());
      RunResult result;
      const Status s = run->run(test.inputs, {}, &result);
      ASSERT_TRUE(s.ok()) << cases.place(suite, i) << ": " << s.message();
      ASSERT_EQ(result.outputs.size(), test.expected.size());
      for (size_t o = 0; o < test.expected.size(); ++o) {
        const bundled::Value& want = test.expected[o];
        if (want.kind != bundled::ValueKind::Tensor) continue;
        ASSERT_EQ(result.outputs[o].kind, GraphValue::Kind::Tensor);
        const auto side = tolerances.find(a.bundle, method, i, o);
        const bundled::Tolerance t = side ? side->tolerance : bundled::default_tolerance(want.tensor.scalar_type);
        const Comparison c = bundled::compare(result.outputs[o].tensor->tensor(), want.tensor, t);
        EXPECT_TRUE(c.passed()) << cases.place(suite, i) << " output " << o << ": " << mismatch_name(c.mismatch) << ", "
                                << c.outside << " of " << c.elements << " outside, largest error " << c.max_abs_error
                                << ", SNR " << c.snr_db() << " dB, tolerance " << t.rtol << " " << t.atol;
        worst = std::max(worst, c.max_abs_error);
        const etrecord::TorchTensor* own = recorded_output(recorded, method, i, o);
        std::vector<uint8_t> bytes;
        if (own == nullptr || own->fake || !own->contiguous(&bytes).ok()) continue;
        const Tensor got = result.outputs[o].tensor->tensor();
        const std::vector<int32_t> sizes(own->sizes.begin(), own->sizes.end());
        const bundled::OwnedTensor plain(own->dtype, sizes, bytes);
        const auto row_major = OwnTensor::make(got.scalar_type(), got.sizes(), {}, UINT64_MAX, nullptr);
        copy_elements(got, row_major->tensor());
        EXPECT_TRUE(bundled::compare(row_major->tensor(), plain.value, t).passed())
            << cases.place(suite, i) << " output " << o << " is not what the ETRecord says";
        ++compared_with_record;
      }
    }
  }
  RecordProperty("compared_with_record", std::to_string(compared_with_record));
  RecordProperty("largest_error", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(All, Artifacts, testing::ValuesIn(artifacts()), test_name);

class FixtureRun : public testing::Test {
 protected:
  void open(const std::string& name, const std::string& method, const Limits& limits = {}) {
    const std::string root = ET_FIXTURES;
    files_.open({name, root + "/artifacts/" + name + "/etrecord.bin", root + "/bundles/" + name + "/bundled.bpte"});
    const Status s = ReferenceRun::open(files_.record, method, limits, &run_);
    ASSERT_TRUE(s.ok()) << s.message();
    const auto suite = files_.cases.cases().find(method);
    ASSERT_TRUE(suite);
    ASSERT_TRUE(files_.cases.cases().load(*suite, 0, &case_).ok());
    capture_errors();
  }
  float first(const RunResult& result) { return *result.outputs.at(0).tensor->tensor().const_data_ptr<float>(); }

  Loaded files_;
  std::unique_ptr<ReferenceRun> run_;
  LoadedCase case_;
};

TEST_F(FixtureRun, BuffersKeepTheirValuesUntilReset) {
  ASSERT_NO_FATAL_FAILURE(open("mutable_buffer", "forward"));
  RunResult once, twice, again;
  ASSERT_TRUE(run_->run(case_.inputs, {}, &once).ok());
  ASSERT_TRUE(run_->run(case_.inputs, {}, &twice).ok());
  run_->reset();
  ASSERT_TRUE(run_->run(case_.inputs, {}, &again).ok());
  EXPECT_NE(first(once), first(twice));
  EXPECT_EQ(first(once), first(again));
}

TEST_F(FixtureRun, MethodsMayShareTheirState) {
  ASSERT_NO_FATAL_FAILURE(open("multi_method_shared_state", "add"));
  std::unique_ptr<ReferenceRun> reader;
  ASSERT_TRUE(ReferenceRun::open(files_.record, "read", Limits(), &reader).ok());
  LoadedCase scale;
  ASSERT_TRUE(files_.cases.cases().load(*files_.cases.cases().find("read"), 0, &scale).ok());
  RunResult result;
  ASSERT_TRUE(run_->run(case_.inputs, {}, &result).ok());
  ASSERT_TRUE(reader->run(scale.inputs, {}, &result).ok());
  EXPECT_EQ(first(result), 0);  // each its own
  reader->share_state(*run_);
  ASSERT_TRUE(run_->run(case_.inputs, {}, &result).ok());
  ASSERT_TRUE(reader->run(scale.inputs, {}, &result).ok());
  EXPECT_EQ(first(result), 10);  // 1 was added, the scale is 10
}

TEST_F(FixtureRun, TheSinkSeesEveryNodeAndMayStop) {
  ASSERT_NO_FATAL_FAILURE(open("control_flow_map", "forward"));
  std::vector<std::string> seen;
  RunResult result;
  const Sink all = [&](const NodeValue& v) {
    seen.push_back(v.node.name + " " + std::to_string(v.trip));
    return true;
  };
  ASSERT_TRUE(run_->run(case_.inputs, all, &result).ok());
  ASSERT_EQ(seen.size(), 13u);  // three nodes a trip, four trips, and the operator around them
  EXPECT_EQ(seen[0], "aten_add_tensor 0");
  EXPECT_EQ(seen[11], "aten_mul_tensor 3");
  EXPECT_EQ(seen[12], "map_impl 0");
  seen.clear();
  ASSERT_TRUE(
      run_->run(
              case_.inputs, [&](const NodeValue& v) { return seen.push_back(v.node.name), seen.size() < 5; }, &result)
          .ok());
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_TRUE(result.stopped);
  EXPECT_TRUE(result.outputs.empty());
}

TEST_F(FixtureRun, LimitsEndTheRunWithTheirName) {
  Limits limits;
  limits.max_steps = 5;
  ASSERT_NO_FATAL_FAILURE(open("control_flow_scan", "forward", limits));
  RunResult result;
  Status s = run_->run(case_.inputs, {}, &result);
  EXPECT_EQ(s.code(), Error::OutOfResources);
  EXPECT_NE(s.message().find("more than 5 executed nodes"), std::string::npos) << s.message();

  limits = Limits();
  limits.max_tensor_bytes = 64;
  ASSERT_NO_FATAL_FAILURE(open("lstm", "forward", limits));
  s = run_->run(case_.inputs, {}, &result);
  EXPECT_EQ(s.code(), Error::OutOfResources) << s.message();

  limits = Limits();
  limits.max_live_bytes = 2000;
  ASSERT_NO_FATAL_FAILURE(open("lstm", "forward", limits));
  s = run_->run(case_.inputs, {}, &result);
  EXPECT_EQ(s.code(), Error::OutOfResources) << s.message();
}

TEST_F(FixtureRun, InputsThatDoNotFitAreNamed) {
  ASSERT_NO_FATAL_FAILURE(open("add_mul", "forward"));
  RunResult result;
  Status s = run_->run({}, {}, &result);
  EXPECT_EQ(s.code(), Error::InvalidArgument);
  EXPECT_NE(s.message().find("0 inputs, the graph has"), std::string::npos) << s.message();

  std::vector<bundled::Value> inputs = case_.inputs;
  const std::vector<int32_t> sizes = {1};
  const std::vector<uint8_t> order = {0};
  const std::vector<uint8_t> bytes(8);
  inputs[0].tensor = {ScalarType::Long, sizes, order, bytes};
  s = run_->run(inputs, {}, &result);
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.message().find("is int64, the graph says float32"), std::string::npos) << s.message();
  inputs[0].tensor.data = std::span<const uint8_t>(bytes).first(4);
  s = run_->run(inputs, {}, &result);
  EXPECT_EQ(s.code(), Error::InvalidArgument) << s.message();
}

// Weights were taken out of this record: the error says which one is missing.
TEST(ReferenceRun, ARecordWithoutWeightsIsAnErrorThatNamesTheFirst) {
  const std::string path = std::string(ET_FIXTURES) + "/artifacts/mobilenet_v2_035_xnnpack_int8/etrecord.bin";
  MappedFile file;
  ASSERT_TRUE(MappedFile::open(path, &file).ok());
  etrecord::Record record;
  ASSERT_TRUE(etrecord::Record::open(file.bytes(), path, &record).ok());
  std::unique_ptr<ReferenceRun> run;
  ASSERT_TRUE(ReferenceRun::open(record, "forward", Limits(), &run).ok());
  EXPECT_EQ(run->missing_operators(), std::vector<std::string>());
  const bundled::OwnedTensor image(ScalarType::Float, {1, 3, 224, 224});
  const bundled::Value input = bundled::tensor_value(image.value);
  RunResult result;
  const Status s = run->run({&input, 1}, {}, &result);
  EXPECT_EQ(s.code(), Error::NotFound);
  EXPECT_NE(s.message().find("has no tensor"), std::string::npos) << s.message();
  EXPECT_EQ(ReferenceRun::open(record, "nothing", Limits(), &run).code(), Error::NotFound);
}

}  // namespace
}  // namespace et::reference::test
