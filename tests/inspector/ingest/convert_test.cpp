// A Convert of XNNPACK is what its direction says. Quantisers put a dequantize and a quantize around every operator,
// and a debug handle has often both: what a Convert costs belongs to the one that it does, whole.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "inspector/ingest/ingest.h"
#include "inspector/match/xnnpack_kinds.h"

namespace et::inspector {
namespace {

int64_t number(const Store& store, const std::string& sql) {
  Statement st = store.query(sql);
  return st.step() ? st.integer(0) : -1;
}

constexpr const char* kConverts =
    " FROM payload_nodes p JOIN ops o ON o.payload_node_id = p.payload_node_id JOIN links l ON l.op_id = o.op_id JOIN "
    "nodes n ON n.node_id = l.node_id WHERE o.name LIKE 'Convert%' AND l.weight > 0 AND p.label LIKE '";

class Converts : public testing::TestWithParam<std::array<const char*, 2>> {};

TEST_P(Converts, ChargeTheOperatorThatGoesTheirWay) {
  const std::string folder = std::string(ET_FIXTURES) + "/" + GetParam()[0] + "/";
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs inputs;
  inputs.dump = folder + GetParam()[1];
  inputs.record = folder + "etrecord.bin";
  inputs.program = folder + "program.pte";
  IngestResult result;
  const Status status = ingest(store, inputs, {}, &result);
  ASSERT_TRUE(status.ok()) << status.message();
  const auto charged = [&](const std::string& label, const std::string& op) {
    return number(store, "SELECT count(*)" + (kConverts + label) + "' AND n.op GLOB '*." + op + "'");
  };
  EXPECT_GT(charged("fp32 %", "quantize*"), 0);
  EXPECT_EQ(charged("fp32 %", "dequantize*"), 0);
  EXPECT_GT(charged("qint8 % -> fp32 %", "dequantize*"), 0);
  EXPECT_EQ(charged("qint8 % -> fp32 %", "quantize*"), 0);
  EXPECT_EQ(number(store,
                   "SELECT count(*) FROM (SELECT sum(weight) w FROM links GROUP BY op_id) WHERE w > 1e-9 AND "
                   "abs(w - 1) > 1e-9"),
            0);
  // What it is called follows from what it is charged to.
  EXPECT_EQ(number(store,
                   "SELECT count(*) FROM usual_ops u JOIN ops o ON o.op_id = u.op_id JOIN payload_nodes p ON "
                   "p.payload_node_id = o.payload_node_id WHERE o.name LIKE 'Convert%' AND u.title NOT LIKE "
                   "CASE WHEN p.label LIKE 'fp32 %' THEN '%.quantize%' ELSE '%.dequantize%' END"),
            0);
}

INSTANTIATE_TEST_SUITE_P(Models, Converts,
                         testing::Values(std::array{"join/ConvBnRelu.int8_static", "upstream.etdp"},
                                         std::array{"join/Attention.int8_static", "upstream.etdp"},
                                         std::array{"join/Branches.int8_static", "upstream.etdp"},
                                         std::array{"releases/1.2.0_conv_int8_xnnpack", "etdump.etdp"}));

TEST(ConvertsOfEvents, NamesThatSayTheWay) {
  EXPECT_EQ(conversion_of_event("Convert (NC, F32, QS8)"), Conversion::Quantize);
  EXPECT_EQ(conversion_of_event("Convert (NC, F16, QD8) #1"), Conversion::Quantize);
  EXPECT_EQ(conversion_of_event("Convert (QS8->F32, 1x100) node 2"), Conversion::Dequantize);
  EXPECT_EQ(conversion_of_event("Convert (QU8->F16, 1x100)"), Conversion::Dequantize);
  // Not said, or neither.
  for (const char* const name : {"Convert (NC) #1", "Convert (NC, F32, F16)", "Convert (NC, QS8, QS8)", "Convert",
                                 "Convolution (NHWC, F32, QS8)", "Convert (NC, F32)", ""})
    EXPECT_EQ(conversion_of_event(name), Conversion::None) << name;
}

}  // namespace
}  // namespace et::inspector
