// The examples of CONTRIBUTING.md work as they stand there: a row in a table, and everything follows from it.
#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "inspector/ingest/import.h"
#include "inspector/ingest/importers.h"
#include "inspector/ingest/links/linker.h"

namespace et::inspector {

Status load_labels(Import& in);
void write_labels(Import& in);
bool is_demo0_payload(Span<const uint8_t> bytes);
FileError read_demo0(Span<const uint8_t> bytes, DelegateFacts* out);
void link_demo0_events(DelegateCall& call);

namespace {

constexpr PayloadKind kExampleKinds[] = {
#include "payload_row.inc"
};
constexpr Importer kExampleImporters[] = {
    kImporters[0],
    kImporters[1],
    kImporters[2],
#include "importer_row.inc"
};

std::string fixture_path(const std::string& name) { return std::string(ET_FIXTURES) + "/artifacts/" + name; }

std::string scratch_path(const std::string& name) {
  return testing::TempDir() + "contributing_" + std::to_string(::getpid()) + "_" + name;
}

struct Written {
  Written(const std::string& name, const std::string& bytes) : path(scratch_path(name)) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~Written() { std::filesystem::remove(path); }
  std::string path;
};

/// A program whose first delegate has a DEMO0 payload of two operators.
std::string program_with_demo0() {
  std::ifstream in(fixture_path("demo_backend/program.pte"), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const size_t at = bytes.find("2version:0#op:demo");
  const size_t end = bytes.find('\0', at);
  std::string payload = "DEMO0\nmatmul\n";
  const size_t rest = end - at - payload.size();
  payload += std::string(rest - 1, 'x') + "\n";
  return bytes.replace(at, payload.size(), payload);
}

int64_t count_rows(const Store& store, const std::string& sql) {
  Statement st = store.query(sql);
  return st.step() ? st.integer(0) : -1;
}

TEST(Contributing, APayloadKindIsAFolderAndARow) {
  const Written program("demo0.pte", program_with_demo0());
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs inputs;
  inputs.program = program.path;
  IngestResult result;
  IngestTables tables;
  tables.payload_kinds = kExampleKinds;
  const Status status = ingest(store, inputs, {}, &result, tables);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(count_rows(store, "SELECT payload_nodes FROM delegates WHERE payload_kind = 'demo0'"), 2);
  EXPECT_EQ(count_rows(store, "SELECT count(*) FROM payload_nodes WHERE type = 'matmul'"), 1);
}

TEST(Contributing, EventsOfThePayloadKindAreLinked) {
  const Written program("demo0.pte", program_with_demo0());
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs inputs;
  inputs.program = program.path;
  const Progress progress;
  Import in{{store, inputs, progress, {}, 0, false, kExampleKinds}};
  ASSERT_TRUE(load_program(in).ok());
  const MethodFacts& method = in.program.methods().at(0);
  const auto call = std::find_if(method.instructions.begin(), method.instructions.end(),
                                 [](const InstructionFacts& i) { return i.delegate == 0; });
  ASSERT_NE(call, method.instructions.end());
  Block& block = in.trace.blocks.emplace_back();
  block.method = method.name;
  block.ops = {0};
  Op& op = in.trace.ops.emplace_back();
  op.kind = OpKind::DelegateOp;
  op.key.instruction = static_cast<int32_t>(call - method.instructions.begin());
  op.key.delegate_int = 1;

  LinkContext links{in.context, in.record, in.program};
  link_trace(links, in.trace);
  EXPECT_EQ(in.trace.ops[0].payload_node, 1);
  EXPECT_EQ(method.delegates[0].nodes[1].events, 1);
}

TEST(Contributing, APayloadOfTheExampleThatIsCutIsADiagnostic) {
  std::string bytes = program_with_demo0();
  bytes[bytes.find('\0', bytes.find("DEMO0")) - 1] = 'x';
  const Written program("cut.pte", bytes);
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs inputs;
  inputs.program = program.path;
  IngestResult result;
  IngestTables tables;
  tables.payload_kinds = kExampleKinds;
  ASSERT_TRUE(ingest(store, inputs, {}, &result, tables).ok());
  EXPECT_EQ(count_rows(store, "SELECT count(*) FROM diagnostics WHERE id = 'delegate-payload-unreadable'"), 1);
}

TEST(Contributing, AnImporterIsAFileAndARow) {
  const Written labels("labels.txt", "board=pixel\nbuild=a=b\n");
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs inputs;
  inputs.dump = fixture_path("add_mul/etdump.etdp");
  input_file(inputs, kExampleImporters[3]) = labels.path;
  IngestResult result;
  IngestTables tables;
  tables.importers = kExampleImporters;
  const Status status = ingest(store, inputs, {}, &result, tables);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(count_rows(store, "SELECT count(*) FROM raw_label WHERE value IN ('pixel', 'a=b')"), 2);
  EXPECT_EQ(importer_of(FileKind::Text, kExampleImporters), &kExampleImporters[3]);
}

TEST(Contributing, AFileThatTheExampleRefusesLeavesNothingBehind) {
  const Written labels("labels.txt", "board=pixel\nnothing\n");
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs inputs;
  inputs.dump = fixture_path("add_mul/etdump.etdp");
  inputs.more["labels"] = labels.path;
  IngestResult result;
  IngestTables tables;
  tables.importers = kExampleImporters;
  const Status status = ingest(store, inputs, {}, &result, tables);
  EXPECT_EQ(status.message(), labels.path + ": line 2: expected KEY=VALUE, got 'nothing'");
  EXPECT_EQ(count_rows(store, "SELECT count(*) FROM traces"), 0);
}

}  // namespace
}  // namespace et::inspector
