// The rows, points and roofs of the Roofline panel.
#include "gui/models/roofline_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "inspector/analysis/work/operator_work.h"
#include "inspector/report/roofline_report.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

RooflineModel roofline_of(const OpenedTrace& trace, bool with_machine) {
  inspector::MachinePeaks peaks;
  inspector::Roofline roofline;
  EXPECT_TRUE(inspector::read_machine(std::string(ET_FIXTURES) + "/work/machine.toml", &peaks).ok());
  const Status status =
      inspector::roofline(trace.store, trace.data->shown, with_machine ? &peaks : nullptr, {}, &roofline);
  EXPECT_TRUE(status.ok()) << status.message();
  RooflineModel model;
  model.set(std::move(roofline), with_machine ? std::optional(peaks) : std::nullopt, "no peaks", trace.data);
  return model;
}

TEST(RooflineModel, SlopesEndWhereTheyMeetTheArithmeticsRoof) {
  const OpenedTrace trace("mobilenet_v2_035_xnnpack_int8");
  const RooflineModel model = roofline_of(trace, true);
  ASSERT_FALSE(model.points().empty());
  ASSERT_GE(model.roofs().size(), 3u) << "two of memory, one of arithmetic";
  const double top = std::max(model.roofs()[0].gflops_to, 100.0);
  for (size_t i : {0u, 1u}) {
    const RoofLine& slope = model.roofs()[i];
    const double bandwidth = slope.gflops_from / slope.from;
    EXPECT_NEAR(bandwidth, i == 0 ? 60 : 10, 1e-9);
    EXPECT_NEAR(slope.to * bandwidth, top, 1e-9);
    EXPECT_LE(slope.to, model.most_intensity()) << "the bend is in the picture";
  }
  for (const RooflinePoint& p : model.points()) {
    EXPECT_GE(p.intensity, model.least_intensity());
    EXPECT_LE(p.intensity, model.most_intensity());
    EXPECT_GE(p.gflops, model.least_gflops());
    EXPECT_LE(p.gflops, model.most_gflops());
  }
}

TEST(RooflineModel, SearchLeavesRowsOfAModule) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  RooflineModel model = roofline_of(trace, true);
  double of_module = 0;
  int64_t rows = 0;
  for (const inspector::RooflineRow& row : model.roofline().rows) {
    if (row.module.starts_with("blocks.0")) of_module += row.ns, ++rows;
  }
  ASSERT_GT(rows, 0);
  model.search("BLOCKS.0");
  EXPECT_GE(model.found(), rows);
  EXPECT_GE(model.found_ns(), of_module);
  EXPECT_LT(model.found(), std::ssize(model.roofline().rows));
  double groups = 0;
  for (size_t g = 0; g < model.groups().size(); ++g) {
    groups += model.groups()[g].sum.ns;
    const auto& of = model.groups()[g].rows;
    EXPECT_TRUE(std::all_of(of.begin(), of.end(), [&](size_t row) { return model.is_found(row); }));
  }
  EXPECT_NEAR(groups, model.found_ns(), 1e-6 * groups) << "a type's row is of what was found of it";
  const size_t all = roofline_of(trace, true).groups().size();
  EXPECT_LT(model.groups().size(), all);
  model.search("");
  EXPECT_EQ(model.groups().size(), all);
  EXPECT_TRUE(model.is_found(0));
  EXPECT_EQ(model.found(), 0) << "nothing is searched";
}

TEST(RooflineModel, NoCircleIsCutAtTheLowEndOfItsAxis) {
  const double kLength = 200, kTop = 1000;
  const std::vector<std::pair<double, double>> circles = {{0.01, 25}, {0.02, 3}, {900, 4}};
  const double low = low_end_for(circles, 0.01 / 1.6, kTop, kLength);
  for (const auto& [value, radius] : circles)
    EXPECT_GE(kLength * std::log(value / low) / std::log(kTop / low), radius - 1e-9) << value;
  EXPECT_NEAR(kLength * std::log(0.01 / low) / std::log(kTop / low), 25, 1e-9) << "and no lower than that takes";
  EXPECT_EQ(low_end_for({{10, 5}}, 0.01, kTop, kLength), low_end_for({}, 0.01, kTop, kLength)) << "there is room";
  EXPECT_EQ(low_end_for(circles, 0, kTop, kLength), 0);
}

