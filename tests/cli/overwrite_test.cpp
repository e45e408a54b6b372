// No command destroys an input that its command line does not name: files that are found, derived or redirected to.
// What is named: written_files_test.cpp.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "tests/cli/shell.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;
using golden::CommandResult;
using golden::shell_word;
using test::read_file;
using test::shell;

class Overwrite : public testing::Test {
 protected:
  Overwrite() {
    take("artifacts/add_mul/program.pte", "m.pte");
    take("bundles/add_mul/bundled.bpte", "m.bpte");
    take("artifacts/add_mul/etdump.etdp", "d.etdp");
    take("artifacts/add_mul/etrecord.bin", "r.bin");
    take("artifacts/many_outputs/program.pte", "many.pte");
    take("bundles/many_outputs/bundled.bpte", "many.bpte");
    fs::create_directory(dir_ / "ext");
    take("bundles/external_weights/bundled.bpte", "ext/w.bpte");
    take("artifacts/external_weights/program.pte", "ext/w.pte");
    take("bundles/external_weights/_default_external_constant.ptd", "ext/w.ptd");
  }
  void take(const std::string& from, const std::string& to) {
    fs::copy_file(std::string(ET_FIXTURES) + "/" + from, dir_ / to);
  }
  CommandResult run(const std::string& command) {
    return shell(dir_, "I=" + shell_word(ET_INSPECT_COMMAND) + " R=" + shell_word(ET_RUN_COMMAND) +
                           " C=" + shell_word(ET_CHECK_COMMAND) + "; " + command);
  }
  std::map<std::string, std::string> files() {
    std::map<std::string, std::string> out;
    for (const auto& e : fs::recursive_directory_iterator(dir_.path())) {
      if (e.is_regular_file()) out[e.path().string()] = read_file(e.path().string());
    }
    return out;
  }
  /// Refused, and every file is as it was; none is new.
  void refused(const std::string& command, const std::string& text) {
    const auto before = files();
    const CommandResult r = run(command);
    EXPECT_EQ(r.exit_code, 2) << command << "\n" << r.out << r.err;
    EXPECT_NE(r.err.find(text), std::string::npos) << command << "\n" << r.err;
    EXPECT_TRUE(files() == before) << command;
  }
  const test::Scratch dir_;
};

TEST_F(Overwrite, ARedirectionIntoAnInputIsNoticed) {
  refused("$I d.etdp >> d.etdp", "standard output is also an input (TRACE)");
  refused("$I d.etdp -e r.bin >> r.bin", "standard output is also an input (--etrecord)");
  refused("$R m.pte >> m.pte", "standard output is also an input (MODEL)");
  refused("$C m.bpte --json >> m.bpte", "standard output is also an input (PATH)");
  refused("$I - -o d.etdp < d.etdp", "is also an input (TRACE)");
}

TEST_F(Overwrite, NeighboursOfATrace) {
  fs::create_directory(dir_ / "run");
  for (const char* name : {"etdump.etdp", "etrecord.bin", "program.pte"}) {
    take(std::string("artifacts/add_mul/") + name, std::string("run/") + name);
  }
  fs::create_directory(dir_ / "logged");
  for (const char* name : {"debug.etdp", "debug.bin"}) {
    take(std::string("artifacts/add_mul/") + name, std::string("logged/") + name);
  }
  const std::string found = "is also an input (found beside the files given)";
  refused("$I run/etdump.etdp -o run/etrecord.bin", found);
  refused("$I run/etdump.etdp --store run/program.pte", found);
  refused("$I source run/etdump.etdp >> run/etrecord.bin", found);
  refused("$I run -o run/etrecord.bin", "is also an input");
  refused("$I logged/debug.etdp -o logged/debug.bin", found);
}

TEST_F(Overwrite, WhatIsFoundOnTheWay) {
  fs::create_directory(dir_ / "two");
  take("artifacts/add_mul/etdump.etdp", "two/etdump.etdp");
  take("artifacts/add_mul/etdump.etdp", "two/second.etdp");
  take("artifacts/add_mul/etrecord.bin", "two/a.bin");
  take("artifacts/partial_delegation/etrecord.bin", "two/b.bin");
  refused("$I two -o two/second.etdp", "two/second.etdp is also an input");
  refused("$I two -o two/b.bin", "two/b.bin is also an input (read as two/b.bin)");
  refused("$I two/etdump.etdp -f json -o two/a.bin", "is also an input");
  EXPECT_EQ(run("$I two -f json -o two/report.json").exit_code, 0);
  EXPECT_EQ(run("$I two -f json -o two/report.json").exit_code, 0) << "a report is no input";
}

TEST_F(Overwrite, PythonThatIsShown) {
  const CommandResult json = run("$I source d.etdp -e r.bin --no-neighbours");
  const size_t begin = json.out.find(".py");
  ASSERT_NE(begin, std::string::npos) << json.out << json.err;
  const size_t start = json.out.find_last_of(" \n/", begin) + 1;
  const std::string file = json.out.substr(start, begin + 3 - start);
  fs::create_directory(dir_ / "py");
  std::string lines;
  for (int i = 0; i < 400; ++i) lines += "x = " + std::to_string(i) + "\n";
  test::write_file(dir_ / ("py/" + file), lines);
  const std::string place = run("$I sql d.etdp -e r.bin --no-neighbours -f csv \"SELECT DISTINCT file FROM nodes WHERE "
                                "file LIKE '%" +
                                file + "'\"")
                                .out;
  std::string path = place.substr(place.find('\n') + 1);
  path = path.substr(0, path.find('\n'));
  const std::string map = " --source-map " + path.substr(0, path.size() - file.size() - 1) + "=py";
  refused("$I source d.etdp -e r.bin" + map + " -o py/" + file, "is also an input (read as py/" + file + ")");
  refused("$I source d.etdp -e r.bin" + map + " >> py/" + file, "standard output is also an input");
  refused("$I export d.etdp -e r.bin -f html" + map + " -o py/" + file, "is also an input");
}

