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
  ASSERT_GE(model.rows().size(), 2u);
  for (const FindingsRow& row : model.rows()) {
    const Selection s = model.selection_of(row);
    EXPECT_EQ(s.kind, Selection::Kind::Node) << row.advice.text;
    EXPECT_EQ(s.node, row.advice.place.node);
    EXPECT_FALSE(s.ops.empty()) << "it has ops in the trace: " << row.advice.text;
    EXPECT_NE(row.win.find("at most "), std::string::npos);
    EXPECT_TRUE(row.most.starts_with("at most ")) << row.most;
    EXPECT_FALSE(row.facts.empty()) << "numbers that it rests on: " << row.advice.title;
    EXPECT_EQ(row.advice.title.find(".default"), std::string::npos) << "ops are called as in all panels";
    EXPECT_EQ(row.advice.text.find(".default"), std::string::npos) << row.advice.text;
    EXPECT_GT(row.share, 0);
    EXPECT_LE(row.share, 1);
    EXPECT_NE(model.markdown().find(row.advice.text), std::string::npos);
    EXPECT_NE(model.csv().find(row.advice.id), std::string::npos);
  }
}

TEST(FindingsModel, ItemsAreTheOpsThatItIsAboutAndAddUp) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const FindingsModel model = findings_of(trace);
  size_t lists = 0;
  for (const FindingsRow& row : model.rows()) {
    if (row.advice.items.empty() || row.advice.id == "small-delegates") continue;
    ++lists;
    double sum = 0, last = row.advice.items.front().ns;
    for (const inspector::AdviceItem& item : row.advice.items) {
      EXPECT_LE(item.ns, last) << "the costliest first";
      last = item.ns;
      sum += item.ns;
      if (!item.place.node.empty()) {
        EXPECT_EQ(model.selection_of(item.place, row.advice.method).node, item.place.node);
      }
    }
    ASSERT_EQ(row.advice.facts.front().unit, inspector::AdviceFact::Unit::Time) << row.advice.title;
    EXPECT_NEAR(sum, row.advice.facts.front().value, 1e-6 * sum) << row.advice.title;
  }
  EXPECT_GT(lists, 0u);
}

TEST(FindingsModel, EachRuleHasAPanelThatShowsIt) {
  for (const inspector::AdviceRule& rule : inspector::advice_rules())
    EXPECT_STRNE(panel_of_rule(rule.id), "") << rule.id;
  EXPECT_STREQ(panel_of_rule("no-such-rule"), "");
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