TEST(RooflineModel, PointsAreNamedByOperatorsAndNotByTheirNamespaces) {
  const OpenedTrace trace("mobilenet_v2_035_xnnpack_int8");
  const RooflineModel model = roofline_of(trace, true);
  std::set<std::string> names;
  for (const RooflinePoint& p : model.points()) names.insert(p.name);
  EXPECT_TRUE(names.contains("convolution"));
  EXPECT_TRUE(names.contains("quantize_per_tensor"));
  EXPECT_FALSE(names.contains("quantized_decomposed"));
}

TEST(RooflineModel, EachTypeHasOneNameAndTheLargestComeFirst) {
  for (const char* name : {"mobilenet_v2_035_xnnpack_int8", "partial_delegation"}) {
    const OpenedTrace trace(name);
    const RooflineModel model = roofline_of(trace, false);
    ASSERT_FALSE(model.labels().empty());
    std::set<std::string> names;
    std::set<size_t> points;
    double before = 1e9;
    for (const RooflineLabel& label : model.labels()) {
      double share = 0;
      const std::string& type = model.points()[label.points.front()].name;
      EXPECT_TRUE(names.insert(type).second) << label.text << " limited by several things has one name";
      EXPECT_EQ(label.text, label.points.size() > 1 ? type + " ×" + std::to_string(label.points.size()) : type);
      for (const size_t p : label.points) {
        EXPECT_EQ(model.points()[p].name, type);
        EXPECT_TRUE(points.insert(p).second);
        share += model.points()[p].share;
      }
      EXPECT_NEAR(share, label.share, 1e-12);
      EXPECT_LE(label.share, before);
      before = label.share;
    }
  }
}

// What a search leaves out has no name in the plot, and what is found has one however little it costs.
TEST(RooflineModel, LabelsAreOfWhatIsSearched) {
  const OpenedTrace trace("mobilenet_v2_035_xnnpack_int8");
  RooflineModel model = roofline_of(trace, false);
  const std::vector<RooflineLabel> all = model.labels();
  const std::string headline = model.headline();
  model.search("convolution features.3");
  EXPECT_EQ(model.headline(), headline);
  ASSERT_FALSE(model.labels().empty());
  size_t named = 0, found = 0;
  for (const RooflineLabel& label : model.labels()) {
    for (const size_t p : label.points) EXPECT_TRUE(model.is_found(model.points()[p].row)) << label.text;
    named += label.points.size();
  }
  for (const RooflinePoint& p : model.points()) found += model.is_found(p.row) ? 1 : 0;
  EXPECT_EQ(named, found);
  EXPECT_LT(named, model.points().size());
  EXPECT_GE(model.found_win(), 0);
  model.search("nothing is called so");
  EXPECT_TRUE(model.labels().empty());
  EXPECT_EQ(model.headline(), headline) << "what the whole trace could win stays";
  EXPECT_EQ(model.found_win(), 0);
  model.search("");
  ASSERT_EQ(model.labels().size(), all.size());
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(model.labels()[i].text, all[i].text);
}

