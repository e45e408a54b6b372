// The rows of the Findings panel, and where a click on them leads.
#include "gui/models/findings_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gui/core/window_words.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/report/findings_report.h"
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
    const bool several = row.advice.items.size() > 1;
    EXPECT_EQ(s.kind, several ? Selection::Kind::Several : Selection::Kind::Node) << row.advice.text;
    EXPECT_TRUE(s.has_node(row.advice.place.node)) << row.advice.place.node;
    for (const inspector::AdviceItem& item : row.advice.items)
      EXPECT_TRUE(item.place.node.empty() || s.has_node(item.place.node)) << item.place.node;
    EXPECT_FALSE(s.ops.empty()) << "it has ops in the trace: " << row.advice.text;
    EXPECT_NE(row.win.find("at most "), std::string::npos);
    EXPECT_TRUE(row.most.starts_with("at most ")) << "of two bounds none is a floor: " << row.most;
    EXPECT_TRUE(row.most.ends_with("%)")) << "with its part of an execution: " << row.most;
    EXPECT_LE(row.least_share, row.share);
    EXPECT_FALSE(row.facts.empty()) << "numbers that it rests on: " << row.advice.title;
    EXPECT_EQ(row.advice.title.find(".default"), std::string::npos) << "ops are called as in all panels";
    EXPECT_EQ(row.advice.text.find(".default"), std::string::npos) << row.advice.text;
    EXPECT_GT(row.share, 0);
    EXPECT_LE(row.share, 1);
    EXPECT_NE(model.markdown().find(row.advice.text), std::string::npos);
    EXPECT_NE(model.csv().find(row.advice.id), std::string::npos);
  }
}

TEST(FindingsModel, SearchLooksAtTitlesRulesAndPlaces) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  FindingsModel model = findings_of(trace);
  ASSERT_GE(model.rows().size(), 2u);
  const FindingsRow& last = model.rows().back();
  model.search(last.advice.id + "  " + last.advice.place.module);
  EXPECT_TRUE(model.is_found(model.rows().size() - 1));
  EXPECT_TRUE(model.is_found(model.chosen)) << "the details are of a row that is seen";
  model.search("nothing is called like that");
  EXPECT_EQ(model.found(), 0);
  EXPECT_FALSE(model.is_found(0));
  model.search(" ");
  EXPECT_TRUE(model.is_found(0)) << "no search";
}

TEST(FindingsModel, SearchLeavesTheOpsThatHaveItsWords) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  FindingsModel model = findings_of(trace);
  const auto row = std::find_if(model.rows().begin(), model.rows().end(),
                                [](const FindingsRow& r) { return r.advice.id == "undelegated-operator"; });
  ASSERT_NE(row, model.rows().end());
  const std::vector<inspector::AdviceItem>& items = row->advice.items;
  ASSERT_EQ(items.size(), 7U);
  EXPECT_EQ(model.items_found(*row).size(), 7U) << "no search";
  model.search("blocks.1 layer_norm");
  size_t of_block = 0;
  for (const inspector::AdviceItem& item : items) of_block += item.place.module.starts_with("blocks.1.") ? 1 : 0;
  ASSERT_GT(of_block, 0U);
  EXPECT_EQ(model.items_found(*row).size(), of_block);
  for (const size_t i : model.items_found(*row)) EXPECT_TRUE(items[i].place.module.starts_with("blocks.1."));
  model.search("undelegated-operator blocks.1");
  EXPECT_EQ(model.items_found(*row).size(), of_block) << "words of the rule leave those of the ops";
  model.search("undelegated-operator");
  EXPECT_EQ(model.items_found(*row).size(), 7U) << "words of the finding are of all of them";
  model.search("Write the module with operators");
  EXPECT_TRUE(model.is_found(static_cast<size_t>(row - model.rows().begin())));
  EXPECT_EQ(model.items_found(*row).size(), 7U) << "nor are words of the advice of none";
}

TEST(FindingsModel, WhereAPanelShowsItNoCommandIsNamed) {
  EXPECT_EQ(in_window("Fewer layers. et-inspect roofline shows each op."),
            "Fewer layers. The panel Roofline shows each op.");
  EXPECT_EQ(in_window("compare arguments and shapes (et-inspect delegation), and"),
            "compare arguments and shapes (panel Delegation), and");
  EXPECT_EQ(in_window("what the machine could do, et-run --calibrate measures"),
            "what the machine could do, the panel Roofline measures");
  EXPECT_EQ(in_window("the machine's peaks (et-run --calibrate)"), "the machine's peaks (panel Roofline)");
  EXPECT_EQ(in_window("logged values (et-run --debug-buffer)"), "logged values (et-run --debug-buffer)")
      << "which the window does not do";
  for (const char* const name : {"mobilenet_v2_035_xnnpack_int8", "external_weights", "nanogpt_xnnpack_qd4"}) {
    const OpenedTrace trace(name);
    const FindingsModel model = findings_of(trace);
    for (const FindingsRow& row : model.rows()) {
      EXPECT_EQ(row.advice.text.find("et-inspect"), std::string::npos) << row.advice.text;
      EXPECT_EQ(row.advice.what_to_do.find("et-inspect"), std::string::npos) << row.advice.what_to_do;
    }
    EXPECT_EQ(model.markdown().find("et-inspect"), std::string::npos);
  }
  for (const inspector::AdviceRule& rule : inspector::advice_rules())
    EXPECT_EQ(in_window(rule.summary).find("et-"), std::string::npos) << rule.summary;
}

