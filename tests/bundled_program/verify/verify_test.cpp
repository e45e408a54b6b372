// Verdicts of single files: tolerances and where they are from, limits, cases that cannot be run, iterations.
#include "bundled_program/verify/verify.h"

#include "bundled_program/write/bundle_writer.h"
#include "runtime/module/log_capture.h"
#include "runtime/platform/platform.h"
#include "tests/bundled_program/support.h"

namespace et::bundled {
namespace {

using namespace test;

class Verdicts : public VerifyListener {
 public:
  void begin(const Start&, const CaseVerdict& known, double timeout_s) override {
    begun.push_back(known.name());
    timeouts.push_back(timeout_s);
  }
  void done(CaseVerdict&& v) override { list.push_back(std::move(v)); }
  std::vector<std::string> begun;
  std::vector<double> timeouts;
  std::vector<CaseVerdict> list;
};

Verdicts verify(const std::string& path, const VerifyOptions& options = {}, const std::string& etdump = "") {
  runtime_init();
  capture_errors();
  LimitTable limits(options);
  Verdicts out;
  verify_file(path, etdump, options, {}, &limits, &out);
  return out;
}

/// The program of add_mul, (x + y) · x of [2, 3] each, with one case of its own.
std::string bundle_of(const Scratch& dir, const std::vector<float>& expected, std::vector<int32_t> shape = {2, 3},
                      ScalarType type = ScalarType::Float) {
  CaseFile original;
  EXPECT_TRUE(CaseFile::open(fixture("bundles/add_mul/bundled.bpte"), "", &original).ok());
  LoadedCase test;
  EXPECT_TRUE(original.cases().load(0, 0, &test).ok());
  if (!expected.empty()) {
    test.expected = {add_floats(&test, std::move(shape), expected)};
    test.expected[0].tensor.scalar_type = type;
  }
  MemoryCases cases;
  cases.add("forward", test, "forward 0");
  BundleBytes bytes;
  EXPECT_TRUE(write_bundle(original.program(), cases, &bytes).ok());
  const std::string path = dir / "model.bpte";
  write_file(path, {reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size()});
  return path;
}

std::vector<float> good_outputs() {
  CaseFile original;
  EXPECT_TRUE(CaseFile::open(fixture("bundles/add_mul/bundled.bpte"), "", &original).ok());
  LoadedCase test;
  EXPECT_TRUE(original.cases().load(0, 0, &test).ok());
  std::vector<float> out(6);
  std::memcpy(out.data(), test.expected[0].tensor.data.data(), 24);
  return out;
}

TEST(Verify, EveryCaseOfUpstreamsBundlesPasses) {
  size_t cases = 0;
  for (const char* name :
       {"add_mul", "dtypes", "scalar_inputs", "mutable_buffer", "multi_method_shared_state", "external_weights"}) {
    for (const CaseVerdict& v : verify(fixture(std::string("bundles/") + name + "/bundled.bpte")).list) {
      EXPECT_TRUE(v.passed()) << v.name() << ": " << v.reason;
      EXPECT_EQ(v.program.size(), 64u);
      EXPECT_GT(v.memory_bytes, 0u);
      EXPECT_GT(v.duration_ns(), 0);
      EXPECT_FALSE(v.outputs.empty());
      ++cases;
    }
  }
  EXPECT_EQ(cases, 15u);
}

TEST(Verify, WhatDiffersIsSaidWithItsPlace) {
  const Scratch dir;
  std::vector<float> wrong = good_outputs();
  wrong[4] += 0.5f;
  const Verdicts v = verify(bundle_of(dir, wrong));
  ASSERT_EQ(v.list.size(), 1u);
  EXPECT_EQ(v.list[0].failure, Failure::Values);
  const OutputVerdict& o = v.list[0].outputs.at(0);
  EXPECT_EQ(o.figures.outside, 1u);
  EXPECT_EQ(o.place(o.figures.worst_index), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(o.tolerance_from, "dtype");
  EXPECT_NEAR(o.figures.max_abs_error, 0.5, 1e-6);
  EXPECT_NE(v.list[0].reason.find("output 0: 1 of 6 values out of tolerance, worst at [1, 1]"), std::string::npos)
      << v.list[0].reason;
}

TEST(Verify, ExpectationsOfAnotherShapeDtypeOrCount) {
  const Scratch dir;
  EXPECT_EQ(verify(bundle_of(dir, good_outputs(), {3, 2})).list.at(0).failure, Failure::Shape);
  EXPECT_EQ(verify(bundle_of(dir, good_outputs(), {2, 3}, ScalarType::Int)).list.at(0).failure, Failure::Dtype);
  CaseFile original;
  ASSERT_TRUE(CaseFile::open(fixture("bundles/add_mul/bundled.bpte"), "", &original).ok());
  LoadedCase test;
  ASSERT_TRUE(original.cases().load(0, 0, &test).ok());
  struct Row {
    size_t inputs, expected;
    Failure failure;
  };
  for (const Row& row : {Row{2, 2, Failure::Count}, Row{2, 0, Failure::NoExpectation}, Row{1, 1, Failure::Count}}) {
    LoadedCase changed = test;
    changed.inputs.resize(row.inputs);
    changed.expected.resize(row.expected, test.expected[0]);
    MemoryCases cases;
    cases.add("forward", changed, "forward 0");
    BundleBytes bytes;
    ASSERT_TRUE(write_bundle(original.program(), cases, &bytes).ok());
    const std::string path = dir / "changed.bpte";
    write_file(path, {reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size()});
    EXPECT_EQ(verify(path).list.at(0).failure, row.failure) << verify(path).list.at(0).reason;
  }
}

TEST(Verify, TolerancesComeFromTheNearestPlace) {
  const Scratch dir;
  std::vector<float> near = good_outputs();
  near[0] += 1e-3f;
  const std::string path = bundle_of(dir, near);
  EXPECT_FALSE(verify(path).list.at(0).passed());
  write_file(dir / "index.json", R"({"files": [{"file": "model.bpte", "rtol": 0, "atol": 0.01}]})");
  EXPECT_TRUE(verify(path).list.at(0).passed());
  EXPECT_EQ(verify(path).list.at(0).outputs.at(0).tolerance_from, "index.json");
  write_file(dir / "model.policy.toml", "version = 1\n[method.forward]\natol = 1e-6\nrtol = 0\n");
  EXPECT_FALSE(verify(path).list.at(0).passed());
  EXPECT_EQ(verify(path).list.at(0).outputs.at(0).tolerance_from, "model.policy.toml: method.forward");
  VerifyOptions options;
  options.tolerance = Tolerance{0, 1};
  EXPECT_TRUE(verify(path, options).list.at(0).passed());
  EXPECT_EQ(verify(path, options).list.at(0).outputs.at(0).tolerance_from, "--rtol/--atol");
}

TEST(Verify, LimitsOfWholeOutputs) {
  const Scratch dir;
  std::vector<float> wrong = good_outputs();
  wrong[4] += 0.5f;
  const std::string path = bundle_of(dir, wrong);
  const auto with = [&](const std::string& rules) {
    write_file(dir / "policy.toml", "version = 1\n[default]\n" + rules);
    return verify(path).list.at(0);
  };
  EXPECT_TRUE(with("max_outside = '20%'").passed()) << "one of six";
  EXPECT_FALSE(with("max_outside = '10%'").passed());
  CaseVerdict v = with("max_outside = 1\nmax_abs_error = 0.1");
  EXPECT_EQ(v.failure, Failure::Metric);
  EXPECT_NE(v.reason.find("largest error 0.5, limit 0.1"), std::string::npos) << v.reason;
  EXPECT_EQ(with("max_outside = 1\nmin_snr_db = 80").failure, Failure::Metric);
  EXPECT_TRUE(with("max_outside = 1\nmin_snr_db = 1\nmin_cosine = 0.5").passed());
  EXPECT_EQ(with("max_outside = 1\nmin_cosine = 1").failure, Failure::Metric);
}

TEST(Verify, MemoryHasALimit) {
  VerifyOptions options;
  const std::string path = fixture("bundles/add_mul/bundled.bpte");
  options.max_memory = 10;
  const CaseVerdict v = verify(path, options).list.at(0);
  EXPECT_EQ(v.failure, Failure::Memory);
  EXPECT_NE(v.reason.find("10 are allowed"), std::string::npos) << v.reason;
  options.max_memory = v.memory_bytes;
  EXPECT_TRUE(verify(path, options).list.at(0).passed());
}

TEST(Verify, OneMethodOneCase) {
  VerifyOptions options;
  const std::string path = fixture("bundles/multi_method_shared_state/bundled.bpte");
  options.method = "read";
  EXPECT_EQ(verify(path, options).begun, (std::vector<std::string>{path + ": read case 0"}));
  options.test_case = 5;
  EXPECT_EQ(verify(path, options).list.at(0).failure, Failure::Method);
  options.method = "reed";
  const CaseVerdict v = verify(path, options).list.at(0);
  EXPECT_EQ(v.failure, Failure::Method);
  EXPECT_NE(v.reason.find("no method 'reed', the program has add, read"), std::string::npos) << v.reason;
}

TEST(Verify, IterationsLeaveTheStateOfTheProgramAlone) {
  VerifyOptions options;
  options.iterations = 7;
  const Verdicts v = verify(fixture("bundles/mutable_buffer/bundled.bpte"), options);
  ASSERT_GT(v.list.size(), 1u);
  for (const CaseVerdict& c : v.list) {
    EXPECT_TRUE(c.passed()) << c.reason;
    EXPECT_EQ(c.iterations, 7u);
    EXPECT_EQ(c.samples_ns.size(), 7u);
  }
}

TEST(Verify, FilesThatCannotBeUsed) {
  const Scratch dir;
  EXPECT_EQ(verify(dir / "none.bpte").list.at(0).failure, Failure::Io);
  write_file(dir / "junk.bpte", "this is no bundle at all, whatever its name says");
  EXPECT_EQ(verify(dir / "junk.bpte").list.at(0).failure, Failure::Corrupt);
  // The bundle is sound, the program inside is not.
  std::string bytes = read_file(fixture("bundles/add_mul/bundled.bpte"));
  const size_t program = bytes.find("ET12", 8);
  ASSERT_NE(program, std::string::npos);
  for (size_t i = program; i < program + 200; ++i) bytes[i] = '\x7f';
  write_file(dir / "inside.bpte", bytes);
  const CaseVerdict v = verify(dir / "inside.bpte").list.at(0);
  EXPECT_EQ(v.failure, Failure::Corrupt) << v.reason;
  EXPECT_NE(v.reason.find("inside.bpte"), std::string::npos);
  write_file(dir / "policy.toml", "version = 3");
  EXPECT_EQ(verify(dir / "junk.bpte").list.at(0).reason.find((dir / "policy.toml") + ":1:"), 0u);
}

TEST(Verify, ATraceForEachFile) {
  const Scratch dir;
  VerifyOptions options;
  options.log_values = true;
  const Verdicts v = verify(fixture("bundles/add_mul/bundled.bpte"), options, dir / "t.etdp");
  EXPECT_EQ(v.list.at(0).etdump, dir / "t.etdp");
  EXPECT_GT(read_file(dir / "t.etdp").size(), 100u);
  EXPECT_GT(read_file(dir / "t.bin").size(), 24u);
  const Verdicts broken = verify(fixture("bundles/add_mul/bundled.bpte"), {}, dir / "no/such/folder/t.etdp");
  EXPECT_EQ(broken.list.back().failure, Failure::Io);
}

}  // namespace
}  // namespace et::bundled
