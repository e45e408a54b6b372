// An ETDump comes out of a serial log as it went in, whatever stands around it; what is lost is named by its line.
#include "inspector/ingest/dump/serial_log.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "inspector/ingest/ingest.h"

namespace et::inspector::test {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
Bytes dump() { return read_bytes(std::string(ET_FIXTURES) + "/artifacts/add_mul/etdump.etdp"); }

std::string base64(const Bytes& bytes) {
  const char* const kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t v = 0;
    for (size_t k = 0; k < 3; ++k) v = v << 8 | (i + k < bytes.size() ? bytes[i + k] : 0);
    for (size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kAlphabet[v >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

/// `text` in lines of `width`, each with the prefix.
std::string in_lines(const std::string& text, size_t width, const std::string& prefix = "",
                     const std::string& end = "\n") {
  std::string out;
  for (size_t at = 0; at < text.size(); at += width) out += prefix + text.substr(at, width) + end;
  return out;
}

std::vector<LogFile> files(const std::string& log) {
  return files_of_log({reinterpret_cast<const uint8_t*>(log.data()), log.size()});
}

/// The only file of a log, which must be a whole ETDump.
void expect_dump(const std::string& log, size_t first_line, size_t last_line) {
  const std::vector<LogFile> found = files(log);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_dump && found[0].complete());
  EXPECT_EQ(found[0].bytes, dump());
  EXPECT_EQ(found[0].first_line, first_line);
  EXPECT_EQ(found[0].last_line, last_line);
}

const std::string kBoot = "I [executorch:main.cpp:1] loading\n";

TEST(SerialLog, UpstreamsFormOfToday) {
  expect_dump(kBoot + "#[RUN THIS]\n# Writing etdump.bin [base64]\necho \"" + base64(dump()) +
                  "\" | base64 -d >etdump.bin\npython3 -m devtools.inspector.inspector_cli\n#[END]\nProgram complete\n",
              4, 4);
}

TEST(SerialLog, UpstreamsFormOfRelease06) {
  expect_dump(kBoot + "#---\nbase64 -i -d <<<\"\\\n" + base64(dump()) + "\n\" >etdump.bin\npython3 -m x\n#---\n", 4, 5);
}

TEST(SerialLog, BareBase64AndAWordBehindIt) { expect_dump(kBoot + base64(dump()) + "\ndone\n", 2, 2); }

TEST(SerialLog, LinesOf76WithCarriageReturns) {
  const std::string text = base64(dump());
  expect_dump("boot\r\n" + in_lines(text, 76, "", "\r\n") + "Program complete\r\n", 2, 1 + (text.size() + 75) / 76);
}

TEST(SerialLog, ATerminalThatWrapsTheEchoAt80Columns) {
  const std::string text = "echo \"" + base64(dump()) + "\" | base64 -d >etdump.bin\n";
  const std::vector<LogFile> found = files(in_lines(text, 80));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].bytes, dump());
}

TEST(SerialLog, SingleQuotesAndATerminalThatWraps) {
  const std::vector<LogFile> found = files(in_lines("echo '" + base64(dump()) + "' | base64 -d >etdump.bin\n", 100));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].bytes, dump());
}

TEST(SerialLog, TimestampsInFrontOfEachLine) {
  std::string log, text = base64(dump());
  size_t lines = 0;
  for (size_t at = 0; at < text.size(); at += 64, ++lines)
    log +=
        "[12:0" + std::to_string(lines / 10) + ":" + std::to_string(lines % 60) + ".125] " + text.substr(at, 64) + "\n";
  expect_dump("[12:00:00.000] boot\n" + log + "[12:09:00.000] done\n", 2, 1 + lines);
}

TEST(SerialLog, OtherOutputBetweenTheLines) {
  const std::string text = base64(dump());
  std::string log;
  size_t lines = 0;
  for (size_t at = 0; at < text.size(); at += 64, ++lines) {
    log += text.substr(at, 64) + "\n";
    if (lines == 3) log += "I 00:00:01 [sensor] 21.5 degrees\nidle\n\n";
  }
  expect_dump(log, 1, lines + 3);
  EXPECT_EQ(files(log)[0].skipped_lines, 2u);
}

TEST(SerialLog, SeveralDumpsAndTheDebugBufferInFront) {
  const Bytes buffer(100, 7);
  std::string log;
  for (int run = 0; run < 2; ++run) {
    log += "echo \"" + base64(buffer) + "\" | base64 -d >debug_buffer.bin\necho \"" + base64(dump()) +
           "\" | base64 -d >etdump.bin\n";
  }
  const std::vector<LogFile> found = files(log);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].name, "debug_buffer.bin");
  EXPECT_EQ(found[0].bytes, buffer);
  EXPECT_EQ(found[3].name, "etdump.bin");
  EXPECT_EQ(found[3].bytes, dump());
  EXPECT_EQ(found[3].first_line, 4u);
}

