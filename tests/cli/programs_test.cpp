// et-run and et-check print their own man pages and completions: complete, and valid for their readers.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "tests/cli/shell.h"

namespace et::cli {
namespace {

using golden::CommandResult;
using golden::shell_word;
using test::installed;
using test::shell;

struct Program {
  const char* name;
  const char* path;
  const char* function;  // of the completions
};
void PrintTo(const Program& p, std::ostream* out) { *out << p.name; }

class Programs : public testing::TestWithParam<Program> {
 protected:
  CommandResult call(const std::string& arguments) { return shell(dir_, command() + " " + arguments); }
  std::string command() const { return shell_word(GetParam().path); }
  std::string printed(const std::string& arguments) {
    const CommandResult r = call(arguments);
    EXPECT_EQ(r.exit_code, 0) << arguments << ": " << r.err;
    EXPECT_EQ(r.err, "") << arguments;
    return r.out;
  }
  /// Long names of all options, from the headings of --help.
  std::set<std::string> options() {
    std::set<std::string> found;
    std::istringstream lines(printed("--help"));
    for (std::string line; std::getline(lines, line);) {
      const size_t heading = line.find_first_not_of(' '), at = line.find("--");
      if (heading == std::string::npos || line[heading] != '-' || at > heading + 4) continue;
      found.insert(line.substr(at + 2, line.find_first_of(" ,", at) - at - 2));
    }
    return found;
  }
  const test::Scratch dir_;
};

TEST_P(Programs, ManPageAndCompletionsHaveEveryOption) {
  const std::set<std::string> names = options();
  ASSERT_GE(names.size(), 12u);
  ASSERT_TRUE(names.count("man") == 1 && names.count("completion") == 1 && names.count("help") == 1);
  const std::string man = printed("--man"), bash = printed("--completion bash"), zsh = printed("--completion zsh"),
                    fish = printed("--completion fish");
  for (const std::string& name : names) {
    std::string escaped = name;
    for (size_t at = 0; (at = escaped.find('-', at)) != std::string::npos; at += 2) escaped.insert(at, 1, '\\');
    EXPECT_NE(man.find("\\fB\\-\\-" + escaped + "\\fR"), std::string::npos) << name;
    EXPECT_NE(bash.find(" --" + name), std::string::npos) << name;
    EXPECT_TRUE(zsh.find("--" + name + "[") != std::string::npos || zsh.find("--" + name + "=[") != std::string::npos)
        << name;
    // A program with subcommands says in front of the option to which of them it belongs.
    const size_t at = fish.find(" -l " + name + " ");
    ASSERT_NE(at, std::string::npos) << name;
    EXPECT_EQ(fish.compare(fish.rfind('\n', at) + 1, 12, "complete -c "), 0) << name;
  }
}

TEST_P(Programs, BashOffersOptionsValuesAndFiles) {
  const std::string script = printed("--completion bash");
  const auto offers = [&](std::vector<std::string> words) {
    words.insert(words.begin(), GetParam().name);
    return test::bash_offers(dir_, script, GetParam().function, words);
  };
  test::write_file(dir_ / "mine.bpte", "");
  EXPECT_EQ(offers({"mi"}), " mine.bpte \n");
  EXPECT_EQ(offers({"x", "--data", "mi"}), " mine.bpte \n");
  EXPECT_EQ(offers({"--completion", ""}), " bash zsh fish \n");
  EXPECT_EQ(offers({"x", "--color", "=", "al"}), " always \n") << "--color=al is three words for bash";
  EXPECT_EQ(offers({"--comp"}), " --completion \n");
}

TEST_P(Programs, OtherShellsTakeTheirScripts) {
  const bool zsh = installed(dir_, "zsh"), fish = installed(dir_, "fish");
  if (!zsh && !fish) GTEST_SKIP() << "neither zsh nor fish is installed";
  for (const std::string& name : {std::string("zsh"), std::string("fish")}) {
    test::write_file(dir_ / ("script." + name), printed("--completion " + name));
    if (!installed(dir_, name)) continue;
    const CommandResult r = shell(dir_, name + " -n script." + name);
    EXPECT_EQ(r.exit_code, 0) << name << ": " << r.err;
  }
}

TEST_P(Programs, ManPageIsOneForFormatters) {
  const std::string page = printed("--man");
  EXPECT_TRUE(page.starts_with(".TH ")) << page.substr(0, 80);
  for (const char* section : {"NAME", "SYNOPSIS", "ARGUMENTS", "OPTIONS", "EXAMPLES", "\"SEE ALSO\""}) {
    EXPECT_NE(page.find(std::string("\n.SH ") + section + "\n"), std::string::npos) << section;
  }
  EXPECT_NE(page.find("\n.BR et\\-inspect (1)"), std::string::npos);
  if (!installed(dir_, "groff")) GTEST_SKIP() << "groff is not installed";
  test::write_file(dir_ / "page.1", page);
  const CommandResult r = shell(dir_, "groff -man -ww -Tutf8 -z page.1");
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.err, "");
}

TEST_P(Programs, OnlyQuestionsAboutTheProgramNeedNoModel) {
  CommandResult r = call("");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_NE(r.err.find("missing argument"), std::string::npos) << r.err;
  r = call("--json");
  EXPECT_EQ(r.exit_code, 2);
  r = call("--completion tcsh");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_NE(r.err.find("expected one of bash, zsh, fish"), std::string::npos) << r.err;
}

TEST_P(Programs, PointersOfGitLfsAreRecognised) {
  test::write_file(dir_ / "p.bpte", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n");
  const CommandResult r = call("p.bpte");
  EXPECT_EQ(r.exit_code, 3) << r.err;
  EXPECT_NE((r.out + r.err).find("p.bpte: is a Git LFS pointer, not the file itself; fetch it with: git lfs pull"),
            std::string::npos)
      << r.out << r.err;
}

TEST_P(Programs, HelpVersionAndFormat) {
  EXPECT_EQ(printed("help"), printed("--help"));
  EXPECT_EQ(printed("-V"), printed("--version"));
  const std::string bundle = shell_word(std::string(ET_FIXTURES) + "/bundles/add_mul/bundled.bpte");
  EXPECT_TRUE(printed(bundle + " --format json").starts_with("{"));
  EXPECT_EQ(call(bundle + " --format text --json").exit_code, 2);
}

TEST(RunCommand, AnInputThatDoesNotFitIsAUsageError) {
  const test::Scratch dir;
  const std::string run = shell_word(ET_RUN_COMMAND) + " " + shell_word(std::string(ET_FIXTURES)) +
                          "/artifacts/partial_delegation/program.pte";
  const auto npy = [&](const std::string& name, const std::string& dtype, const std::string& shape, size_t bytes) {
    std::string header = "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize(117, ' ');
    test::write_file(dir / name,
                     std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + std::string(bytes, '\0'));
  };
  npy("shape.npy", "<f4", "3, 3", 36);
  npy("dtype.npy", "<f8", "3, 3", 72);
  for (const char* name : {"shape.npy", "dtype.npy"}) {
    const CommandResult r = shell(dir, run + " -i " + name);
    EXPECT_EQ(r.exit_code, 2) << r.err;
    EXPECT_NE(r.err.find(std::string("--input: input 0 is ") + (name[0] == 's' ? "float32" : "float64") +
                         "[3, 3]; expected float32["),
              std::string::npos)
        << r.err;
  }
}

TEST(RunCommand, WeightsNextToTheProgramAreFound) {
  const test::Scratch dir;
  const std::string from = std::string(ET_FIXTURES) + "/artifacts/external_weights/";
  for (const char* file : {"program.pte", "_default_external_constant.ptd"}) {
    std::filesystem::copy_file(from + file, dir / file);
  }
  const CommandResult found = shell(dir, shell_word(ET_RUN_COMMAND) + " program.pte");
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_NE(found.err.find("run with _default_external_constant.ptd, found beside it"), std::string::npos) << found.err;
  std::filesystem::remove(dir / "_default_external_constant.ptd");
  const CommandResult missing = shell(dir, shell_word(ET_RUN_COMMAND) + " program.pte");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_NE(missing.err.find("--data"), std::string::npos) << missing.err;
}

TEST_P(Programs, AReaderMayGoAway) {
  const CommandResult r = shell(dir_, "{ sleep 0.3; " + command() + " --man; echo $? >code; } | true; cat code");
  EXPECT_EQ(r.out, "0\n");
  EXPECT_EQ(r.err, "");
}

INSTANTIATE_TEST_SUITE_P(Each, Programs,
                         testing::Values(Program{"et-run", ET_RUN_COMMAND, "_et_run"},
                                         Program{"et-check", ET_CHECK_COMMAND, "_et_check"}),
                         [](const testing::TestParamInfo<Program>& i) {
                           return i.param.name == std::string("et-run") ? "run" : "check";
                         });

}  // namespace
}  // namespace et::cli
