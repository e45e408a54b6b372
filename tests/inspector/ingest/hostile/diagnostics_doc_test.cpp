// docs/diagnostics.md lists every exit code and every diagnostic, in the words of the code.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "cli/exit_code.h"
#include "inspector/ingest/diagnostics.h"

namespace et::inspector {
namespace {

/// The text between "<!-- name -->" and the next "<!-- end -->"; both offsets are of that text.
bool find_section(const std::string& page, const std::string& name, size_t* from, size_t* to) {
  const std::string mark = "<!-- " + name + " -->\n";
  const size_t at = page.find(mark);
  if (at == std::string::npos) return false;
  *from = at + mark.size();
  *to = page.find("<!-- end -->", *from);
  return *to != std::string::npos;
}

TEST(DiagnosticsDoc, ListsEveryExitCodeAndDiagnostic) {
  const std::string path = std::string(ET_SOURCE_DIR) + "/docs/diagnostics.md";
  std::ifstream in(path, std::ios::binary);
  std::string page{std::istreambuf_iterator<char>(in), {}};
  std::string codes = "| code | meaning |\n|---|---|\n";
  for (const cli::ExitCodeHelp& c : cli::kExitCodes) codes += "| " + std::to_string(c.code) + " | " + c.text + " |\n";
  std::string kinds = "| id | severity | what it means |\n|---|---|---|\n";
  for (const DiagnosticKind& k : diagnostic_kinds()) {
    kinds += std::string("| `") + k.code + "` | " + severity_name(k.severity) + " | " + k.help + " |\n";
  }
  bool changed = false;
  for (const auto& [name, text] : {std::pair<std::string, std::string>{"exit codes", codes}, {"diagnostics", kinds}}) {
    size_t from = 0, to = 0;
    ASSERT_TRUE(find_section(page, name, &from, &to)) << name;
    changed |= page.substr(from, to - from) != text;
    if (std::getenv("ET_UPDATE_GOLDEN") == nullptr) {
      EXPECT_EQ(page.substr(from, to - from), text) << "run with ET_UPDATE_GOLDEN=1";
    } else {
      page.replace(from, to - from, text);
    }
  }
  if (changed && std::getenv("ET_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << page;
}

TEST(DiagnosticsDoc, TheTableIsInOrderAndComplete) {
  std::string last;
  for (const DiagnosticKind& k : diagnostic_kinds()) {
    EXPECT_LT(last, k.code);
    EXPECT_NE(std::string(k.help), "") << k.code;
    EXPECT_EQ(std::string(k.help).find('|'), std::string::npos) << k.code;
    last = k.code;
  }
}

}  // namespace
}  // namespace et::inspector
