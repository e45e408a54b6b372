// Programs that lie. Each file of tests/fixtures/hostile holds one flaw; it must be refused at the stage, with the
// error and the message that cases.tsv names. Then every program of the fixtures, cut and with flipped bits, is loaded
// and run: an error or a result, never a crash (this test is most useful under the sanitizers).
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <random>
#include <sstream>

#include "bundled_program/bundle.h"
#include "tests/runtime/execution/loaded_program.h"

namespace et::testing {
namespace {

namespace fs = std::filesystem;

struct HostileCase {
  std::string file, stage, error, message;
};

std::vector<HostileCase> hostile_cases() {
  std::vector<HostileCase> out;
  std::ifstream in(std::string(ET_FIXTURES) + "/hostile/cases.tsv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    HostileCase c;
    std::getline(fields, c.file, '\t');
    std::getline(fields, c.stage, '\t');
    std::getline(fields, c.error, '\t');
    std::getline(fields, c.message, '\t');
    out.push_back(c);
  }
  return out;
}

TEST(HostileProgram, IsRefusedWhereItLies) {
  const std::vector<HostileCase> cases = hostile_cases();
  ASSERT_GE(cases.size(), 25u);
  for (const HostileCase& c : cases) {
    SCOPED_TRACE(c.file);
    ErrorLog log;
    LoadedProgram p(read_file(std::string(ET_FIXTURES) + "/hostile/" + c.file));
    std::string stage = "open";
    Error error = p.open();
    if (error == Error::Ok) {
      stage = "method";
      error = p.load("forward");
    }
    if (error == Error::Ok) {
      ASSERT_EQ(p.set_default_inputs(), Error::Ok);
      p.method().set_max_instructions(10000);
      stage = "execute";
      error = p.method().execute();
    }
    EXPECT_NE(error, Error::Ok) << "was accepted";
    EXPECT_EQ(stage, c.stage) << ErrorLog::text();
    if (!c.error.empty()) {
      EXPECT_EQ(std::string(error_name(error)), c.error) << ErrorLog::text();
    }
    EXPECT_NE(ErrorLog::text().find(c.message), std::string::npos) << ErrorLog::text();
  }
}

TEST(HostileProgram, AllMissingOperatorsAreListed) {
  ErrorLog log;
  LoadedProgram p(read_file(std::string(ET_FIXTURES) + "/hostile/missing_operators.pte"));
  ASSERT_EQ(p.open(), Error::Ok);
  EXPECT_EQ(p.load("forward"), Error::OperatorMissing);
  EXPECT_NE(ErrorLog::text().find("no_such::operator.out"), std::string::npos);
  EXPECT_NE(ErrorLog::text().find("nor_this::one.out"), std::string::npos);
}

// Small programs and few instructions: none takes long, whatever its numbers say. Seconds of this process.
struct CpuTime {
  CpuTime() = default;
  CpuTime(const CpuTime&) = delete;
  CpuTime& operator=(const CpuTime&) = delete;
  ~CpuTime() { EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5.0); }
  std::clock_t start = std::clock();
};

// Inputs of a run: zeros, any bytes, small numbers, all bits.
struct InputBytes {
  std::mt19937* random;
  unsigned kind;
  mutable unsigned at = 0;
  uint8_t operator()() const {
    switch (kind) {
      case 1:
        return static_cast<uint8_t>((*random)());
      case 2:
        return at++ % 8 == 0 ? static_cast<uint8_t>((*random)() % 4) : uint8_t{0};
      case 3:
        return 0xff;
      default:
        return 0;
    }
  }
};

// Loads and runs whatever can be; the return value only says how far it came.
int run_quietly(const std::vector<uint8_t>& bytes, std::mt19937* random = nullptr) {
  const CpuTime time;
  const unsigned kind = random == nullptr ? 0 : static_cast<unsigned>((*random)() % 4);
  LoadedProgram p(bytes);
  if (p.open() != Error::Ok) return 0;
  int reached = 1;
  for (size_t i = 0; i < std::min<size_t>(p.program().num_methods(), 2); ++i) {
    const Result<MethodMeta> meta = p.program().method_meta(*p.program().get_method_name(i));
    if (!meta.ok()) continue;  // a name with a zero in it
    bool large = false;
    for (size_t b = 0; b < meta->num_memory_planned_buffers(); ++b) {
      large = large || *meta->memory_planned_buffer_size(b) > (int64_t{1} << 26);
    }
    if (large || p.load(*p.program().get_method_name(i)) != Error::Ok) continue;
    reached = 2;
    p.method().set_max_instructions(2000);
    if (p.set_inputs(InputBytes{random, kind}) != Error::Ok) continue;
    if (p.method().execute() == Error::Ok) reached = 3;
  }
  return reached;
}

std::vector<std::string> files(const char* extension) {
  const char* elsewhere = std::getenv("ET_SWEEP_FILES");
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(elsewhere == nullptr ? ET_FIXTURES : elsewhere)) {
    const fs::path& path = entry.path();
    if (path.extension() == extension && fs::file_size(path) < 200000) out.push_back(path.string());
  }
  std::sort(out.begin(), out.end());
  return out;
}
std::vector<std::string> programs() { return files(".pte"); }