TEST(RooflineModel, GroupsAddUpToTheirRowsAndSayWhatTheyAreHeldAgainst) {
  const OpenedTrace trace("mobilenet_v2_035_xnnpack_int8");
  for (const bool machine : {false, true}) {
    const RooflineModel model = roofline_of(trace, machine);
    size_t rows = 0, held = 0;
    for (size_t g = 0; g < model.groups().size(); ++g) {
      const RooflineGroup& group = model.groups()[g];
      double ns = 0, win = 0;
      for (const size_t row : group.rows) {
        EXPECT_EQ(model.roofline().rows[row].title, group.sum.title);
        ns += model.roofline().rows[row].ns;
        win += model.win(row).value_or(0);
        const bool has_roof = model.roofline().rows[row].roof_ns > 0;
        EXPECT_EQ(model.reference_of(row).empty(), !has_roof) << model.cell(row, RooflineColumn::Op);
        held += has_roof ? 1 : 0;
      }
      EXPECT_NEAR(group.sum.ns, ns, 1e-6);
      EXPECT_NEAR(group.win, win, 1e-6);
      EXPECT_EQ(model.group_cell(g, RooflineColumn::Win).empty(), !(group.known_ns > 0)) << group.sum.title;
      EXPECT_TRUE(machine || group.sum.bound != inspector::Bound::Compute) << "no proof without a calibration";
      EXPECT_EQ(model.selection_of_group(g).ops.size() >= group.rows.size(), true);
      EXPECT_EQ(model.order_in(g, RooflineColumn::Time, true).size(), group.rows.size());
      rows += group.rows.size();
    }
    EXPECT_EQ(rows, model.roofline().rows.size());
    EXPECT_LT(model.groups().size(), rows);
    EXPECT_GT(held, 0U);
    const std::vector<size_t> order = model.order_of_groups(RooflineColumn::Time, true);
    ASSERT_EQ(order.size(), model.groups().size());
    for (size_t i = 1; i < order.size(); ++i)
      EXPECT_GE(model.groups()[order[i - 1]].sum.ns, model.groups()[order[i]].sum.ns);
  }
  EXPECT_STRNE(roofline_column_help(RooflineColumn::Efficiency, false),
               roofline_column_help(RooflineColumn::Efficiency));
}

TEST(RooflineModel, OpsOfSeveralMethodsAreToldApart) {
  const OpenedTrace trace("multi_method");
  const RooflineModel model = roofline_of(trace, false);
  ASSERT_TRUE(model.has_methods());
  std::set<std::pair<std::string, std::string>> seen;
  std::set<std::string> titles;
  for (const RooflineGroup& group : model.groups()) {
    EXPECT_TRUE(seen.emplace(group.sum.title, group.sum.method).second);
    titles.insert(group.sum.title);
    for (const size_t row : group.rows) EXPECT_EQ(model.roofline().rows[row].method, group.sum.method);
  }
  EXPECT_LT(titles.size(), seen.size()) << "two methods run one type";
  for (const RooflineLabel& label : model.labels())
    EXPECT_TRUE(label.text.ends_with(" in " + model.points()[label.points.front()].method)) << label.text;
  EXPECT_FALSE(roofline_of(OpenedTrace("partial_delegation"), false).has_methods());
}

TEST(RooflineModel, RowsAreThoseOfTheReportAndSort) {
  const OpenedTrace trace("mobilenet_v2_035_xnnpack_int8");
  const RooflineModel model = roofline_of(trace, true);
  const auto& rows = model.roofline().rows;
  const std::vector<size_t> by_win = model.order(RooflineColumn::Win, true);
  ASSERT_EQ(by_win.size(), rows.size());
  for (size_t i = 1; i < by_win.size(); ++i) {
    const auto a = model.win(by_win[i - 1]), b = model.win(by_win[i]);
    EXPECT_TRUE(a || !b) << "rows without a roof are last";
    if (a && b) {
      EXPECT_GE(*a, *b);
      EXPECT_NEAR(*a, std::max(0.0, rows[by_win[i - 1]].ns - rows[by_win[i - 1]].roof_ns), 1e-9);
    }
  }
  size_t with_ops = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(model.cell(i, RooflineColumn::Op), rows[i].title);
    EXPECT_EQ(model.cell(i, RooflineColumn::Gflops).empty(), rows[i].gflops().value_or(0) == 0);
    const Selection s = model.selection_of(i);
    EXPECT_EQ(s.op, rows[i].op_id);
    with_ops += s.ops.empty() ? 0 : 1;
    EXPECT_NE(model.csv().find(rows[i].title), std::string::npos);
  }
  EXPECT_EQ(with_ops, rows.size()) << "a click on each row selects its op";
}

