// Files that want to do harm, and files that came to harm: a clear error or a diagnosed partial result.
#include <gtest/gtest.h>
#include <zip.h>

#include <chrono>
#include <limits>

#include "etrecord/program_json.h"
#include "tests/etrecord/support.h"

namespace et::etrecord::test {
namespace {

Status open(const Bytes& bytes, Record* record) { return Record::open(bytes, "r.bin", record); }

bool mentions(const Status& status, std::string_view text) { return status.message().find(text) != std::string::npos; }

// A zip with one deflated member of `size` zeros, after the members of a small record.
Bytes bomb(const std::string& member, uint64_t size) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(target);
  zip_t* zip = zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &error);
  const std::string zeros(size, ' ');
  zip_file_add(zip, "ETRECORD_V0", zip_source_buffer(zip, "", 0, 0), 0);
  const zip_int64_t at = zip_file_add(zip, member.c_str(), zip_source_buffer(zip, zeros.data(), zeros.size(), 0), 0);
  zip_set_file_compression(zip, static_cast<zip_uint64_t>(at), ZIP_CM_DEFLATE, 9);
  zip_close(zip);
  zip_source_open(target);
  zip_stat_t st;
  zip_stat_init(&st);
  zip_source_stat(target, &st);
  Bytes out(st.size);
  zip_source_read(target, out.data(), out.size());
  zip_source_close(target);
  zip_source_free(target);
  return out;
}

TEST(HostileZip, BombIsRefusedBeforeItInflates) {
  const Bytes bytes = bomb("debug_handle_map", uint64_t{100} << 20);
  ASSERT_LT(bytes.size(), size_t{1} << 20);
  Record record;
  const Status status = open(bytes, &record);
  EXPECT_EQ(status.code(), Error::InvalidExternalData);
  EXPECT_TRUE(mentions(status, "zip bomb")) << status.message();
}

TEST(HostileZip, HonestCompressionIsRead) {
  const Bytes bytes = bomb("debug_handle_map", 1000);  // blanks: no JSON, but they inflate
  Record record;
  const Status status = open(bytes, &record);
  EXPECT_TRUE(mentions(status, "debug_handle_map: JSON at byte 1000")) << status.message();
}

TEST(HostileZip, TotalOfInflatedBytesIsBounded) {
  const Bytes bytes = bomb("m", 100000);
  ZipLimits limits;
  limits.max_inflated_total = 150000;
  ZipReader zip;
  ASSERT_TRUE(ZipReader::open(bytes, "z", limits, &zip).ok());
  ZipBytes data;
  EXPECT_TRUE(zip.read("m", &data).ok());
  EXPECT_EQ(zip.read("m", &data).code(), Error::OutOfResources);
}

TEST(HostileZip, NamesThatLeaveTheArchiveAreReportedAndIgnored) {
  for (const std::string& name :
       {std::string("../evil"), std::string("a/../../b"), std::string("/etc/passwd"), std::string("a\\..\\b"),
        std::string("C:\\x"), std::string("debug_handle_map\0.txt", 20)}) {
    auto zip = small_record();
    zip.add(name, "{}");
    Record record;
    ASSERT_TRUE(open(zip.finish(), &record).ok()) << name;
    EXPECT_TRUE(has_problem(record, "zip-unsafe-member")) << name;
    EXPECT_FALSE(record.has_member(name));
    EXPECT_EQ(record.programs().size(), 1u);
  }
}

TEST(HostileZip, ANameWithANulDoesNotPassForAnother) {
  ZipBuilder zip;
  zip.add("ETRECORD_V0", "");
  zip.add(std::string("debug_handle_map\0x", 18), R"({"forward": {"0": 666}})");
  zip.add("debug_handle_map", R"({"forward": {"0": 1}})");
  Record record;
  ASSERT_TRUE(open(zip.finish(), &record).ok());
  EXPECT_EQ(record.debug_handle_map().at("forward").at(0), std::vector<int64_t>{1});
}

TEST(HostileZip, OfTwoMembersWithOneNameTheLastCountsAndItIsSaid) {
  auto zip = small_record();
  zip.add("debug_handle_map", R"({"forward": {"0": 2}})");
  Record record;
  ASSERT_TRUE(open(zip.finish(), &record).ok());
  EXPECT_TRUE(has_problem(record, "zip-duplicate-member"));
  EXPECT_EQ(record.debug_handle_map().at("forward").at(0), std::vector<int64_t>{2});
}

