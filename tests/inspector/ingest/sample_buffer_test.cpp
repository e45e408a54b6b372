// Samples reach the store in the order of its key, whether they stayed in memory or went through a file.
#include "inspector/ingest/dump/sample_buffer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "inspector/store/store.h"

namespace et::inspector {
namespace {

/// A folder that is removed at the end.
class Folder {
 public:
  Folder() : path_(::testing::TempDir() + "samples-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << path_;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Row {
  int64_t id, run, start, duration;
  bool operator==(const Row&) const = default;
};

std::vector<Row> rows_of(const Store& store) {
  std::vector<Row> out;
  Statement st = store.query("SELECT id, run, start, duration FROM raw_sample ORDER BY id");
  while (st.step()) out.push_back({st.integer(0), st.integer(1), st.integer(2), st.integer(3)});
  return out;
}

/// Ops of unequal lengths: op o takes part in each (o + 1)th of `runs`.
std::vector<Row> fill(Store& store, size_t limit, int64_t first_row, int64_t runs) {
  Transaction transaction(store);
  SampleBuffer buffer(store, limit);
  std::vector<Row> expected;
  constexpr size_t kOps = 7;
  for (size_t o = 0; o < kOps; ++o) buffer.declare(o, first_row + static_cast<int64_t>(o));
  std::vector<std::vector<Sample>> of(kOps);
  for (int64_t run = 0; run < runs; ++run) {
    for (size_t o = 0; o < kOps; ++o) {
      if (run % static_cast<int64_t>(o + 1) != 0) continue;
      const Sample s{run, run * 1'000'000'000'000, run - static_cast<int64_t>(o)};
      buffer.add(o, s);
      of[o].push_back(s);
      if (buffer.full()) {
        EXPECT_TRUE(buffer.spill().ok());
      }
    }
  }
  buffer.seal();
  std::vector<Sample> scratch;
  std::span<const Sample> got;
  for (size_t o = 0; o < kOps; ++o) {
    EXPECT_TRUE(buffer.samples(o, &scratch, &got).ok());
    EXPECT_EQ(got.size(), of[o].size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].duration, of[o][i].duration);
      expected.push_back({((first_row + static_cast<int64_t>(o)) << 32) + static_cast<int64_t>(i), of[o][i].run,
                          of[o][i].start, of[o][i].duration});
    }
    buffer.release(o);
  }
  EXPECT_TRUE(buffer.write().ok());
  EXPECT_TRUE(transaction.commit().ok());
  return expected;
}

TEST(SampleBuffer, RowsAreTheSameThroughAFileAndThroughMemory) {
  const Folder dir;
  for (const size_t limit : {size_t{1}, size_t{10}, size_t{1000}, SampleBuffer::kLimit}) {
    Store store;
    ASSERT_TRUE(Store::open(dir.path() + "/" + std::to_string(limit) + ".db", Store::Mode::ReadWrite, &store).ok());
    const std::vector<Row> expected = fill(store, limit, 1, 500);
    EXPECT_EQ(rows_of(store), expected) << "limit " << limit;
  }
  Store memory;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &memory).ok());
  const std::vector<Row> expected = fill(memory, 10, 3, 500);
  EXPECT_EQ(rows_of(memory), expected);
}

TEST(SampleBuffer, ASecondTraceLiesBehindTheFirstOrBeforeIt) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  const std::vector<Row> last = fill(store, 100, 100, 30), behind = fill(store, 100, 200, 20),
                         before = fill(store, 100, 1, 20);
  std::vector<Row> all = before;
  all.insert(all.end(), last.begin(), last.end());
  all.insert(all.end(), behind.begin(), behind.end());
  EXPECT_EQ(rows_of(store), all);
}

TEST(SampleBuffer, OneThreadWritesWhileAnotherReads) {
  const Folder dir;
  for (const size_t limit : {size_t{500}, SampleBuffer::kLimit}) {
    Store store;
    ASSERT_TRUE(Store::open(dir.path() + "/" + std::to_string(limit) + ".db", Store::Mode::ReadWrite, &store).ok());
    Transaction transaction(store);
    SampleBuffer buffer(store, limit);
    constexpr int64_t kOps = 40, kRuns = 100;
    for (int64_t o = 0; o < kOps; ++o) buffer.declare(static_cast<size_t>(o), o + 1);
    for (int64_t i = 0; i < kOps * kRuns; ++i) {
      buffer.add(static_cast<size_t>(i % kOps), {i / kOps, i, i});
      if (buffer.full()) {
        ASSERT_TRUE(buffer.spill().ok());
      }
    }
    buffer.seal();
    std::future<Status> writing = std::async(std::launch::async, [&buffer] { return buffer.write(); });
    int64_t sum = 0;
    std::vector<Sample> scratch;
    std::span<const Sample> got;
    for (int64_t o = kOps; o-- > 0;) {  // the other way round
      EXPECT_TRUE(buffer.samples(static_cast<size_t>(o), &scratch, &got).ok());
      for (const Sample& s : got) sum += s.duration;
      buffer.release(static_cast<size_t>(o));
    }
    EXPECT_TRUE(writing.get().ok());
    EXPECT_TRUE(transaction.commit().ok());
    EXPECT_EQ(sum, (kOps * kRuns - 1) * kOps * kRuns / 2);
    EXPECT_EQ(rows_of(store).size(), static_cast<size_t>(kOps * kRuns));
  }
}

TEST(SampleBuffer, AFolderThatIsGoneIsNamed) {
  const Folder dir;
  const std::string folder = dir.path() + "/gone";
  std::filesystem::create_directory(folder);
  Store store;
  ASSERT_TRUE(Store::open(folder + "/s.db", Store::Mode::ReadWrite, &store).ok());
  std::filesystem::remove_all(folder);
  SampleBuffer buffer(store, 1);
  buffer.declare(0, 1);
  buffer.add(0, {1, 2, 3});
  EXPECT_EQ(buffer.spill().message(), folder + ": cannot make a temporary file: No such file or directory");
}

TEST(SampleBuffer, NothingIsLeftOfTheFile) {
  const Folder dir;
  Store store;
  ASSERT_TRUE(Store::open(dir.path() + "/s.db", Store::Mode::ReadWrite, &store).ok());
  (void)fill(store, 10, 1, 100);
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    EXPECT_TRUE(entry.path().filename().string().starts_with("s.db")) << entry.path();
}

}  // namespace
}  // namespace et::inspector
