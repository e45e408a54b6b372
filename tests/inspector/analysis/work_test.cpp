// Operations and bytes of ops, and the roofs that they are held against.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "inspector/analysis/work/measured.h"
#include "inspector/analysis/work/operator_work.h"
#include "inspector/analysis/work/roofline.h"
#include "inspector/report/roofline_report.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector {
namespace {

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> out;
  size_t begin = 0;
  while (!text.empty()) {
    const size_t end = text.find(by, begin);
    out.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) break;
    begin = end + by.size();
  }
  return out;
}

/// A call as texts: "self=[2, 3]; other=[3]", "[2, 3]", "kernel_size=[2, 2]".
struct TextCall {
  std::string op, inputs, outputs, arguments;
};

std::optional<double> number_of_text(const TextCall& text, std::optional<double> (*number)(const OperatorCall&)) {
  OperatorCall call;
  call.op = text.op;
  const std::vector<std::string> inputs = split(text.inputs, "; ");
  for (const std::string& in : inputs) {
    const size_t sign = in.find('=');
    call.inputs.push_back({std::string_view(in).substr(0, sign), parse_shape(in.substr(sign + 1)).value()});
  }
  std::vector<Shape> outputs;
  for (const std::string& out : split(text.outputs, "; ")) outputs.push_back(parse_shape(out).value());
  std::vector<GraphArgument> arguments;
  for (const std::string& a : split(text.arguments, "; "))
    arguments.push_back({a.substr(0, a.find('=')), a.substr(a.find('=') + 1)});
  call.outputs = outputs;
  call.arguments = arguments;
  return number(call);
}
std::optional<double> flops_of_text(const TextCall& text) { return number_of_text(text, flops_of); }
double spared_of_text(const TextCall& text) {
  return *number_of_text(text, [](const OperatorCall& call) { return std::optional(spared_flops_of(call)); });
}

TEST(OperatorWork, ProductsConvolutionsAndAttentionAreAsTorchCountsThem) {
  std::ifstream file(std::string(ET_FIXTURES) + "/work/flops.tsv");
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> cells = split(line, "\t");
    ASSERT_EQ(cells.size(), 5u) << line;
    const auto flops = flops_of_text({cells[0], cells[1], cells[2], cells[3]});
    ASSERT_TRUE(flops.has_value()) << line;
    EXPECT_EQ(*flops, std::stod(cells[4])) << line;
    ++rows;
  }
  EXPECT_GE(rows, 60);
}

TEST(OperatorWork, HandCounts) {
  struct Row {
    TextCall call;
    double flops;
  };
  const Row kRows[] = {
      {{"aten.add.Tensor", "self=[2, 3]; other=[3]", "[2, 3]", ""}, 6},
      {{"aten.add_.Tensor", "self=[2, 3]; other=[3]", "[2, 3]", ""}, 6},
      {{"aten._softmax.default", "self=[4, 10]", "[4, 10]", "dim=-1"}, 480},
      {{"aten.sigmoid.default", "self=[4, 10]", "[4, 10]", ""}, 560},
      {{"aten.div.Tensor", "self=[4, 10]; other=[4, 10]", "[4, 10]", ""}, 160},
      {{"aten.pow.Tensor_Scalar", "self=[4, 10]", "[4, 10]", "exponent=2"}, 40},
      {{"aten.pow.Tensor_Scalar", "self=[4, 10]", "[4, 10]", "exponent=3.0"}, 80},
      {{"aten.pow.Tensor_Scalar", "self=[4, 10]", "[4, 10]", "exponent=-0.5"}, 160},
      {{"aten.pow.Tensor_Scalar", "self=[4, 10]", "[4, 10]", "exponent=1.7"}, 680},
      {{"aten.full_like.default", "self=[4, 10]", "[4, 10]", "fill_value=0"}, 0},
      {{"aten.native_layer_norm.default", "input=[4, 10]", "[4, 10]", ""}, 320},
      {{"aten.mean.dim", "self=[1, 8, 7, 7]", "[1, 8]", "dim=[2, 3]"}, 392},
      {{"aten.max_pool2d_with_indices.default", "self=[1, 2, 6, 6]", "[1, 2, 3, 3]; [1, 2, 3, 3]",
        "kernel_size=[2, 2]"},
       72},
      {{"aten.avg_pool2d.default", "self=[1, 2, 6, 6]", "[1, 2, 2, 2]", "kernel_size=[3]"}, 72},
      {{"aten.view_copy.default", "self=[2, 3]", "[6]", ""}, 0},
      {{"aten.embedding.default", "weight=[1000, 16]; indices=[4]", "[4, 16]", ""}, 0},
      {{"quantized_decomposed.quantize_per_tensor.default", "input=[5]", "[5]", ""}, 15},
      {{"dim_order_ops._to_dim_order_copy.default", "self=[5]", "[5]", ""}, 0},
      {{"aten.mm.default", "self=[0, 3]; mat2=[3, 2]", "[0, 2]", ""}, 0},
  };
  for (const Row& r : kRows) EXPECT_EQ(flops_of_text(r.call).value_or(-1), r.flops) << r.call.op;
}

