// Ethos-U without the NPU: Vela's estimates, the device's counters, and the TOSA graph that the payload was made from.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/gzip.h"
#include "inspector/ingest/ingest.h"
#include "inspector/ingest/npu/comma_table.h"
#include "inspector/ingest/npu/npu_trace.h"
#include "inspector/ingest/npu/vela_estimates.h"

namespace et::inspector {
namespace {

const std::string kFolder = std::string(ET_FIXTURES) + "/ethosu/";

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Imported {
  explicit Imported(const IngestInputs& inputs) {
    EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    IngestResult result;
    status = ingest(store, inputs, {}, &result);
  }
  std::vector<std::string> rows(const char* sql) {
    std::vector<std::string> out;
    Statement st = store.query(sql);
    while (st.step()) out.push_back(st.str(0));
    return out;
  }
  Store store;
  Status status;
};

IngestInputs u85() {
  IngestInputs in;
  in.program = kFolder + "u85/model.pte";
  in.record = kFolder + "u85/etrecord.bin";
  return in;
}

TEST(CommaTable, QuotesAndRows) {
  CommaTable t;
  ASSERT_TRUE(CommaTable::parse("\n\"a\",b\n1,\"x,\"\"y\"\"\"\r\n", "f", 5, &t).ok());
  ASSERT_EQ(t.rows(), 1U);
  EXPECT_EQ(t.cell(0, "b"), "x,\"y\"");
  EXPECT_EQ(t.integer(0, "a"), 1);
  EXPECT_EQ(t.integer(0, "b"), std::nullopt);
  EXPECT_EQ(t.cell(0, "c"), "");
  EXPECT_EQ(t.place(0), "f: line 7");
  EXPECT_EQ(CommaTable::parse("a,b\n1\n", "f", 1, &t).message(),
            "f: line 2: expected 2 cells as in the heading, got 1");
  EXPECT_EQ(CommaTable::parse("a\n\"1\n", "f", 1, &t).message(),
            "f: line 2: expected a closing quote, got the line's end");
  EXPECT_EQ(CommaTable::parse("", "f", 3, &t).message(), "f: line 3: expected a heading, got nothing");
}

TEST(VelaEstimates, TableAndDatabaseSayTheSame) {
  VelaEstimates table, database;
  for (const char* folder : {"u55/", "u85/"}) {
    const std::string csv = kFolder + folder + "out_per-layer.csv", xml = kFolder + folder + "out_debug.xml";
    ASSERT_TRUE(read_vela_estimates(text_of(csv), csv, &table).ok());
    ASSERT_TRUE(read_vela_estimates(text_of(xml), xml, &database).ok());
    ASSERT_EQ(table.operators.size(), database.operators.size());
    for (size_t i = 0; i < table.operators.size(); ++i) {
      const VelaOperator &a = table.operators[i], &b = database.operators[i];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.type, b.type);
      EXPECT_EQ(a.cycles, b.cycles);
      EXPECT_EQ(a.macs, b.macs);
      EXPECT_EQ(a.memory_cycles, b.memory_cycles);
    }
    EXPECT_TRUE(table.queue.empty());
    EXPECT_EQ(database.queue.size(), database.operators.size());
  }
}

TEST(VelaEstimates, DamageIsNamedWithItsPlace) {
  VelaEstimates e;
  EXPECT_EQ(read_vela_estimates("a,b\n1,2\n", "f", &e).message(),
            "f: line 1: expected Vela's table of --verbose-performance, got no column 'NNG Operator'");
  EXPECT_EQ(read_vela_estimates("NNG Operator,Op Cycles,MAC Count,Name\nConv2D,many,1,x\n", "f", &e).message(),
            "f: line 2: expected cycles, got 'many'");
  EXPECT_EQ(read_vela_estimates("<debug source=\"x\">\n</debug>", "f", &e).message(),
            "f: expected Vela's debug database with a table 'perf', got none");
  EXPECT_EQ(read_vela_estimates("<debug>\n<table name=\"perf\">\n<![CDATA[\n\"id\"\n", "f", &e).message(),
            "f: expected Vela's debug database with a table 'perf', got one without an end");
}

TEST(VelaEstimates, OldTablesNameOperatorsAsPythonDoes) {
  VelaEstimates e;
  const char* old =
      "TFLite_operator,NNG Operator,SRAM Usage,Op Cycles,NPU,SRAM AC,MAC Count,Name\n"
      "CONV_2D,Op.Conv2DBias,48,432.0,158.0,5.0,240,conv\n";
  ASSERT_TRUE(read_vela_estimates(old, "f", &e).ok());
  EXPECT_EQ(e.operators[0].type, "Conv2DBias");
  EXPECT_EQ(e.operators[0].cycles, 432);
  EXPECT_EQ(e.operators[0].memory, "SRAM");
}

TEST(NpuTrace, ACommandLastsUntilTheQueueIsReadBeyondIt) {
  VelaEstimates e;
  e.operators.resize(3);
  e.operators[1].id = 7;
  e.operators[2].cascaded_into = 7;  // runs as a part of the one before it
  e.queue = {{8, 0}, {40, 1}, {80, 2}};
  // Two inferences; the second one is cut off.
  const std::vector<QueueRead> reads = {{100, 0}, {150, 8}, {300, 40}, {450, 60}, {900, 84}, {1000, 0}, {1300, 44}};
  const std::vector<DeviceSlice> slices = device_slices(e, reads);
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[0].op, 0U);
  EXPECT_EQ(slices[0].start, 0);
  EXPECT_EQ(slices[0].end, 200);
  EXPECT_EQ(slices[1].op, 1U);
  EXPECT_EQ(slices[1].start, 200);
  EXPECT_EQ(slices[1].end, 800);
  EXPECT_EQ(slices[2].inference, 1);
  EXPECT_EQ(slices[2].start, 900);
  EXPECT_EQ(slices[2].end, 1200);
}

