// et-check bundle and et-check extract as a user calls them: what is written, and the message for each slip.
#include <gtest/gtest.h>

#include <cstring>

#include "bundled_program/cases/npy.h"
#include "runtime/format/program.h"
#include "tests/bundled_program/support.h"
#include "tests/cli/shell.h"

namespace et::cli {
namespace {

using bundled::CaseFile;
using bundled::LoadedCase;
using bundled::MemoryCases;

using bundled::test::difference;
using bundled::test::fixture;
using golden::CommandResult;
using golden::shell_word;
using test::read_file;
using test::write_file;

/// A folder with programs of the fixtures and some arrays: x.npy (ones), y.npy (twos), bad.npy (another shape).
class Bundling : public testing::Test {
 protected:
  Bundling() {
    copy_program("add_mul", "m.pte");
    floats("x.npy", {2, 3}, std::vector<float>(6, 1));
    floats("y.npy", {2, 3}, std::vector<float>(6, 2));
    floats("bad.npy", {3, 3}, std::vector<float>(9, 1));
  }

  void copy_program(const std::string& name, const std::string& to) {
    std::filesystem::copy_file(fixture("artifacts/" + name + "/program.pte"), dir_ / to);
  }
  void floats(const std::string& name, std::vector<int32_t> sizes, const std::vector<float>& values) {
    bundled::OwnedTensor tensor(ScalarType::Float, std::move(sizes));
    std::memcpy(tensor.data(), values.data(), values.size() * sizeof(float));
    ASSERT_TRUE(bundled::write_npy_file(dir_ / name, tensor.value).ok());
  }
  CommandResult call(const std::string& arguments) {
    return test::shell(dir_, shell_word(ET_CHECK_COMMAND) + " " + arguments);
  }
  /// Its standard output; nothing may go to standard error.
  std::string good(const std::string& arguments) {
    const CommandResult r = call(arguments);
    EXPECT_EQ(r.exit_code, 0) << arguments << ": " << r.err;
    EXPECT_EQ(r.err, "") << arguments;
    return r.out;
  }
  CaseFile open(const std::string& name) {
    CaseFile file;
    const Status s = CaseFile::open(dir_ / name, "", &file);
    EXPECT_TRUE(s.ok()) << s.message();
    return file;
  }
  std::vector<float> expected(const CaseFile& file, size_t suite, size_t index) {
    LoadedCase test;
    const Status s = file.cases().load(suite, index, &test);
    EXPECT_TRUE(s.ok()) << s.message();
    if (test.expected.empty()) return {};
    const auto data = test.expected[0].tensor.data;
    std::vector<float> out(data.size() / sizeof(float));
    std::memcpy(out.data(), data.data(), data.size());
    return out;
  }
  size_t files_in(const std::string& folder) {
    size_t n = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_ / folder)) n += entry.is_regular_file();
    return n;
  }

  const test::Scratch dir_;
};

TEST_F(Bundling, CasesAreAddedRecordedAndReplaced) {
  EXPECT_EQ(good("bundle m.pte --case x.npy,y.npy --expect x.npy --case y.npy,y.npy -o m.bpte"),
            "m.bpte: forward 2 cases (2 new)\n");
  CaseFile file = open("m.bpte");
  EXPECT_EQ(expected(file, 0, 0), std::vector<float>(6, 1));
  EXPECT_EQ(expected(file, 0, 1), std::vector<float>()) << "no --expect for it";
  EXPECT_EQ(call("m.bpte").exit_code, 1);

  EXPECT_EQ(good("bundle m.bpte --record"), "m.bpte: forward 2 cases (2 recorded)\n");
  EXPECT_EQ(good("m.bpte"), "2 passed, 0 failed\n");
  EXPECT_EQ(good("bundle m.bpte --case x.npy,x.npy --expect y.npy"), "m.bpte: forward 3 cases (1 new)\n");
  file = open("m.bpte");
  EXPECT_EQ(expected(file, 0, 2), std::vector<float>(6, 2));
  // Recording a new case leaves the expectations of the old ones, wrong as one of them is.
  EXPECT_EQ(good("bundle m.bpte --case y.npy,x.npy --record"), "m.bpte: forward 4 cases (1 new, 1 recorded)\n");
  file = open("m.bpte");
  EXPECT_EQ(expected(file, 0, 2), std::vector<float>(6, 2));
  EXPECT_EQ(good("bundle m.bpte --replace --case x.npy,y.npy --record"),
            "m.bpte: forward 1 case (1 new, 1 recorded)\n");
  EXPECT_EQ(good("m.bpte"), "1 passed, 0 failed\n");
  EXPECT_EQ(good("bundle m.bpte --replace --method forward"), "m.bpte: no cases\n");
}

