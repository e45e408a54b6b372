// Files that are not what they should be: a clear line, the documented exit code, and a store that stays as it was.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/run.h"
#include "tests/cli/small_store.h"

namespace et::cli {
namespace {

using test::artifact;
using test::inspect;
using test::Scratch;

void expect_refused(const Scratch& dir, const std::string& words, int code, const std::string& text) {
  const auto r = inspect(dir, words);
  EXPECT_EQ(r.exit_code, code) << words << "\n" << r.err;
  EXPECT_TRUE(r.err.starts_with("et-inspect: error: ")) << words << "\n" << r.err;
  EXPECT_NE(r.err.find(text), std::string::npos) << words << "\n" << r.err;
}

TEST(CommandInput, FilesThatCannotBeReadAreNamedWithTheCause) {
  const Scratch dir;
  expect_refused(dir, "none.etdp", 3, "none.etdp: cannot open: no such file");
  expect_refused(dir, ".", 3, ".: expected a folder with an ETDump");
  test::write_file(dir / "empty", "");
  expect_refused(dir, "empty", 3, "empty: expected an ETDump, got an empty file");
  expect_refused(dir, artifact("add_mul/etdump.etdp") + " -e none.bin", 3, "none.bin: cannot open");
  test::write_file(dir / "secret", "x");
  ::chmod((dir / "secret").c_str(), 0);
  if (::geteuid() != 0) expect_refused(dir, "secret", 3, "permission denied");
}

TEST(CommandInput, SwappedFilesGetAHint) {
  const Scratch dir;
  const std::string dump = artifact("add_mul/etdump.etdp"), record = artifact("add_mul/etrecord.bin"),
                    program = artifact("add_mul/program.pte");
  expect_refused(dir, dump + " -e " + dump, 3, "expected an ETRecord, got an ETDump; pass it as the first argument");
  expect_refused(dir, record + " -e " + dump, 3, " is an ETDump; swap them");
  expect_refused(dir, dump + " -e " + program, 3, "pass it with --pte");
  expect_refused(dir, dump + " -p " + record, 3, "pass it with --etrecord");
  expect_refused(dir, dump + " -b " + record, 3, "expected the debug buffer");
}

TEST(CommandInput, TheDoctorSaysWhatTheFilesReallyAre) {
  const Scratch dir;
  const std::string dump = artifact("add_mul/etdump.etdp"), record = artifact("add_mul/etrecord.bin");
  const auto swapped = inspect(dir, "doctor " + record + " --etrecord " + dump);
  EXPECT_EQ(swapped.exit_code, 3);
  EXPECT_NE(swapped.out.find("ETDump and ETRecord are swapped"), std::string::npos) << swapped.out;
  EXPECT_NE(swapped.out.find("(given as --etrecord) is an ETDump"), std::string::npos) << swapped.out;
  test::write_file(dir / "empty", "");
  EXPECT_NE(inspect(dir, "doctor empty").out.find("empty (given as TRACE) is an empty file"), std::string::npos);

  const auto pair = inspect(dir, "doctor " + dump + " --etrecord " + record);
  EXPECT_EQ(pair.exit_code, 0) << pair.out << pair.err;
  EXPECT_NE(pair.out.find("[record-pairing]"), std::string::npos) << pair.out;
  const auto other = inspect(dir, "doctor " + dump + " -e " + artifact("lstm_xnnpack/etrecord.bin") + " --format json");
  EXPECT_EQ(other.exit_code, 1) << other.out;
  EXPECT_NE(other.out.find("\"record-pairing\""), std::string::npos) << other.out;
}

TEST(CommandInput, ACommandWithASlipIsRecognised) {
  const Scratch dir;
  expect_refused(dir, "shcema", 3, "no such file; did you mean the command 'schema'?");
}

TEST(CommandInput, AStoreStaysAsItWasWhenAnImportFails) {
  const Scratch dir;
  test::store_file(dir / "runs.db", {"a"});
  const std::string before = test::read_file(dir / "runs.db");
  test::write_file(dir / "noise", std::string(4096, '\x7f') + std::string(100, '\0'));
  const auto noise = inspect(dir, "noise --store runs.db");
  EXPECT_EQ(noise.exit_code, 3) << noise.err;
  EXPECT_EQ(test::read_file(dir / "runs.db"), before);
  EXPECT_EQ(inspect(dir, "noise --store new.db").exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(dir / "new.db")) << "a failed import leaves no empty store";
}

TEST(CommandInput, WhatIsNoStoreIsNotWrittenTo) {
  const Scratch dir;
  const std::string dump = artifact("add_mul/etdump.etdp");
  test::write_file(dir / "notes.txt", "my notes");
  expect_refused(dir, dump + " --store notes.txt", 3, "notes.txt: is not an SQLite database");
  EXPECT_EQ(test::read_file(dir / "notes.txt"), "my notes");
  expect_refused(dir, "traces notes.txt", 3, "notes.txt");
  expect_refused(dir, "notes.txt#3", 3, "expected a store before '#3', got text");
  expect_refused(dir, "none.db@latest", 3, "none.db: cannot open: no such file");
  expect_refused(dir, dump + " --name x", 2, "--name needs --store");
}

TEST(CommandInput, ADamagedStoreIsAnErrorAndNoCrash) {
  const Scratch dir;
  test::store_file(dir / "runs.db", {"a"});
  std::string bytes = test::read_file(dir / "runs.db");
  for (const size_t size : {size_t{16}, size_t{100}, bytes.size() / 3, bytes.size() - 100}) {
    test::write_file(dir / "cut.db", bytes.substr(0, size));
    const auto r = inspect(dir, "traces cut.db");
    EXPECT_TRUE(r.exit_code == 0 || r.exit_code == 3) << size << ": " << r.exit_code << r.err;
    if (r.exit_code == 3) {
      EXPECT_NE(r.err.find("cut.db"), std::string::npos) << r.err;
    }
    const auto q = inspect(dir, "sql cut.db 'SELECT * FROM ops'");
    EXPECT_TRUE(q.exit_code == 0 || q.exit_code == 3) << size << ": " << q.exit_code << q.err;
  }
}

TEST(CommandInput, ATruncatedDumpGivesWhatIsThereAndSaysSo) {
  const Scratch dir;
  const std::string bytes = test::read_file(artifact("add_mul/etdump.etdp"));
  test::write_file(dir / "cut.etdp", bytes.substr(0, bytes.size() - 8));
  const auto r = inspect(dir, "cut.etdp --format csv");
  EXPECT_TRUE(r.exit_code == 4 || r.exit_code == 3) << r.exit_code << r.err;
  EXPECT_NE(r.err.find("cut.etdp"), std::string::npos) << r.err;
  if (r.exit_code == 4) {
    EXPECT_EQ(inspect(dir, "cut.etdp --format csv --quiet").err, "");
  }
}

TEST(CommandInput, PointersOfGitLfsAreRecognised) {
  const Scratch dir;
  test::write_file(dir / "p.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n");
  const std::string dump = artifact("add_mul/etdump.etdp"), hint = "git lfs pull";
  for (const std::string& words : {std::string("p.bin"), dump + " -e p.bin", dump + " -p p.bin", dump + " -b p.bin"}) {
    expect_refused(dir, words, 3, hint);
  }
}

TEST(CommandInput, ARecordOfAnotherProgramIsADifference) {
  const Scratch dir;
  const auto r = inspect(dir, artifact("add_mul/etdump.etdp") + " -e " + artifact("lstm_xnnpack/etrecord.bin") +
                                  " -f csv --no-neighbours");
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_TRUE(r.err.starts_with("et-inspect: warning: ")) << r.err;
}

}  // namespace
}  // namespace et::cli
