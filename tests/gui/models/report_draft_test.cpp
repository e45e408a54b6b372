// The draft of a report: what the trace says by itself, with links, as Markdown.
#include "gui/models/report_draft.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

const DraftSection* section(const std::vector<DraftSection>& all, const std::string& id) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const DraftSection& s) { return s.id == id; });
  return at == all.end() ? nullptr : &*at;
}

TEST(ReportDraft, SaysWhatTheOverviewSays) {
  const OpenedTrace trace("partial_delegation");
  const Overview overview = make_overview(*trace.data);
  const std::vector<DraftSection> sections = draft_sections(*trace.data, overview);
  const DraftSection* operators = section(sections, "operators");
  ASSERT_NE(operators, nullptr);
  ASSERT_EQ(operators->lines.size(), overview.ops.size());
  for (size_t i = 0; i < overview.ops.size(); ++i) {
    const DraftLine& line = operators->lines[i];
    EXPECT_EQ(line.text, overview.ops[i].title);
    EXPECT_NE(line.figure.find(inspector::format_share(overview.ops[i].share)), std::string::npos) << line.figure;
    EXPECT_EQ(line.target.op, overview.ops[i].op);
    EXPECT_EQ(line.panel, "operators");
  }
  ASSERT_NE(section(sections, "measured"), nullptr);
  ASSERT_NE(section(sections, "parts"), nullptr);
  const std::string title = draft_title(*trace.data, overview);
  EXPECT_EQ(title, trace.data->model + " · forward");
  const std::string text = draft_markdown(title, sections, {}, "");
  EXPECT_TRUE(text.starts_with("# " + title + "\n")) << text;
  for (const DraftSection& s : sections) EXPECT_NE(text.find("## " + s.title), std::string::npos);
  EXPECT_NE(text.find("- `" + overview.ops[0].title + "`: "), std::string::npos) << text;
  EXPECT_EQ(text.find("## Notes"), std::string::npos);
}

TEST(ReportDraft, SectionsCanBeLeftOutAndNotesComeLast) {
  const OpenedTrace trace("partial_delegation");
  const std::vector<DraftSection> sections = draft_sections(*trace.data, make_overview(*trace.data));
  const std::string text = draft_markdown("t", sections, {"parts", "lines"}, "\n- `add`: slow\n");
  EXPECT_EQ(text.find(section(sections, "parts")->title), std::string::npos);
  EXPECT_EQ(text.find(section(sections, "lines")->title), std::string::npos);
  EXPECT_NE(text.find(section(sections, "operators")->title), std::string::npos);
  EXPECT_TRUE(text.ends_with("## Notes\n\n- `add`: slow\n")) << text;
}

TEST(ReportDraft, SuggestsWhatIsWorthANote) {
  const OpenedTrace trace("partial_delegation");
  const TraceData& data = *trace.data;
  const std::vector<NoteSuggestion> all = note_suggestions(data, make_overview(data));
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].target.kind, Selection::Kind::Op);
  EXPECT_TRUE(all[0].label.starts_with("the costliest single op, ")) << all[0].label;
  const inspector::OpEntry& named = data.shown_op(data.find_op(all[0].target.op));
  for (const inspector::OpEntry& op : data.shown.ops) {
    if (op.kind != "kernel") continue;
    EXPECT_LE(op.cost, named.cost) << op.name.str();
  }
  ASSERT_EQ(all[1].target.kind, Selection::Kind::Range);
  for (const gui::Run& run : data.runs) {
    if (run.cold || data.table.blocks[static_cast<size_t>(run.block)].kind != "execute") continue;
    EXPECT_LE(run.duration, all[1].target.end - all[1].target.start);
  }
  EXPECT_EQ(all[2].target.kind, Selection::Kind::Line);
  EXPECT_EQ(all[3].target.kind, Selection::Kind::Module);
  EXPECT_TRUE(all[4].target.empty()) << "the trace itself";
}

// Opened without an ETDump there are no times; what is there is said.
TEST(ReportDraft, WithoutTimesHasNoCosts) {
  Jobs jobs;
  Document document(jobs);
  document.set_neighbours(false);
  document.open_files({artifact("partial_delegation") + "/etrecord.bin"});
  jobs.finish();
  ASSERT_NE(document.data(), nullptr);
  const std::vector<DraftSection> sections = draft_sections(*document.data(), make_overview(*document.data()));
  EXPECT_EQ(section(sections, "parts"), nullptr);
  EXPECT_EQ(section(sections, "operators"), nullptr);
  ASSERT_EQ(note_suggestions(*document.data(), make_overview(*document.data())).size(), 1U);
}

// Packing weights takes longer than any op, and once.
TEST(ReportDraft, WhatLoadingTakesIsNoCostliestOp) {
  const OpenedTrace trace("partial_delegation");
  TraceData data;
  const Status status = load_trace_data(trace.store, 1, Cancel(), &data);
  ASSERT_TRUE(status.ok()) << status.message();
  const auto load = std::find_if(data.shown.blocks.begin(), data.shown.blocks.end(),
                                 [](const inspector::OpBlock& b) { return b.kind == "load" && b.ops > 0; });
  if (load == data.shown.blocks.end()) GTEST_SKIP() << "the shown ops are of executions alone";
  const auto inner = std::find_if(data.shown.ops.begin(), data.shown.ops.end(),
                                  [](const inspector::OpEntry& op) { return op.kind == "delegate_op"; });
  ASSERT_NE(inner, data.shown.ops.end());
  inspector::OpEntry& pack = data.shown.ops[load->first_op];
  pack.kind = inner->kind;
  pack.cost = 1e12;
  const std::vector<NoteSuggestion> all = note_suggestions(data, make_overview(data));
  ASSERT_FALSE(all.empty());
  EXPECT_NE(all[0].target.op, pack.id);
}

}  // namespace
}  // namespace et::gui::test
