// Where a program's bytes are: every byte has one owner, and the same program has no difference.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "inspector/analysis/size/byte_claims.h"
#include "inspector/analysis/size/program_size.h"
#include "inspector/analysis/size/size_diff.h"

namespace et::inspector {
namespace {

namespace fs = std::filesystem;

int64_t sum_of(const ProgramSize& size) {
  int64_t sum = 0;
  for (const SizeEntry& e : size.entries) {
    EXPECT_GE(e.bytes, 0) << e.name;
    sum += e.bytes;
  }
  return sum;
}

std::string write_file_of(const std::string& name, const std::vector<char>& bytes) {
  const fs::path path = fs::path(testing::TempDir()) / name;
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path.string();
}

std::vector<char> bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ByteClaims, EachByteGoesToTheFirstWhoAsks) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    constexpr uint64_t kSize = 60;
    ByteClaims claims(kSize);
    std::vector<bool> taken(kSize);
    for (int k = 0; k < 30; ++k) {
      const uint64_t offset = random() % (kSize + 5), count = random() % 20;
      uint64_t expected = 0;
      for (uint64_t i = offset; i < std::min(kSize, offset + count); ++i) {
        if (!taken[i]) ++expected;
        taken[i] = true;
      }
      ASSERT_EQ(claims.claim(offset, count), expected) << round << " " << k << " [" << offset << ", +" << count << ")";
    }
    EXPECT_EQ(claims.claim(0, UINT64_MAX), static_cast<uint64_t>(std::count(taken.begin(), taken.end(), false)));
  }
}

TEST(ProgramSize, EveryByteOfEveryProgramHasOneOwner) {
  int programs = 0, named = 0;
  for (const auto& entry : fs::recursive_directory_iterator(ET_FIXTURES)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".pte" && ending != ".bpte") continue;
    ProgramSize size;
    const Status s = program_size(entry.path().string(), &size);
    if (!s.ok()) continue;  // fixtures of damaged programs
    ++programs;
    EXPECT_EQ(sum_of(size), size.file_bytes) << entry.path();
    EXPECT_EQ(size.file_bytes, static_cast<int64_t>(fs::file_size(entry.path())));
    for (const SizeEntry& e : size.entries) named += e.group == "weights of XnnpackBackend" || e.group == "constants";
  }
  EXPECT_GT(programs, 20);
  EXPECT_GT(named, 20);
}

TEST(ProgramSize, BytesBehindTheProgramAreFound) {
  const fs::path source = fs::path(ET_FIXTURES) / "artifacts" / "add_mul" / "program.pte";
  std::vector<char> bytes = bytes_of(source);
  bytes.resize(bytes.size() + 100, 'x');
  ProgramSize plain, size;
  ASSERT_TRUE(program_size(source.string(), &plain).ok());
  ASSERT_TRUE(program_size(write_file_of("longer.pte", bytes), &size).ok());
  EXPECT_EQ(sum_of(size), plain.file_bytes + 100);
  const SizeDiff diff = diff_sizes(plain, size);
  ASSERT_EQ(diff.entries.size(), 1u);
  EXPECT_EQ(diff.entries.front().group, "padding");
  EXPECT_EQ(diff.entries.front().change(), 100);
}

TEST(ProgramSize, AProgramDoesNotDifferFromItself) {
  const std::string path = (fs::path(ET_FIXTURES) / "artifacts" / "partial_delegation" / "program.pte").string();
  ProgramSize size;
  ASSERT_TRUE(program_size(path, &size).ok());
  const SizeDiff diff = diff_sizes(size, size);
  EXPECT_TRUE(diff.entries.empty());
  for (const SizeChange& g : diff.groups) EXPECT_EQ(g.change(), 0) << g.group;
}

TEST(ProgramSize, ChangesOfGroupsAndEntriesAddUpToTheFiles) {
  const fs::path all = fs::path(ET_FIXTURES) / "artifacts";
  ProgramSize before, after;
  ASSERT_TRUE(program_size((all / "add_mul" / "program.pte").string(), &before).ok());
  ASSERT_TRUE(program_size((all / "partial_delegation" / "program.pte").string(), &after).ok());
  const SizeDiff diff = diff_sizes(before, after);
  int64_t groups = 0, entries = 0;
  for (const SizeChange& c : diff.groups) groups += c.change();
  for (const SizeChange& c : diff.entries) entries += c.change();
  EXPECT_EQ(groups, after.file_bytes - before.file_bytes);
  EXPECT_EQ(entries, after.file_bytes - before.file_bytes);
}

TEST(ProgramSize, WhatIsNoProgramIsRefusedWithItsPlace) {
  ProgramSize size;
  const Status s = program_size(write_file_of("no.pte", std::vector<char>(64, 'n')), &size);
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.message().find("no.pte"), std::string::npos) << s.message();
  EXPECT_NE(s.message().find("file identifier"), std::string::npos) << s.message();
}

}  // namespace
}  // namespace et::inspector