TEST_F(Bundling, ArraysOfAnNpzAndNumbersAreInputs) {
  // A side-car is an .npz too: its arrays in order.
  good("bundle m.pte --case x.npy,y.npy -o m.bpte");
  copy_program("scalar_inputs", "s.pte");
  CaseFile scalars;
  ASSERT_TRUE(CaseFile::open(fixture("bundles/scalar_inputs/bundled.bpte"), "", &scalars).ok());
  LoadedCase test;
  ASSERT_TRUE(scalars.cases().load(0, 0, &test).ok());
  std::string words;
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    const bundled::Value& v = test.inputs[i];
    const std::string name = "s" + std::to_string(i) + ".npy";
    words += i > 0 ? "," : "";
    switch (v.kind) {
      case bundled::ValueKind::Int:
        words += "int:" + std::to_string(v.as_int);
        break;
      case bundled::ValueKind::Bool:
        words += v.as_bool ? "bool:true" : "bool:false";
        break;
      case bundled::ValueKind::Double:
        words += "float:" + std::to_string(v.as_double);
        break;
      default:
        ASSERT_TRUE(bundled::write_npy_file(dir_ / name, v.tensor).ok());
        words += name;
    }
  }
  good("bundle s.pte --case " + words + " --record -o s.bpte");
  EXPECT_EQ(good("s.bpte"), "1 passed, 0 failed\n");
  LoadedCase back;
  const CaseFile written = open("s.bpte");
  ASSERT_TRUE(written.cases().load(0, 0, &back).ok());
  ASSERT_EQ(back.inputs.size(), test.inputs.size());
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    EXPECT_TRUE(bundled::test::same_value(back.inputs[i], test.inputs[i])) << i;
  }
}

TEST_F(Bundling, SeveralMethodsInOneCall) {
  copy_program("multi_method_shared_state", "mm.pte");
  CaseFile program = open("mm.pte");
  format::Program view;
  ASSERT_TRUE(format::Program::open(program.program(), &view).ok());
  ASSERT_GE(view.method_count(), 2u);
  const std::string a(view.method(uint32_t{0}).name()), b(view.method(uint32_t{1}).name());
  const std::string out =
      good("bundle mm.pte --method " + b + " --method " + a + " --fill random --seed 3 --record -o mm.bpte");
  EXPECT_NE(out.find(a + " 1 case (1 new, 1 recorded)"), std::string::npos) << out;
  EXPECT_NE(out.find(b + " 1 case (1 new, 1 recorded)"), std::string::npos) << out;
  EXPECT_EQ(good("mm.bpte"), "2 passed, 0 failed\n");
  const CaseFile file = open("mm.bpte");
  ASSERT_EQ(file.cases().suite_count(), 2u);
  EXPECT_LT(file.cases().method(0), file.cases().method(1));
  // The same seed, the same inputs; another one, others.
  const std::string again = "bundle mm.pte --method " + b + " --method " + a + " --fill random --record ";
  good(again + "--seed 3 -o same.bpte");
  good(again + "--seed 4 -o other.bpte");
  EXPECT_EQ(read_file(dir_ / "same.bpte"), read_file(dir_ / "mm.bpte"));
  EXPECT_NE(read_file(dir_ / "other.bpte"), read_file(dir_ / "mm.bpte"));
}

TEST_F(Bundling, CasesOfAStatefulProgramContinueEachOther) {
  std::filesystem::copy_file(fixture("bundles/mutable_buffer/bundled.bpte"), dir_ / "b.bpte");
  const std::string before = read_file(dir_ / "b.bpte");
  good("bundle b.bpte --record");
  EXPECT_EQ(read_file(dir_ / "b.bpte"), before) << "the program gives what upstream expected";
}