TEST(OperatorWork, WhatIsReadOfTheFirstInput) {
  EXPECT_TRUE(reads_no_input("aten.full_like.default"));
  EXPECT_TRUE(reads_no_input("aten.zeros_like.default"));
  EXPECT_FALSE(reads_no_input("aten.slice_copy.Tensor"));
  EXPECT_TRUE(reads_what_it_writes("aten.slice_copy.Tensor"));
  EXPECT_TRUE(reads_what_it_writes("aten.embedding.default"));
  EXPECT_FALSE(reads_what_it_writes("aten.full_like.default"));
  EXPECT_TRUE(may_leave_data("aten.view_copy.default"));
  EXPECT_TRUE(may_leave_data("aten.permute_copy.default")) << "its reader may know the other order";
  EXPECT_FALSE(may_leave_data("aten.slice_copy.Tensor"));
  EXPECT_FALSE(may_leave_data("aten.cat.default"));
}

TEST(OperatorWork, ConvolutionsThatWinogradsAlgorithmShortens) {
  const auto conv = [](const char* weight, const char* more) {
    return TextCall{"aten.convolution.default", std::string("input=[1, 8, 6, 6]; weight=") + weight, "[1, 4, 6, 6]",
                    more};
  };
  const double flops = 2 * 4 * 36 * 8 * 9;
  EXPECT_EQ(flops_of_text(conv("[4, 8, 3, 3]", "")), flops);
  EXPECT_EQ(spared_of_text(conv("[4, 8, 3, 3]", "stride=[1, 1]; dilation=[1, 1]; transposed=False")), flops * 5 / 9);
  EXPECT_EQ(spared_of_text(conv("[4, 8, 3, 3]", "stride=[1, 2]; dilation=[1, 1]")), 0);
  EXPECT_EQ(spared_of_text(conv("[4, 8, 3, 3]", "stride=[1, 1]; dilation=[2]")), 0);
  EXPECT_EQ(spared_of_text(conv("[4, 8, 3, 3]", "transposed=True")), 0);
  EXPECT_EQ(spared_of_text(conv("[4, 2, 3, 3]", "")), 0) << "groups";
  EXPECT_EQ(spared_of_text(conv("[4, 8, 3, 5]", "")), 0);
  EXPECT_EQ(spared_of_text({"aten.mm.default", "self=[3, 3]; mat2=[3, 3]", "[3, 3]", ""}), 0);
}

TEST(OperatorWork, WhatHasNoFormulaHasNoNumber) {
  EXPECT_FALSE(has_work_formula("aten.topk.default"));
  EXPECT_FALSE(flops_of_text({"aten.topk.default", "self=[4]", "[2]; [2]", ""}).has_value());
  EXPECT_FALSE(flops_of_text({"aten.convolution.default", "input=[1, 2, 3]", "[1, 2, 3]", ""}).has_value())
      << "no weight";
  EXPECT_FALSE(flops_of_text({"aten.avg_pool2d.default", "self=[1, 2, 6, 6]", "[1, 2, 2, 2]", ""}).has_value());
  EXPECT_FALSE(flops_of_text({"aten.mm.default", "", "[1, 2]", ""}).has_value());
  EXPECT_FALSE(has_work_formula(""));
  EXPECT_FALSE(has_work_formula("."));
}

