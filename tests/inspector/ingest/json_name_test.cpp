// Names of delegate events that are JSON, as Vulkan's backend writes them, become a name and arguments.
#include "inspector/ingest/dump/json_name.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "etdump/etdump_gen.h"
#include "inspector/ingest/ingest.h"

namespace et::inspector {
namespace {

const std::string kShader =
    R"({"operator": {"name": "aten.mm.default", "delegate_node_id": 5, "args": [{"type": "TENSOR", "value_ref": 0, )"
    R"("dtype": "FLOAT", "sizes": [1, 8], "storage": "TEXTURE_3D", "packed_dim": 0}, {"type": "INT", "value_ref": 1, )"
    R"("value": 2}, {"type": "NONE", "value_ref": 3}]}, "kernel_name": "linear_naive_texture3d_float", )"
    R"("operator_id": 3, "dispatch_id": 12})";

TEST(JsonName, AShaderCallHasANameAndArguments) {
  const auto name = read_json_name(kShader);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->title, "linear_naive_texture3d_float");
  EXPECT_EQ(name->map_key, "5");
  EXPECT_EQ(name->arguments,
            "operator=aten.mm.default; delegate_node_id=5; args=FLOAT[1,8] TEXTURE_3D, 2, NONE; operator_id=3; "
            "dispatch_id=12");
}

TEST(JsonName, TheOperatorSpeaksWhereThereIsNoKernel) {
  const auto name = read_json_name(R"({"operator": {"name": "aten.add.Tensor"}, "dispatch_id": 1})");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->title, "aten.add.Tensor");
  EXPECT_EQ(name->map_key, "");
}

TEST(JsonName, WhatIsNoNameStaysAsItIs) {
  for (const char* text : {"", "{", "{}", "conv #1", "{conv}", "[1]", R"({"kernel_name": )", R"({"dispatch_id": 1})",
                           R"({"kernel_name": ""})", R"({"a": {"kernel_name": "x"}})"}) {
    EXPECT_FALSE(read_json_name(text)) << text;
  }
  EXPECT_FALSE(read_json_name("{" + std::string(100000, ' ') + "}"));
  std::string deep = R"({"kernel_name": )";
  for (int i = 0; i < 100; ++i) deep += "[";
  EXPECT_FALSE(read_json_name(deep + std::string(100, ']') + "}"));
}

// From the dump to the store's rows; the event's own identifier is kept.
TEST(JsonName, IsWhatTheStoreCallsTheOp) {
  etdump::ETDumpGen gen;
  EventTracer* const t = &gen;
  t->create_event_block("Execute");
  for (int run = 0; run < 2; ++run) {
    const auto whole = t->start_profiling("Method::execute");
    t->set_chain_debug_handle(0, 0);
    const auto call = t->start_profiling("DELEGATE_CALL");
    t->log_profiling_delegate(kShader.c_str(), kUnsetDelegateDebugIntId, 10, 20, nullptr, 0);
    t->end_profiling(call);
    t->set_chain_debug_handle(kUnsetChainId, kUnsetDebugHandle);
    t->end_profiling(whole);
  }
  const etdump::ETDumpResult dump = gen.get_etdump_data();
  ASSERT_NE(dump.buf, nullptr);
  const std::string path = testing::TempDir() + "/json_name_" + std::to_string(getpid()) + ".etdp";
  std::ofstream(path, std::ios::binary)
      .write(static_cast<const char*>(dump.buf), static_cast<std::streamsize>(dump.size));
  std::free(dump.buf);
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs in;
  in.dump = path;
  IngestResult result;
  const Status status = ingest(store, in, {}, &result);
  std::filesystem::remove(path);
  ASSERT_TRUE(status.ok()) << status.message();
  Statement st = store.query(
      "SELECT s.text, o.metadata, o.delegate_id_str FROM raw_op o JOIN raw_string s ON s.id = o.name WHERE "
      "o.delegate_id_str IS NOT NULL");
  ASSERT_TRUE(st.step());
  EXPECT_EQ(st.str(0), "linear_naive_texture3d_float");
  EXPECT_NE(st.str(1).find("operator=aten.mm.default"), std::string::npos) << st.str(1);
  EXPECT_EQ(st.str(2), kShader);
  EXPECT_FALSE(st.step());
}

}  // namespace
}  // namespace et::inspector
