// The golden runner: every case of cases/*.case is one googletest case that runs its commands as a user would type
// them and compares what they print. ET_UPDATE_GOLDEN=1 rewrites the expected output instead of comparing it.
#include <gtest/gtest.h>
#include <regex.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/golden/case_file.h"
#include "tests/golden/command.h"

namespace et::golden {
namespace {

namespace fs = std::filesystem;

constexpr int kSecondsPerCommand = 120;  // generous: the same cases run under sanitizers on a busy machine

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// New expected texts by case file. They are written when all cases have run: line numbers are those of the file as
// read.
std::map<fs::path, std::vector<BlockUpdate>>& updates_of_files() {
  static std::map<fs::path, std::vector<BlockUpdate>> updates;
  return updates;
}

bool updating() { return variable("ET_UPDATE_GOLDEN") == "1"; }

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string replace_all(std::string text, const std::string& what, const std::string& with) {
  if (what.empty()) return text;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// `text` with each match of the extended regular expression `mask` replaced. (POSIX's: the optimiser of GCC 12 warns
// about std::regex under the sanitizers.)
std::string masked(const std::string& text, const std::string& mask) {
  regex_t compiled;
  if (regcomp(&compiled, mask.c_str(), REG_EXTENDED) != 0) {
    ADD_FAILURE() << "no regular expression: " << mask;
    return text;
  }
  std::string out;
  std::size_t at = 0;
  regmatch_t match;
  while (regexec(&compiled, text.c_str() + at, 1, &match, at == 0 ? 0 : REG_NOTBOL) == 0 && match.rm_eo > 0) {
    out.append(text, at, static_cast<std::size_t>(match.rm_so));
    out += "{masked}";
    at += static_cast<std::size_t>(match.rm_eo);
  }
  regfree(&compiled);
  return out.append(text, at);
}

// The command under test: the environment first, then what the build knows. Empty: it is not part of this build.
std::string command_under_test() {
  const std::string given = variable("ET_INSPECT");
  return given.empty() ? ET_INSPECT_COMMAND : given;
}

// The folder of big artefacts, or empty.
std::string big_artifacts() {
  const std::string given = variable("ET_SHARED_ARTIFACTS");
  const fs::path folder = given.empty() ? fs::path(ET_SOURCE_DIR) / "../shared/artifacts" : fs::path(given);
  return fs::is_directory(folder) ? fs::canonical(folder).string() : "";
}

bool on_path(const std::string& command) {
  std::istringstream path(variable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    if (access((fs::path(folder) / command).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// A folder of its own for each case, gone afterwards.
class WorkFolder {
 public:
  WorkFolder() {
    std::string name = (fs::temp_directory_path() / "et_golden_XXXXXX").string();
    root_ = mkdtemp(name.data()) ? name : "";
    if (!root_.empty()) fs::create_directory(path());
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!root_.empty()) fs::remove_all(root_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  bool ok() const { return !root_.empty(); }
  fs::path path() const { return fs::path(root_) / "work"; }

 private:
  std::string root_;
};

class GoldenCase : public testing::Test {
 public:
  GoldenCase(fs::path file, Case definition) : file_(std::move(file)), case_(std::move(definition)) {}

  void TestBody() override {
    ASSERT_TRUE(work_.ok()) << "no temporary folder";
    for (const std::string& command : case_.requires_) {
      if (!on_path(command)) GTEST_SKIP() << "needs the command " << command;
    }
    places_ = {{"{tmp}", work_.path().string()},
               {"{fixtures}", (fs::path(ET_FIXTURES) / "artifacts").string()},
               {"{shared}", big_artifacts()}};
    for (const Step& step : case_.steps) {
      const bool shared = step.command.find("{shared}") != std::string::npos;
      if (shared && places_.at("{shared}").empty()) GTEST_SKIP() << "needs the big artefacts (ET_SHARED_ARTIFACTS)";
      const bool ours = step.command.find("et-inspect") != std::string::npos;
      if (ours && command_under_test().empty()) GTEST_SKIP() << "this build has no et-inspect (ET_INSPECT)";
    }
    for (const Step& step : case_.steps) run(step);
  }

 private:
  std::vector<std::string> environment() const {
    const fs::path commands = fs::path(command_under_test()).parent_path();
    std::vector<std::string> env = {"PATH=" + commands.string() + ":" + variable("PATH"),
                                    "HOME=" + work_.path().string(),
                                    "TMPDIR=" + work_.path().string(),
                                    "LANG=C.UTF-8",
                                    "TZ=UTC",
                                    "TERM=dumb"};
    for (const char* kept : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"}) {
      if (!variable(kept).empty()) env.push_back(std::string(kept) + "=" + variable(kept));
    }
    for (const std::string& own : case_.env) {
      const std::string name = own.substr(0, own.find('=') + 1);
      std::erase_if(env, [&](const std::string& other) { return other.starts_with(name); });
      env.push_back(expand(own, false));
    }
    return env;
  }

  std::string expand(std::string text, bool for_shell) const {
    for (const auto& [placeholder, path] : places_) {
      text = replace_all(text, placeholder, for_shell ? shell_word(path) : path);
    }
    return text;
  }

  // What the command wrote, with this machine's folders and the version taken out.
  std::string normalised(std::string text) const {
    for (const auto& [placeholder, path] : places_) text = replace_all(text, path, placeholder);
    text = replace_all(text, ET_VERSION, "{version}");
    for (const std::string& mask : case_.masks) text = masked(text, mask);
    return text;
  }

  void run(const Step& step) {
    SCOPED_TRACE(file_.filename().string() + ":" + std::to_string(step.line) + ": " + step.command);
    CommandResult result = run_command(expand(step.command, true), work_.path(), environment(), kSecondsPerCommand);
    result.out = normalised(std::move(result.out));
    result.err = normalised(std::move(result.err));
    EXPECT_FALSE(result.timed_out) << "took longer than " << kSecondsPerCommand << " s";
    EXPECT_EQ(result.exit_code, step.exit_code) << "stdout:\n" << result.out << "stderr:\n" << result.err;
    for (const Expectation& expectation : step.expectations) check(expectation, result);
  }

  void check(const Expectation& expectation, const CommandResult& result) {
    const bool out = expectation.stream == Expectation::Stream::kOut;
    const std::string& text = out ? result.out : result.err;
    const std::string stream = out ? "stdout" : "stderr";
    const std::string where = "line " + std::to_string(expectation.line) + ", " + stream + ":\n" + text;
    switch (expectation.kind) {
      case Expectation::Kind::kContains:
        EXPECT_NE(text.find(expectation.text), std::string::npos) << "lacks: " << expectation.text << "\n" << where;
        break;
      case Expectation::Kind::kExcludes:
        EXPECT_EQ(text.find(expectation.text), std::string::npos) << "has: " << expectation.text << "\n" << where;
        break;
      case Expectation::Kind::kIs:
        if (text == expectation.text) break;
        if (updating()) {
          updates_of_files()[file_].push_back({expectation.line, expectation.block_size, text});
        } else {
          EXPECT_EQ(text, expectation.text) << where;
        }
        break;
      case Expectation::Kind::kFile: {
        const fs::path path = fs::path(ET_SOURCE_DIR) / "tests/golden/expected" / expectation.text;
        const std::string wanted = read_file(path);
        if (updating()) {
          if (text != wanted) write_file(path, text);
        } else {
          EXPECT_EQ(text, wanted) << "expected/" << expectation.text << " differs from " << where;
        }
        break;
      }
    }
  }

  fs::path file_;
  Case case_;
  WorkFolder work_;
  std::map<std::string, std::string> places_;
};

// A file that cannot be read as cases is a failure of its own, never a file without cases.
class BrokenFile : public testing::Test {
 public:
  explicit BrokenFile(std::string error) : error_(std::move(error)) {}
  void TestBody() override { FAIL() << error_; }

 private:
  std::string error_;
};

std::string test_name(const std::string& text) {
  std::string name = text;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

void write_updates() {
  for (const auto& [file, updates] : updates_of_files()) write_file(file, with_blocks(read_file(file), updates));
}

void register_file(const fs::path& path) {
  const std::string suite = "golden_" + test_name(path.stem().string());
  const CaseFile parsed = parse_cases(read_file(path));
  if (!parsed.error.empty() || parsed.cases.empty()) {
    const std::string error = path.string() + ": " + (parsed.error.empty() ? "no cases" : parsed.error);
    testing::RegisterTest(suite.c_str(), "is_a_case_file", nullptr, nullptr, path.c_str(), 1,
                          [error]() -> testing::Test* { return new BrokenFile(error); });
    return;
  }
  for (const Case& one : parsed.cases) {
    testing::RegisterTest(suite.c_str(), test_name(one.name).c_str(), nullptr, nullptr, path.c_str(),
                          static_cast<int>(one.line),
                          [path, one]() -> testing::Test* { return new GoldenCase(path, one); });
  }
}

}  // namespace
}  // namespace et::golden

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(ET_SOURCE_DIR "/tests/golden/cases")) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) et::golden::register_file(file);
  const int failed = RUN_ALL_TESTS();
  et::golden::write_updates();
  return failed;
}