TEST(NpuTrace, DamageIsNamed) {
  std::vector<QueueRead> reads;
  EXPECT_EQ(read_npu_trace("{}", "f", &reads).message(), "f: expected 'traceEvents' of a PMU trace, got none");
  EXPECT_EQ(read_npu_trace("[{\"tid\":\"pmu\"}]", "f", &reads).message(),
            "f: expected events of the thread 'qread', got none");
  EXPECT_EQ(read_npu_trace("[{\"tid\":\"qread\",\"ts\":1}]", "f", &reads).message(),
            "f: traceEvents: event 0 of 'qread': expected a time 'ts' and a position 'args.qread', got "
            "{\"tid\":\"qread\",\"ts\":1}");
}

TEST(Gunzip, MembersLimitsAndDamage) {
  const std::string text(100000, 'x'), packed = gzip(text);
  std::string out;
  ASSERT_TRUE(gunzip(packed + gzip("end"), 1 << 20, &out).ok());
  EXPECT_EQ(out, text + "end");
  EXPECT_NE(gunzip(packed, 1000, &out).message().find("expected at most 1000 bytes inside, got more"),
            std::string::npos);
  EXPECT_NE(gunzip(packed.substr(0, 40), 1 << 20, &out).message().find("expected more, got the file's end"),
            std::string::npos);
  EXPECT_FALSE(gunzip("no gzip", 1 << 20, &out).ok());
}

TEST(EthosU, OperatorsGetCyclesNodesAndLines) {
  IngestInputs in = u85();
  in.more["vela"] = kFolder + "u85/out_debug.xml";
  in.more["tosa"] = kFolder + "u85/delegate0.tosa";
  in.more["npu-trace"] = kFolder + "u85/pmu.json";
  Imported t(in);
  ASSERT_TRUE(t.status.ok()) << t.status.message();
  EXPECT_EQ(
      t.rows("SELECT c.type || ' ' || n.name || ':' || n.line FROM compiled_ops c JOIN payload_links l ON "
             "l.payload_node_id = c.payload_node_id AND l.ordinal = 0 JOIN nodes n ON n.node_id = l.node_id "
             "WHERE c.type <> 'Transpose' ORDER BY c.ordinal"),
      (std::vector<std::string>{"Conv2D aten_convolution_default:40", "DepthwiseConv2D aten_convolution_default_1:41",
                                "Add aten_add_tensor:42", "Conv2D aten_convolution_default_2:42",
                                "AvgPool aten_avg_pool2d_default:43", "Conv2D aten_linear_default:44"}));
  EXPECT_EQ(t.rows("SELECT count(DISTINCT inference) FROM device_slices"), std::vector<std::string>{"3"});
  // 1.26 times the expected, in the middle of three inferences; the cascaded one has none of its own.
  EXPECT_EQ(t.rows("SELECT count(*) FROM compiled_ops WHERE measured_cycles = CAST(cycles * 1.26 AS INTEGER)"),
            std::vector<std::string>{"6"});
  EXPECT_EQ(t.rows("SELECT count(*) FROM compiled_ops WHERE measured_cycles IS NULL AND type = 'Add'"),
            std::vector<std::string>{"1"});
}