TEST(RooflineModel, WithoutPeaksOpsAreHeldAgainstTheBestOfTheTrace) {
  const OpenedTrace trace("mobilenet_v2_035_xnnpack_int8");
  const RooflineModel model = roofline_of(trace, false);
  EXPECT_EQ(model.hint(), "no peaks");
  EXPECT_FALSE(model.points().empty());
  ASSERT_TRUE(model.seen() && !model.machine());
  ASSERT_GE(model.roofs().size(), 2u);
  for (const RoofLine& roof : model.roofs()) EXPECT_TRUE(roof.name.starts_with("≥ ")) << roof.name;
  const double best = std::max(model.seen()->peaks.gflops, model.seen()->peaks.int8_gops);
  bool reached = false;
  for (size_t i = 0; i < model.roofline().rows.size(); ++i) {
    const inspector::RooflineRow& row = model.roofline().rows[i];
    if (row.ns < 250 * std::max(row.calls, 1.0) || !row.gflops()) continue;
    EXPECT_TRUE(!inspector::multiplies(row.op) || *row.gflops() <= best * (1 + 1e-9)) << row.title;
    EXPECT_LE(row.roof_ns, row.ns * (1 + 1e-9)) << "nothing is faster than the best: " << row.title;
    reached = reached || *row.gflops() > best * (1 - 1e-9);
    EXPECT_TRUE(model.cell(i, RooflineColumn::Efficiency).starts_with("≤ "));
  }
  EXPECT_TRUE(reached) << "the best is one of its rows";
  std::string held;
  for (size_t i = 0; i < model.roofline().rows.size(); ++i) held += model.reference_of(i) + "\n";
  for (const std::string& op : model.seen()->memory_of)
    EXPECT_NE(held.find("(" + op + ")"), std::string::npos)
        << "a roof of the trace that no row is held against: " << op;
  const std::vector<std::string> summary = model.summary();
  EXPECT_TRUE(std::any_of(summary.begin(), summary.end(), [&](const std::string& line) {
    return line.find("the best that ops of this trace reached") != std::string::npos &&
           line.find(model.seen()->memory_of.front()) != std::string::npos;
  }));
}

inspector::RooflineRow row_of(const char* title, double ns, double flops, double bytes) {
  inspector::RooflineRow row;
  row.title = title;
  row.ns = ns;
  row.work.flops = flops;
  row.work.bytes = bytes;
  return row;
}

// What moves data alone stands on no axis of operations, and may be what costs most.
TEST(RooflineModel, WhatMovesDataAloneHasALaneLeftOfTheAxis) {
  inspector::Roofline roofline;
  roofline.rows = {row_of("aten.linear", 70000, 7e6, 1e6), row_of("aten.permute_copy", 20000, 0, 1e6),
                   row_of("aten.cat", 5000, 0, 1e6), row_of("aten.add", 5000, 1e5, 1e6)};
  roofline.total_ns = 1e5;
  inspector::MachinePeaks machine;
  machine.gflops = 200;
  machine.bandwidth = {{1e9, 400}};
  inspector::hold_against(machine, &roofline);
  RooflineModel model;
  model.set(roofline, machine, "", nullptr, {});
  ASSERT_EQ(model.points().size(), 4U);
  ASSERT_GT(model.lane(), model.least_intensity());
  ASSERT_LT(model.lane(), model.lane_end());
  for (const RooflinePoint& p : model.points()) {
    const inspector::RooflineRow& row = model.roofline().rows[p.row];
    EXPECT_EQ(p.moves_alone, row.work.flops == 0.0);
    EXPECT_EQ(p.moves_alone, p.intensity < model.lane_end()) << row.title;
    if (!p.moves_alone) continue;
    // By its GB/s, which are not operations; its roof is level and as high as the bandwidth.
    EXPECT_DOUBLE_EQ(p.gflops, *row.gbytes());
    ASSERT_EQ(model.lane_roofs().size(), 1U);
    const RoofLine& roof = model.lane_roofs().front();
    EXPECT_EQ(roof.gflops_from, 400);
    EXPECT_EQ(roof.gflops_to, 400);
    EXPECT_EQ(roof.to, model.lane_end());
    EXPECT_LE(roof.from, p.intensity);
    EXPECT_EQ(model.roofs().front().from, model.lane_end()) << "no slope runs through the lane";
    EXPECT_NEAR(p.gflops / roof.gflops_to, *row.efficiency(), 1e-9);
    EXPECT_GE(model.most_gflops(), 400);
    EXPECT_GE(p.gflops, model.least_gflops());
    EXPECT_EQ(model.cell(p.row, RooflineColumn::Gflops), "");
  }
  for (inspector::RooflineRow& row : roofline.rows) row.work.flops = 1e6;
  model.set(roofline, machine, "", nullptr, {});
  EXPECT_EQ(model.lane(), 0);
  EXPECT_TRUE(model.lane_roofs().empty());
}