TEST(OperatorWork, ShapesAreNumbersOrNothing) {
  EXPECT_EQ(parse_shape("[1, 24, 128]"), (Shape{1, 24, 128}));
  EXPECT_EQ(parse_shape("[]"), Shape{});
  for (const char* bad : {"", "[", "[1, s27]", "[-1]", "[1,]x", "[1 2]", "1"}) EXPECT_FALSE(parse_shape(bad)) << bad;
}

struct LoadedRoofline {
  explicit LoadedRoofline(const std::string& name, const MachinePeaks* machine = nullptr, const DimValues& dims = {})
      : in(name) {
    Status s = load_shown_ops(in.store, 1, {}, &shown);
    if (s.ok()) s = roofline(in.store, shown, machine, dims, &result);
    EXPECT_TRUE(s.ok()) << s.message();
  }
  const RooflineRow* row_of(const std::string& module) const {
    for (const RooflineRow& r : result.rows)
      if (r.module == module && r.work.flops) return &r;
    return nullptr;
  }
  test::ImportedFixture in;
  OpTable shown;
  Roofline result;
};

// MobileNetV2 0.35: 59 million multiplications and additions, as its authors say.
TEST(Roofline, AQuantisedNetworkHasTheOperationsAndBytesOfItsPaper) {
  const LoadedRoofline net("mobilenet_v2_035_xnnpack_int8");
  EXPECT_NEAR(net.result.flops, 2 * 59e6, 2e6);
  const RooflineRow* const stem = net.row_of("features.0.0");
  ASSERT_NE(stem, nullptr);
  // int8 image, weights [16, 3, 3, 3], float bias; the clamp behind it is part of the kernel and costs one an element.
  EXPECT_EQ(*stem->work.bytes, 3 * 224 * 224 + 16 * 27 + 16 * 4 + 16 * 112 * 112);
  EXPECT_EQ(stem->work.weight_bytes, 16 * 27 + 16 * 4);
  EXPECT_TRUE(stem->work.integer);
  EXPECT_EQ(*stem->work.flops, 2.0 * 16 * 112 * 112 * 27);
}

TEST(Roofline, RowsAddUpToNoMoreThanTheExecution) {
  for (const char* name : {"add_mul", "partial_delegation", "mobilenet_v2_035_xnnpack_int8", "lstm_xnnpack",
                           "nanogpt_xnnpack_qd4", "control_flow_scan"}) {
    const LoadedRoofline r(name);
    double sum = 0;
    for (const RooflineRow& row : r.result.rows) sum += row.ns;
    EXPECT_LE(sum, r.result.total_ns * 1.000001) << name;
    EXPECT_GT(sum, 0.5 * r.result.total_ns) << name;
    EXPECT_TRUE(r.result.has_graph) << name;
  }
}

