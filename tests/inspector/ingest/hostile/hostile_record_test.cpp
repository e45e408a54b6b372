// Records that were made to do harm, through the whole import: bounded time and memory, nothing executed, nothing
// written outside the store.
#include <zip.h>

#include <chrono>
#include <cstring>

#include "tests/etrecord/support.h"
#include "tests/inspector/ingest/hostile/hostile.h"

namespace et::inspector::test {
namespace {

using etrecord::test::node_text;
using etrecord::test::PickleBuilder;
using etrecord::test::program_text;
using etrecord::test::small_record;
using etrecord::test::torch_zip;
using etrecord::test::ZipBuilder;

struct Outcome {
  Status status;
  std::string problems;
  Store store;
};

Outcome import_record(const std::string& path) {
  Outcome out;
  EXPECT_TRUE(Store::open("", Store::Mode::Memory, &out.store).ok());
  IngestInputs in;
  in.dump = fixture("add_mul", "etdump.etdp");
  in.record = path;
  IngestResult result;
  const auto begin = std::chrono::steady_clock::now();
  out.status = import_checked(out.store, in, &result);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  if (out.status.ok()) out.problems = problems(out.store, result.trace_id);
  return out;
}

Outcome import_record(ZipBuilder zip) {
  Scratch tmp;
  write_file(tmp / "r.bin", zip.finish());
  return import_record(tmp / "r.bin");
}

// One deflated member of zeros: a file of a few hundred kilobytes that unfolds to `size`.
void write_bomb(const std::string& path, const std::string& member, uint64_t size) {
  write_file(path, small_record().finish());
  int code = 0;
  zip_t* zip = zip_open(path.c_str(), 0, &code);
  ASSERT_NE(zip, nullptr);
  static const std::vector<uint8_t> zeros(1 << 20, 0);
  struct Feed {
    uint64_t left;
  } feed{size};
  zip_source_t* source = zip_source_function(
      zip,
      [](void* self, void* data, zip_uint64_t n, zip_source_cmd_t what) -> zip_int64_t {
        auto* f = static_cast<Feed*>(self);
        switch (what) {
          case ZIP_SOURCE_READ: {
            const uint64_t take = std::min<uint64_t>(n, f->left);
            std::memset(data, 0, take);
            f->left -= take;
            return static_cast<zip_int64_t>(take);
          }
          case ZIP_SOURCE_STAT: {
            auto* st = static_cast<zip_stat_t*>(data);
            zip_stat_init(st);
            return sizeof *st;
          }
          case ZIP_SOURCE_OPEN:
          case ZIP_SOURCE_CLOSE:
          case ZIP_SOURCE_FREE:
            return 0;
          case ZIP_SOURCE_SUPPORTS:
            return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                                  ZIP_SOURCE_FREE, -1);
          default:
            return -1;
        }
      },
      &feed);
  ASSERT_NE(source, nullptr);
  const zip_int64_t index = zip_file_add(zip, member.c_str(), source, ZIP_FL_OVERWRITE);
  ASSERT_GE(index, 0);
  ASSERT_EQ(zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), ZIP_CM_DEFLATE, 1), 0);
  ASSERT_EQ(zip_close(zip), 0);
}

TEST(HostileRecord, AZipBombIsRefusedInBoundedMemory) {
  Scratch tmp;
  for (const char* member :
       {"debug_handle_map", "edge_dialect_exported_program/forward", "reference_outputs", "another_graph"}) {
    write_bomb(tmp / "bomb.bin", member, uint64_t{300} << 20);
    ASSERT_LT(std::filesystem::file_size(tmp / "bomb.bin"), 2u << 20);
    const long before = peak_mib();
    const Outcome out = import_record(tmp / "bomb.bin");
    EXPECT_TRUE(!out.status.ok() || out.problems.find("record-") != std::string::npos)
        << member << ": " << out.problems;
    EXPECT_LT(peak_mib() - before, 150) << member;
  }
}

