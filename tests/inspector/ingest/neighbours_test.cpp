// Files are known by what is in them, what belongs to an ETDump is found beside it, and what does not is left out.
#include "inspector/ingest/neighbours.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "inspector/ingest/folder_files.h"
#include "inspector/store/trace_problems.h"

namespace et::inspector::test {
namespace {

namespace fs = std::filesystem;

std::string fixture(const std::string& name) { return std::string(ET_FIXTURES) + "/artifacts/" + name; }

class Neighbours : public testing::Test {
 protected:
  Neighbours() {
    std::string pattern = (fs::temp_directory_path() / "et-neighbours-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Neighbours() override { fs::remove_all(folder_); }

  std::string put(const std::string& from, const std::string& name) {
    fs::copy_file(fixture(from), folder_ / name, fs::copy_options::overwrite_existing);
    return (folder_ / name).string();
  }

  SortedFiles sorted(const std::vector<std::string>& words) {
    SortedFiles out;
    const Status status = sort_files(words, &out);
    EXPECT_TRUE(status.ok()) << status.message();
    return out;
  }

  /// Imports `words` with what is found beside them.
  IngestInputs imported(const std::vector<std::string>& words) {
    SortedFiles files = sorted(words);
    notes_.clear();
    find_neighbours(&files, true, &notes_);
    Store store;
    EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    IngestResult result;
    const Status status = ingest_found(store, &files.inputs, {}, &result, &notes_);
    EXPECT_TRUE(status.ok()) << status.message();
    if (status.ok()) {
      mismatched_ = problems_of(store, result.trace_id).mismatched;
      Statement traces = store.query("SELECT count(*) FROM traces");
      traces_ = traces.step() ? traces.integer(0) : 0;
    }
    return files.inputs;
  }

  fs::path folder_;
  std::vector<std::string> notes_;
  bool mismatched_ = true;
  int64_t traces_ = 0;
};

TEST_F(Neighbours, NamesDoNotMatter) {
  const std::string dump = put("add_mul/etdump.etdp", "a.pte"), record = put("add_mul/etrecord.bin", "b.etdp"),
                    program = put("add_mul/program.pte", "c.bin");
  for (const std::vector<std::string>& words : {std::vector{dump, record, program}, std::vector{program, dump, record},
                                                std::vector{record, program, dump}, std::vector{dump}}) {
    const IngestInputs in = imported(words);
    EXPECT_EQ(in.dump, dump);
    EXPECT_EQ(in.record, record);
    EXPECT_EQ(in.program, program);
    EXPECT_EQ(in.found.size(), 3 - words.size());
    EXPECT_FALSE(mismatched_);
  }
  EXPECT_EQ(found_text(imported({dump})), dump + ": read with " + record + " and " + program + ", found beside it");
}

TEST_F(Neighbours, ThoseOfEveryOtherModelAreLeftOut) {
  const std::vector<std::string> names = {"add_mul", "lstm", "lstm_xnnpack", "partial_delegation", "multi_method"};
  for (const std::string& own : names) {
    for (const std::string& other : names) {
      const std::string dump = put(own + "/etdump.etdp", "etdump.etdp");
      put(other + "/etrecord.bin", "etrecord.bin");
      put(other + "/program.pte", "program.pte");
      const IngestInputs in = imported({dump});
      EXPECT_EQ(in.record.empty(), own != other) << own << " beside " << other;
      EXPECT_EQ(in.program.empty(), own != other) << own << " beside " << other;
      EXPECT_EQ(notes_.size(), own != other ? 2U : 0U) << own << " beside " << other;
      EXPECT_FALSE(mismatched_);
      EXPECT_EQ(traces_, 1) << "an attempt with the wrong files leaves nothing behind";
    }
  }
}

TEST_F(Neighbours, MethodsOfAProgramWithStateAreItsOwn) {
  // prefill and decode over one cache: operators that write into it have no handle, and our backend's events name
  // several nodes of the payload each.
  const fs::path sample = fs::path(ET_FIXTURES) / "../../samples/llm_kv_cache/products";
  for (const char* name : {"etdump.etdp", "etrecord.bin", "model.pte"}) fs::copy_file(sample / name, folder_ / name);
  const std::string dump = folder_ / "etdump.etdp";
  const IngestInputs in = imported({dump});
  EXPECT_EQ(in.record, (folder_ / "etrecord.bin").string());
  EXPECT_EQ(in.program, (folder_ / "model.pte").string());
  EXPECT_TRUE(notes_.empty()) << notes_.front();
  EXPECT_FALSE(mismatched_);
  put("multi_method/etrecord.bin", "etrecord.bin");
  put("multi_method/program.pte", "model.pte");
  const IngestInputs other = imported({dump});
  EXPECT_EQ(other.record + other.program, "");
  EXPECT_EQ(notes_.size(), 2U);
}

TEST_F(Neighbours, WithoutAnETDumpRecordAndProgramMustAgree) {
  const std::string program = put("lstm_xnnpack/program.pte", "program.pte");
  const std::string record = put("lstm_xnnpack/etrecord.bin", "etrecord.bin");
  EXPECT_EQ(imported({program}).record, record);
  EXPECT_EQ(imported({record}).program, program);
  put("lstm/etrecord.bin", "etrecord.bin");
  EXPECT_EQ(imported({program}).record, "");
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_TRUE(notes_[0].starts_with(record + ": not used: another model's: ")) << notes_[0];
  EXPECT_EQ(imported({record}).program, "");
}

TEST_F(Neighbours, AFileIsNotItsOwnNeighbour) {
  const std::string dump = put("add_mul/etdump.etdp", "etdump.etdp"), record = put("add_mul/etrecord.bin", "r.bin");
  fs::create_symlink(record, folder_ / "link.bin");
  EXPECT_EQ(imported({dump, (folder_ / "link.bin").string()}).found.size(), 0U);
  EXPECT_TRUE(notes_.empty());
}

TEST_F(Neighbours, SubfoldersHiddenFilesAndPipesAreNotLookedAt) {
  const std::string dump = put("add_mul/etdump.etdp", "etdump.etdp");
  fs::create_directory(folder_ / "more");
  put("add_mul/etrecord.bin", "more/etrecord.bin");
  put("add_mul/etrecord.bin", ".etrecord.bin");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(imported({dump}).found.empty());
}

TEST_F(Neighbours, AFolderOfThousandsIsNotReadThrough) {
  const std::string dump = put("add_mul/etdump.etdp", "etdump.etdp");
  put("add_mul/etrecord.bin", "etrecord.bin");
  for (size_t i = 0; i < kMostFolderFiles; ++i) std::ofstream(folder_ / ("file" + std::to_string(i)));
  EXPECT_TRUE(imported({dump}).found.empty());
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_NE(notes_[0].find("more than 2000 files"), std::string::npos) << notes_[0];
}

TEST_F(Neighbours, ADamagedRecordIsLeftOut) {
  const std::string dump = put("add_mul/etdump.etdp", "etdump.etdp"), record = put("add_mul/etrecord.bin", "r.bin");
  std::string bytes;
  {
    std::ifstream in(record, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const size_t at = bytes.find("edge_dialect_exported_program");
  ASSERT_NE(at, std::string::npos);
  for (size_t i = at + 64; i < at + 400; ++i) bytes[i] = 'x';
  std::ofstream(record, std::ios::binary) << bytes;
  EXPECT_EQ(imported({dump}).record, "");
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_TRUE(notes_[0].starts_with(record + ": not used: ")) << notes_[0];
}

}  // namespace
}  // namespace et::inspector::test