TEST_F(Bundling, SidecarsGrowAndAreFound) {
  EXPECT_EQ(good("bundle m.pte --case x.npy,y.npy --record --sidecar"),
            "m.cases.npz: forward 1 case (1 new, 1 recorded)\n");
  EXPECT_EQ(good("m.pte"), "1 passed, 0 failed\n");
  EXPECT_EQ(good("bundle m.pte --case y.npy,y.npy --record --sidecar --compress"),
            "m.cases.npz: forward 2 cases (1 new, 1 recorded)\n");
  EXPECT_EQ(good("m.pte"), "2 passed, 0 failed\n");
  good("bundle m.pte --from m.cases.npz -o m.bpte");
  EXPECT_EQ(difference(open("m.bpte").bundle_cases(), open("m.pte").cases()), "");
  copy_program("mutable_buffer", "other.pte");
  const CommandResult r = call("bundle other.pte --from m.cases.npz -o o.bpte");
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_NE(r.err.find("m.cases.npz: meta.json: program_sha256: expected "), std::string::npos) << r.err;
}

TEST_F(Bundling, ExtractedFilesMakeTheSameBundle) {
  for (const std::string name : {"add_mul", "scalar_inputs", "multi_method_shared_state", "many_outputs", "dtypes"}) {
    const std::string bundle = fixture("bundles/" + name + "/bundled.bpte");
    for (const std::string how : {"", " --sidecar"}) {
      const std::string out = good("extract " + bundle + " -o parts" + how);
      EXPECT_TRUE(out.starts_with("{\"folder\": \"parts\", \"program\": \"program.pte\", \"program_sha256\": \""))
          << out;
      EXPECT_EQ(files_in("parts") == 2, !how.empty());
      good("bundle parts/program.pte --from parts" + std::string(how.empty() ? "" : "/program.cases.npz") +
           " -o again.bpte");
      EXPECT_EQ(read_file(dir_ / "again.bpte"), read_file(bundle)) << name << how;
      std::filesystem::remove_all(dir_ / "parts");
    }
  }
}