TEST(HostileZip, EncryptedMembersAreRefused) {
  ZipBuilder zip;
  zip.add("ETRECORD_V0", "").add("debug_handle_map", bytes_of("{}"), 1);
  Record record;
  const Status status = open(zip.finish(), &record);
  EXPECT_TRUE(mentions(status, "encrypted")) << status.message();
}

TEST(HostileZip, DamagedMembersAreNoticed) {
  Bytes bytes = small_record().finish();
  const std::string_view needle = R"({"forward": {"0": 1}})";
  const auto at = std::search(bytes.begin(), bytes.end(), needle.begin(), needle.end());
  ASSERT_NE(at, bytes.end());
  *(at + 18) = '7';
  Record record;
  ASSERT_TRUE(open(bytes, &record).ok());
  EXPECT_TRUE(has_problem(record, "map-unreadable"));
  EXPECT_TRUE(record.debug_handle_map().empty());
  EXPECT_FALSE(record.has_debug_handle_map());
}

TEST(HostileZip, WhatIsNoRecordSaysSo) {
  Record record;
  EXPECT_TRUE(mentions(open({}, &record), "empty file"));
  EXPECT_TRUE(mentions(open(bytes_of("hello, I am a text"), &record), "not a zip"));
  EXPECT_TRUE(mentions(open(ZipBuilder().add("a", "b").finish(), &record), "ETRECORD_V0"));
  EXPECT_TRUE(mentions(open(ZipBuilder().add("ETRECORD_V0", "").finish(), &record), "nothing readable"));
}

TEST(HostileZip, TruncatedAnywhereIsAClearError) {
  const auto path = artifact("add_mul", "etrecord.bin");
  const Bytes whole = path.empty() ? small_record().finish() : read_file(path);
  for (size_t n = 0; n < whole.size(); n += std::max<size_t>(1, whole.size() / 700)) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    Record record;
    const Status status = open(cut, &record);
    ASSERT_FALSE(status.ok()) << n;
    EXPECT_TRUE(mentions(status, "r.bin")) << status.message();
  }
}

TEST(HostileZip, FlippedBitsNeverCrash) {
  std::vector<Bytes> files = {small_record().finish()};
  for (const char* name : {"add_mul", "control_flow_cond", "demo_nested", "many_outputs"}) {
    if (const auto path = artifact(name, "etrecord.bin"); !path.empty()) files.push_back(read_file(path));
  }
  uint64_t seed = 1;
  const auto random = [&seed] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(seed >> 33);
  };
  for (const Bytes& whole : files) {
    for (int round = 0; round < 150; ++round) {
      Bytes bytes = whole;
      // Often near the end, where the directory is.
      const size_t range = round % 2 == 0 ? bytes.size() : std::min<size_t>(bytes.size(), 1200);
      for (size_t k = 0; k <= random() % 4; ++k) {
        uint8_t& byte = bytes[bytes.size() - 1 - random() % range];
        byte = static_cast<uint8_t>(byte ^ 1u << random() % 8);
      }
      Record record;
      if (!open(bytes, &record).ok()) continue;
      for (const auto& m : record.zip().members()) {
        TorchArchive archive;
        if (record.tensors(m.name, &archive).ok()) {
          for (const auto& [path, t] : archive.tensors()) {
            std::vector<uint8_t> data;
            (void)t->contiguous(&data, 1 << 20);
          }
        }
      }
    }
  }
}

Status unpickle(const std::string& pickle, TorchArchive* archive,
                const std::vector<std::pair<std::string, Bytes>>& storages = {}) {
  static Bytes bytes;  // outlives the archive
  bytes = torch_zip(pickle, storages);
  return TorchArchive::open(bytes, "t", archive);
}

