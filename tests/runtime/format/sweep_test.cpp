// Real files, damaged everywhere: cut short at every length and with bits flipped. Whatever opens is walked whole;
// under the sanitizers a view that leaves the file shows.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <random>

#include "base/mapped_file.h"
#include "tests/runtime/format/corpus.h"
#include "tests/runtime/format/walk_all.h"

namespace et::format {
namespace {

constexpr size_t kSmall = 30'000;  // bytes
constexpr size_t kFlips = 6'000;   // a file

/// A heap block of exactly these bytes: one byte further is poisoned.
struct Exact {
  explicit Exact(Span<const uint8_t> b) : size(b.size()), data(new uint8_t[b.size()]) {
    if (size != 0) std::memcpy(data.get(), b.data(), size);
  }
  Span<uint8_t> bytes() { return {data.get(), size}; }
  size_t size;
  std::unique_ptr<uint8_t[]> data;
};

using Try = bool (*)(Span<const uint8_t>);  // true when it opened

bool try_program(Span<const uint8_t> bytes) {
  Program p;
  testing::Walker w;
  const bool ok = Program::open(bytes, &p).ok();
  if (ok) w.program(p);
  return ok;
}

bool try_tensors(Span<const uint8_t> bytes) {
  TensorFile f;
  testing::Walker w;
  const bool ok = TensorFile::open(bytes, &f).ok();
  if (ok) w.tensor_file(f);
  return ok;
}

void damage(Span<const uint8_t> original, Try attempt, uint32_t seed) {
  size_t opened = 0, refused = 0;
  auto count = [&](bool ok) { ++(ok ? opened : refused); };
  const size_t step = original.size() / 1500 + 1;
  for (size_t n = 0; n < original.size(); n += step) {
    Exact cut(original.first(n));
    count(attempt(cut.bytes()));
  }
  Exact copy(original);
  std::mt19937 random(seed);
  const bool all = original.size() * 8 <= kFlips;
  const size_t flips = all ? original.size() * 8 : kFlips;
  for (size_t i = 0; i < flips; ++i) {
    const size_t bit = all ? i : random() % (original.size() * 8);
    copy.bytes()[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    count(attempt(copy.bytes()));
    copy.bytes()[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
  }
  // Several bytes at once: what one flip alone would have been refused for.
  for (size_t i = 0; i < kFlips / 4; ++i) {
    Exact wild(original);
    for (int k = 0; k < 4; ++k) wild.bytes()[random() % original.size()] = static_cast<uint8_t>(random());
    count(attempt(wild.bytes()));
  }
  EXPECT_GT(opened, 0u) << "the sweep must also walk damaged files that open";
  EXPECT_GT(refused, 0u);
}

TEST(Sweep, DamagedProgramsAreReadOrRefusedNeverOverrun) {
  size_t files = 0;
  for (const auto& path : testing::corpus_files("program.pte", ".none")) {
    if (std::filesystem::file_size(path) > kSmall) continue;
    if (testing::find_case(path.parent_path().filename().string()) != path.parent_path()) continue;  // read once
    SCOPED_TRACE(path.string());
    MappedFile file;
    ASSERT_TRUE(MappedFile::open(path.string(), &file).ok());
    damage(file.bytes(), try_program, static_cast<uint32_t>(files));
    ++files;
  }
  if (files == 0) GTEST_SKIP() << "no artefacts";
  RecordProperty("files", static_cast<int>(files));
  std::printf("%zu files damaged\n", files);
}

TEST(Sweep, DamagedTensorFilesAreReadOrRefusedNeverOverrun) {
  size_t files = 0;
  for (const auto& path : testing::corpus_files("-", ".ptd")) {
    SCOPED_TRACE(path.string());
    MappedFile file;
    ASSERT_TRUE(MappedFile::open(path.string(), &file).ok());
    damage(file.bytes(), try_tensors, static_cast<uint32_t>(files));
    ++files;
  }
  if (files == 0) GTEST_SKIP() << "no artefacts";
  RecordProperty("files", static_cast<int>(files));
  std::printf("%zu files damaged\n", files);
}

TEST(Sweep, DamagedPayloadsAreReadOrRefusedNeverOverrun) {
  for (const char* name : {"partial_delegation", "lstm_xnnpack", "tosa_int8", "ethosu55_int8", "demo_backend",
                           "demo_delegate_mapping", "demo_nested"}) {
    const auto dir = testing::find_case(name);
    if (dir.empty()) continue;
    SCOPED_TRACE(name);
    MappedFile file;
    ASSERT_TRUE(MappedFile::open((dir / "program.pte").string(), &file).ok());
    Program p;
    ASSERT_TRUE(Program::open(file.bytes(), &p).ok());
    const Delegate d = p.method(0).delegate(0);
    static std::string_view backend;
    backend = d.id();
    damage(
        d.payload(),
        [](Span<const uint8_t> bytes) {
          testing::Walker w;
          w.payload(backend, bytes);
          return w.payloads() != 0;
        },
        7);
  }
}

}  // namespace
}  // namespace et::format
