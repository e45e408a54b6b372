// Stores that are locked, damaged, or written to while they are open.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "gui/core/document.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST(HostileStore, LockedOneIsOpenedWhenItIsFree) {
  const TemporaryFolder folder;
  const std::string path = folder / "store.db";
  ASSERT_TRUE(import_artifact("add_mul", path).ok());
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(writer, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  Jobs jobs;
  Document document(jobs);
  document.open_files({path});
  jobs.finish();
  EXPECT_EQ(document.state(), Document::State::Failed);
  EXPECT_NE(document.error().message().find("locked by another program"), std::string::npos)
      << document.error().message();
  sqlite3_exec(writer, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(writer);
  (void)document.poll();
  jobs.finish();
  EXPECT_EQ(document.state(), Document::State::Ready) << document.error().message();
  EXPECT_TRUE(document.error().ok());
}

// Any damage is an error that names the file, or data that can be used; never a crash (sanitizers watch).
TEST(HostileStore, FlippedAndCutBytes) {
  const TemporaryFolder folder;
  ASSERT_TRUE(import_artifact("partial_delegation", folder / "good.db").ok());
  const std::string good = bytes_of(folder / "good.db");
  std::mt19937 random(7);
  const std::string path = folder / "bad.db";
  int opened = 0, refused = 0;
  for (int i = 0; i < 60; ++i) {
    std::string bad = good;
    if (i % 4 == 0) {
      bad.resize(random() % bad.size());
    } else {
      for (int flips = 0; flips < 1 + i % 40; ++flips)
        bad[random() % bad.size()] ^= static_cast<char>(1 << random() % 8);
    }
    write(path, bad);
    Jobs jobs(1);
    Document document(jobs);
    document.open_files({path});
    jobs.finish();
    if (document.state() == Document::State::Ready) {
      ++opened;
      for (const inspector::OpEntry& op : document.data()->table.ops) (void)select_op(*document.data(), op.id);
    } else {
      ++refused;
      EXPECT_NE(document.error().message().find("bad.db"), std::string::npos) << document.error().message();
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(opened + refused, 60);
}

TEST(HostileStore, AnotherProgramImportsMeanwhile) {
  const TemporaryFolder folder;
  const std::string path = folder / "store.db";
  ASSERT_TRUE(import_artifact("add_mul", path).ok());
  Jobs jobs;
  Document document(jobs);
  document.open_files({path});
  jobs.finish();
  constexpr int kTraces = 8;
  std::thread other([&] {
    for (int i = 0; i < kTraces; ++i) EXPECT_TRUE(import_artifact("partial_delegation", path).ok());
  });
  std::atomic<bool> done = false;
  std::thread waiter([&] {
    other.join();
    done = true;
  });
  while (!done) {
    (void)document.poll();
    jobs.finish();
    EXPECT_TRUE(document.error().ok()) << document.error().message();
  }
  waiter.join();
  (void)document.poll();
  jobs.finish();
  (void)document.poll();
  jobs.finish();
  EXPECT_EQ(document.traces().size(), static_cast<size_t>(kTraces) + 1);
  EXPECT_EQ(document.data()->trace_id(), kTraces + 1);
}

}  // namespace
}  // namespace et::gui::test