TEST(EthosU, WithoutTheGraphTheCommandsSayWhichOperatorTheyAreOf) {
  IngestInputs in = u85();
  in.more["vela"] = kFolder + "u85/out_debug.xml";
  Imported t(in);
  ASSERT_TRUE(t.status.ok()) << t.status.message();
  EXPECT_EQ(t.rows("SELECT p.type || ' ' || p.label FROM payload_nodes p ORDER BY p.ordinal LIMIT 2"),
            (std::vector<std::string>{"POOL SUM tosa_transpose_default: 1x1 -> INT8 3x32x32",
                                      "CONV tosa_rescale_default: 3x3 -> INT8 16x16x16, weights 672 B, 110592 MACs"}));
  EXPECT_EQ(t.rows("SELECT sum(commands) FROM compiled_ops"), std::vector<std::string>{"7"});
}

TEST(EthosU, OfTwoDelegatesEachGetsItsOwn) {
  for (const char* vela : {"u55/out_debug.xml", "u55/out_per-layer.csv"}) {
    IngestInputs in;
    in.program = kFolder + "u55/model.pte";
    in.more["tosa"] = kFolder + "u55";
    in.more["vela"] = kFolder + vela;
    Imported t(in);
    ASSERT_TRUE(t.status.ok()) << t.status.message();
    EXPECT_EQ(
        t.rows("SELECT d.ordinal || ' ' || f.text FROM payload_facts f JOIN delegates d USING (delegate_id) WHERE "
               "f.kind = 'twin' ORDER BY 1"),
        (std::vector<std::string>{"0 operators, of delegate1.tosa", "1 operators, of delegate0.tosa"}));
    EXPECT_EQ(t.rows("SELECT d.ordinal || ' ' || c.name FROM compiled_ops c JOIN delegates d USING (delegate_id)"),
              std::vector<std::string>{"1 tosa_reshape_default_1"})
        << "Vela's last output is of the last delegate";
  }
}

TEST(EthosU, WhatBelongsToSomethingElseIsRefused) {
  const auto message = [](const char* option, const std::string& path) {
    IngestInputs in = u85();
    in.more[option] = path;
    return Imported(in).status.message();
  };
  const std::string csv = kFolder + "u55/out_per-layer.csv", tosa = kFolder + "u55/delegate0.tosa";
  EXPECT_EQ(message("vela", csv), csv + ": expected the estimates of a delegate of " + kFolder +
                                      "u85/model.pte (multiplications of its convolutions: 246,000), got 240");
  EXPECT_EQ(message("tosa", tosa), tosa + ": expected a graph with inputs and outputs of a delegate of " + kFolder +
                                       "u85/model.pte (3x32x32 -> 10), got 24x1x1 -> 10");
  const std::string trace = kFolder + "u85/pmu.json";
  EXPECT_EQ(message("npu-trace", trace),
            trace + ": expected Vela's debug database beside it (--vela *_debug.xml, of --enable-debug-db), got none");
  IngestInputs in;
  in.program = std::string(ET_FIXTURES) + "/artifacts/add_mul/program.pte";
  in.more["tosa"] = tosa;
  EXPECT_EQ(Imported(in).status.message(),
            tosa + ": expected a program with a payload of Vela, got " + in.program + " without one");
}

}  // namespace
}  // namespace et::inspector