TEST(Roofline, SumsHaveTheWorkOfAllThatTheyAreSumsOf) {
  const LoadedRoofline one("mobilenet_v2_035_xnnpack_int8");
  const auto on = [&](const OpTableOptions& options, OpTable* shown) {
    Roofline out;
    Status s = load_shown_ops(one.in.store, 1, options, shown);
    if (s.ok()) s = roofline(one.in.store, *shown, nullptr, {}, &out);
    EXPECT_TRUE(s.ok()) << s.message();
    return out;
  };
  const auto same = [&](const Roofline& all, const RooflineRow& row) {
    const auto at = std::find_if(all.rows.begin(), all.rows.end(),
                                 [&](const RooflineRow& other) { return other.op_id == row.op_id; });
    return at == all.rows.end() ? nullptr : &*at;
  };
  OpTable table;
  const Roofline total = on({.basis = {BasisKind::Total}}, &table);
  int compared = 0;
  for (const RooflineRow& row : one.result.rows) {
    const RooflineRow* const sum = same(total, row);
    if (sum == nullptr || !row.work.flops) continue;
    const auto runs = static_cast<double>(table.block_of(table.ops[sum->ops.front()]).runs);
    ASSERT_GT(runs, 1);
    EXPECT_DOUBLE_EQ(*sum->work.flops, runs * *row.work.flops) << row.title;
    EXPECT_DOUBLE_EQ(sum->calls, runs * row.calls);
    ++compared;
  }
  EXPECT_GT(compared, 20);
  // A range that cuts its first and its last execution.
  Statement st = one.in.store.query(
      "SELECT start_ns, duration_ns FROM executions JOIN blocks USING (block_id) WHERE kind = 'execute' ORDER BY "
      "run_id");
  std::vector<std::pair<int64_t, int64_t>> runs;
  while (st.step()) runs.emplace_back(st.integer(0), st.integer(1));
  ASSERT_GE(runs.size(), 5U);
  const TimeRange range = {runs[1].first + runs[1].second / 2, runs[4].first + runs[4].second / 3};
  const Roofline part = on({.range = range}, &table);
  for (const RooflineRow& row : one.result.rows) {
    const RooflineRow* const sum = same(part, row);
    if (sum == nullptr || !row.work.flops || *row.work.flops == 0 || sum->ns < 3 * row.ns) continue;
    const double executions = *sum->work.flops / *row.work.flops;
    EXPECT_GE(executions, 2 - 1e-9) << row.title;
    EXPECT_LE(executions, 4 + 1e-9) << row.title;
  }
}

TEST(Roofline, SymbolsWantANumber) {
  const LoadedRoofline without("nanogpt_xnnpack_qd4");
  EXPECT_EQ(without.result.symbols, std::set<std::string>{"s27"});
  EXPECT_EQ(without.result.flops, 0);
  const LoadedRoofline with("nanogpt_xnnpack_qd4", nullptr, {{"s27", 24}});
  EXPECT_TRUE(with.result.symbols.empty());
  EXPECT_GT(with.result.flops, 1e7);
}

RooflineRow row_of_work(const char* op, double ns, double flops, double bytes) {
  RooflineRow row;
  row.title = row.op = op;
  row.ns = ns;
  row.work.flops = flops;
  row.work.bytes = bytes;
  return row;
}

TEST(Roofline, WhatIsNotKnownHasItsNameAndASymbolItsPlace) {
  const LoadedRoofline without("nanogpt_xnnpack_qd4");
  EXPECT_NE(without.result.unknown_text().find("aten.linear"), std::string::npos) << without.result.unknown_text();
  EXPECT_NE(without.result.unknown_text().find("(a shape without numbers)"), std::string::npos);
  ASSERT_TRUE(without.result.symbol_places.contains("s27"));
  EXPECT_TRUE(without.result.symbol_places.at("s27").starts_with("dimension 1 of "))
      << without.result.symbol_places.at("s27");
  EXPECT_TRUE(without.result.symbol_places.at("s27").ends_with(" in forward"));
  std::string table;
  ASSERT_TRUE(write_roofline(without.result, nullptr, "", {}, &table).ok());
  EXPECT_NE(table.find("s27 (dimension 1 of "), std::string::npos) << table;
  const LoadedRoofline with("nanogpt_xnnpack_qd4", nullptr, {{"s27", 24}});
  EXPECT_EQ(with.result.unknown_text().find("a shape without numbers"), std::string::npos)
      << with.result.unknown_text();
}

TEST(Roofline, WhatHasNextToNothingToDoIsCalledAndNoMore) {
  MachinePeaks machine;
  machine.gflops = 100;
  machine.bandwidth = {{1 << 30, 50}};
  const auto bound_of = [&](double ns, double flops, double bytes) {
    Roofline r;
    r.rows = {row_of_work("aten.ge.Scalar", ns, flops, bytes)};
    hold_against(machine, &r);
    return r.rows[0].bound;
  };
  EXPECT_EQ(bound_of(2500, 37, 333), Bound::Overhead) << "slower than most calls";
  EXPECT_EQ(bound_of(12000, 37, 333), Bound::Neither) << "no call takes so long";
  EXPECT_EQ(bound_of(2500, 5000, 333), Bound::Neither);
  EXPECT_EQ(bound_of(2500, 37, 5000), Bound::Neither);
}

