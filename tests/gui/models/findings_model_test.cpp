// The rows of the Findings panel, and where a click on them leads.
#include "gui/models/findings_model.h"

#include <gtest/gtest.h>

#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

FindingsModel findings_of(const OpenedTrace& trace) {
  std::vector<inspector::Advice> advice;
  FindingsModel model;
  const Status status = inspector::find_advice(trace.store, trace.data->shown, &advice);
  EXPECT_TRUE(status.ok()) << status.message();
  model.set(std::move(advice), trace.data);
  return model;
}

TEST(FindingsModel, EachRowLeadsToItsNode) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const FindingsModel model = findings_of(trace);
  ASSERT_GE(model.rows().size(), 3u);
  for (const FindingsRow& row : model.rows()) {
    const Selection s = model.selection_of(row);
    EXPECT_EQ(s.kind, Selection::Kind::Node) << row.advice.text;
    EXPECT_EQ(s.node, row.advice.place.node);
    EXPECT_FALSE(s.ops.empty()) << "it has ops in the trace: " << row.advice.text;
    EXPECT_NE(row.win.find("at most "), std::string::npos);
    EXPECT_GT(row.share, 0);
    EXPECT_LE(row.share, 1);
    EXPECT_NE(model.markdown().find(row.advice.text), std::string::npos);
    EXPECT_NE(model.csv().find(row.advice.id), std::string::npos);
  }
}

TEST(FindingsModel, NothingFoundIsNothingShown) {
  const FindingsModel model = findings_of(OpenedTrace("add_mul"));
  EXPECT_TRUE(model.rows().empty());
  FindingsModel closed;
  closed.set({}, nullptr);
  EXPECT_EQ(closed.csv(), "");
  EXPECT_EQ(closed.markdown(), "");
}

}  // namespace
}  // namespace et::gui::test
