// Where a program's bytes are: every byte has one owner, and the same program has no difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/size/byte_claims.h"
#include "inspector/analysis/size/program_size.h"
#include "inspector/analysis/size/shared_tensors.h"
#include "inspector/analysis/size/size_diff.h"
#include "inspector/analysis/size/tensor_names.h"
#include "inspector/ingest/ingest.h"
#include "tests/inspector/analysis/imported.h"

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

/// Sizes of a fixture with the names of its ETRecord.
ProgramSize named_size(const std::string& name, const fs::path& all = fs::path(ET_FIXTURES) / "artifacts") {
  const std::string folder = (all / name).string() + "/";
  Store store;
  EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs in;
  in.program = folder + "program.pte";
  in.record = folder + "etrecord.bin";
  IngestResult result;
  EXPECT_TRUE(ingest(store, in, {}, &result).ok());
  ProgramSize size;
  EXPECT_TRUE(program_size(in.program, &size).ok());
  EXPECT_TRUE(name_entries(store, result.trace_id, &size).ok());
  return size;
}

const SizeEntry* entry_named(const ProgramSize& size, const std::string& name) {
  for (const SizeEntry& e : size.entries)
    if (e.name == name) return &e;
  return nullptr;
}

TEST(SharedTensors, ACopyIsOfTheModuleThatUsesItAndNamesTheOthers) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  ProgramSize size;
  const auto add = [&](const char* name, const char* module, const char* used_by, const char* same_as) {
    SizeEntry& e = size.entries.emplace_back();
    e.name = name, e.module = module, e.used_by = used_by, e.same_as = same_as;
    e.bytes = 64;
  };
  // An embedding and the head that is tied to it, as the model names both; a copy that one module uses twice; a fused
  // weight, which another module's node has, without a copy of its own.
  add("lm_head.weight", "lm_head", "embedding", "");
  add("lm_head.weight", "lm_head", "linear", "lm_head.weight");
  add("a.weight", "a", "linear", "");
  add("a.weight copy", "a", "linear", "a.weight");
  add("norm.weight", "norm", "conv", "");
  add("norm.weight copy", "norm", "conv", "norm.weight");
  ASSERT_TRUE(share_tensors(store, 1, {"wte", "lm_head", "a", "a.inner", "conv", "conv"}, &size).ok());
  EXPECT_EQ(size.entries[0].module, "wte");
  EXPECT_EQ(size.entries[0].shared_with, "linear in lm_head");
  EXPECT_EQ(size.entries[1].module, "lm_head");
  EXPECT_EQ(size.entries[1].shared_with, "embedding in wte");
  EXPECT_EQ(size.entries[2].module, "a");
  EXPECT_EQ(size.entries[3].module, "a");
  EXPECT_EQ(size.entries[4].module, "norm") << "nothing of it is in the module that has its name";
}

TEST(TensorNames, AreThoseOfTheModel) {
  // Kernels take constants by position; a delegate's have dimensions in another order and hashes for names.
  for (const char* name : {"memory_pools", "lstm", "lstm_xnnpack", "partial_delegation", "multi_method"}) {
    SCOPED_TRACE(name);
    const ProgramSize size = named_size(name);
    size_t tensors = 0;
    for (const SizeEntry& e : size.entries) {
      if (e.shape.empty() || e.used_by.empty()) continue;
      ++tensors;
      EXPECT_FALSE(is_made_up_name(e.name)) << e.name;
      EXPECT_FALSE(e.stored_as.empty()) << e.name;
      if (!e.module.empty() && e.module != "(root)") {
        EXPECT_TRUE(e.name.starts_with(e.module)) << e.name << " in " << e.module;
      }
    }
    EXPECT_GT(tensors, 0U);
  }
  const ProgramSize pools = named_size("memory_pools");
  const SizeEntry* const weight = entry_named(pools, "conv2.weight");
  ASSERT_NE(weight, nullptr);
  EXPECT_EQ(weight->module, "conv2");
  EXPECT_NE(entry_named(pools, "conv2.bias"), nullptr);
}

TEST(TensorNames, OfQuantisedWeightsAndTheirScales) {
  const char* const shared = std::getenv("ET_SHARED_ARTIFACTS");
  if (shared == nullptr || !fs::exists(fs::path(shared) / "nanogpt_xnnpack_qd4" / "program.pte"))
    GTEST_SKIP() << "no program with quantised weights: set ET_SHARED_ARTIFACTS";
  const ProgramSize size = named_size("nanogpt_xnnpack_qd4", shared);
  EXPECT_NE(entry_named(size, "blocks.0.mlp.0.bias"), nullptr);
  int scales = 0;
  for (const SizeEntry& e : size.entries) {
    if (!e.group.starts_with("scales of ")) continue;
    ++scales;
    EXPECT_TRUE(e.name.ends_with(", scales") && e.name.starts_with(e.module)) << e.name;
  }
  EXPECT_GT(scales, 0);
}

TEST(TensorNames, WhatUsesThemIsCalledAsInAllTables) {
  for (const char* name : {"partial_delegation", "lstm_xnnpack", "memory_pools", "multi_method"}) {
    SCOPED_TRACE(name);
    const test::ImportedFixture in(name);
    std::set<std::string> titles;
    for (const OpEntry& op : in.table.ops) titles.insert(op_title(in.table, op));
    ProgramSize size;
    const std::string program = (fs::path(ET_FIXTURES) / "artifacts" / name / "program.pte").string();
    ASSERT_TRUE(program_size(program, &size).ok());
    ASSERT_TRUE(name_entries(in.store, in.table.trace_id, &size).ok());
    const ProgramSize without_run = named_size(name);
    std::map<std::string, std::string> names;
    for (const SizeEntry& e : without_run.entries) names[e.stored_as + e.name] = e.user();
    size_t named = 0;
    for (const SizeEntry& e : size.entries) {
      if (e.used_by.empty() || e.shape.empty()) continue;
      EXPECT_TRUE(titles.contains(e.user())) << e.name << " used by " << e.user() << ", " << e.used_by;
      EXPECT_FALSE(e.used_by.starts_with("aten.")) << "as the file has it: " << e.used_by;
      EXPECT_EQ(names[e.stored_as + e.name], e.user()) << "without a run, too";
      ++named;
    }
    EXPECT_GT(named, 0U);
  }
}

TEST(TensorNames, WithoutARecordTheyAreTheFiles) {
  ProgramSize size;
  ASSERT_TRUE(
      program_size((fs::path(ET_FIXTURES) / "artifacts" / "memory_pools" / "program.pte").string(), &size).ok());
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  ASSERT_TRUE(name_entries(store, 1, &size).ok());
  EXPECT_EQ(entry_named(size, "conv2.weight"), nullptr);
  EXPECT_TRUE(is_made_up_name("value 12 of delegate 0"));
  EXPECT_TRUE(is_made_up_name("scale_" + std::string(64, 'a')));
  EXPECT_FALSE(is_made_up_name("decade.weight"));
}

}  // namespace
}  // namespace et::inspector
