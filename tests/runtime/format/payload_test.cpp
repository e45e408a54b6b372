// What the payloads of the real programs say, figure by figure.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/mapped_file.h"
#include "runtime/format/demo_payload.h"
#include "runtime/format/payload.h"
#include "runtime/format/program.h"
#include "runtime/format/tosa_payload.h"
#include "runtime/format/vela_payload.h"
#include "runtime/format/xnnpack_payload.h"
#include "tests/runtime/format/corpus.h"
#include "tosa_generated.h"
#include "xnnpack_generated.h"

namespace et::format {
namespace {

/// An opened program of the corpus.
struct Opened {
  MappedFile file;
  Program program;
  bool open(const std::string& name) {
    const auto dir = testing::find_case(name);
    if (dir.empty()) return false;
    EXPECT_TRUE(MappedFile::open((dir / "program.pte").string(), &file).ok());
    EXPECT_TRUE(Program::open(file.bytes(), &program).ok());
    return program.valid();
  }
};

struct Counts {
  const char* name;
  uint32_t delegates, nodes, inserted;
};

class XnnpackCounts : public ::testing::TestWithParam<Counts> {};

TEST_P(XnnpackCounts, AgreeWithTheReference) {
  Opened o;
  if (!o.open(GetParam().name)) GTEST_SKIP() << "no such case here";
  uint32_t delegates = 0, nodes = 0, inserted = 0;
  for (uint32_t m = 0; m < o.program.method_count(); ++m) {
    for (uint32_t d = 0; d < o.program.method(m).delegate_count(); ++d) {
      const Delegate delegate = o.program.method(m).delegate(d);
      XnnpackPayload p;
      ASSERT_TRUE(is_xnnpack_payload(delegate.payload()));
      ASSERT_TRUE(XnnpackPayload::open(delegate.payload(), &p).ok());
      ++delegates;
      nodes += p.node_count();
      for (uint32_t i = 0; i < p.node_count(); ++i) {
        const XnnNode n = p.node(i);
        inserted += !n.has_debug_handle();
        EXPECT_STRNE(n.type_name(), "Unknown");
        EXPECT_GE(n.inputs().size(), 1u);
        ASSERT_EQ(n.outputs().size(), 1u);
        EXPECT_TRUE(p.value_by_id(n.outputs()[0]).valid());
      }
      for (uint32_t i = 0; i < p.value_count(); ++i) {
        const XnnValue v = p.value(i);
        EXPECT_EQ(v.id(), i);
        const XnnConstant c = v.constant();
        EXPECT_EQ(c.place != XnnConstant::Place::None, v.constant_buffer_idx() != 0);
        if (c.place == XnnConstant::Place::Named) {
          EXPECT_EQ(c.key.size(), 64u);
        }
      }
    }
  }
  EXPECT_EQ(delegates, GetParam().delegates);
  EXPECT_EQ(nodes, GetParam().nodes);
  EXPECT_EQ(inserted, GetParam().inserted);
}

INSTANTIATE_TEST_SUITE_P(
    Payload, XnnpackCounts,
    ::testing::Values(Counts{"external_weights_xnnpack", 1, 3, 0}, Counts{"lstm_xnnpack", 6, 43, 0},
                      Counts{"mobilenet_v2_035_xnnpack", 2, 65, 2}, Counts{"mobilenet_v2_035_xnnpack_int8", 2, 104, 3},
                      Counts{"multi_method", 1, 1, 0}, Counts{"multi_method_no_forward", 2, 3, 0},
                      Counts{"nanogpt_xnnpack_qd4", 38, 69, 0}, Counts{"nanogpt_xnnpack_qd8", 38, 69, 0},
                      Counts{"partial_delegation", 3, 5, 2}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(Xnnpack, AConvolutionWithFusedReluKeepsItsParametersAndBounds) {
  Opened o;
  if (!o.open("partial_delegation")) GTEST_SKIP() << "no artefacts";
  XnnpackPayload p;
  ASSERT_TRUE(XnnpackPayload::open(o.program.method(0).delegate(0).payload(), &p).ok());
  EXPECT_TRUE(p.has_header());
  EXPECT_EQ(p.schema_version(), 1u);
  ASSERT_EQ(p.node_count(), 3u);
  EXPECT_STREQ(p.node(0).type_name(), "StaticTranspose");
  XnnParameter perm;
  ASSERT_TRUE(p.node(0).find_parameter("perm", &perm));
  EXPECT_EQ(std::vector<uint32_t>(perm.list.begin(), perm.list.end()), (std::vector<uint32_t>{0, 2, 3, 1}));
  const XnnNode conv = p.node(1);
  EXPECT_EQ(conv.type(), XnnNodeType::Conv2d);
  EXPECT_EQ(conv.output_min(), 0.0f);
  EXPECT_TRUE(std::isinf(conv.output_max()));
  EXPECT_TRUE(conv.is_clamped());
  EXPECT_EQ(conv.uint_parameter("kernel_height"), 3u);
  EXPECT_EQ(conv.uint_parameter("group_input_channels"), 3u);
  EXPECT_EQ(conv.uint_parameter("no_such_field", 77), 77u);
  ASSERT_EQ(conv.inputs().size(), 3u);
  const XnnValue filter = p.value_by_id(conv.inputs()[1]);
  EXPECT_EQ(filter.dims().size(), 4u);
  EXPECT_EQ(filter.constant().place, XnnConstant::Place::Named);
  bool found = false;
  for (uint32_t i = 0; i < o.program.named_data_count(); ++i) {
    found = found || o.program.named_data(i).key == filter.constant().key;
  }
  EXPECT_TRUE(found) << "the weights are named data of the program";
  EXPECT_FALSE(p.node(2).has_debug_handle());
  EXPECT_FALSE(p.node(3).valid());
}

TEST(Xnnpack, QuantisedWeightsKeepTheirScalesAndGroups) {
  Opened o;
  if (!o.open("nanogpt_xnnpack_qd4")) GTEST_SKIP() << "no artefacts";
  std::map<std::string, uint32_t> kinds;
  for (uint32_t d = 0; d < o.program.method(0).delegate_count(); ++d) {
    XnnpackPayload p;
    ASSERT_TRUE(XnnpackPayload::open(o.program.method(0).delegate(d).payload(), &p).ok());
    for (uint32_t i = 0; i < p.value_count(); ++i) {
      const XnnValue v = p.value(i);
      if (v.quant_kind() == XnnQuantKind::None) continue;
      ++kinds[v.datatype_name() + std::string(" ") + xnn_quant_kind_name(v.quant_kind())];
      if (v.quant_kind() == XnnQuantKind::PerChannelGroup) {
        EXPECT_EQ(v.group_size(), 32);
        EXPECT_EQ(v.scale_constant().key.substr(0, 6), "scale_");
        EXPECT_EQ(v.scale_count(), v.dims()[0] * v.dims()[1] / 32);
      }
    }
  }
  EXPECT_EQ(kinds["qbint4 per_channel_group"], 13u);
  EXPECT_EQ(kinds["qdint8 per_token_dynamic"], 13u);
}

// A payload of an old writer: identifier XN00, constants inline, no header.
std::vector<uint8_t> old_payload(uint32_t bias, uint32_t flags = 1, uint32_t constant = 1) {
  using namespace xnn_fb;  // NOLINT
  flatbuffers::FlatBufferBuilder b;
  const std::vector<uint32_t> dims = {2, 3};
  auto value = [&](uint32_t id, uint32_t external, uint32_t f, uint32_t c) {
    return CreateXValue(
        b, XValueUnion::XNNTensorValue,
        CreateXNNTensorValueDirect(b, 1, 2, &dims, c, external, f, id, static_cast<int16_t>(f == 1 ? 3 : 0)).Union());
  };
  std::vector<flatbuffers::Offset<XValue>> values = {value(0, 0, flags, 0), value(1, kXnnNoValue, 0, constant),
                                                     value(2, 1, 2, 0)};
  std::vector<flatbuffers::Offset<XNode>> nodes = {
      CreateXNode(b, XNodeUnion::XNNFullyConnected, CreateFullyConnected(b, 0, 1, bias, 2, 0).Union(), 9)};
  const std::vector<uint8_t> weights(24, 5);
  std::vector<flatbuffers::Offset<Buffer>> buffers = {CreateBuffer(b), CreateBufferDirect(b, &weights)};
  b.Finish(CreateXNNGraphDirect(b, "0", &nodes, &values, 2, nullptr, nullptr, &buffers), "XN00");
  return {b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize()};
}

TEST(Xnnpack, OldPayloadsWithInlineConstantsAreRead) {
  const auto bytes = old_payload(kXnnNoValue);
  ASSERT_TRUE(is_xnnpack_payload(bytes));
  XnnpackPayload p;
  ASSERT_TRUE(XnnpackPayload::open(bytes, &p).ok());
  EXPECT_EQ(p.schema_version(), 0u);
  EXPECT_FALSE(p.has_header());
  EXPECT_EQ(p.node(0).inputs()[2], kXnnNoValue) << "no bias";
  EXPECT_EQ(p.value(0).dynamic_datatype(), XnnDatatype::QInt8);
  const XnnConstant c = p.value(1).constant();
  EXPECT_EQ(c.place, XnnConstant::Place::Payload);
  ASSERT_EQ(c.bytes.size(), 24u);
  EXPECT_EQ(c.bytes.data(), bytes.data() + c.offset);
}

TEST(Xnnpack, PayloadsThatLieAreRefused) {
  XnnpackPayload p;
  EXPECT_STREQ(XnnpackPayload::open(old_payload(3), &p).field, "bias_id");
  EXPECT_STREQ(XnnpackPayload::open(old_payload(kXnnNoValue, 4), &p).field, "XNNTensorValue.flags");
  EXPECT_STREQ(XnnpackPayload::open(old_payload(kXnnNoValue, 1, 2), &p).field, "XNNTensorValue.constant_buffer_idx");
  auto other = old_payload(kXnnNoValue);
  other[7] = '9';
  EXPECT_EQ(XnnpackPayload::open(other, &p).code, Error::DelegateInvalidCompatibility);
  std::vector<uint8_t> header(64, 0);
  std::memcpy(header.data() + 4, "XH00", 4);
  EXPECT_STREQ(XnnpackPayload::open(header, &p).field, "XNNPACK header length");
  header[8] = 30;
  header[17] = 0x80;  // a flatbuffer of 2 GiB
  EXPECT_STREQ(XnnpackPayload::open(header, &p).field, "XNNPACK header flatbuffer");
  EXPECT_TRUE(is_xnnpack_payload(header));
}

TEST(Xnnpack, NodesOfANewerSchemaAreShownWithoutBeingRead) {
  auto bytes = old_payload(kXnnNoValue);
  auto* graph = flatbuffers::GetMutableRoot<xnn_fb::XNNGraph>(bytes.data());
  auto* node = const_cast<xnn_fb::XNode*>(graph->xnodes()->Get(0));
  auto* table = reinterpret_cast<flatbuffers::Table*>(node);
  ASSERT_TRUE(table->SetField<uint8_t>(xnn_fb::XNode::VT_XNODE_UNION_TYPE, 200, 0));
  XnnpackPayload p;
  ASSERT_TRUE(XnnpackPayload::open(bytes, &p).ok());
  EXPECT_STREQ(p.node(0).type_name(), "Unknown");
  EXPECT_EQ(p.node(0).type_tag(), 200);
  EXPECT_EQ(p.node(0).parameter_count(), 0u);
  EXPECT_EQ(p.node(0).debug_handle(), 9u);
}

TEST(Tosa, OperatorsTensorsAndAttributesOfTheInt8Block) {
  Opened o;
  if (!o.open("tosa_int8")) GTEST_SKIP() << "no artefacts";
  const Delegate d = o.program.method(0).delegate(0);
  ASSERT_TRUE(is_tosa_payload(d.payload()));
  TosaPayload p;
  ASSERT_TRUE(TosaPayload::open(d.payload(), &p).ok());
  EXPECT_EQ(p.version().major, 1);
  EXPECT_EQ(p.version().minor, 0);
  EXPECT_FALSE(p.version().draft);
  const TosaBlock block = p.main_block();
  std::map<std::string, uint32_t> ops;
  for (uint32_t i = 0; i < block.operator_count(); ++i) {
    ++ops[block.op(i).op_name()];
    for (uint32_t k = 0; k < block.op(i).outputs().size(); ++k) {
      if (block.op(i).op_name() == std::string("CONST_SHAPE")) continue;
      EXPECT_TRUE(block.find_tensor(block.op(i).outputs()[k]).valid()) << block.op(i).outputs()[k];
    }
  }
  const std::map<std::string, uint32_t> expected = {
      {"CONST", 74}, {"RESCALE", 13}, {"CONV2D", 4},  {"REDUCE_SUM", 2},  {"TRANSPOSE", 1},
      {"ADD", 1},    {"MUL", 1},      {"RESHAPE", 1}, {"CONST_SHAPE", 1}, {"DEPTHWISE_CONV2D", 1}};
  EXPECT_EQ(ops, expected);
  EXPECT_EQ(block.tensor_count(), 99u);
  EXPECT_EQ(block.shape_count(), 1u);
  EXPECT_EQ(block.inputs().size(), 1u);
  for (uint32_t i = 0; i < block.operator_count(); ++i) {
    const TosaOperator op = block.op(i);
    if (op.op_name() != std::string("CONV2D")) continue;
    TosaAttribute acc;
    ASSERT_TRUE(op.find_attribute("acc_type", &acc));
    EXPECT_EQ(acc.word(), "INT32");
    const auto* typed = op.attribute_as<tosa_fb::Conv2dAttribute>(tosa_fb::Attribute::Conv2dAttribute);
    ASSERT_NE(typed, nullptr);
    EXPECT_EQ(typed->acc_type(), tosa_fb::DType::INT32);
    EXPECT_EQ(op.attribute_as<tosa_fb::ClampAttribute>(tosa_fb::Attribute::ClampAttribute), nullptr);
    TosaAttribute stride;
    ASSERT_TRUE(op.find_attribute("stride", &stride));
    EXPECT_EQ(stride.ints.size(), 2u);
  }
}

TEST(Tosa, ListsThatLeaveThePayloadAreRefused) {
  using namespace tosa_fb;  // NOLINT
  flatbuffers::FlatBufferBuilder b;
  const std::vector<uint32_t> names = {0x7FFFFFF0};
  std::vector<flatbuffers::Offset<tosa_fb::TosaOperator>> ops = {
      CreateTosaOperatorDirect(b, Op::ADD, Attribute::NONE, 0, &names)};
  std::vector<flatbuffers::Offset<TosaBasicBlock>> blocks = {CreateTosaBasicBlockDirect(b, "main", &ops)};
  std::vector<flatbuffers::Offset<tosa_fb::TosaRegion>> regions = {CreateTosaRegionDirect(b, "main", &blocks)};
  b.Finish(CreateTosaGraphDirect(b, CreateVersion(b, 1, 0, 0, false), &regions), "TOSA");
  const std::vector<uint8_t> bytes(b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize());
  TosaPayload p;
  const FileError e = TosaPayload::open(bytes, &p);
  EXPECT_EQ(e.code, Error::InvalidProgram);
  EXPECT_STREQ(e.field, "TosaOperator.inputs");
}

TEST(Vela, BlocksTensorsAndCommandCounts) {
  Opened o;
  if (!o.open("ethosu55_int8")) GTEST_SKIP() << "no artefacts";
  const Delegate d = o.program.method(0).delegate(0);
  ASSERT_TRUE(is_vela_payload(d.payload()));
  VelaPayload p;
  ASSERT_TRUE(VelaPayload::open(d.payload(), &p).ok());
  std::vector<std::string> names;
  for (const VelaBlock& b : p.blocks()) names.emplace_back(b.name);
  EXPECT_EQ(names, (std::vector<std::string>{"vela_bin_stream", "cmd_data", "weight_data", "scratch_size", "inputs",
                                             "outputs", "vela_end_stream"}));
  EXPECT_EQ(p.scratch_size(), 30208u);
  ASSERT_EQ(p.input_count(), 1u);
  EXPECT_EQ(p.input(0).shape[3], 3);
  EXPECT_EQ(p.input(0).shape[5], 32);
  EXPECT_EQ(p.input(0).offset, 3072);
  EXPECT_EQ(p.input(0).region, 1);
  ASSERT_EQ(p.output_count(), 1u);
  EXPECT_EQ(p.output(0).shape[5], 6);
  VelaCommands c;
  ASSERT_TRUE(p.commands(&c).ok());
  EXPECT_EQ(c.words, 701u);
  EXPECT_EQ(c.commands, 490u);
  EXPECT_EQ(c.conv, 4u);
  EXPECT_EQ(c.depthwise, 1u);
  EXPECT_EQ(c.pool, 37u);
  EXPECT_EQ(c.elementwise, 3u);
  EXPECT_EQ(c.dma, 4u);
  EXPECT_EQ(c.conv + c.depthwise + c.pool + c.elementwise + c.dma + c.waits + c.stops + c.settings, c.commands)
      << "every command is counted once";
  EXPECT_EQ(c.macs_per_cycle(), 128u);
  EXPECT_EQ(c.product(), 0u);
  EXPECT_EQ(c.config_word, 0x1807u);
}

// The block of MobileNetV2 in this payload: a 3x3 stem of 8 channels, 1x1 to 48, 3x3 depthwise, 1x1 to 8, a linear
// layer.
TEST(Vela, OperationsHaveTheirShapes) {
  Opened o;
  if (!o.open("ethosu55_int8")) GTEST_SKIP();
  VelaPayload p;
  ASSERT_TRUE(VelaPayload::open(o.program.method(0).delegate(0).payload(), &p).ok());
  std::vector<VelaOperation> ops;
  VelaCommands c;
  ASSERT_TRUE(
      p.commands(
           &c, [](const VelaOperation& op, void* to) { static_cast<std::vector<VelaOperation>*>(to)->push_back(op); },
           &ops)
          .ok());
  EXPECT_EQ(ops.size(), c.conv + c.depthwise + c.pool + c.elementwise + c.dma);
  std::vector<uint64_t> macs;
  uint64_t weights = 0, moved = 0;
  for (const VelaOperation& op : ops) {
    if (op.macs() > 0) macs.push_back(op.macs());
    weights += op.weight_bytes;
    moved += op.dma_bytes;
  }
  EXPECT_EQ(macs,
            (std::vector<uint64_t>{16 * 16 * 8 * 9 * 3, 16 * 16 * 48 * 8, 16 * 16 * 48 * 9, 16 * 16 * 8 * 48, 8 * 6}));
  EXPECT_EQ(moved, c.dma_bytes);
  VelaBlock block;
  ASSERT_TRUE(p.find("weight_data", &block));
  EXPECT_GT(weights, 0u);
  EXPECT_LE(weights, block.bytes.size());
}

std::vector<uint8_t> vela_block(const char* name, std::vector<uint8_t> data, bool external = false) {
  std::vector<uint8_t> b(32, 0);
  std::memcpy(b.data(), name, std::strlen(name));
  const auto size = static_cast<uint32_t>(data.size());
  std::memcpy(b.data() + 16, &size, 4);
  b[20] = external;
  data.resize((data.size() + 15) / 16 * 16);
  b.insert(b.end(), data.begin(), data.end());
  return b;
}

std::vector<uint8_t> vela(const std::vector<std::vector<uint8_t>>& blocks) {
  std::vector<uint8_t> all;
  for (const auto& b : blocks) all.insert(all.end(), b.begin(), b.end());
  return all;
}

TEST(Vela, DamagedStreamsAreRefusedWithTheirPlace) {
  VelaPayload p;
  const auto begin = vela_block("vela_bin_stream", {}), end = vela_block("vela_end_stream", {});
  EXPECT_TRUE(VelaPayload::open(vela({begin, end}), &p).ok());
  EXPECT_EQ(VelaPayload::open(vela({end}), &p).code, Error::DelegateInvalidCompatibility);
  EXPECT_EQ(VelaPayload::open(vela({begin}), &p).code, Error::InvalidProgram);
  EXPECT_EQ(VelaPayload::open(vela({begin, end, begin}), &p).code, Error::InvalidProgram);
  EXPECT_STREQ(VelaPayload::open(vela({begin, vela_block("scratch_size", {1, 2}), end}), &p).field,
               "Vela block scratch_size");
  EXPECT_STREQ(VelaPayload::open(vela({begin, vela_block("inputs", {255, 255, 255, 255}), end}), &p).field,
               "Vela block inputs");
  auto huge = vela({begin, vela_block("cmd_data", {1}), end});
  huge[32 + 19] = 0xFF;
  EXPECT_STREQ(VelaPayload::open(huge, &p).field, "Vela block size");

  VelaCommands c;
  const std::vector<uint8_t> key(64, 'a');
  const auto external = vela({begin, vela_block("cmd_data", key, true), end});
  ASSERT_TRUE(VelaPayload::open(external, &p).ok());
  EXPECT_EQ(p.commands(&c).code, Error::NotFound);
  // A stream of four words that has two.
  const auto cut = vela({begin, vela_block("cmd_data", {'C', 'O', 'P', '1', 2, 0, 4, 0, 2, 0, 0, 0}), end});
  ASSERT_TRUE(VelaPayload::open(cut, &p).ok());
  EXPECT_EQ(p.commands(&c).offset, 32u + 32u + 4u);
  // A command of two words at the end of the stream.
  const auto half =
      vela({begin, vela_block("cmd_data", {'C', 'O', 'P', '1', 2, 0, 2, 0, 2, 0, 0, 0, 0, 0x40, 0, 0}), end});
  ASSERT_TRUE(VelaPayload::open(half, &p).ok());
  EXPECT_STREQ(p.commands(&c).field, "Vela command");
  EXPECT_EQ(c.conv, 1u);
}

TEST(Demo, OperatorsWithTheirDebugHandles) {
  Opened o;
  if (!o.open("demo_backend")) GTEST_SKIP() << "no artefacts";
  const Delegate d = o.program.method(0).delegate(0);
  ASSERT_TRUE(is_demo_payload(d.payload()));
  DemoPayload p;
  ASSERT_TRUE(DemoPayload::open(DemoPayload::Dialect::Compiler, d.payload(), &p).ok());
  std::vector<std::pair<std::string, int64_t>> ops;
  for (const DemoOp& op : p) ops.emplace_back(op.name, op.debug_handle);
  EXPECT_EQ(ops, (std::vector<std::pair<std::string, int64_t>>{{"aten.mm.default", 1}, {"aten.add.Tensor", 2}}));
  EXPECT_EQ(p.begin()->numel, 4);
  EXPECT_EQ(p.begin()->dtype, "torch.float32");
}

TEST(Demo, NamesWithTheirIdentifiers) {
  Opened o;
  if (!o.open("demo_delegate_mapping")) GTEST_SKIP() << "no artefacts";
  DemoPayload p;
  ASSERT_TRUE(
      DemoPayload::open(DemoPayload::Dialect::DelegateMapping, o.program.method(0).delegate(0).payload(), &p).ok());
  std::vector<std::string> names;
  for (const DemoOp& op : p) {
    EXPECT_EQ(op.identifier, static_cast<int64_t>(names.size()));
    names.emplace_back(op.name);
  }
  EXPECT_EQ(names.size(), 5u);
  EXPECT_EQ(names.back(), "div_decomp_from_tan");
}

TEST(Demo, TextThatIsNotTheirsIsRefused) {
  DemoPayload p;
  for (const char* text : {"", "x", "1version:0#", "1version:0#op:demo::a, numel:b, dtype:c<debug_handle>1#",
                           "99999999999999999999version:0#", "-1version:0#", "0version:0#rest",
                           "2version:0#op:demo::a, numel:1, dtype:c<debug_handle>1#"}) {
    const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(text), std::strlen(text));
    EXPECT_EQ(DemoPayload::open(DemoPayload::Dialect::Compiler, bytes, &p).code, Error::DelegateInvalidCompatibility)
        << text;
    EXPECT_FALSE(DemoPayload::open(DemoPayload::Dialect::DelegateMapping, bytes, &p).ok()) << text;
  }
}

TEST(Payload, AProgramInsideAProgramIsFoundAndOpens) {
  Opened o;
  if (!o.open("demo_nested")) GTEST_SKIP() << "no artefacts";
  const Delegate d = o.program.method(0).delegate(0);
  ASSERT_TRUE(is_program_payload(d.payload()));
  Program inner;
  ASSERT_TRUE(Program::open(d.payload(), &inner).ok());
  ASSERT_GE(inner.method(0).delegate_count(), 1u);
  EXPECT_EQ(inner.method(0).delegate(0).id(), "BackendWithCompilerDemo");
}

}  // namespace
}  // namespace et::format
