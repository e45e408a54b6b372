// Files that are not what the option says: one error that names the file and what was expected.
#include <sys/stat.h>
#include <unistd.h>

#include "tests/inspector/ingest/hostile/hostile.h"

namespace et::inspector::test {
namespace {

struct Role {
  const char* name;
  std::string IngestInputs::*file;
};
constexpr Role kDump = {"dump", &IngestInputs::dump}, kRecord = {"record", &IngestInputs::record},
               kProgram = {"program", &IngestInputs::program}, kBuffer = {"buffer", &IngestInputs::debug_buffer};

IngestInputs sound() {
  IngestInputs in;
  in.dump = fixture("add_mul", "debug.etdp");
  in.record = fixture("add_mul", "etrecord.bin");
  in.program = fixture("add_mul", "program.pte");
  in.debug_buffer = fixture("add_mul", "debug.bin");
  return in;
}

Status import_with(const Role& role, const std::string& path, std::string* found = nullptr) {
  Store store;
  EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs in = sound();
  in.*role.file = path;
  IngestResult result;
  const Status status = import_checked(store, in, &result);
  if (status.ok() && found != nullptr) *found = problems(store, result.trace_id);
  if (!status.ok()) {
    EXPECT_NE(status.message().find(path), std::string::npos) << status.message();
    EXPECT_NE(status.code(), Error::InvalidArgument) << "a bad file is no wrong usage: " << status.message();
  }
  return status;
}

TEST(WrongFile, ADumpRecordOrProgramOfAnotherKindIsRefused) {
  Scratch tmp;
  write_file(tmp / "picture.png", std::string_view("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01", 20));
  write_file(tmp / "notes.txt", "the quick brown fox jumps over the lazy dog, and again, and again\n");
  write_file(tmp / "zeros", Bytes(4096, 0));
  write_file(tmp / "short", "E");
  const std::string dump = fixture("add_mul", "etdump.etdp"), record = fixture("add_mul", "etrecord.bin"),
                    program = fixture("add_mul", "program.pte");
  for (const Role& role : {kDump, kRecord, kProgram}) {
    for (const std::string& path : {tmp / "picture.png", tmp / "notes.txt", tmp / "zeros", tmp / "short", dump, record,
                                    program, fixture("add_mul", "debug.bin")}) {
      if ((role.name == kDump.name && path == dump) || (role.name == kRecord.name && path == record) ||
          (role.name == kProgram.name && path == program)) {
        continue;
      }
      const Status status = import_with(role, path);
      EXPECT_FALSE(status.ok()) << path << " as " << role.name;
    }
  }
}

TEST(WrongFile, EmptyMissingDirectoryAndPipeAreNamedForEveryOption) {
  Scratch tmp;
  write_file(tmp / "empty", "");
  ASSERT_EQ(::mkfifo((tmp / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(tmp / "folder");
  for (const Role& role : {kDump, kRecord, kProgram, kBuffer}) {
    for (const char* name : {"empty", "missing", "folder", "pipe"}) {  // a pipe without a writer must not block
      EXPECT_FALSE(import_with(role, tmp / name).ok()) << name << " as " << role.name;
    }
    EXPECT_FALSE(import_with(role, "/dev/zero").ok()) << role.name;
  }
}

TEST(WrongFile, AFileWithoutPermissionIsNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  Scratch tmp;
  write_file(tmp / "secret", read_file(sound().dump));
  ASSERT_EQ(::chmod((tmp / "secret").c_str(), 0), 0);
  for (const Role& role : {kDump, kRecord, kProgram, kBuffer}) {
    EXPECT_EQ(import_with(role, tmp / "secret").code(), Error::AccessFailed) << role.name;
  }
}

TEST(WrongFile, ADebugBufferOfAnotherDumpIsDiagnosed) {
  Scratch tmp;
  write_file(tmp / "small.bin", Bytes(3, 1));
  std::string found;
  ASSERT_TRUE(import_with(kBuffer, tmp / "small.bin", &found).ok());
  EXPECT_NE(found.find("debug-value-unreadable"), std::string::npos) << found;
}

TEST(WrongFile, RecordAndProgramOfAnotherModelAreMismatchesAndLinkNothing) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs in = sound();
  in.record = fixture("partial_delegation", "etrecord.bin");
  in.program.clear();
  IngestResult result;
  ASSERT_TRUE(import_checked(store, in, &result).ok());
  EXPECT_TRUE(result.mismatch);
  EXPECT_NE(problems(store, result.trace_id).find("record-mismatch"), std::string::npos);
  Statement st = store.query("SELECT count(*) FROM links");
  ASSERT_TRUE(st.step());
  EXPECT_EQ(st.integer(0), 0);

  in = sound();
  in.program = fixture("lstm_xnnpack", "program.pte");
  ASSERT_TRUE(import_checked(store, in, &result).ok());
  EXPECT_TRUE(result.mismatch);
  EXPECT_NE(problems(store, result.trace_id).find("program-mismatch"), std::string::npos);
}

}  // namespace
}  // namespace et::inspector::test