// For a long search: ET_SWEEP_EFFORT multiplies the rounds, ET_SWEEP_SEED chooses other damage, ET_SWEEP_FILES names
// another folder of programs.
int effort() {
  const char* text = std::getenv("ET_SWEEP_EFFORT");
  return text == nullptr ? 1 : std::max(1, std::atoi(text));
}
std::mt19937 random_source(unsigned number) {
  const char* text = std::getenv("ET_SWEEP_SEED");
  return std::mt19937(number + (text == nullptr ? 0u : static_cast<unsigned>(std::atoi(text))) * 1000003u);
}

std::vector<uint8_t> damaged(std::vector<uint8_t> bytes, int flips, std::mt19937* random) {
  // Damage in the tables, which are in front; few bits, so that much of it gets past the checks.
  const size_t reach = std::min<size_t>(bytes.size(), 20000);
  for (int k = 0; k < flips; ++k) bytes[(*random)() % reach] ^= static_cast<uint8_t>(1u << (*random)() % 8);
  return bytes;
}

TEST(DamagedProgram, CutAnywhereNeverCrashes) {
  ErrorLog log;
  for (const std::string& path : programs()) {
    SCOPED_TRACE(path);
    const std::vector<uint8_t> whole = read_file(path);
    for (size_t i = 0; i < 40; ++i) {
      ErrorLog::text().clear();
      run_quietly({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(whole.size() * i / 40)});
    }
  }
}

TEST(DamagedProgram, FlippedBitsNeverCrashTheExecution) {
  ErrorLog log;
  std::mt19937 random = random_source(20261);
  int executed = 0;
  for (const std::string& path : programs()) {
    SCOPED_TRACE(path);
    const std::vector<uint8_t> whole = read_file(path);
    for (int round = 0; round < 300 * effort(); ++round) {
      ErrorLog::text().clear();
      executed += run_quietly(damaged(whole, 1 + round % 3, &random), &random) == 3;
    }
  }
  EXPECT_GT(executed, 100) << "the damage should leave many programs that run";
}

// Each operator with arguments that nobody meant: other dims, other dtypes, other indices, other shapes.
TEST(DamagedProgram, FlippedBitsNeverCrashAKernel) {
  ErrorLog log;
  std::mt19937 random = random_source(20262);
  int executed = 0;
  for (const std::string& path : files(".bpte")) {
    SCOPED_TRACE(path);
    const std::vector<uint8_t> file = read_file(path);
    AlignedBytes bytes(file);
    bundled::Bundle bundle;
    ASSERT_TRUE(bundled::Bundle::open({bytes.data(), bytes.size()}, &bundle).ok());
    const std::vector<uint8_t> whole(bundle.program().begin(), bundle.program().end());
    for (int round = 0; round < 40 * effort(); ++round) {
      ErrorLog::text().clear();
      executed += run_quietly(damaged(whole, 1 + round % 2, &random), &random) == 3;
    }
  }
  EXPECT_GT(executed, 1000) << "the damage should leave many programs that run";
}

}  // namespace
}  // namespace et::testing
