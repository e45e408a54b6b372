// Every file of the fixtures cut at many places and with flipped bytes, imported with its sound companions: a clear
// error or a diagnosed partial result, and a store that stays whole.
#include <algorithm>
#include <random>

#include "tests/inspector/ingest/hostile/hostile.h"

namespace et::inspector::test {
namespace {

struct Case {
  std::string folder, dump;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  std::vector<std::string> roots = {std::string(ET_FIXTURES) + "/artifacts"};
  const char* given = std::getenv("ET_SHARED_ARTIFACTS");
  const std::string corpus = given != nullptr ? given : std::string(ET_SOURCE_DIR) + "/../shared/artifacts";
  std::error_code none;
  for (const std::string& root : {roots[0], corpus}) {
    for (const auto& entry : std::filesystem::directory_iterator(root, none)) {
      for (const char* dump : {"etdump.etdp", "debug.etdp"}) {
        const auto size = std::filesystem::file_size(entry.path() / dump, none);
        // Of the big corpus a sample: what is small and what the repository lacks.
        if (none || (root == corpus &&
                     (size > 400'000 || std::filesystem::exists(roots[0] + "/" + entry.path().filename().string()))))
          continue;
        out.push_back({entry.path().string(), dump});
      }
    }
  }
  std::sort(out.begin(), out.end(), [](const Case& a, const Case& b) { return a.folder + a.dump < b.folder + b.dump; });
  return out;
}

IngestInputs inputs_of(const Case& c) {
  IngestInputs in;
  auto there = [&](const char* name) {
    return std::filesystem::exists(c.folder + "/" + name) ? c.folder + "/" + name : std::string();
  };
  in.dump = c.folder + "/" + c.dump;
  in.record = there("etrecord.bin");
  in.program = there("program.pte");
  if (c.dump == "debug.etdp") in.debug_buffer = there("debug.bin");
  return in;
}

struct Victim {
  const char* name;
  std::string IngestInputs::*file;
};
constexpr Victim kVictims[] = {{"dump", &IngestInputs::dump},
                               {"record", &IngestInputs::record},
                               {"program", &IngestInputs::program},
                               {"debug buffer", &IngestInputs::debug_buffer}};

struct Outcomes {
  int errors = 0, partial = 0, whole = 0;
};

/// `damage(bytes, round)` spoils a copy of one file; everything is imported into one store, one trace after the other.
template <class Damage>
Outcomes sweep(int rounds, Damage damage) {
  Outcomes out;
  Scratch tmp;
  const std::string spoilt = tmp / "spoilt";
  for (const Case& c : cases()) {
    Store store;
    EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    for (const Victim& victim : kVictims) {
      IngestInputs in = inputs_of(c);
      const std::string path = in.*victim.file;
      if (path.empty()) continue;
      const Bytes whole = read_file(path);
      // Big files take longer; their readers have sweeps of their own.
      const int n = whole.size() > 200'000 ? 1 : whole.size() > 50'000 ? std::max(1, rounds / 3) : rounds;
      for (int round = 0; round < n; ++round) {
        write_file(spoilt, damage(whole, round, n));
        in.*victim.file = spoilt;
        IngestResult result;
        const Status status = import_checked(store, in, &result, false);
        SCOPED_TRACE(c.folder + " " + c.dump + ", " + victim.name + ", round " + std::to_string(round));
        if (!status.ok()) {
          ++out.errors;
          EXPECT_NE(status.message().find(spoilt), std::string::npos)
              << "the spoilt file must be named: " << status.message();
        } else {
          ++(problems(store, result.trace_id).empty() ? out.whole : out.partial);
        }
        if (::testing::Test::HasFailure()) return out;
      }
    }
    EXPECT_EQ(integrity(store), "ok") << c.folder;
    EXPECT_EQ(bad_text(store), "") << c.folder;
  }
  return out;
}

TEST(Damage, AFileCutAnywhereGivesAnErrorOrAnImportThatSaysWhatItLacks) {
  const Outcomes out = sweep(3, [](const Bytes& whole, int round, int n) {
    // Evenly spread, and always the very beginning and the very end.
    const size_t cut = round == 0   ? std::min<size_t>(whole.size(), 7)
                       : round == 1 ? whole.size() - 1
                                    : whole.size() * static_cast<size_t>(round) / static_cast<size_t>(n + 1);
    return Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
  });
  EXPECT_GT(out.errors, 50);
  EXPECT_GT(out.partial, 50);
}

TEST(Damage, FlippedBytesNeverHarmTheStore) {
  std::mt19937 random(20240607);
  const Outcomes out = sweep(3, [&](const Bytes& whole, int round, int) {
    Bytes bytes = whole;
    for (int k = 0; k <= round; ++k) {
      const size_t at = random() % (round % 2 == 0 ? bytes.size() : std::min<size_t>(bytes.size(), 256));
      bytes[at] = static_cast<uint8_t>(random());
    }
    return bytes;
  });
  EXPECT_GT(out.errors, 10);
  EXPECT_GT(out.partial + out.whole, 50);
}

TEST(Damage, NumbersPushedToTheirLimitsNeverHarmTheStore) {
  std::mt19937 random(99);
  constexpr uint32_t kValues[] = {0, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff8, 0x10000};
  (void)sweep(3, [&](const Bytes& whole, int, int) {
    Bytes bytes = whole;
    for (int k = 0; k < 3 && bytes.size() >= 4; ++k) {
      const size_t at = random() % (bytes.size() / 4) * 4;
      const uint32_t v = kValues[random() % std::size(kValues)];
      for (size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<uint8_t>(v >> (8 * i));
    }
    return bytes;
  });
}

}  // namespace
}  // namespace et::inspector::test
