// A trace is in the store or it is not: after errors, cancelling, a full disk, and a process that was killed.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "tests/inspector/ingest/hostile/hostile.h"
#include "tests/support/etdump_builder.h"

namespace et::inspector::test {
namespace {

IngestInputs whole_case() {
  IngestInputs in;
  in.dump = fixture("partial_delegation", "debug.etdp");
  in.record = fixture("partial_delegation", "etrecord.bin");
  in.program = fixture("partial_delegation", "program.pte");
  in.debug_buffer = fixture("partial_delegation", "debug.bin");
  return in;
}

Store open_store(const std::string& path) {
  Store store;
  const Status status = Store::open(path, Store::Mode::ReadWrite, &store);
  EXPECT_TRUE(status.ok()) << status.message();
  return store;
}

TEST(Atomic, AFailedImportLeavesAStoreOnDiskAsItWas) {
  Scratch tmp;
  std::string before;
  {
    Store store = open_store(tmp / "s.db");
    IngestResult result;
    ASSERT_TRUE(import_checked(store, whole_case(), &result).ok());
    before = contents(store);
  }
  const Bytes bytes = read_file(tmp / "s.db");
  write_file(tmp / "cut", Bytes(bytes.begin(), bytes.begin() + 100));
  for (std::string IngestInputs::*file :
       {&IngestInputs::dump, &IngestInputs::record, &IngestInputs::program, &IngestInputs::debug_buffer}) {
    Store store = open_store(tmp / "s.db");
    IngestInputs in = whole_case();
    in.*file = tmp / "missing";
    IngestResult result;
    EXPECT_FALSE(import_checked(store, in, &result).ok());
    in = whole_case();
    in.trace_name = "twice";
    in.source_time_scale = "fortnights";
    EXPECT_EQ(ingest(store, in, {}, &result).code(), Error::InvalidArgument);
  }
  Store store = open_store(tmp / "s.db");
  EXPECT_EQ(contents(store), before);
  EXPECT_EQ(read_file(tmp / "s.db"), bytes) << "not a byte of the file may change";
}

TEST(Atomic, ATakenNameIsRefusedBeforeAnythingIsWritten) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs in = whole_case();
  in.trace_name = "base";
  IngestResult result;
  ASSERT_TRUE(ingest(store, in, {}, &result).ok());
  const std::string before = contents(store);
  const Status status = ingest(store, in, {}, &result);
  EXPECT_EQ(status.code(), Error::InvalidArgument);
  EXPECT_NE(status.message().find("base"), std::string::npos);
  EXPECT_EQ(contents(store), before);
}

TEST(Atomic, CancellingAtAnyMomentKeepsNothingOfTheTrace) {
  Scratch tmp;
  Store store = open_store(tmp / "s.db");
  IngestResult result;
  ASSERT_TRUE(ingest(store, whole_case(), {}, &result).ok());
  const std::string before = contents(store);
  int calls = 0;
  ASSERT_TRUE(ingest(
                  store, whole_case(), [&](const char*, uint64_t, uint64_t) { return ++calls > 0; }, &result)
                  .ok());
  ASSERT_TRUE(store.exec("DELETE FROM raw_trace WHERE id = 2").ok());  // only to know the number of calls
  const std::string now = contents(store);
  for (int stop = 1; stop <= calls; stop += 1 + calls / 25) {
    int n = 0;
    const Status status = ingest(
        store, whole_case(), [&](const char*, uint64_t, uint64_t) { return ++n < stop; }, &result);
    EXPECT_FALSE(status.ok()) << stop << " of " << calls;
    EXPECT_EQ(contents(store), now) << stop;
  }
  EXPECT_EQ(integrity(store), "ok");
  const Status last = ingest(store, whole_case(), {}, &result);
  EXPECT_TRUE(last.ok()) << "and the store takes traces still: " << last.message();
}

TEST(Atomic, AFullDiskKeepsNothingOfTheTrace) {
  Scratch tmp;
  IngestResult result;
  {
    Store store = open_store(tmp / "s.db");
    ASSERT_TRUE(ingest(store, whole_case(), {}, &result).ok());
  }
  Store probe = open_store(tmp / "s.db");
  const std::string before = contents(probe);
  Statement pages = probe.query("PRAGMA page_count");
  ASSERT_TRUE(pages.step());
  const int64_t used = pages.integer(0);
  pages.reset();
  int failed = 0;
  for (int64_t more = 0;; more += 1 + more / 4) {
    ASSERT_LT(more, 4000);
    Store store = open_store(tmp / "s.db");
    ASSERT_TRUE(store.exec(("PRAGMA max_page_count=" + std::to_string(used + more)).c_str()).ok());
    const Status status = ingest(store, whole_case(), {}, &result);
    if (status.ok()) {
      EXPECT_NE(contents(store), before);
      break;
    }
    ++failed;
    EXPECT_NE(status.message().find("full"), std::string::npos) << status.message();
    EXPECT_EQ(contents(store), before) << more << ": " << status.message();
    EXPECT_EQ(integrity(store), "ok");
  }
  EXPECT_GT(failed, 0);
}

TEST(Atomic, AProcessKilledInTheMiddleLeavesNoHalfTrace) {
  Scratch tmp;
  et::test::make_big_trace(tmp / "big.etdp", 3000);
  {
    Store store = open_store(tmp / "s.db");
    IngestResult result;
    ASSERT_TRUE(ingest(store, whole_case(), {}, &result).ok());
  }
  std::string before;
  {
    Store store = open_store(tmp / "s.db");
    before = contents(store);
  }
  int killed = 0;
  for (const char* stage : {"reading events", "statistics", "linking", "indexing"}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Store store;
      if (!Store::open(tmp / "s.db", Store::Mode::ReadWrite, &store).ok()) ::_exit(2);
      (void)store.exec("PRAGMA cache_size=16");  // so that rows reach the file before the end
      IngestInputs in;
      in.dump = tmp / "big.etdp";
      IngestResult result;
      (void)ingest(
          store, in,
          [&](const char* now, uint64_t done, uint64_t total) {
            if (std::strcmp(now, stage) == 0 && done >= total / 2) (void)::raise(SIGKILL);
            return true;
          },
          &result);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status) ? 1 : 0;
    Store store = open_store(tmp / "s.db");
    EXPECT_EQ(contents(store), before) << stage;
    EXPECT_EQ(integrity(store), "ok") << stage;
  }
  EXPECT_GE(killed, 3) << "the stages of the import were renamed";
}

}  // namespace
}  // namespace et::inspector::test
