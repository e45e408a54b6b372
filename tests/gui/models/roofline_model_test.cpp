// The rows, points and roofs of the Roofline panel.
#include "gui/models/roofline_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

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

TEST(RooflineModel, PointsAreNamedByOperatorsAndNotByTheirNamespaces) {
  const OpenedTrace trace("mobilenet_v2_035_xnnpack_int8");
  const RooflineModel model = roofline_of(trace, true);
  std::set<std::string> names;
  for (const RooflinePoint& p : model.points()) names.insert(p.name);
  EXPECT_TRUE(names.contains("convolution"));
  EXPECT_TRUE(names.contains("quantize_per_tensor"));
  EXPECT_FALSE(names.contains("quantized_decomposed"));
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
    EXPECT_EQ(model.cell(i, RooflineColumn::Gflops).empty(), !rows[i].gflops());
    const Selection s = model.selection_of(i);
    EXPECT_EQ(s.op, rows[i].op_id);
    with_ops += s.ops.empty() ? 0 : 1;
    EXPECT_NE(model.csv().find(rows[i].title), std::string::npos);
  }
  EXPECT_EQ(with_ops, rows.size()) << "a click on each row selects its op";
}

TEST(RooflineModel, WithoutPeaksThereAreRatesAndNoRoofs) {
  const OpenedTrace trace("mobilenet_v2_035_xnnpack_int8");
  const RooflineModel model = roofline_of(trace, false);
  EXPECT_TRUE(model.roofs().empty());
  EXPECT_FALSE(model.points().empty());
  EXPECT_EQ(model.hint(), "no peaks");
  for (size_t i = 0; i < model.roofline().rows.size(); ++i) {
    EXPECT_EQ(model.cell(i, RooflineColumn::Efficiency), "");
    EXPECT_FALSE(model.win(i));
  }
  RooflineModel closed;
  EXPECT_EQ(closed.csv(), "");
  EXPECT_TRUE(closed.points().empty());
}

}  // namespace
}  // namespace et::gui::test