// A copy that no machine can make so fast is one of three: the peaks are too low, its bytes are counted wrong, or it is
// a view that left its data. None of its numbers goes away for that.
TEST(Roofline, NoRowLosesItsBytesToAMachinesPeaks) {
  MachinePeaks machine;
  machine.gflops = 100;
  machine.bandwidth = {{1 << 30, 50}};
  Roofline r;
  r.rows = {row_of_work("aten.slice_copy.Tensor", 1000, 0, 100000),  // twice as fast as the memory
            row_of_work("aten.view_copy.default", 10, 0, 100000),    // 200 times
            row_of_work("aten.view_copy.default", 1500, 0, 100000),  // a view that copies, at 133%
            row_of_work("aten.linear.default", 100000, 6e6, 100000)};
  for (RooflineRow& row : r.rows) {
    row.may_stay = may_leave_data(row.op);
    if (row.work.flops == 0.0) row.op.clear();  // as of an op without operations
  }
  r.total_ns = 102510;
  hold_against(machine, &r);
  EXPECT_EQ(r.bytes, 400000);
  EXPECT_DOUBLE_EQ(*r.rows[0].efficiency(), 2);
  EXPECT_TRUE(r.rows[0].is_above_roof());
  EXPECT_EQ(r.rows[0].bound, Bound::Memory);
  EXPECT_EQ(r.rows[0].win_ns(), 0);
  EXPECT_EQ(r.rows[1].work.bytes, 100000);
  EXPECT_TRUE(r.rows[1].stays);
  EXPECT_FALSE(r.rows[1].gbytes()) << "it moved none";
  EXPECT_EQ(r.rows[1].roof_ns, 0);
  EXPECT_FALSE(r.rows[2].stays);
  EXPECT_TRUE(r.rows[2].is_above_roof());
  EXPECT_FALSE(r.rows[3].is_above_roof());
  EXPECT_EQ(r.above_ns, 2500);
  ASSERT_TRUE(r.believable());
  const std::string text = roofline_summary(r, true, "auto");
  EXPECT_NE(text.find("! 2 ops (2.4% of the time) are faster than the measured peaks: the machine can do more, or less "
                      "is moved than the shapes say.\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1 view takes far less than moving so many bytes does"), std::string::npos) << text;
  // Against a faster machine it is a copy again.
  machine.bandwidth = {{1 << 30, 20000}};
  hold_against(machine, &r);
  EXPECT_FALSE(r.rows[1].stays);
  EXPECT_EQ(*r.rows[1].gbytes(), 10000);
  EXPECT_EQ(r.bytes, 400000);
}

TEST(Roofline, WhatOnlyFewerCallsWinIsToldApart) {
  MachinePeaks machine;
  machine.gflops = 100;
  machine.bandwidth = {{1 << 30, 50}};
  Roofline r;
  r.rows = {row_of_work("aten.linear.default", 10000, 6e5, 1000), row_of_work("aten.add.Tensor", 1000, 100, 1200)};
  r.total_ns = 11000;
  hold_against(machine, &r);
  ASSERT_EQ(r.rows[1].bound, Bound::Overhead);
  EXPECT_DOUBLE_EQ(r.kernels_win_ns(), 4000);
  EXPECT_DOUBLE_EQ(r.calls_win_ns(), 976);
  const std::string text = roofline_summary(r, true, "auto");
  EXPECT_NE(text.find("so kernels can win at most 4.00 µs there, and only fewer calls 976 ns more, of ops that do next "
                      "to nothing."),
            std::string::npos)
      << text;
  std::string json;
  ASSERT_TRUE(write_roofline(r, &machine, "", {.format = "json"}, &json).ok());
  EXPECT_NE(json.find("\"most_to_win\": 4000,\n    \"calls_to_win\": 976"), std::string::npos) << json;
}