TEST(FindingsModel, EachRuleSpokeOrLookedOrSaysWhatItLacks) {
  for (const bool all : {true, false}) {
    const OpenedTrace trace("nanogpt_xnnpack_qd4");
    std::vector<inspector::Advice> advice;
    inspector::AdviceNotes notes;
    ASSERT_TRUE(inspector::find_advice(trace.store, trace.data->shown, &advice, nullptr, &notes).ok());
    if (!all) notes.missing |= inspector::advice_needs::Record;
    std::set<std::string> seen;
    for (const inspector::Advice& a : advice) seen.insert(a.id);
    FindingsModel model;
    model.set(std::move(advice), trace.data, notes);
    for (const inspector::AdviceRule* const rule : model.silent_rules()) EXPECT_TRUE(seen.insert(rule->id).second);
    size_t without_record = 0;
    for (const inspector::UnseenRules& unseen : model.not_looked()) {
      for (const inspector::AdviceRule* const rule : unseen.rules) EXPECT_TRUE(seen.insert(rule->id).second);
      without_record += unseen.needs.find("the ETRecord") != std::string::npos ? unseen.rules.size() : 0;
    }
    EXPECT_EQ(seen.size(), inspector::advice_rules().size());
    EXPECT_EQ(without_record > 0, !all);
  }
}

TEST(FindingsModel, WhatIsToBeKnownOfTheMeasurementIsThatOfTheCommand) {
  const OpenedTrace trace("partial_delegation");
  std::vector<inspector::Finding> all;
  ASSERT_TRUE(inspector::find_findings(trace.store, trace.data->shown, &all, nullptr).ok());
  FindingsModel model = findings_of(trace);
  model.set_measurement(all);
  ASSERT_FALSE(model.measurement().empty());
  EXPECT_LT(model.measurement().size(), all.size()) << "what is fine is left out";
  for (const inspector::Finding& f : model.measurement()) EXPECT_NE(f.severity, "ok");
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

TEST(FindingsModel, TheCostliestIsNeverPassedOverInSilence) {
  for (const char* name : {"mobilenet_v2_035_xnnpack_int8", "nanogpt_xnnpack_qd4", "partial_delegation"}) {
    const OpenedTrace trace(name);
    std::vector<inspector::Advice> advice;
    inspector::AdviceNotes notes;
    ASSERT_TRUE(inspector::find_advice(trace.store, trace.data->shown, &advice, nullptr, &notes).ok());
    FindingsModel model;
    model.set(advice, trace.data, notes);
    double last = 1e300;
    for (const inspector::Consumer& c : model.silent()) {
      EXPECT_LE(c.ns, last);
      last = c.ns;
      EXPECT_NE(model.text_of(c).find(" take"), std::string::npos);
      EXPECT_FALSE(select_op(*trace.data, c.op_id).empty()) << "it leads somewhere";
      EXPECT_NE(model.markdown().find(model.text_of(c)), std::string::npos) << "as the command has it";
    }
    // The type that takes the most is in a finding or here.
    const inspector::GroupTable types =
        inspector::group_costs(trace.data->shown, inspector::GroupBy::Type, inspector::Filter());
    const auto top = std::find_if(types.rows.begin(), types.rows.end(), [](const auto& r) { return !r.none; });
    ASSERT_NE(top, types.rows.end());
    bool said = !model.silent().empty();
    for (const inspector::Advice& a : advice) {
      for (const inspector::AdviceItem& item : a.items) said = said || item.ns > 0;
    }
    EXPECT_TRUE(said || top->share < 0.1) << name << ": " << top->key;
  }
}

TEST(FindingsModel, ABoundThatTheRooflineSeesOtherwiseSaysSo) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  inspector::Advice a;
  a.most_ns = 100;
  EXPECT_EQ(inspector::roofline_bound_text(a, trace.data->shown), "") << "not known";
  a.roof_win = 101;
  EXPECT_EQ(inspector::roofline_bound_text(a, trace.data->shown), "") << "the same";
  a.roof_win = 150;
  EXPECT_NE(inspector::roofline_bound_text(a, trace.data->shown).find("could win 150 ns"), std::string::npos);
  a.roof_win = 0;
  EXPECT_NE(inspector::roofline_bound_text(a, trace.data->shown).find("nothing to win"), std::string::npos);
}

}  // namespace
}  // namespace et::gui::test
