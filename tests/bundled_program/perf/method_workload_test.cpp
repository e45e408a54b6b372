// Real programs as a side of a comparison.
#include "bundled_program/perf/method_workload.h"

#include <gtest/gtest.h>

#include "base/mapped_file.h"
#include "bundled_program/perf/comparison.h"
#include "runtime/module/log_capture.h"
#include "runtime/platform/platform.h"

namespace et::perf {
namespace {

struct Program : testing::Test {
  Program() {
    runtime_init();
    capture_errors();
    EXPECT_TRUE(MappedFile::open(ET_FIXTURES "/ops/aten.mm.out__0.bpte", &file).ok());
    EXPECT_TRUE(bundled::Bundle::open(file.bytes(), &bundle).ok());
    const bundled::Case test = bundle.suite(0).test_case(0);
    for (uint32_t i = 0; i < test.input_count(); ++i) inputs.push_back(test.input(i));
  }
  MethodWorkload workload(const std::string& method = "forward") {
    return {"mm.bpte", bundle.program(), method, inputs, nullptr};
  }
  MappedFile file;
  bundled::Bundle bundle;
  std::vector<bundled::Value> inputs;
};

TEST_F(Program, InstancesLiveBesideEachOther) {
  MethodWorkload mm = workload();
  std::unique_ptr<Instance> instances[4];
  for (uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(mm.make(i, &instances[i]).ok());
  for (int round = 0; round < 3; ++round) {
    for (auto& instance : instances) EXPECT_EQ(instance->run(), Error::Ok) << mm.reason();
  }
}

TEST_F(Program, WhatCannotBeLoadedIsNamed) {
  std::unique_ptr<Instance> instance;
  MethodWorkload other = workload("backward");
  const Status status = other.make(1, &instance);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.message().find("mm.bpte: "), 0U) << status.message();
  inputs.pop_back();
  MethodWorkload few = workload();
  EXPECT_EQ(few.make(1, &instance).message(), "mm.bpte: the test case has 1 inputs, the method takes 2");
  inputs.push_back({});
  MethodWorkload none = workload();
  EXPECT_EQ(none.make(1, &instance).message(), "mm.bpte: input 1 is missing in the test case");
}

TEST_F(Program, AnInputOfAnotherKindIsAnErrorOfTheRun) {
  inputs[1].kind = bundled::ValueKind::Int;
  MethodWorkload wrong = workload();
  MethodWorkload right = workload();
  PerfResult result;
  const Status status = compare_interleaved(wrong, right, {}, &result);
  EXPECT_EQ(status.code(), Error::InvalidArgument);
  EXPECT_EQ(status.message(), "mm.bpte: input 1: expected Tensor, got Int (InvalidArgument)");
}

// Verdicts depend on the machine here; that there is one, and what it says about itself, does not.
TEST_F(Program, IsComparedWithItself) {
  MethodWorkload a = workload(), b = workload();
  PerfOptions options;
  options.budget_s = 0.3;
  PerfResult result;
  ASSERT_TRUE(compare_interleaved(a, b, options, &result).ok());
  EXPECT_GT(result.median_ns, 0);
  EXPECT_GT(result.samples, 0U);
  EXPECT_EQ(result.clock, "cpu");
  EXPECT_FALSE(result.text.empty());
  BaselineEntry entry;
  ASSERT_TRUE(record_baseline(b, options, &entry).ok());
  EXPECT_GT(entry.samples, 0U);
  EXPECT_GT(entry.batch, 1U);
  ASSERT_TRUE(compare_with_baseline(a, entry, options, &result).ok());
  EXPECT_NE(result.verdict, PerfResult::Refused);
}

}  // namespace
}  // namespace et::perf