TEST(Roofline, OneShortOpSetsNoRoofOfATrace) {
  Roofline r;
  r.rows = {row_of_work("aten.linear.default", 100000, 1e7, 2e6),  // 100 GFLOP/s, 20 GB/s
            row_of_work("aten.add.Tensor", 5000, 2e4, 3e5),        // 60 GB/s
            row_of_work("aten.mul.Tensor", 3000, 2e4, 165000),     // 55, near it
            row_of_work("aten.relu.default", 500, 0, 165000),      // 330: two of one kind and size, as if counted wrong
            row_of_work("aten.relu.default", 510, 0, 165000),
            row_of_work("aten.view_copy.default", 300, 0, 9e4)};  // 300: near them, and may have moved nothing
  r.rows[5].may_stay = true;
  const std::optional<SeenPeaks> best = best_rates(r);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->peaks.bandwidth.front().second, 60);
  EXPECT_EQ(best->memory_of.front(), "aten.add.Tensor");
  // Another size that comes near makes it one.
  r.rows.push_back(row_of_work("aten.relu.default", 400, 0, 120000));
  EXPECT_EQ(best_rates(r)->peaks.bandwidth.front().second, 330);
  r.rows.pop_back();
  // So does much time.
  r.rows[3] = row_of_work("aten.relu.default", 5000, 0, 1650000);
  EXPECT_EQ(best_rates(r)->peaks.bandwidth.front().second, 330);
}

TEST(Roofline, WhatTheProcessorCountedStandsBesideTheFormulas) {
  LoadedRoofline r("add_mul");
  EXPECT_TRUE(measured_counts(r.in.store, r.shown, r.result).empty()) << "no counters in the trace";
  // Two executions of the first op; of the other no misses were counted.
  const std::string first = std::to_string(r.result.rows[0].op_id), second = std::to_string(r.result.rows[1].op_id);
  const std::string sql = "INSERT INTO raw_counter VALUES (1," + first + ",2,'instructions',100),(1," + first +
                          ",3,'instructions',300),(1," + first + ",2,'cache-misses',10),(1," + first +
                          ",3,'cache-misses',20),(1," + second + ",2,'instructions',50)";
  ASSERT_TRUE(r.in.store.exec(sql.c_str()).ok());
  const std::vector<MeasuredCounts> counts = measured_counts(r.in.store, r.shown, r.result);
  ASSERT_EQ(counts.size(), r.result.rows.size());
  EXPECT_EQ(counts[0].instructions, 200);
  EXPECT_EQ(counts[0].fetched_bytes(), 15 * 64);
  EXPECT_FALSE(counts[0].cycles);
  EXPECT_EQ(counts[1].instructions, 50);
  EXPECT_FALSE(counts[1].fetched_bytes());
  EXPECT_FALSE(counts[2].any());
  std::string table, json;
  ASSERT_TRUE(write_roofline(r.result, nullptr, "", {.measured = &counts}, &table).ok());
  EXPECT_NE(table.find("fetched"), std::string::npos) << table;
  EXPECT_NE(table.find("960 B"), std::string::npos) << table;
  ASSERT_TRUE(write_roofline(r.result, nullptr, "", {.format = "json", .measured = &counts}, &json).ok());
  EXPECT_NE(json.find("\"instructions\": 200, \"cache_misses\": 15, \"fetched_bytes_at_least\": 960"),
            std::string::npos)
      << json;
}

