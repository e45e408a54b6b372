// Sources of cases: bundles, memory, and views that join, leave out and exchange.
#include "bundled_program/cases/case_source.h"

#include "tests/bundled_program/support.h"

namespace et::bundled {
namespace {

using namespace test;

LoadedCase numbered(int64_t input, int64_t expected) {
  LoadedCase out;
  out.inputs = {int_value(input)};
  out.expected = {int_value(expected)};
  return out;
}

std::unique_ptr<MemoryCases> two_methods(const std::string& name, int64_t first) {
  auto out = std::make_unique<MemoryCases>();
  out->add("a", numbered(first, 0), name + " a0");
  out->add(name, numbered(first + 1, 0), name + " own");
  out->add("a", numbered(first + 2, 0), name + " a1");
  return out;
}

std::string listing(const CaseSource& cases) {
  std::string out;
  for (size_t s = 0; s < cases.suite_count(); ++s) {
    out += std::string(cases.method(s)) + ":";
    for (size_t c = 0; c < cases.case_count(s); ++c) {
      LoadedCase test;
      EXPECT_TRUE(cases.load(s, c, &test).ok());
      out += " " + std::to_string(test.inputs[0].as_int) + ">" + std::to_string(test.expected[0].as_int) + "(" +
             cases.place(s, c) + ")";
    }
    out += "\n";
  }
  return out;
}

TEST(CaseSource, JoinedMethodsKeepCounting) {
  const auto joined = joined_cases(two_methods("x", 10), two_methods("y", 20));
  EXPECT_EQ(listing(*joined),
            "a: 10>0(x a0) 12>0(x a1) 20>0(y a0) 22>0(y a1)\n"
            "x: 11>0(x own)\n"
            "y: 21>0(y own)\n");
  EXPECT_EQ(joined->total(), 6u);
  EXPECT_EQ(joined->find("y"), 2u);
  EXPECT_FALSE(joined->find("z"));
}

TEST(CaseSource, EitherSideMayBeMissing) {
  EXPECT_EQ(listing(*joined_cases(nullptr, two_methods("y", 20))), "a: 20>0(y a0) 22>0(y a1)\ny: 21>0(y own)\n");
  EXPECT_EQ(listing(*joined_cases(two_methods("x", 10), nullptr)), "a: 10>0(x a0) 12>0(x a1)\nx: 11>0(x own)\n");
  const auto none = joined_cases(nullptr, nullptr);
  EXPECT_EQ(none->suite_count(), 0u);
  LoadedCase test;
  EXPECT_EQ(none->load(0, 0, &test).code(), Error::InvalidArgument);
}

TEST(CaseSource, NoCaseIsAnErrorEverywhere) {
  const auto memory = two_methods("x", 10);
  const std::string names[] = {"x"};
  const Expectations renewed;
  const auto without = cases_without(*memory, names);
  const auto exchanged = cases_with_expectations(*memory, renewed);
  const auto joined = joined_cases(two_methods("x", 10), two_methods("y", 20));
  CaseFile file;
  ASSERT_TRUE(CaseFile::open(fixture("bundles/add_mul/bundled.bpte"), "", &file).ok());
  const CaseSource* const sources[] = {memory.get(), without.get(), exchanged.get(), joined.get(), &file.cases()};
  for (const CaseSource* source : sources) {
    LoadedCase test;
    EXPECT_EQ(source->load(0, 99, &test).code(), Error::InvalidArgument);
    EXPECT_EQ(source->load(99, 0, &test).code(), Error::InvalidArgument);
    EXPECT_EQ(source->method(99), "");
    EXPECT_EQ(source->case_count(99), 0u);
  }
}

TEST(CaseSource, MethodsAreLeftOutAndExpectationsExchanged) {
  const auto memory = two_methods("x", 10);
  const std::string names[] = {"a", "unknown"};
  EXPECT_EQ(listing(*cases_without(*memory, names)), "x: 11>0(x own)\n");
  Expectations renewed;
  renewed[{0, 1}] = numbered(0, 77);
  EXPECT_EQ(listing(*cases_with_expectations(*memory, renewed)), "a: 10>0(x a0) 12>77(x a1)\nx: 11>0(x own)\n");
}

TEST(CaseSource, TheSidecarHasTheProgramsName) {
  EXPECT_EQ(sidecar_path("dir/model.bpte"), "dir/model.cases.npz");
  EXPECT_EQ(sidecar_path("dir.x/model"), "dir.x/model.cases.npz");
  EXPECT_EQ(sidecar_path("model.v2.pte"), "model.v2.cases.npz");
}

TEST(CaseFile, SaysWhatIsWrong) {
  const Scratch dir;
  CaseFile file;
  EXPECT_EQ(CaseFile::open(dir / "none.pte", "", &file).code(), Error::AccessFailed);
  write_file(dir / "m.bpte", std::string("\0\0\0\0BP08", 8) + std::string(40, '\xff'));
  Status s = CaseFile::open(dir / "m.bpte", "", &file);
  EXPECT_EQ(s.code(), Error::InvalidProgram);
  EXPECT_TRUE(s.message().starts_with((dir / "m.bpte") + ": BundledProgram")) << s.message();
  write_file(dir / "m.pte", "program");
  EXPECT_EQ(CaseFile::open(dir / "m.pte", dir / "none.npz", &file).code(), Error::AccessFailed);
  write_file(dir / "m.cases.npz", "no zip");
  s = CaseFile::open(dir / "m.pte", "", &file);
  EXPECT_EQ(s.code(), Error::InvalidExternalData);
  EXPECT_TRUE(s.message().starts_with((dir / "m.cases.npz") + ": not a zip file")) << s.message();
}

}  // namespace
}  // namespace et::bundled
