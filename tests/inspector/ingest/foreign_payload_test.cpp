// Payloads of backends that do not run here: what is read of them, and what is still said of one that cannot be read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "inspector/ingest/payloads/opaque_facts.h"
#include "inspector/ingest/payloads/payload_kinds.h"
#include "inspector/ingest/program_facts.h"

namespace et::inspector {
namespace {

struct Foreign {
  explicit Foreign(const std::string& text) : words(text.size() / 8 + 1) {
    std::memcpy(words.data(), text.data(), text.size());
    bytes = {reinterpret_cast<const uint8_t*>(words.data()), text.size()};
  }
  FileError read(const char* backend) {
    const PayloadKind* kind = find_payload_kind(payload_kinds(), backend, bytes);
    if (kind == nullptr) return {Error::NotFound, 0, "kind", ""};
    return kind->read(bytes, &facts);
  }
  const PayloadFact* fact(const std::string& name) const {
    const auto it = std::find_if(facts.facts.begin(), facts.facts.end(), [&](const auto& f) { return f.name == name; });
    return it == facts.facts.end() ? nullptr : &*it;
  }
  std::vector<uint64_t> words;
  std::span<const uint8_t> bytes;
  DelegateFacts facts;
};

std::string seed(const std::string& name) {
  std::ifstream in(std::string(ET_FIXTURES) + "/../fuzz/corpus/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string vulkan_seed() { return seed("vulkan/mlp"); }

std::string coreml_package(const std::string& index) {
  std::string out = R"({"identifier": "abc"})";
  return out + std::string(index.rbegin(), index.rend());
}

TEST(ForeignPayloads, AVulkanGraphHasOperatorsShapesAndPrecision) {
  Foreign p(vulkan_seed());
  ASSERT_TRUE(p.read("VulkanBackend").ok());
  ASSERT_FALSE(p.facts.nodes.empty());
  EXPECT_NE(p.facts.nodes[0].label.find("FLOAT32 1x8 -> FLOAT32 1x4"), std::string::npos) << p.facts.nodes[0].label;
  ASSERT_NE(p.fact("input 0"), nullptr);
  EXPECT_TRUE(p.fact("input 0")->text.starts_with("FLOAT32 1x8"));
}

TEST(ForeignPayloads, AVulkanGraphThatIsCutSaysWhere) {
  const std::string whole = vulkan_seed();
  for (size_t n = 9; n < whole.size() - 16; n += 7) {
    Foreign p(whole.substr(0, n));
    const FileError e = p.read("VulkanBackend");
    EXPECT_FALSE(e.ok()) << n;
    EXPECT_STRNE(e.expected, "") << n;
  }
}

// Written by upstream's own schema (scripts/make_mps_seed.py).
TEST(ForeignPayloads, AnMpsGraphHasOperatorsShapesAndConstants) {
  Foreign p(seed("mps/conv"));
  const FileError e = p.read("MPSBackend");
  ASSERT_TRUE(e.ok()) << e.field << " " << e.expected;
  std::vector<std::string> types;
  for (const PayloadNode& node : p.facts.nodes) types.push_back(node.type);
  EXPECT_EQ(types, (std::vector<std::string>{"Conv2D", "ReLU", "MaxPool2DWithIndices", "Mean", "Addmm"}));
  EXPECT_EQ(p.facts.nodes[0].label, "float32 1x3x8x8 -> float32 1x4x8x8");
  EXPECT_EQ(p.facts.nodes[1].inputs, std::vector<int64_t>{3});
  EXPECT_EQ(p.facts.nodes[1].outputs, std::vector<int64_t>{4});
  EXPECT_EQ(p.facts.nodes[2].outputs, (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(p.facts.nodes[4].inputs, (std::vector<int64_t>{9, 7, 8}));
  EXPECT_EQ(p.facts.nodes[4].sizes, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(p.facts.weights_bytes, 488U);
  ASSERT_NE(p.fact("output 0"), nullptr);
  EXPECT_EQ(p.fact("output 0")->text, "float32 1x2");
}

TEST(ForeignPayloads, AnMpsGraphThatIsCutSaysWhere) {
  const std::string whole = seed("mps/conv");
  for (size_t n = 9; n < whole.size() - 16; n += 7) {
    Foreign p(whole.substr(0, n));
    const FileError e = p.read("MPSBackend");
    EXPECT_FALSE(e.ok()) << n;
    EXPECT_STRNE(e.expected, "") << n;
  }
}

TEST(ForeignPayloads, ACoremlPackageListsItsFilesAndMetadata) {
  Foreign p(coreml_package(R"({"nodes":[{"name":"","kind":1,"children":{"metadata.json":1}},)"
                           R"({"name":"metadata.json","kind":0,"dataRegion":{"offset":0,"size":21}}]})"));
  ASSERT_TRUE(p.read("CoreMLBackend").ok());
  ASSERT_NE(p.fact("metadata.json"), nullptr);
  EXPECT_EQ(p.fact("metadata.json")->value, 21);
  ASSERT_NE(p.fact("identifier"), nullptr);
  EXPECT_EQ(p.fact("identifier")->text, "abc");
}

TEST(ForeignPayloads, ACoremlFileOutsideThePayloadIsRefused) {
  Foreign p(coreml_package(R"({"nodes":[{"name":"a","dataRegion":{"offset":9,"size":9223372036854775807}}]})"));
  EXPECT_STREQ(p.read("CoreMLBackend").field, "Core ML index dataRegion");
}

TEST(ForeignPayloads, AQnnHeaderGivesTheSizeOfTheContextBinary) {
  std::string text("\xCD\xAB\x78\x56", 4);
  text.resize(256, '\0');
  text[12] = 8;
  Foreign p(text + "libqnn-x");
  ASSERT_TRUE(p.read("QnnBackend").ok());
  EXPECT_EQ(p.fact("context binary")->value, 8);
  EXPECT_EQ(p.fact("string")->text, "libqnn-x");
  Foreign cut(text + "libqnn-");
  EXPECT_STREQ(cut.read("QnnBackend").field, "QNN context binary size");
}

TEST(ForeignPayloads, AnUnknownPayloadHasSizeHashEntropyAndStrings) {
  Foreign p(std::string("PK\x03\x04", 4) + "neutron-model" + std::string(3, '\0'));
  EXPECT_EQ(find_payload_kind(payload_kinds(), "NeutronBackend", p.bytes), nullptr);
  add_opaque_facts(p.bytes, &p.facts);
  EXPECT_EQ(p.fact("all")->value, 20);
  EXPECT_EQ(p.fact("all")->text, "a zip archive");
  EXPECT_EQ(p.fact("SHA-256")->text.size(), 64u);
  EXPECT_EQ(p.fact("string")->text, "neutron-model");
  Foreign even(std::string("\x01\x02\x01\x02", 4));
  add_opaque_facts(even.bytes, &even.facts);
  EXPECT_EQ(even.fact("entropy")->text, "1.00 bits per byte");
}

}  // namespace
}  // namespace et::inspector