TEST(Roofline, TheLowerRoofBoundsAnOp) {
  MachinePeaks machine;
  machine.gflops = 100;
  machine.int8_gops = 400;
  machine.bandwidth = {{1 << 15, 50}, {1 << 30, 10}};
  EXPECT_EQ(machine.gbytes_per_second(1000), 50);
  EXPECT_EQ(machine.gbytes_per_second(1 << 20), 10);
  EXPECT_EQ(machine.gbytes_per_second(1e12), 10);
  const LoadedRoofline net("mobilenet_v2_035_xnnpack_int8", &machine);
  const RooflineRow* const stem = net.row_of("features.0.0");
  ASSERT_NE(stem, nullptr);
  const double compute = *stem->work.flops / 400, memory = *stem->work.bytes / 10;
  EXPECT_EQ(stem->roof_ns, std::max(compute, memory));
  const Bound roof = memory > compute ? Bound::Memory : Bound::Compute;
  EXPECT_EQ(stem->bound, stem->roof_ns < kNearRoof * stem->ns ? Bound::Neither : roof);
  double known = 0, roofs = 0;
  for (const RooflineRow& r : net.result.rows) {
    known += r.roof_ns > 0 ? r.ns : 0;
    roofs += r.roof_ns;
  }
  EXPECT_DOUBLE_EQ(known, net.result.known_ns);
  EXPECT_DOUBLE_EQ(roofs, net.result.roof_ns);
  // On a machine where nothing takes any time, what is short is overhead, and what is long is not.
  machine.gflops = machine.int8_gops = 1e9;
  machine.bandwidth = {{1 << 30, 1e9}};
  const LoadedRoofline fast("mobilenet_v2_035_xnnpack_int8", &machine);
  int shorter = 0;
  for (const RooflineRow& r : fast.result.rows) {
    if (r.roof_ns <= 0 || r.ns <= 0) continue;
    const bool called = r.ns < kCallNs * r.calls || (r.is_tiny() && r.ns < kSlowCallNs * r.calls);
    EXPECT_EQ(r.bound == Bound::Overhead, called) << r.title;
    shorter += r.bound == Bound::Overhead ? 1 : 0;
  }
  EXPECT_GT(shorter, 0);
  EXPECT_EQ(fast.row_of("features.0.0")->bound, Bound::Neither);
}

TEST(Roofline, FasterThanItsOperationsIsHeldAgainstFewer) {
  MachinePeaks machine;
  machine.gflops = 100;
  machine.bandwidth = {{1 << 30, 100}};
  Roofline r;
  r.rows = {row_of_work("aten.convolution.default", 60000, 9e6, 20000),   // 150 GFLOP/s
            row_of_work("aten.convolution.default", 120000, 9e6, 20000),  // 75
            row_of_work("aten.convolution.default", 60000, 9e6, 20000)};  // nothing to spare
  r.rows[0].work.spared_flops = r.rows[1].work.spared_flops = 5e6;
  hold_against(machine, &r);
  EXPECT_TRUE(r.rows[0].spares);
  EXPECT_DOUBLE_EQ(*r.rows[0].efficiency(), 40000.0 / 60000);
  EXPECT_DOUBLE_EQ(*r.rows[0].gflops(), 150) << "as it is counted";
  EXPECT_FALSE(r.rows[1].spares);
  EXPECT_DOUBLE_EQ(*r.rows[1].efficiency(), 0.75);
  EXPECT_FALSE(r.rows[2].spares);
  EXPECT_DOUBLE_EQ(*r.rows[2].efficiency(), 1.5);
  EXPECT_EQ(r.above_ns, 60000) << "of the last";
  machine.gflops = 140;
  hold_against(machine, &r);
  EXPECT_FALSE(r.rows[0].spares) << "a little faster: the peak is a little too low";
  // What a trace reached is no limit: a faster one reached its own rate.
  machine.gflops = 100;
  machine.at_least = true;
  hold_against(machine, &r);
  EXPECT_FALSE(r.rows[0].spares);
  EXPECT_DOUBLE_EQ(*r.rows[0].efficiency(), 1);
  machine.at_least = false;
  hold_against(machine, &r);
  const std::string text = roofline_summary(r, true, "auto");
  EXPECT_NE(text.find("1 3x3 convolution is faster than the peak"), std::string::npos) << text;
}