TEST(RooflineModel, AFusedOpIsNamedByItsParts) {
  inspector::Roofline roofline;
  roofline.rows = {row_of("aten.mul.Tensor + sigmoid", 300, 1e6, 1e6), row_of("aten.mul.Tensor", 200, 1e6, 1e6),
                   row_of("aten.mul.Tensor + sigmoid", 150, 1e6, 1e6),
                   row_of("quantized_decomposed.quantize_per_tensor.default", 120, 1e6, 1e6),
                   row_of("aten.convolution + hardtanh + 2 more", 100, 1e6, 1e6)};
  roofline.total_ns = 1000;
  RooflineModel model;
  model.set(roofline, std::nullopt, "", nullptr, {});
  std::vector<std::string> names;
  for (const RooflineLabel& label : model.labels()) names.push_back(label.text);
  EXPECT_EQ(names, (std::vector<std::string>{"mul + sigmoid ×2", "mul", "quantize_per_tensor",
                                             "convolution + hardtanh + 2 more"}));
}

// The best of a trace are usual rates, which one execution may exceed; peaks that were measured nothing should.
TEST(RooflineModel, WhatIsAboveAMeasuredRoofIsDrawnAboveItAndSaid) {
  inspector::Roofline roofline;
  roofline.rows = {row_of("aten.linear", 100000, 1e6, 1e3), row_of("aten.add.Tensor", 100000, 1e3, 1e6),
                   row_of("aten.slice_copy.Tensor", 1000, 0, 3e4), row_of("aten.view_copy", 10, 0, 1e6)};
  roofline.rows[3].may_stay = true;
  roofline.total_ns = 201010;
  inspector::MachinePeaks machine;
  machine.gflops = 11;
  machine.bandwidth = {{1e9, 20}};
  inspector::hold_against(machine, &roofline);
  RooflineModel model;
  model.set(roofline, machine, "", nullptr, {});
  EXPECT_EQ(model.cell(0, RooflineColumn::Efficiency), "90.9%");
  EXPECT_EQ(model.cell(1, RooflineColumn::Efficiency), "50.0%");
  EXPECT_EQ(model.cell(2, RooflineColumn::Efficiency), "150.0%");
  EXPECT_EQ(model.cell(2, RooflineColumn::Bytes), "29.3 KiB");
  EXPECT_TRUE(model.has_points_above());
  EXPECT_EQ(model.points().size(), 3U) << "what moved nothing has no rate";
  EXPECT_EQ(model.cell(3, RooflineColumn::Bound), "moves nothing");
  EXPECT_EQ(model.cell(3, RooflineColumn::Bytes), "977 KiB");
  const RooflinePoint* slice = nullptr;
  for (const RooflinePoint& p : model.points()) slice = p.row == 2 ? &p : slice;
  ASSERT_NE(slice, nullptr);
  EXPECT_GT(slice->gflops, model.lane_roofs().front().gflops_to);
  const std::vector<std::string> summary = model.summary();
  EXPECT_TRUE(std::any_of(summary.begin(), summary.end(), [](const std::string& line) {
    return line.starts_with("! 1 op (0.5% of the time) is faster than the measured peaks");
  }));
  // Without a machine.
  model.set(roofline, std::nullopt, "", nullptr, {}, inspector::SeenPeaks{machine, "a", {"b"}});
  EXPECT_EQ(model.cell(2, RooflineColumn::Efficiency), "≤ 100.0%");
}