TEST(HostilePickle, CommandsAreRefusedByName) {
  const std::pair<const char*, const char*> globals[] = {
      {"os", "system"},          {"posix", "system"}, {"builtins", "eval"},  {"__builtin__", "exec"},
      {"subprocess", "Popen"},   {"torch", "load"},   {"torch.hub", "load"}, {"torch._utils", "_rebuild_sparse_tensor"},
      {"collections", "Counter"}};
  for (const auto& [module, name] : globals) {
    TorchArchive archive;
    const auto status = unpickle(PickleBuilder().global(module, name).text("echo owned").raw("\x85R").stop(), &archive);
    EXPECT_EQ(status.code(), Error::NotSupported);
    EXPECT_TRUE(mentions(status, "refused: " + std::string(module) + "." + name)) << status.message();
  }
  TorchArchive archive;
  EXPECT_TRUE(
      mentions(unpickle(PickleBuilder().text("os").text("system").raw("\x93").stop(), &archive), "refused: os.system"));
  EXPECT_TRUE(mentions(unpickle(PickleBuilder().raw("(").text("ls").raw("ios\nsystem\n").stop(), &archive),
                       "refused: os.system"));
}

TEST(HostilePickle, ClassesAreNotCalled) {
  TorchArchive archive;
  // A class of torchao may stand as data in a tensor's description, never be called.
  const auto call = PickleBuilder().global("torchao.quantization", "X").raw(")R").stop();
  EXPECT_TRUE(mentions(unpickle(call, &archive), "refused: call of torchao.quantization.X"));
  for (const char* op : {"\x81", "o", "\x92", "\x82", "P0\n", "\x97"}) {
    const auto status =
        unpickle(PickleBuilder().raw("(").global("collections", "OrderedDict").raw(")").raw(op).stop(), &archive);
    EXPECT_TRUE(mentions(status, "refused: opcode")) << status.message();
  }
}

TEST(HostilePickle, ObjectsThatContainThemselvesAreRefused) {
  TorchArchive archive;
  EXPECT_TRUE(mentions(unpickle(PickleBuilder().raw("]").put(0).get(0).raw("a").stop(), &archive), "contains itself"));
  EXPECT_TRUE(mentions(unpickle(PickleBuilder().raw("}").put(0).text("k").get(0).raw("s").stop(), &archive),
                       "contains itself"));
}

TEST(HostilePickle, DoublingIsRefused) {
  PickleBuilder p;
  p.raw("]").put(0);
  for (int i = 0; i < 60; ++i) p.raw("0").get(i).get(i).raw("\x86").put(i + 1);
  TorchArchive archive;
  EXPECT_EQ(unpickle(p.stop(), &archive).code(), Error::OutOfResources);
}

TEST(HostilePickle, DepthIsBounded) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "(";
  for (int i = 0; i < 100000; ++i) deep += "t";
  TorchArchive archive;
  EXPECT_EQ(unpickle(PickleBuilder().raw(deep).stop(), &archive).code(), Error::OutOfResources);
}

TEST(HostilePickle, StorageMustHoldWhatTheTensorReaches) {
  const Bytes data(16);  // four floats
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  struct Case {
    int64_t count, offset;
    std::vector<int64_t> sizes, strides;
    const char* message;
  };
  const Case bad[] = {
      {4, 0, {5}, {1}, "reaches element 4"},
      {4, 1, {4}, {1}, "reaches element 4"},
      {5, 0, {4}, {1}, "has 16 bytes"},
      {kMax, 0, {4}, {1}, "has 16 bytes"},
      {-1, 0, {4}, {1}, "expected (\"storage\""},
      {4, -1, {1}, {1}, "impossible"},
      {4, 0, {2, 2}, {-1, 1}, "impossible"},
      {4, 0, {-2}, {1}, "impossible"},
      {4, 0, {2}, {kMax}, "reaches element"},
      {4, 2, {3}, {kMax}, "impossible"},
      {4, 0, {kMax, kMax}, {0, 0}, "impossible"},
      {4, 0, {int64_t{1} << 32, int64_t{1} << 32}, {0, 0}, "impossible"},
      {4, 0, {0, kMax, kMax}, {1, 1, 1}, "impossible"},
      {4, 0, {2, 2}, {1}, "impossible"},
      {4, kMax, {1}, {1}, "reaches"},
  };
  for (const Case& c : bad) {
    TorchArchive archive;
    const auto p = PickleBuilder().tensor("FloatStorage", "0", c.count, c.offset, c.sizes, c.strides).stop();
    const Status status = unpickle(p, &archive, {{"0", data}});
    EXPECT_FALSE(status.ok());
    EXPECT_TRUE(mentions(status, c.message)) << status.message() << " for " << c.message;
  }
  TorchArchive archive;
  EXPECT_TRUE(
      mentions(unpickle(PickleBuilder().tensor("FloatStorage", "1", 4, 0, {4}, {1}).stop(), &archive, {{"0", data}}),
               "no member archive/data/1"));
}

