// Cases against the methods of real programs: what fits, and the message for each way of not fitting.
#include "bundled_program/write/case_check.h"

#include "tests/bundled_program/support.h"

namespace et::bundled {
namespace {

using namespace test;

/// A program of the fixtures, and a good case for it that a test may spoil.
struct Opened {
  CaseFile file;
  format::Program program;
  LoadedCase test;

  explicit Opened(const std::string& bundle) {
    const Status s = CaseFile::open(fixture("bundles/" + bundle + "/bundled.bpte"), "", &file);
    EXPECT_TRUE(s.ok()) << s.message();
    EXPECT_TRUE(format::Program::open(file.program(), &program).ok());
    EXPECT_TRUE(file.cases().load(0, 0, &test).ok());
  }
  Status check() const { return check_case(program.method(file.cases().method(0)), test, "here"); }
};

TEST(CaseCheck, EveryBundleOfUpstreamFits) {
  for (const std::string& path : upstream_bundles()) {
    // Values beyond the program's own bounds: upstream writes such bundles and then fails to run them.
    const bool broken = path.find("/upstream_fails/") != std::string::npos;
    if (broken || path.find("/dynamic_shapes_unbounded/") != std::string::npos) continue;
    CaseFile file;
    ASSERT_TRUE(CaseFile::open(path, "", &file).ok()) << path;
    format::Program program;
    ASSERT_TRUE(format::Program::open(file.program(), &program).ok()) << path;
    const Status s = check_cases(program, file.cases());
    EXPECT_TRUE(s.ok()) << s.message();
  }
}

TEST(CaseCheck, NamesWhatDoesNotFit) {
  struct Row {
    const char* bundle;
    void (*spoil)(LoadedCase*);
    const char* expected;
  };
  const Row rows[] = {
      {"add_mul", [](LoadedCase* c) { c->inputs.pop_back(); }, "here: 1 input, method forward takes 2"},
      {"add_mul", [](LoadedCase* c) { c->inputs.push_back(int_value(1)); }, "here: 3 inputs, method forward takes 2"},
      {"add_mul", [](LoadedCase* c) { c->inputs[1] = double_value(1); },
       "here: input 1: a float, the method takes a tensor"},
      {"add_mul",
       [](LoadedCase* c) {
         c->inputs[0] = add_tensor(c, ScalarType::Int, {2, 3});
       },
       "here: input 0: int32[2, 3], the method takes float32[2, 3]"},
      {"add_mul",
       [](LoadedCase* c) {
         c->inputs[0] = add_tensor(c, ScalarType::Float, {3, 2});
       },
       "here: input 0: float32[3, 2], the method takes float32[2, 3]"},
      {"add_mul",
       [](LoadedCase* c) {
         c->inputs[0] = add_tensor(c, ScalarType::Float, {2, 3, 1});
       },
       "here: input 0: float32[2, 3, 1], the method takes float32[2, 3]"},
      {"add_mul", [](LoadedCase* c) { c->inputs[0].tensor.data = c->inputs[0].tensor.data.first(20); },
       "here: input 0: 20 bytes of data, float32[2, 3] has 24"},
      {"add_mul",
       [](LoadedCase* c) {
         c->expected[0] = add_tensor(c, ScalarType::Float, {3, 3});
       },
       "here: expected output 0: float32[3, 3], the method gives float32[2, 3]"},
      {"add_mul", [](LoadedCase* c) { c->expected[0] = bool_value(true); },
       "here: expected output 0: a bool, the method gives a tensor"},
      {"add_mul", [](LoadedCase* c) { c->expected.push_back(c->expected[0]); },
       "here: 2 expected outputs, method forward gives 1"},
      {"scalar_inputs", [](LoadedCase* c) { c->inputs[1] = int_value(99); },
       "here: input 1: 99, the program was exported for 3"},
      {"scalar_inputs", [](LoadedCase* c) { c->inputs[1] = bool_value(true); },
       "here: input 1: a bool, the method takes an int"},
  };
  for (const Row& row : rows) {
    Opened opened(row.bundle);
    EXPECT_TRUE(opened.check().ok()) << opened.check().message();
    row.spoil(&opened.test);
    const Status s = opened.check();
    EXPECT_EQ(s.message(), row.expected) << row.bundle;
    EXPECT_EQ(s.code(), Error::InvalidArgument);
  }
}

TEST(CaseCheck, ExpectationsMayBeAbsent) {
  Opened opened("add_mul");
  opened.test.expected.clear();
  EXPECT_TRUE(opened.check().ok());
}

TEST(CaseCheck, DynamicSizesGoUpToTheirBound) {
  Opened opened("dynamic_shapes_bounded");
  const format::Method method = opened.program.method("forward");
  const format::TensorView input = method.value(static_cast<uint32_t>(method.inputs()[0])).as_tensor();
  ASSERT_EQ(input.shape_dynamism(), format::ShapeDynamism::DynamicBound);
  opened.test.expected.clear();
  std::vector<int32_t> sizes(input.sizes().begin(), input.sizes().end());
  opened.test.inputs[0] = add_tensor(&opened.test, input.scalar_type(), sizes);
  EXPECT_TRUE(opened.check().ok()) << opened.check().message();
  ++sizes[0];
  opened.test.inputs[0] = add_tensor(&opened.test, input.scalar_type(), sizes);
  EXPECT_NE(opened.check().message().find("] at most"), std::string::npos) << opened.check().message();
}

TEST(CaseCheck, NamesTheMethodsThereAre) {
  CaseFile file;
  ASSERT_TRUE(CaseFile::open(fixture("bundles/multi_method_shared_state/bundled.bpte"), "", &file).ok());
  format::Program program;
  ASSERT_TRUE(format::Program::open(file.program(), &program).ok());
  std::string method;
  const Status s = choose_method(program, "m.pte", "decode", &method);
  EXPECT_EQ(s.code(), Error::InvalidArgument);
  EXPECT_TRUE(s.message().starts_with("m.pte: the program has no method 'decode'; there are: ")) << s.message();
  MemoryCases cases;
  cases.add("decode", LoadedCase(), "mine.npz: decode/0");
  EXPECT_TRUE(check_cases(program, cases).message().starts_with("mine.npz: decode/0: the program has no method"));
  CaseFile one;
  ASSERT_TRUE(CaseFile::open(fixture("bundles/add_mul/bundled.bpte"), "", &one).ok());
  ASSERT_TRUE(format::Program::open(one.program(), &program).ok());
  EXPECT_TRUE(choose_method(program, "m.pte", "", &method).ok());
  EXPECT_EQ(method, "forward");
}

}  // namespace
}  // namespace et::bundled