TEST_F(Overwrite, AConfigurationFile) {
  test::write_file(dir_ / ".et-inspect.toml", "color = 'never'\n");
  const std::string text = "is also an input (configuration file)";
  refused("$I d.etdp -o .et-inspect.toml", text);
  refused("$R m.pte --etdump .et-inspect.toml", text);
  refused("$C m.bpte --junit .et-inspect.toml", text);
}

TEST_F(Overwrite, FurtherOutputsOfARun) {
  test::write_file(dir_ / "out.1.npy", "precious");
  refused("$R many.pte -e out.1.npy -o out.npy", "out.1.npy is also an input (--etrecord)");
  fs::remove(dir_ / "out.1.npy");
  refused("$R many.pte --etdump out.1.npy -o out.npy", "out.1.npy is also an output (--etdump)");
  refused("$R many.pte --etdump t --debug-buffer out.2.npy -o out.npy", "out.2.npy is also an output (--debug-buffer)");
  refused("$R m.pte --etdump -", "--etdump: expected a file, got '-'");
}

TEST_F(Overwrite, FilesFoundBesideAProgram) {
  refused("$R ext/w.pte --etdump ext/w.ptd", "w.ptd is also an input (found beside the files given)");
  refused("$C ext/w.bpte -o ext/w.ptd", "w.ptd is also an input (read with ext/w.bpte");
  refused("$C ext --junit ext/w.ptd", "w.ptd is also an input (PATH: ext");
  test::write_file(dir_ / "m.policy.toml", "rtol = 0.1\n");
  refused("$C m.bpte --sarif m.policy.toml", "is also an input");
  ASSERT_EQ(run("$C bundle m.pte --fill ones --record --sidecar").exit_code, 0);
  refused("$C m.pte --junit m.cases.npz", "m.cases.npz is also an input (read with m.pte");
  refused("$C bundle m.pte --fill zeros --record -o m.cases.npz", "is also an input (read with m.pte");
  EXPECT_EQ(run("$C bundle m.pte --fill zeros --record --sidecar").exit_code, 0) << "its own side-car grows";
}

TEST_F(Overwrite, TracesOfAFolder) {
  ASSERT_EQ(run("$C m.bpte --etdump-dir good --log-values").exit_code, 0);
  EXPECT_EQ(run("$C m.bpte --etdump-dir good --log-values").exit_code, 0) << "earlier traces are replaced";
  refused("$C m.bpte --explain --reference good/m.etdp --etdump-dir good", "m.etdp is also an input (--reference)");
  fs::create_directory(dir_ / "t");
  fs::create_hard_link(dir_ / "good/m.bin", dir_ / "t/m.bin");
  refused("$C m.bpte --explain --reference good/m.etdp --etdump-dir t --log-values", "is also an input");
  fs::create_hard_link(dir_ / "r.bin", dir_ / "t/m.part2.etdp");
  fs::remove(dir_ / "t/m.bin");
  refused("$C m.bpte --store s.db -e r.bin --etdump-dir t", "m.part2.etdp is also an input (--etrecord)");
  fs::create_hard_link(dir_ / "m.bpte", dir_ / "alias.etdp");
  refused("$C alias.etdp --etdump-dir .", "is also an input (PATH)");
  EXPECT_EQ(run("$C m.bpte m.bpte many.bpte --etdump-dir both").exit_code, 0);
  EXPECT_TRUE(fs::exists(dir_ / "both/many.etdp"));
  size_t traces = 0;
  for (const auto& e : fs::directory_iterator(dir_ / "both")) traces += e.path().extension() == ".etdp";
  EXPECT_EQ(traces, 3u) << "one for each file that was named, also twice";
}

TEST_F(Overwrite, WhatABundleIsMadeOf) {
  ASSERT_EQ(run("$R m.pte -o x.npy").exit_code, 0);
  refused("$C bundle m.pte --case x.npy -o m.pte", "is also an input (PROGRAM)");
  refused("$C bundle m.pte --case x.npy,x.npy -o x.npy", "is also an input (--case: x.npy)");
  fs::create_hard_link(dir_ / "x.npy", dir_ / "m.cases.npz");
  const auto before = files();
  EXPECT_NE(run("$C bundle m.pte --case x.npy,x.npy --record --sidecar").exit_code, 0);
  EXPECT_TRUE(files() == before);
  fs::remove(dir_ / "m.cases.npz");
  ASSERT_EQ(run("$C extract m.bpte -o parts").exit_code, 0);
  refused("$C bundle parts/program.pte --from parts -o parts/program.pte", "is also an input");
  refused("$C bundle m.pte --from parts -o parts/meta.json", "is also an input (--from: parts/meta.json)");
  refused("$C extract m.bpte -o parts", "exists");
  EXPECT_EQ(run("$C extract m.bpte -o m.bpte").exit_code, 2);
  EXPECT_EQ(run("$C bundle m.bpte --fill zeros --record").exit_code, 0) << "a bundle is updated in place";
}

TEST_F(Overwrite, TheSummaryOfAJob) {
  const auto before = files();
  const CommandResult r = run("export GITHUB_STEP_SUMMARY=m.bpte; $C m.bpte --github");
  EXPECT_EQ(r.exit_code, 2) << r.err;
  EXPECT_NE(r.err.find("GITHUB_STEP_SUMMARY: m.bpte is also an input (PATH)"), std::string::npos) << r.err;
  EXPECT_TRUE(files() == before);
}

}  // namespace
}  // namespace et::cli