TEST(SerialLog, ALogThatEndsEarlyKeepsWhatIsThere) {
  const std::string text = base64(dump());
  const std::vector<LogFile> found = files(in_lines(text.substr(0, 640), 64));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].complete());
  const Bytes whole = dump();
  EXPECT_EQ(found[0].bytes, Bytes(whole.begin(), whole.begin() + 480));
  EXPECT_EQ(found[0].expected, whole.size());
}

TEST(SerialLog, TextInTheMiddleOfALineIsNamedAndEndsWhatIsRead) {
  const std::string text = base64(dump());
  const std::vector<LogFile> found = files(in_lines(text.substr(0, 256), 64) + text.substr(256, 30) +
                                           "I 00:01 [sensor] late\n" + in_lines(text.substr(286), 64));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].broken_line, 5u);
  EXPECT_FALSE(found[0].complete());
  const Bytes whole = dump();
  EXPECT_EQ(found[0].bytes, Bytes(whole.begin(), whole.begin() + 192));
}

TEST(SerialLog, OrdinaryTextHasNoFile) {
  EXPECT_TRUE(files("").empty());
  EXPECT_TRUE(files("I [executorch:runtime/executor/method.cpp] AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n").empty());
  EXPECT_TRUE(files("echo \"short\" >x\n").empty());
}

class LogImport : public ::testing::Test {
 protected:
  LogImport() : folder_(std::filesystem::temp_directory_path() / ("et_log_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store_).ok());
  }
  ~LogImport() override { std::filesystem::remove_all(folder_); }
  Status import(const std::string& log, int64_t index = -1, bool with_buffer = false) {
    IngestInputs in;
    in.dump = (folder_ / "serial.log").string();
    if (with_buffer) in.debug_buffer = in.dump;
    in.dump_index = index;
    std::ofstream(in.dump, std::ios::binary) << log;
    return ingest(store_, in, {}, &result_);
  }
  std::string said(const std::string& id) {
    Statement st = store_.query("SELECT message FROM diagnostics WHERE id = ?1 ORDER BY trace_id DESC");
    st.bind_all(id);
    return st.step() ? st.str(0) : "";
  }
  int64_t count(const char* sql) {
    Statement st = store_.query(sql);
    return st.step() ? st.integer(0) : -1;
  }
  std::filesystem::path folder_;
  Store store_;
  IngestResult result_;
};

TEST_F(LogImport, TheLastOfSeveralIsReadUnlessAnotherIsAskedFor) {
  const Bytes other = read_bytes(std::string(ET_FIXTURES) + "/artifacts/lstm/etdump.etdp");
  const std::string log = base64(other) + "\n" + base64(dump()) + "\n";
  ASSERT_TRUE(import(log).ok());
  EXPECT_EQ(count("SELECT dump_bytes FROM traces"), static_cast<int64_t>(dump().size()));
  EXPECT_NE(said("dump-in-log").find("line 2: an ETDump in base64, 2 of 2"), std::string::npos) << said("dump-in-log");
  ASSERT_TRUE(import(log, 0).ok());
  EXPECT_EQ(count("SELECT dump_bytes FROM traces WHERE trace_id = 2"), static_cast<int64_t>(other.size()));
  const Bytes plain = dump();
  EXPECT_EQ(import({plain.begin(), plain.end()}, 1).code(), Error::InvalidArgument);
  const Status none = import(log, 2);
  EXPECT_EQ(none.code(), Error::InvalidArgument);
  EXPECT_NE(none.message().find("expected at most 1"), std::string::npos) << none.message();
}

TEST_F(LogImport, LoggedTensorsComeOutOfTheSameLog) {
  const std::string root = std::string(ET_FIXTURES) + "/artifacts/add_mul/";
  const std::string log = "echo \"" + base64(read_bytes(root + "debug.bin")) +
                          "\" | base64 -d >debug_buffer.bin\necho \"" + base64(read_bytes(root + "debug.etdp")) +
                          "\" | base64 -d >etdump.bin\n";
  ASSERT_TRUE(import(log, -1, true).ok());
  EXPECT_GT(count("SELECT count(*) FROM debug_values WHERE problem IS NULL AND mean IS NOT NULL"), 0);
  EXPECT_EQ(said("debug-value-unreadable"), "");
}

TEST_F(LogImport, ATruncatedLogIsDataLossWithItsLines) {
  const std::string text = base64(dump());
  (void)import("boot\n" + in_lines(text.substr(0, text.size() / 2), 64));
  if (const std::string what = said("log-incomplete"); !what.empty()) {
    EXPECT_NE(what.find("serial.log: lines 2–"), std::string::npos) << what;
    EXPECT_TRUE(result_.data_loss);
  } else {
    ADD_FAILURE() << "nothing is said of the loss";
  }
}

TEST_F(LogImport, TextWithoutAnETDumpSaysSo) {
  const Status status = import("I [main] hello\nI [main] done\n");
  EXPECT_EQ(status.code(), Error::InvalidExternalData);
  EXPECT_NE(status.message().find("expected an ETDump, got text without one in base64"), std::string::npos)
      << status.message();
}

}  // namespace
}  // namespace et::inspector::test