TEST(RooflineModel, TheHeadlineTellsKernelsFromCalls) {
  inspector::Roofline roofline;
  roofline.rows = {row_of("aten.linear", 10000, 6e5, 1000), row_of("aten.add.Tensor", 1000, 100, 1200)};
  roofline.total_ns = 11000;
  inspector::MachinePeaks machine;
  machine.gflops = 100;
  machine.bandwidth = {{1e9, 50}};
  inspector::hold_against(machine, &roofline);
  RooflineModel model;
  model.set(roofline, machine, "", nullptr, {});
  EXPECT_EQ(
      model.headline(),
      "At most 4.00 µs of 11.0 µs (36.4%) could be won by kernels at the roofs of the machine. Calling ops that do "
      "next to nothing takes another 976 ns (8.9%), which only fewer calls win");
  // So few that take longer than a call are no roofs for each other.
  model.set(roofline, std::nullopt, "", nullptr, {});
  EXPECT_EQ(model.headline(),
            "The ops of this trace are no roofs for each other: fewer than three take longer than a call, 2 µs");
}

// What a call takes outside of its ops is the work of none of the nodes that it has.
TEST(RooflineModel, ASearchForAnOperatorFindsNoRestOfACall) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  RooflineModel model = roofline_of(trace, false);
  bool rest = false;
  for (const inspector::RooflineRow& row : model.roofline().rows)
    rest = rest || row.title.starts_with("(unattributed)");
  ASSERT_TRUE(rest);
  model.search("linear");
  ASSERT_GT(model.found(), 0);
  for (size_t i = 0; i < model.roofline().rows.size(); ++i)
    EXPECT_FALSE(model.is_found(i) && model.roofline().rows[i].title.starts_with("(unattributed)"));
}

TEST(RooflineModel, AGroupThatIsSelectedInPartIsNotSelectedAsAWhole) {
  const OpenedTrace trace("mobilenet_v2_035_xnnpack_int8");
  const RooflineModel model = roofline_of(trace, false);
  size_t checked = 0;
  for (size_t g = 0; g < model.groups().size(); ++g) {
    const std::vector<size_t>& rows = model.groups()[g].rows;
    const SelectedPart whole = model.selected_part_of_group(g, model.selection_of_group(g));
    EXPECT_TRUE(whole.all()) << model.groups()[g].sum.title;
    EXPECT_NEAR(whole.whole, model.groups()[g].sum.ns, 1e-6 * whole.whole);
    EXPECT_FALSE(model.selected_part_of_group(g, {}).any());
    if (rows.size() < 2 || model.roofline().rows[rows[1]].ns <= 0) continue;
    ++checked;
    const SelectedPart one = model.selected_part_of_group(g, model.selection_of(rows.front()));
    EXPECT_TRUE(one.any() && !one.all()) << model.groups()[g].sum.title;
    EXPECT_TRUE(model.selected_part(rows.front(), model.selection_of(rows.front())).all());
    EXPECT_FALSE(model.selected_part(rows.back(), model.selection_of(rows.front())).any());
  }
  EXPECT_GT(checked, 0U);
}

