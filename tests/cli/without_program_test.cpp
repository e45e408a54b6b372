// Traces of delegates that are read without their program: nodes that share a debug handle are told apart by the names
// of the events, so that the costs by type are those with the program.
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "tests/cli/shell.h"

namespace et::cli {
namespace {

using golden::shell_word;

class WithoutProgram : public testing::TestWithParam<const char*> {
 protected:
  std::string run(const std::string& command) {
    const golden::CommandResult r = test::shell(dir_, command);
    EXPECT_EQ(r.exit_code, 0) << command << r.err;
    return r.out;
  }
  /// By type; copies that differ in nothing but their sizes, of which some are equal, are left out.
  static std::map<std::string, double> costs(const std::string& csv) {
    std::map<std::string, double> out;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
      const std::string type = line.substr(line.rfind(',') + 1);
      if (type.find("_copy") == std::string::npos && line[0] != 's') out[type] = std::stod(line);
    }
    return out;
  }
  const std::string folder_ = std::string(ET_FIXTURES) + "/artifacts/" + GetParam() + "/";
  const std::string pte_ = shell_word(folder_ + "program.pte"), record_ = shell_word(folder_ + "etrecord.bin");
  const test::Scratch dir_;
};

TEST_P(WithoutProgram, CostsByTypeAreTheSame) {
  run(shell_word(ET_RUN_COMMAND) + " " + pte_ + " -q -n 3 --etdump run.etdp");
  const std::string inspect = shell_word(ET_INSPECT_COMMAND) + " run.etdp --no-neighbours -e " + record_;
  const std::string options = " -f csv --basis warm -g type";
  const auto with = costs(run(inspect + " -p " + pte_ + options)), without = costs(run(inspect + options));
  EXPECT_FALSE(with.empty());
  ASSERT_EQ(with.size(), without.size());
  for (const auto& [type, cost] : with) EXPECT_NEAR(without.at(type), cost, 1e-3 * cost) << type;
}

INSTANTIATE_TEST_SUITE_P(Xnnpack, WithoutProgram,
                         testing::Values("lstm_xnnpack", "partial_delegation", "external_weights_xnnpack"));

}  // namespace
}  // namespace et::cli
