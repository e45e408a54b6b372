// et-check --explain on programs of which it is known what is wrong: one layer, or only the expectation. Fixtures:
// tests/explain/make_fixtures.py.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/shell.h"

namespace et::cli {
namespace {

using golden::CommandResult;
using golden::shell_word;
using test::shell;

class Explain : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return shell_word(std::string(ET_FIXTURES) + "/explain/" + name); }
  CommandResult check(const std::string& arguments) const {
    return shell(dir_, shell_word(ET_CHECK_COMMAND) + " " + arguments);
  }
  CommandResult explain(const std::string& folder, const std::string& bundle, const std::string& options) const {
    return check(file(folder + "/" + bundle) + " --explain --etrecord " + file(folder + "/etrecord.bin") + " " +
                 options);
  }
  const test::Scratch dir_;
};

constexpr const char* kFine = "--rtol 1e-4 --atol 1e-4";
constexpr const char* kCoarse = "--rtol 0.05 --atol 0.05";

// max_pool2d, hardswish, prelu, elu and linear stand whole in the record; a buffer is not saved; sizes are 2*_h and
// 2*_w; a parameter has an attribute.
TEST_F(Explain, WhatALoweringKeepsWholeIsWorkedOut) {
  const CommandResult r = explain("whole", "bad.bpte", kFine);
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.out.find("no explanation"), std::string::npos) << r.out;
  const size_t at = r.out.find("first divergence: ");
  ASSERT_NE(at, std::string::npos) << r.out;
  const std::string line = r.out.substr(at, r.out.find('\n', at) - at);
  EXPECT_NE(line.find("aten_convolution_default_1"), std::string::npos) << "the layer 'mix': " << line;
}

// Three outputs, two of one shape, and operators with fused activations.
TEST_F(Explain, AWrongExpectationBlamesNobody) {
  for (const auto& [folder, options] : {std::pair{"whole", kFine}, {"fp32", kFine}, {"int8", kCoarse}}) {
    EXPECT_EQ(check(file(std::string(folder) + "/good.bpte") + " " + options).exit_code, 0) << folder;
    const CommandResult r = explain(folder, "shifted.bpte", options);
    EXPECT_EQ(r.exit_code, 1) << folder;
    EXPECT_EQ(r.out.find("first divergence"), std::string::npos) << folder << ": " << r.out;
    EXPECT_NE(r.out.find("the program agrees with the graph of"), std::string::npos) << folder << ": " << r.out;
    EXPECT_NE(r.out.find("only the expected outputs of the test case differ"), std::string::npos) << r.out;
    const CommandResult json = explain(folder, "shifted.bpte", std::string(options) + " --json");
    EXPECT_NE(json.out.find("\"expectation\": true"), std::string::npos) << json.out;
  }
}

TEST_F(Explain, TheFusedGroupOfTheBrokenLayerIsFound) {
  for (const auto& [folder, options] : {std::pair{"fp32", kFine}, {"int8", kCoarse}}) {
    const CommandResult r = explain(folder, "bad.bpte", std::string(options) + " --json");
    EXPECT_EQ(r.exit_code, 1) << folder;
    const size_t at = r.out.find("\"nodes\": [");
    ASSERT_NE(at, std::string::npos) << r.out;
    const std::string nodes = r.out.substr(at, r.out.find(']', at) - at);
    EXPECT_NE(nodes.find("aten_convolution_default_1"), std::string::npos) << folder << ": " << nodes;
  }
}

// A delegate call logs what goes into it, too, here of the size of a view inside.
TEST_F(Explain, WhatGoesIntoADelegateIsNoResultOfIt) {
  const CommandResult bad = explain("parts", "bad.bpte", kFine);
  EXPECT_NE(bad.out.find("← aten_linear_default_4 ←"), std::string::npos) << "the layer 'last': " << bad.out;
  const CommandResult shifted = explain("parts", "shifted.bpte", kFine);
  EXPECT_NE(shifted.out.find("only the expected outputs of the test case differ"), std::string::npos) << shifted.out;
}

// The second call of a layer is wrong in every export of it, too little to make a case fail.
TEST_F(Explain, OfTwoFaultsTheOneThatMovesTheOutputsIsBlamed) {
  constexpr const char* kWide = "--rtol 0.1 --atol 0.1";
  EXPECT_EQ(check(file("twice/good.bpte") + " " + kWide).exit_code, 0);
  const CommandResult r = explain("twice", "bad.bpte", kWide);
  const size_t at = r.out.find("first divergence: ");
  ASSERT_NE(at, std::string::npos) << r.out;
  const std::string line = r.out.substr(at, r.out.find('\n', at) - at);
  EXPECT_NE(line.find("4x8->4"), std::string::npos) << "the layer 'head': " << line;
  EXPECT_NE(r.out.find("differ without making the outputs fail"), std::string::npos) << r.out;
  // Made to pass no output either way, the second call is what is wrong first.
  const CommandResult narrow = explain("twice", "good.bpte", "--rtol 0 --atol 1e-3");
  EXPECT_NE(narrow.out.find("4x8->8"), std::string::npos) << narrow.out;
}

// Expected is what PyTorch's int8 model gives; upstream's runtime is far from it.
TEST_F(Explain, AConversionThatTheExportLostIsRestored) {
  const CommandResult r = check(file("lost/good.bpte"));
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
}

// The two exports have no node name in common that means the same.
TEST_F(Explain, Int8IsComparedWithFloat32ThroughBothRecords) {
  const CommandResult r = explain("int8", "bad.bpte",
                                  "--rtol 0.05 --atol 0.05 --json --reference " + file("fp32/good.bpte") +
                                      " --reference-etrecord " + file("fp32/etrecord.bin"));
  EXPECT_EQ(r.exit_code, 1) << r.err;
  const size_t at = r.out.find("\"nodes\": [");
  ASSERT_NE(at, std::string::npos) << r.out << r.err;
  const std::string nodes = r.out.substr(at, r.out.find(']', at) - at);
  EXPECT_NE(nodes.find("aten_convolution_default_1"), std::string::npos) << r.out;
}

// (tensor, None): upstream's bundles leave None out.
TEST_F(Explain, OutputsThatAreNoneAreNotExpected) {
  const CommandResult upstream = check(file("with_none/good.bpte"));
  EXPECT_EQ(upstream.exit_code, 0) << upstream.out;
  const CommandResult made = check("bundle " + file("with_none/good.bpte") + " --record -o own.bpte");
  EXPECT_EQ(made.exit_code, 0) << made.out << made.err;
  EXPECT_EQ(check("own.bpte").exit_code, 0);
}

}  // namespace
}  // namespace et::cli
