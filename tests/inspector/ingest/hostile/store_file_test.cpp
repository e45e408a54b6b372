// Store files that are cut, spoilt, foreign, newer, read-only or in use: an error with the path, never a crash.
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "inspector/store/trace_ref.h"
#include "tests/inspector/ingest/hostile/hostile.h"

namespace et::inspector::test {
namespace {

class StoreFile : public ::testing::Test {
 protected:
  void SetUp() override {
    path = tmp / "s.db";
    Store store;
    ASSERT_TRUE(Store::open(path, Store::Mode::ReadWrite, &store).ok());
    IngestInputs in;
    in.dump = fixture("add_mul", "etdump.etdp");
    in.record = fixture("add_mul", "etrecord.bin");
    IngestResult result;
    ASSERT_TRUE(ingest(store, in, {}, &result).ok());
    store = Store();
    bytes = read_file(path);
  }
  static Status open(const std::string& file, Store::Mode mode = Store::Mode::ReadOnly) {
    Store store;
    const Status status = Store::open(file, mode, &store);
    EXPECT_TRUE(status.ok() || status.message().find(file) != std::string::npos) << status.message();
    return status;
  }
  void set(const char* pragma) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, pragma, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
  }
  /// Reads what any report reads; errors are fine, crashes are not.
  static void read_all(const std::string& file) {
    Store store;
    if (!Store::open(file, Store::Mode::ReadOnly, &store).ok()) return;
    (void)traces_of(store);
    for (const char* view : {"traces", "diagnostics", "ops", "samples", "nodes", "links", "lines"}) {
      Statement st;
      if (!store.prepare(std::string("SELECT * FROM ") + view + " LIMIT 1000", &st).ok()) continue;
      while (st.step()) {
        for (int c = 0; c < st.columns(); ++c) (void)st.text(c);
      }
    }
  }

  Scratch tmp;
  std::string path;
  Bytes bytes;
};

TEST_F(StoreFile, CutAnywhereIsAnErrorOrReadable) {
  const std::string cut = tmp / "cut.db";
  for (size_t i = 0; i < 60; ++i) {
    const size_t at = i < 20 ? i * 7 : bytes.size() * i / 60;
    write_file(cut, Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at)));
    read_all(cut);
  }
  write_file(cut, Bytes(bytes.begin(), bytes.begin() + 1000));
  EXPECT_FALSE(open(cut).ok());
}

TEST_F(StoreFile, FlippedBytesAreErrorsOrReadable) {
  std::mt19937 random(5);
  const std::string file = tmp / "flipped.db";
  for (int i = 0; i < 120; ++i) {
    Bytes copy = bytes;
    for (int k = 0; k <= i % 5; ++k)
      copy[random() % (i % 2 == 0 ? copy.size() : 8192)] = static_cast<uint8_t>(random());
    write_file(file, copy);
    read_all(file);
    Store store;  // importing into it must not crash either
    if (i % 4 != 0 || !Store::open(file, Store::Mode::ReadWrite, &store).ok()) continue;
    IngestInputs in;
    in.dump = fixture("add_mul", "etdump.etdp");
    IngestResult result;
    (void)ingest(store, in, {}, &result);
  }
}

TEST_F(StoreFile, AnotherApplicationsDatabaseIsLeftAlone) {
  set("PRAGMA application_id=42");
  const Bytes before = read_file(path);
  for (const auto mode : {Store::Mode::ReadOnly, Store::Mode::ReadWrite}) {
    const Status status = open(path, mode);
    EXPECT_EQ(status.code(), Error::InvalidExternalData);
    EXPECT_NE(status.message().find("not a store"), std::string::npos) << status.message();
  }
  EXPECT_EQ(read_file(path), before);
}

TEST_F(StoreFile, ANewerVersionIsNamed) {
  set("PRAGMA user_version=99");
  const Status status = open(path, Store::Mode::ReadWrite);
  EXPECT_EQ(status.code(), Error::InvalidExternalData);
  EXPECT_NE(status.message().find("99"), std::string::npos) << status.message();
}

TEST_F(StoreFile, AnSqliteFileWithTheRightNumbersAndNoTablesIsDamaged) {
  set("DROP VIEW traces");
  const Status status = open(path);
  EXPECT_EQ(status.code(), Error::InvalidExternalData);
  EXPECT_NE(status.message().find("damaged"), std::string::npos) << status.message();
}

TEST_F(StoreFile, AReadOnlyFileIsReadAndRefusesAnImport) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everything";
  ASSERT_EQ(::chmod(path.c_str(), 0400), 0);
  EXPECT_TRUE(open(path).ok());
  Store store;
  Status status = Store::open(path, Store::Mode::ReadWrite, &store);
  IngestInputs in;
  in.dump = fixture("add_mul", "etdump.etdp");
  IngestResult result;
  if (status.ok()) status = ingest(store, in, {}, &result);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find(path), std::string::npos) << status.message();
}

TEST_F(StoreFile, AStoreThatSomebodyElseWritesIsReadableAndAnImportSaysSo) {
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE; DELETE FROM raw_label", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_TRUE(open(path).ok());
  Store store;
  ASSERT_TRUE(Store::open(path, Store::Mode::ReadWrite, &store).ok());
  sqlite3_busy_timeout(store.db(), 50);
  IngestInputs in;
  in.dump = fixture("add_mul", "etdump.etdp");
  IngestResult result;
  const Status status = ingest(store, in, {}, &result);
  EXPECT_EQ(status.code(), Error::AccessFailed);
  EXPECT_NE(status.message().find("locked"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find(path), std::string::npos) << status.message();
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_TRUE(ingest(store, in, {}, &result).ok()) << "and works once it is free";
}

TEST_F(StoreFile, AFolderOrAPipeIsNoStore) {
  ASSERT_EQ(::mkfifo((tmp / "pipe").c_str(), 0600), 0);
  for (const std::string& p : {tmp / "pipe", tmp / ".", tmp / "none/s.db"}) {
    EXPECT_FALSE(open(p, Store::Mode::ReadOnly).ok()) << p;
    EXPECT_FALSE(open(p, Store::Mode::ReadWrite).ok()) << p;
  }
}

}  // namespace
}  // namespace et::inspector::test