TEST_F(Bundling, SlipsAreNamedAndNothingIsWritten) {
  std::filesystem::create_directory(dir_ / "full");
  write_file(dir_ / "full/file", "x");
  write_file(dir_ / "text.npy", "no array");
  write_file(dir_ / "zip.npz", "no zip");
  write_file(dir_ / "broken.pte", "no program");
  struct Row {
    const char* arguments;
    int exit_code;
    const char* message;
  };
  const Row rows[] = {
      {"bundle", 2, "missing argument PROGRAM"},
      {"bundle m.pte -o z.bpte", 2, "nothing to do: give --case, --fill, --from or --record"},
      {"bundle m.pte --case x.npy,y.npy", 2, "missing --output: name the bundled program to write, e.g. -o m.bpte"},
      {"bundle m.pte --case x.npy,y.npy -o -", 2, "--output: expected a file, got '-'"},
      {"bundle m.pte --case x.npy,bad.npy -o z.bpte", 2,
       "--case x.npy,bad.npy: input 1: float32[3, 3], the method takes float32[2, 3]"},
      {"bundle m.pte --case x.npy -o z.bpte", 2, "--case x.npy: 1 input, method forward takes 2"},
      {"bundle m.pte --case x.npy,y.npy --expect bad.npy -o z.bpte", 2,
       "--case x.npy,y.npy --expect bad.npy: expected output 0: float32[3, 3], the method gives float32[2, 3]"},
      {"bundle m.pte --case x.npy,int:1.5 -o z.bpte", 2,
       "--case: expected FILE.npy, FILE.npz, int:N, float:X, bool:true or bool:false, got 'int:1.5'"},
      {"bundle m.pte --case x.npy,bool:1 -o z.bpte", 2, "got 'bool:1'"},
      {"bundle m.pte --case x.npy,float: -o z.bpte", 2, "got 'float:'"},
      {"bundle m.pte --case x.txt,y.npy -o z.bpte", 2, "got 'x.txt'"},
      {"bundle m.pte --case x.npy,int:1 -o z.bpte", 2, "input 1: an int, the method takes a tensor"},
      {"bundle m.pte --case x.npy,none.npy -o z.bpte", 3, "none.npy: cannot open"},
      {"bundle m.pte --case x.npy,text.npy -o z.bpte", 3, "text.npy: not a NumPy file that can be used"},
      {"bundle m.pte --case zip.npz -o z.bpte", 3, "zip.npz: not a zip file"},
      {"bundle m.pte --expect x.npy -o z.bpte", 2,
       "--expect: expected at most 0, one for each --case of method forward, got 1"},
      {"bundle m.pte --case x.npy,y.npy --expect x.npy --record -o z.bpte", 2,
       "--expect and --record are mutually exclusive"},
      {"bundle m.pte --method no --case x.npy,y.npy -o z.bpte", 2,
       "--method: m.pte: the program has no method 'no'; there are: forward"},
      {"bundle m.pte --record -o z.bpte", 2, "--record: m.pte has no cases to record; give --case or --fill"},
      {"bundle m.pte --fill some -o z.bpte", 2, "expected one of ones, zeros, random"},
      {"bundle m.pte --fill ones --compress -o z.bpte", 2, "--compress needs --sidecar"},
      {"bundle none.pte --fill ones -o z.bpte", 3, "none.pte: cannot open"},
      {"bundle broken.pte --fill ones -o z.bpte", 3, "broken.pte: "},
      {"bundle m.pte --fill ones --from none.npz -o z.bpte", 3, "none.npz: cannot open"},
      {"bundle m.pte --fill ones --from full -o z.bpte", 3, "full: no member meta.json"},
      {"bundle m.pte --fill ones -o no/z.bpte", 3, "no/z.bpte"},
      {"bundle m.pte --fill ones --sidecar -o no/z.npz", 3, "no/z.npz: cannot be written"},
      {"extract", 2, "missing argument BUNDLE"},
      {"extract m.pte", 2, "missing --output: name the folder to write"},
      {"extract none.bpte -o parts", 3, "none.bpte: cannot open"},
      {"extract m.pte -o full", 2, "full: already exists; expected a new or an empty folder"},
      {"extract m.pte -o no/parts", 3, "no/parts: cannot be written"},
  };
  const size_t before = files_in("");
  for (const Row& row : rows) {
    const CommandResult r = call(row.arguments);
    EXPECT_EQ(r.exit_code, row.exit_code) << row.arguments << ": " << r.err;
    EXPECT_NE(r.err.find(row.message), std::string::npos) << row.arguments << ": " << r.err;
    EXPECT_TRUE(r.err.starts_with("et-check: error: ")) << r.err;
    EXPECT_EQ(r.out, "") << row.arguments;
    EXPECT_EQ(files_in(""), before) << row.arguments;
  }
}

TEST_F(Bundling, AFailureLeavesTheBundleAsItWas) {
  good("bundle m.pte --case x.npy,y.npy --record -o m.bpte");
  const std::string before = read_file(dir_ / "m.bpte");
  EXPECT_EQ(call("bundle m.bpte --case x.npy,bad.npy").exit_code, 2);
  EXPECT_EQ(read_file(dir_ / "m.bpte"), before);
  std::string damaged = before;
  damaged.resize(damaged.size() / 2);
  write_file(dir_ / "m.bpte", damaged);
  const CommandResult r = call("bundle m.bpte --record");
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_NE(r.err.find("m.bpte: "), std::string::npos) << r.err;
  EXPECT_EQ(read_file(dir_ / "m.bpte"), damaged);
}

TEST_F(Bundling, CasesThatDoNotFitAreWrittenWhenAsked) {
  good("bundle m.pte --case x.npy,y.npy -o m.bpte");
  copy_program("mutable_buffer", "other.pte");
  const CommandResult r = call("bundle other.pte --from m.bpte -o z.bpte");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_NE(r.err.find("m.bpte: forward case 0: "), std::string::npos) << r.err;
  good("bundle other.pte --from m.bpte --no-check -o z.bpte");
  EXPECT_EQ(difference(open("m.bpte").cases(), open("z.bpte").cases()), "");
  good("bundle m.pte --case x.npy,int:3 --no-check -o z.bpte");
  EXPECT_EQ(call("z.bpte").exit_code, 1);
}

}  // namespace
}  // namespace et::cli