TEST(Roofline, TheBestOfATraceIsByWorkingSetAndOfProducts) {
  Roofline r;
  r.rows = {row_of_work("aten.linear.default", 10000, 1e6, 200000),  // 100 GFLOP/s, 20 GB/s
            row_of_work("aten.linear.default", 5000, 2e5, 50000),
            row_of_work("aten.add.Tensor", 4000, 2e4, 240000),           // 60 GB/s
            row_of_work("aten.mul.Tensor", 300, 2e3, 30000),             // 100 GB/s of a small set
            row_of_work("aten.relu.default", 100, 1e5, 30000),           // shorter than a clock can tell
            row_of_work("aten.avg_pool2d.default", 3000, 3e9, 240000)};  // counts what it does not do
  const std::optional<SeenPeaks> best = best_rates(r);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->peaks.gflops, 100);
  EXPECT_EQ(best->compute_of, "aten.linear.default");
  using Speeds = std::vector<std::pair<double, double>>;
  EXPECT_EQ(best->peaks.bandwidth, (Speeds{{30000, 100}, {240000, 80}}));
  EXPECT_EQ(best->memory_of, (std::vector<std::string>{"aten.mul.Tensor", "aten.avg_pool2d.default"}));
  hold_against(best->peaks, &r);
  for (const RooflineRow& row : r.rows) {
    const bool counted = row.op != "aten.avg_pool2d.default" && row.ns > 100;
    EXPECT_TRUE(!counted || row.roof_ns <= row.ns) << row.title;
  }
  EXPECT_EQ(r.rows[1].bound, Bound::Unknown) << "what another op computes is no proof of a roof";
  EXPECT_EQ(r.rows[2].bound, Bound::Unknown) << "nor is a rate that an op reached one of memory";
  // One fast sample is no roof: what the op usually takes is.
  r.rows[2].usual_ns = 2 * r.rows[2].ns;
  EXPECT_EQ(best_rates(r)->peaks.bandwidth, (Speeds{{30000, 100}, {240000, 80}})) << "of the pooling";
  r.rows[5].usual_ns = 4 * r.rows[5].ns;
  EXPECT_EQ(best_rates(r)->peaks.bandwidth.back(), (std::pair<double, double>{240000, 30}));
}

TEST(OperatorWork, AWindowReadsNoMoreThanItsInput) {
  const auto pool = [](const char* kernel, Shape in, Shape out) {
    const std::vector<GraphArgument> arguments = {{.name = "self", .text = "x"},
                                                  {.name = "kernel_size", .text = kernel}};
    const std::vector<Shape> outputs = {std::move(out)};
    OperatorCall call;
    call.op = "aten.avg_pool2d.default";
    call.arguments = arguments;
    call.inputs = {{"self", std::move(in)}};
    call.outputs = outputs;
    return flops_of(call);
  };
  EXPECT_EQ(pool("[3, 3]", {1, 8, 10, 10}, {1, 8, 8, 8}), 8 * 64 * 9);
  EXPECT_EQ(pool("[3]", {1, 8, 10, 10}, {1, 8, 8, 8}), 8 * 64 * 9);
  // What EfficientNet's exporter writes for a global pooling.
  EXPECT_EQ(pool("[640, 640]", {1, 640, 2, 2}, {1, 640, 1, 1}), 640 * 4);
}

TEST(Machine, IsReadAsItIsWritten) {
  const std::string path = testing::TempDir() + "/et-machine-" + std::to_string(::getpid()) + ".toml";
  MachinePeaks m, again;
  m.host = "h\"ost\\";
  m.cpu = "A CPU";
  m.threads = 4;
  m.gflops = 123.5;
  m.int8_gops = 400;
  m.bandwidth = {{32768, 61.25}, {1 << 27, 9}};
  std::ofstream(path) << machine_text(m);
  const Status s = read_machine(path, &again);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(machine_text(again), machine_text(m));
  EXPECT_EQ(again.host, m.host);
  const auto refused = [&](const std::string& text) {
    std::ofstream(path) << text;
    const Status status = read_machine(path, &again);
    EXPECT_FALSE(status.ok()) << text;
    EXPECT_NE(status.message().find(path), std::string::npos) << status.message();
  };
  refused("[machine]\n");
  refused("[machine]\ngflops_float32 = -1.0\n");
  refused("[machine]\ngflops_float32 = \"much\"\n");
  refused("[machine]\ngflops_float32 = 1.0\nworking_set_bytes = [1, 2]\ngigabytes_per_second = [1.0]\n");
  refused("[machine]\ngflops_float32 = 1.0\nworking_set_bytes = [2, 1]\ngigabytes_per_second = [1.0, 1.0]\n");
  refused("gflops = [");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace et::inspector