TEST(HostilePickle, AViewRepeatedEndlesslyIsNotMaterialised) {
  TorchArchive archive;
  const auto p = PickleBuilder().tensor("FloatStorage", "0", 1, 0, {int64_t{1} << 40}, {0}).stop();
  ASSERT_TRUE(unpickle(p, &archive, {{"0", Bytes(4)}}).ok());
  std::vector<uint8_t> data;
  EXPECT_EQ(archive.root().tensor->contiguous(&data).code(), Error::OutOfResources);
}

TEST(HostilePickle, EveryTruncationAndEveryOpcodeIsHandled) {
  const std::string good = PickleBuilder().raw("]").tensor("FloatStorage", "0", 4, 0, {2, 2}, {2, 1}).raw("a").stop();
  TorchArchive archive;
  ASSERT_TRUE(unpickle(good, &archive, {{"0", Bytes(16)}}).ok());
  for (size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(unpickle(good.substr(0, n), &archive, {{"0", Bytes(16)}}).ok());
  for (size_t at = 0; at < good.size(); ++at) {
    for (int op = 0; op < 256; op += 3) {
      std::string bad = good;
      bad[at] = static_cast<char>(op);
      (void)unpickle(bad, &archive, {{"0", Bytes(16)}});
    }
  }
}

TEST(HostilePickle, DamagedStoragesInsideOfAPickleGiveErrors) {
  const std::string storage = storage_bytes("FloatStorage", "7", 2, std::string(8, 'x'));
  const auto read = [](const std::string& bytes) {
    TorchArchive archive;
    return TorchArchive::open(bytes_of(bare_tensor(bytes, {2}, {1})), "t", &archive);
  };
  ASSERT_TRUE(read(storage).ok()) << read(storage).message();
  for (size_t n = 0; n < storage.size(); ++n) EXPECT_FALSE(read(storage.substr(0, n)).ok()) << n;
  for (size_t at = 0; at + 8 < storage.size(); ++at) {
    for (int op = 0; op < 256; op += 17) {
      std::string bad = storage;
      bad[at] = static_cast<char>(op);
      (void)read(bad);
    }
  }
  EXPECT_TRUE(mentions(read(storage_bytes("FloatStorage", "7", int64_t{1} << 61, "")), "expected"));
  EXPECT_TRUE(mentions(read("\x80\x02N."), "magic number"));
  // A storage that is made of a storage, and so on.
  const std::string inner = bare_tensor(storage, {2}, {1});
  EXPECT_TRUE(mentions(read(inner), "refused"));
}

TEST(HostilePickle, FormatsThatAreNotReadAreNamed) {
  TorchArchive archive;
  EXPECT_EQ(TorchArchive::open({}, "t", &archive).code(), Error::InvalidArgument);
  const Bytes big = torch_zip(PickleBuilder().raw("N").stop(), {}, "big");
  EXPECT_TRUE(mentions(TorchArchive::open(big, "t", &archive), "byte order big"));
}

TEST(HostileJson, NestedAHundredThousandDeep) {
  const auto started = std::chrono::steady_clock::now();
  const std::string open_brackets(100000, '['), close_brackets(100000, ']');
  std::string deep_graph, tail;
  for (int i = 0; i < 100000; ++i) deep_graph += R"({"a":)";
  for (int i = 0; i < 100000; ++i) tail += "}";
  for (const std::string& text : {open_brackets, open_brackets + close_brackets, deep_graph + "1" + tail}) {
    for (const char* member : {"edge_dialect_exported_program/forward", "debug_handle_map", "export_graph_id"}) {
      ZipBuilder zip;
      zip.add("ETRECORD_V0", "").add(member, text);
      Record record;
      const Status status = open(zip.finish(), &record);
      EXPECT_FALSE(status.ok());
      if (std::string_view(member) != "export_graph_id") {
        EXPECT_TRUE(mentions(status, "nesting of at most 4096 levels")) << status.message().substr(0, 300);
      }
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5));
}

TEST(HostileJson, ControlFlowNestedTooDeepIsAnErrorNotAnOverflow) {
  std::string text = "[]", head, tail;
  for (int i = 0; i < 400; ++i) {
    head +=
        R"([{"name":"c","target":"torch.ops.higher_order.cond","outputs":[],"metadata":{},"inputs":[{"name":"","arg":)"
        R"({"as_graph":{"name":"g","graph":{"inputs":[],"outputs":[],"nodes":)";
    tail += "}}}}]}]";
  }
  std::vector<Program> out(1);
  out[0].member = "p";
  const Status status = parse_program(program_text(head + "[]" + tail), {}, &out, nullptr);
  EXPECT_TRUE(mentions(status, "nested at most 32")) << status.message();
}

TEST(HostileJson, FromNodeNestedTooDeepCostsOnlyItself) {
  std::string chain(200000, '[');
  auto zip = ZipBuilder();
  zip.add("ETRECORD_V0", "");
  zip.add("edge_dialect_exported_program/forward",
          program_text("[" + node_text("a", "torch.ops.aten.add.Tensor", "[]", R"({"from_node": ")" + chain + R"("})") +
                       "]"));
  Record record;
  ASSERT_TRUE(open(zip.finish(), &record).ok());
  EXPECT_EQ(record.programs()[0].nodes.size(), 1u);
  EXPECT_TRUE(has_problem(record, "program-field-unreadable"));
}

TEST(HostileJson, InvalidUtf8NamesTheByte) {
  ZipBuilder zip;
  zip.add("ETRECORD_V0", "").add("edge_dialect_exported_program/forward", std::string("{\"a\": \"\xff\"}"));
  Record record;
  const Status status = open(zip.finish(), &record);
  EXPECT_TRUE(mentions(status, "edge_dialect_exported_program/forward: JSON at byte 7: expected valid UTF-8"))
      << status.message();
}

TEST(HostileJson, BrokenProgramsDoNotTakeTheMapsWithThem) {
  for (const char* text :
       {"", "[]", "{}", "null", R"({"graph_module": 3})", R"({"graph_module": {"graph": []}})",
        R"({"graph_module": {"graph": {"nodes": {}}}})", R"({"graph_module": {"graph": {"nodes": [1]}}})",
        R"({"graph_module": {"graph": {"nodes": [{"name": 1, "target": "x"}]}}})",
        R"({"graph_module": {"graph": {"nodes": [{"name": "a"}]}}})", R"({"graph_module": )"}) {
    ZipBuilder zip;
    zip.add("ETRECORD_V0", "").add("edge_dialect_exported_program/forward", text);
    zip.add("debug_handle_map", R"({"forward": {"0": [1, 2]}})");
    Record record;
    ASSERT_TRUE(open(zip.finish(), &record).ok()) << text;
    EXPECT_TRUE(has_problem(record, "program-unreadable")) << text;
    EXPECT_EQ(record.debug_handle_map().at("forward").at(0), (std::vector<int64_t>{1, 2}));
  }
}

TEST(HostileJson, OddFieldsOfANodeAreSkippedAndReported) {
  const std::string nodes =
      R"([{"name": "a", "target": "torch.ops.aten.add.Tensor", "inputs": [3, {"name": "x"}, {"arg": 5}, {"arg": {}},)"
      R"( {"arg": {"as_tensor": 3}}, {"arg": {"as_ints": [1, "two", 1e300]}}, {"arg": {"as_new_thing": [1]}},)"
      R"( {"arg": {"as_custom_obj": 1}}, {"arg": {"as_device": 1}}, {"arg": {"as_sym_int": 1}},)"
      R"( {"arg": {"as_int": 123456789012345678901234567890}}], "outputs": [{"as_graph": {}}],)"
      R"( "metadata": {"debug_handle": "x", "stack_trace": 3, "from_node": "[1]"}}])";
  std::vector<Program> out(1);
  std::vector<Problem> problems;
  const Status status =
      parse_program(program_text(nodes, R"(, "tensor_values": {"t": 1, "u": {"sizes": [{}]}})"), {}, &out, &problems);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_GE(problems.size(), 8u);
  ASSERT_EQ(out[0].nodes[0].inputs.size(), 9u);
  EXPECT_EQ(out[0].nodes[0].inputs.back().ints[0], std::numeric_limits<int64_t>::max());
  for (const auto& a : out[0].nodes[0].inputs) EXPECT_FALSE(a.text().size() > 1000);
}

}  // namespace
}  // namespace et::etrecord::test
