// The main report: everything is in it, sums add up, the JSON keeps its contract.
#include "inspector/report/main_report.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/analysis/ops/summary.h"
#include "inspector/ingest/ingest.h"
#include "inspector/report/main_report_ops.h"
#include "tests/inspector/report/json_schema.h"
#include "tests/inspector/report/report_store.h"

namespace et::inspector {
namespace {

namespace fs = std::filesystem;

std::string report(const Store& store, const ReportOptions& options, int64_t trace = 1) {
  std::string out;
  const Status status = write_main_report(store, trace, options, &out);
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}

std::string refused(const Store& store, const ReportOptions& options, int64_t trace = 1) {
  std::string out;
  const Status status = write_main_report(store, trace, options, &out);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(out, "");
  return status.message();
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Every table of a trace adds up to what it is a part of.
void expect_conservation(const Store& store, int64_t trace) {
  OpTable table;
  ASSERT_TRUE(load_op_table(store, trace, {}, &table).ok());
  Filter all, some;
  ASSERT_TRUE(Filter::parse("delegated:no", &some).ok());
  double executions = 0;
  for (const OpBlock& block : table.blocks) {
    for (const Filter* filter : {&all, &some}) {
      const CostLines lines = cost_lines(table, block, *filter, SortKey::Cost);
      double sum = lines.hidden;
      for (const CostLine& line : lines.lines) sum += line.cost;
      EXPECT_EQ(lines.unexplained, 0) << block.name;
      EXPECT_EQ(sum, static_cast<double>(block.total)) << block.name;
    }
    if (block.kind == "execute") executions += static_cast<double>(block.total);
  }
  double parts = 0;
  for (const PartRow& part : cost_parts(table)) {
    parts += static_cast<double>(part.total);
    if (part.part == Part::Delegate) {
      EXPECT_EQ(part.inner + part.overhead, part.total);
    }
  }
  EXPECT_DOUBLE_EQ(parts, executions);
  for (const GroupBy by :
       {GroupBy::Op, GroupBy::Type, GroupBy::Module, GroupBy::Line, GroupBy::Delegate, GroupBy::Method}) {
    const GroupTable groups = group_costs(table, by, some);
    double sum = groups.hidden;
    for (const GroupRow& row : groups.rows) sum += row.self;
    EXPECT_NEAR(sum, groups.total, 1e-6 * groups.total + 1e-9) << group_by_name(by);
    if (executions > 0) {
      EXPECT_DOUBLE_EQ(groups.total, executions);
    }
  }
}

class MainReport : public ::testing::Test {
 protected:
  Store store_ = test::filled_store();
};

TEST_F(MainReport, TheHotOpItsLineAndItsDelegateStandInOneRow) {
  const std::string text = report(store_, {.width = 190});
  std::istringstream lines(text);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (has(line, "Linear (NC, F32)")) {
      first = line;
      break;
    }
  }
  for (const char* part :
       {"450", "45.0%", "aten.linear + relu ~", "Linear (NC, F32) #1", "Xnnpack", "model.py:20 +1", "layers.1"}) {
    EXPECT_TRUE(has(first, part)) << part << " in: " << first << "\n" << text;
  }
}

TEST_F(MainReport, EverySectionIsThere) {
  const std::string text = report(store_, {.width = 190});
  for (const char* part : {"base · etdump.etdp · ETRecord etrecord.bin",
                           "16 events, 2 executions",
                           "build=debug",
                           "What ran",
                           "forward",
                           "program (90.0%)",
                           "encode",
                           "load: 300 ns (Program::load_method 300 ns)",
                           "DATA LOSS truncated_dump ×3: etdump.etdp: ends at byte 99",
                           "info unknown_event",
                           "Ops of forward: mean per execution 1.00 µs, of 2 executions",
                           "the store is of an older version without medians",
                           "framework",
                           "(unattributed) in XnnpackBackend call",
                           "(layout)",
                           "total",
                           "On separate clocks",
                           "npu_conv",
                           "Delegation",
                           "delegated: XnnpackBackend",
                           "kernels",
                           "Without a link to the graph (mean per execution)",
                           "1 op, 50 ns (Transpose): inserted by the lowering",
                           "~ the clock ticks in whole microseconds"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
  EXPECT_FALSE(has(text, "\x1b"));
  EXPECT_TRUE(has(report(store_, {.color = true}), "\x1b[1;31m"));
}

TEST_F(MainReport, DataLossIsToldBeforeNotes) {
  const std::string text = report(store_, {});
  EXPECT_LT(text.find("DATA LOSS"), text.find("info unknown_event"));
}

TEST_F(MainReport, FitsTheTerminal) {
  for (const int width : {80, 100, 120, 160}) {
    std::istringstream lines(report(store_, {.width = width}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), width) << line;
  }
  const std::string narrow = report(store_, {.width = 80});
  EXPECT_TRUE(has(narrow, "model.py:20")) << narrow;
  EXPECT_TRUE(has(narrow, "Xnnpack")) << narrow;
}

TEST_F(MainReport, TablesAddUpToTheBlocksTotal) { expect_conservation(store_, 1); }

TEST_F(MainReport, TheRestOfATopListIsARowToo) {
  const std::string text = report(store_, {.top = 2});
  EXPECT_TRUE(has(text, "(4 more rows)")) << text;
  EXPECT_TRUE(has(text, "450")) << text;  // 2000 - 900 - 650
}

TEST_F(MainReport, FilteredOpsStayInTheSum) {
  const std::string text = report(store_, {.filter = "delegated:yes"});
  EXPECT_TRUE(has(text, "(filtered out) 1 op")) << text;
  EXPECT_FALSE(has(text, "native_call_add.out ")) << text;
}

TEST_F(MainReport, LoadingGetsATableWhenItIsAskedFor) {
  EXPECT_TRUE(has(report(store_, {.filter = "block:Default"}), "Block Default: 1 run"));
}

TEST_F(MainReport, SortsByWhatIsAsked) {
  const auto order_of = [&](const std::string& sort) {
    OpTable table;
    EXPECT_TRUE(load_op_table(store_, 1, {}, &table).ok());
    SortKey key = SortKey::Cost;
    EXPECT_TRUE(parse_sort_key(sort, SortKey::Cost, &key).ok());
    std::string out;
    for (const CostLine& line : cost_lines(table, table.blocks[1], {}, key).lines)
      out += std::to_string(table.ops[line.op].id) + " ";
    return out;
  };
  EXPECT_EQ(order_of("cost"), "14 12 13 10 15 11 ");
  EXPECT_EQ(order_of("order"), "10 11 12 13 14 15 ");
  EXPECT_EQ(order_of("total"), "10 13 14 11 12 15 ");
  EXPECT_EQ(order_of("count"), "12 10 11 13 14 15 ");
  EXPECT_EQ(order_of("name"), "10 11 15 13 12 14 ");
  EXPECT_EQ(order_of("max"), "14 12 15 10 11 13 ");
}

TEST_F(MainReport, WrongOptionsAreRefusedWithWhatThereIs) {
  EXPECT_TRUE(has(refused(store_, {.sort = "size"}), "expected cost, self, total, order"));
  EXPECT_TRUE(has(refused(store_, {.group_by = "colour"}), "expected op, type, module"));
  EXPECT_TRUE(has(refused(store_, {.format = "xml"}), "expected table, json"));
  EXPECT_TRUE(has(refused(store_, {.units = "hours"}), "expected auto, ns"));
  EXPECT_TRUE(has(refused(store_, {.units = "cycles"}), "counts nanoseconds"));
  EXPECT_TRUE(has(refused(store_, {.filter = "colour:red"}), "unknown key"));
  EXPECT_TRUE(has(refused(store_, {}, 7), "no trace 7"));
}

TEST_F(MainReport, GroupsChargeEachLineItsPart) {
  const std::string lines = report(store_, {.format = "csv", .group_by = "line"});
  EXPECT_TRUE(has(lines, "675,0.3375,1,2,/src/models/model.py:20,return x\r\n")) << lines;
  EXPECT_TRUE(has(lines, "225,0.1125,1,2,/src/models/model.py:21,return x\r\n")) << lines;
  EXPECT_TRUE(has(lines, "250,0.125,1,4,(unattributed),\r\n")) << lines;
  EXPECT_TRUE(has(lines, ",(framework),\r\n")) << lines;
  const std::string modules = report(store_, {.group_by = "module"});
  EXPECT_TRUE(has(modules, "layers.1.act")) << modules;
  const std::string csv = report(store_, {.format = "csv", .group_by = "module"});
  EXPECT_TRUE(has(csv, "675,0.3375,900,1,2,layers.1,")) << csv;  // with layers.1.act
  EXPECT_TRUE(has(report(store_, {.format = "csv", .group_by = "delegate"}), "1200,0.6,2,6,XnnpackBackend\r\n"));
  const std::string methods = report(store_, {.format = "csv", .group_by = "method"});
  EXPECT_TRUE(has(methods, "2000,1,3,12,forward\r\n"))
      << methods << ": a kernel and two of the delegate, without calls";
  EXPECT_TRUE(has(report(store_, {.format = "csv", .group_by = "type"}), "650,0.325,1,4,aten.add.Tensor\r\n"));
  EXPECT_TRUE(
      has(report(store_, {.format = "csv", .group_by = "op"}), "50,0.025,1,2,(unattributed) in OPERATOR_CALL\r\n"));
}

TEST_F(MainReport, CsvHasEveryOpAndTheUnitInItsHeading) {
  const std::string ns = report(store_, {.format = "csv", .sort = "order"});
  EXPECT_EQ(std::count(ns.begin(), ns.end(), '\n'), 1 + 9);
  EXPECT_TRUE(has(ns, ",self_ns,self_share,sum_ns,share,mean_ns,"));
  EXPECT_TRUE(
      has(ns, "1,Execute,forward,2,native_call_add.out,kernel,0,,0,,aten.add.Tensor,7,4,650,0.325,650,0.325,162.5,"))
      << ns;
  const std::string us = report(store_, {.format = "tsv", .units = "us"});
  EXPECT_TRUE(has(us, "\tself_us\t"));
  EXPECT_TRUE(has(us, "\t0.65\t0.325\t0.65\t0.325\t0.1625\t")) << us;
  EXPECT_TRUE(has(us, "\t5555\t2.7775\t5555\t")) << us;  // another clock's ticks stay what they are
}

TEST_F(MainReport, JsonGroupsAreOnTheBasisThatIsAskedFor) {
  for (const char* name : {"warm", "mean", "total"}) {
    Basis basis;
    ASSERT_TRUE(parse_basis(name, &basis).ok());
    const std::string csv = report(store_, {.format = "csv", .group_by = "line", .basis = basis});
    const std::string first = csv.substr(csv.find('\n') + 1);
    const std::string self = first.substr(0, first.find(','));
    const std::string json = report(store_, {.format = "json", .group_by = "line", .basis = basis});
    EXPECT_TRUE(has(json.substr(json.find("\"groups\"")), "\"self_ns\": " + self + ",")) << name << csv << json;
  }
  const std::string sums = report(store_, {.format = "json", .group_by = "line"});
  EXPECT_TRUE(has(sums.substr(sums.find("\"groups\"")), "\"self_ns\": 675,"));
}

TEST_F(MainReport, MarkdownIsATableUnderItsBasis) {
  for (const auto& [name, shown] : {std::pair("mean", "mean per execution"), std::pair("total", "sum of")}) {
    Basis basis;
    ASSERT_TRUE(parse_basis(name, &basis).ok());
    const std::string text = report(store_, {.format = "markdown", .basis = basis});
    EXPECT_TRUE(text.starts_with(std::string("### forward: ") + shown)) << text;
    EXPECT_TRUE(has(text, "\n\n| # | self | share |")) << text;
    const std::string groups = report(store_, {.format = "markdown", .group_by = "type", .basis = basis});
    EXPECT_TRUE(groups.starts_with(std::string("### Cost by type: ") + shown)) << groups;
  }
}

TEST_F(MainReport, SourceMapsChangeWhatIsShown) {
  EXPECT_TRUE(has(report(store_, {.format = "json", .source_maps = {{"/src", "here"}}}), "\"here/models/model.py\""));
}

TEST_F(MainReport, JsonKeepsItsContract) {
  test::JsonSchema schema(ET_SOURCE_DIR "/docs/json-schema-1.json");
  EXPECT_EQ(schema.check(report(store_, {.format = "json"})), "");
  EXPECT_EQ(schema.check(report(store_, {.format = "json", .group_by = "module", .samples = true, .values = true})),
            "");
  for (const char* by : {"frame", "phase"}) {
    EXPECT_EQ(schema.check(report(store_, {.format = "json", .group_by = by})), "") << by;
  }
  EXPECT_EQ(schema.undescribed(), std::vector<std::string>());
  EXPECT_NE(schema.check(R"({"schema_version": 2})"), "");
}

TEST_F(MainReport, JsonSaysWhatTheStoreKnows) {
  const std::string text = report(store_, {.format = "json", .samples = true, .values = true});
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  ASSERT_EQ(parser.parse(text).get(json), simdjson::SUCCESS) << text;
  const auto at = [&](const char* pointer) { return simdjson::minify(json.at_pointer(pointer).value()); };
  EXPECT_EQ(at("/schema_version"), "1");
  EXPECT_EQ(at("/trace/labels/build"), "\"debug\"");
  EXPECT_EQ(at("/diagnostics/0/id"), "\"truncated_dump\"");
  EXPECT_EQ(at("/methods/0/total_ns"), "2000");
  EXPECT_EQ(at("/methods/1/executions"), "0");
  EXPECT_EQ(at("/ops/3/name"), "\"native_call_add.out\"");
  EXPECT_EQ(at("/ops/3/samples_ns"), "[100,101,102,103]");
  EXPECT_EQ(at("/ops/3/values/0/shape"), "[2,2]");
  EXPECT_EQ(at("/ops/3/values/0/method_execution"), at("/ops/3/values/0/execution")) << "one block has all of them";
  EXPECT_EQ(at("/ops/5/nodes/1/confidence"), "0.6");
  EXPECT_EQ(at("/ops/5/nodes/0/target"), "\"aten.linear.default\"");
  EXPECT_EQ(at("/ops/5/nodes/0/stored_target"), "\"edge.aten.linear.default\"");
  EXPECT_EQ(at("/ops/5/op_types"), "[\"aten.linear.default\",\"aten.relu.default\"]");
  EXPECT_EQ(at("/ops/7/sum_cycles"), "5555");
  EXPECT_EQ(at("/blocks/1/outputs/0/first_values"), "null");  // a store may hold anything
  EXPECT_EQ(at("/unattributed/0/sum_ns"), "100");
  EXPECT_EQ(at("/unlinked/0/reason"), "\"inserted by the lowering\"");
}

TEST_F(MainReport, JsonOfATraceInCyclesSaysCycles) {
  ASSERT_TRUE(store_.exec("UPDATE raw_trace SET unit = 'cycles'; UPDATE raw_op SET unit = 'cycles'").ok());
  const std::string text = report(store_, {.format = "json"});
  EXPECT_FALSE(has(text, "_ns\"") && has(text, "\"sum_ns\""));
  EXPECT_EQ(test::JsonSchema(ET_SOURCE_DIR "/docs/json-schema-1.json").check(text), "");
  EXPECT_TRUE(has(report(store_, {}), "self (cycles)"));
}

TEST_F(MainReport, AnUnsoundStoreIsShownAsItIs) {
  // Parents in a ring, a block whose ops do not add up, lists that are none.
  ASSERT_TRUE(store_
                  .exec("UPDATE raw_op SET parent = 11 WHERE id = 10; UPDATE raw_block SET total = 2500 WHERE id = 2;"
                        "UPDATE raw_op SET op_types = '[\"a', debug_handles = '[1,,]'")
                  .ok());
  const std::string text = report(store_, {.basis = Basis{BasisKind::Total}});
  EXPECT_TRUE(has(text, "(explained by no op)")) << text;
  EXPECT_EQ(test::JsonSchema(ET_SOURCE_DIR "/docs/json-schema-1.json").check(report(store_, {.format = "json"})), "");
}

TEST_F(MainReport, AnEmptyTraceSaysThatNothingRan) {
  ASSERT_TRUE(store_
                  .exec("DELETE FROM raw_link; DELETE FROM raw_unlinked; DELETE FROM raw_value; DELETE FROM raw_op; "
                        "DELETE FROM raw_run;"
                        "DELETE FROM raw_block; DELETE FROM raw_method")
                  .ok());
  EXPECT_TRUE(has(report(store_, {}), "nothing was executed"));
  EXPECT_EQ(report(store_, {.format = "markdown"}), "");
  EXPECT_EQ(test::JsonSchema(ET_SOURCE_DIR "/docs/json-schema-1.json").check(report(store_, {.format = "json"})), "");
}

// Every small real case, with everything that belongs to it.
TEST(MainReportOfRealTraces, AddUpAndKeepTheContract) {
  test::JsonSchema schema(ET_SOURCE_DIR "/docs/json-schema-1.json");
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(ET_FIXTURES "/artifacts")) {
    for (const char* name : {"etdump.etdp", "debug.etdp"}) {
      const fs::path dump = entry.path() / name;
      if (!fs::exists(dump)) continue;
      SCOPED_TRACE(dump.string());
      const auto beside = [&](const char* file) {
        return fs::exists(entry.path() / file) ? (entry.path() / file).string() : "";
      };
      Store store;
      ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
      IngestInputs inputs;
      inputs.dump = dump.string();
      inputs.record = beside("etrecord.bin");
      inputs.program = beside("program.pte");
      if (std::string_view(name) == "debug.etdp") inputs.debug_buffer = beside("debug.bin");
      IngestResult result;
      const Status status = ingest(store, inputs, {}, &result);
      ASSERT_TRUE(status.ok()) << status.message();
      ++cases;
      expect_conservation(store, result.trace_id);
      EXPECT_EQ(schema.check(report(store, {.format = "json", .samples = true, .values = true}, result.trace_id)), "");
      for (const int width : {80, 160}) {
        std::istringstream lines(report(store, {.width = width}, result.trace_id));
        for (std::string line; std::getline(lines, line);) {
          // Paths and messages are never cut; tables are.
          if (!has(line, "/")) {
            EXPECT_LE(text_width(line), width) << line;
          }
        }
      }
      for (const char* by : {"op", "type", "module", "line", "delegate", "method"})
        EXPECT_NE(report(store, {.group_by = by}, result.trace_id), "");
      if (std::getenv("ET_REPORT_WIDTH") != nullptr)
        std::fputs(report(store, {.width = std::atoi(std::getenv("ET_REPORT_WIDTH"))}, result.trace_id).c_str(),
                   stdout);
    }
  }
  EXPECT_GT(cases, 10);
}

}  // namespace
}  // namespace et::inspector