TEST(HostileRecord, NamesThatLeadOutOfTheZipWriteNothing) {
  Scratch tmp;
  for (const char* name : {"../escaped", "/tmp/et_hostile_escaped", "a/../../escaped", "..\\escaped"}) {
    const Outcome out = import_record(small_record().add(name, "x"));
    EXPECT_TRUE(out.status.ok()) << out.status.message();
    EXPECT_NE(out.problems.find("record-"), std::string::npos) << name;
  }
  EXPECT_FALSE(std::filesystem::exists("/tmp/et_hostile_escaped"));
  EXPECT_FALSE(std::filesystem::exists("../escaped"));
}

TEST(HostileRecord, JsonNestedAHundredThousandDeepIsDiagnosed) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  objects += "1" + std::string(100'000, '}');
  for (const std::string& text : {deep, objects}) {
    for (const char* member : {"debug_handle_map", "delegate_map", "instruction_id_to_num_outs_map",
                               "edge_dialect_exported_program/forward"}) {
      const Outcome out = import_record(small_record().add(member, text));
      EXPECT_TRUE(!out.status.ok() || out.problems.find("record-") != std::string::npos) << member;
    }
    const Outcome inside = import_record(small_record().add(
        "edge_dialect_exported_program/forward", program_text("[" + node_text("add", "aten.add.Tensor", text) + "]")));
    EXPECT_TRUE(!inside.status.ok() || inside.problems.find("record-") != std::string::npos);
  }
}

TEST(HostileRecord, APickleThatWouldRunACommandRunsNothing) {
  Scratch tmp;
  const std::string mark = tmp / "was_run";
  for (const auto& [module, function] : std::vector<std::pair<std::string, std::string>>{
           {"os", "system"}, {"posix", "system"}, {"subprocess", "call"}, {"builtins", "eval"}, {"builtins", "exec"}}) {
    const std::string pickle = PickleBuilder().global(module, function).raw("(").text("touch " + mark).raw("tR").stop();
    for (const char* member : {"reference_outputs", "representative_inputs"}) {
      const etrecord::test::Bytes archive = torch_zip(pickle);
      const Outcome out = import_record(small_record().add(member, archive));
      EXPECT_TRUE(out.status.ok()) << out.status.message();
      const Outcome bare = import_record(small_record().add(member, pickle));
      EXPECT_TRUE(bare.status.ok()) << bare.status.message();
      Statement st = out.store.query("SELECT count(*) FROM raw_tensor");
      ASSERT_TRUE(st.step());
      EXPECT_EQ(st.integer(0), 0);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST(HostileRecord, TensorsWhoseSizesOverflowKeepNoData) {
  for (const int64_t size : {INT64_MAX, int64_t{1} << 40, int64_t{-1}}) {
    const std::string pickle =
        PickleBuilder().raw("(").tensor("FloatStorage", "0", size, 0, {size, 4}, {4, 1}).raw("l").stop();
    const Outcome out = import_record(
        small_record().add("representative_inputs", torch_zip(pickle, {{"0", etrecord::test::Bytes(64, 0)}})));
    ASSERT_TRUE(out.status.ok()) << out.status.message();
    Statement st = out.store.query("SELECT count(*) FROM raw_tensor WHERE data IS NOT NULL");
    ASSERT_TRUE(st.step());
    EXPECT_EQ(st.integer(0), 0) << size;
  }
}

TEST(HostileRecord, NamesThatAreNotUtf8AreReplacedInTheStore) {
  const std::string name = "add\xff\xfe\x1b[31m";
  const Outcome out = import_record(small_record().add(
      "edge_dialect_exported_program/forward",
      program_text(
          "[" +
          node_text(
              R"(add\ud800\u0000)", "executorch.exir.dialects.edge.ops.aten.add.Tensor", "[]",
              R"({"debug_handle": "1", "stack_trace": "File \"x\u0000.py\", line 3, in \udfff\n  y = \u001b[2J"})") +
          "]")));
  EXPECT_TRUE(out.status.ok()) << out.status.message();
  const Outcome raw = import_record(small_record().add(
      "edge_dialect_exported_program/forward",
      program_text("[" + node_text(name, "executorch.exir.dialects.edge.ops.aten.add.Tensor") + "]")));
  EXPECT_TRUE(!raw.status.ok() || !raw.problems.empty());
}

}  // namespace
}  // namespace et::inspector::test