// What the findings say of the same ops is said in a small window, too: which ops these are.
TEST(RooflineModel, OtherBoundsOfTheFindingsAreSaidInShortAsWell) {
  const OpenedTrace trace("partial_delegation");
  const RooflineModel plain = roofline_of(trace, true);
  EXPECT_EQ(plain.findings_text(), "");
  EXPECT_EQ(plain.findings_brief(), "");
  std::vector<inspector::Advice> advice;
  std::vector<std::string> titles;
  for (const RooflineGroup& group : plain.groups()) {
    if (titles.size() == 2 || group.win <= 0) continue;
    const inspector::RooflineRow& row = plain.roofline().rows[group.rows.front()];
    inspector::Advice& a = advice.emplace_back();
    a.most_ns = row.ns - group.win / 2;
    inspector::AdviceItem& item = a.items.emplace_back();
    item.place.op_id = row.op_id;
    titles.push_back(group.sum.title);
  }
  ASSERT_EQ(titles.size(), 2U);
  RooflineModel model;
  model.set(plain.roofline(), plain.machine(), "", trace.data, advice);
  ASSERT_NE(model.findings_text(), "");
  for (const std::string& title : titles) EXPECT_NE(model.findings_text().find(title), std::string::npos);
  const std::string brief = model.findings_brief();
  const auto says = [&](const std::string& title) {
    return brief == "A roof is the limit of any kernel; what a known change wins of " + title +
                        " and 1 other type is in Findings";
  };
  EXPECT_TRUE(says(titles[0]) || says(titles[1])) << brief;
}

TEST(RooflineModel, WhatTakesNextToNoTimeDoesNotStretchTheAxis) {
  inspector::Roofline roofline;
  roofline.rows = {row_of("aten.linear", 1e6, 1e8, 1e6), row_of("aten.add", 1e5, 1e5, 1e6),
                   row_of("aten.ge", 100, 1, 10), row_of("aten.eq", 100, 1, 10)};
  roofline.total_ns = 1.1002e6;
  RooflineModel model;
  model.set(roofline, std::nullopt, "", nullptr, {});
  EXPECT_GT(model.least_gflops(), 0.01);
  EXPECT_LT(model.least_gflops(), 1);
  EXPECT_EQ(model.below_the_plot(), "2 ops of <0.1% in all");
  roofline.rows.resize(2);
  model.set(roofline, std::nullopt, "", nullptr, {});
  EXPECT_EQ(model.below_the_plot(), "");
}

TEST(RooflineModel, PeaksThatMayBeAnotherMachinesSaySo) {
  const OpenedTrace trace("partial_delegation");
  inspector::MachinePeaks peaks;
  ASSERT_TRUE(inspector::read_machine(std::string(ET_FIXTURES) + "/work/machine.toml", &peaks).ok());
  inspector::Roofline roofline;
  ASSERT_TRUE(inspector::roofline(trace.store, trace.data->shown, &peaks, {}, &roofline).ok());
  RooflineModel model;
  model.set(roofline, peaks, "the trace does not say its processor", trace.data);
  const auto summary = model.summary();
  EXPECT_NE(std::find(summary.begin(), summary.end(), "! the trace does not say its processor"), summary.end());
}

TEST(RooflineModel, TooFewRowsHaveNoBest) {
  inspector::Roofline roofline;
  for (int i = 0; i < 3; ++i) {
    inspector::RooflineRow row;
    row.title = "op " + std::to_string(i);
    row.ns = i == 2 ? 1000 : 1e5;  // the last is as short as a call
    row.work.flops = row.work.bytes = 1e6 * (i + 1);
    roofline.rows.push_back(row);
  }
  EXPECT_FALSE(inspector::best_rates(roofline));
  roofline.rows[2].ns = 1e5;
  const auto seen = inspector::best_rates(roofline);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->compute_of, "op 2");
  EXPECT_DOUBLE_EQ(seen->peaks.gflops, 30);
  EXPECT_DOUBLE_EQ(seen->peaks.bandwidth.front().second, 30);
  inspector::hold_against(seen->peaks, &roofline);
  EXPECT_NEAR(roofline.rows[0].roof_ns, 1e5 / 3, 1);
  EXPECT_DOUBLE_EQ(roofline.above_ns, 0);
}

TEST(RooflineModel, AClosedTraceHasNothing) {
  RooflineModel closed;
  EXPECT_EQ(closed.csv(), "");
  EXPECT_TRUE(closed.points().empty());
}

}  // namespace
}  // namespace et::gui::test
