// The table of operators by mouse and keys: filter, sort, groups, selection, samples, copies.
#include <algorithm>
#include <chrono>

#include "gui/models/operators_model.h"
#include "gui/panels/operators_panel.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct OperatorsUi : UiTest {
  OperatorsModel& rows() { return model<OperatorsModel>("operators"); }
  void type_filter(const char* text) {
    drive([text](ImGuiTestContext* t) {
      t->SetRef("Operators##solo");
      t->ItemInputValue("**/##filter", text);
    });
  }
  void run(const std::string& title) {
    for (Command& command : app().commands()) {
      if (command.title != title) continue;
      command.run();
      return settle();
    }
    ADD_FAILURE() << "no command " << title;
  }
  /// As the menu does, which is tested once.
  void show_single() {
    solo("operators");
    rows().query.group.reset();
    settle();
  }
  std::string item(int32_t row) {
    return "**/##op" +
           std::to_string(data().table.ops[static_cast<size_t>(rows().view().ops[static_cast<size_t>(row)])].id);
  }
};

TEST_F(OperatorsUi, OpenByTypeUntilTheUserChooses) {
  open("partial_delegation");
  solo("operators");
  EXPECT_EQ(rows().view().query.group, inspector::GroupBy::Type);
  ASSERT_FALSE(rows().view().groups.empty());
  // Details are those of the costliest op of the first type.
  const auto& groups = rows().view().groups;
  const auto first = std::find_if(groups.begin(), groups.end(), [](const OperatorsGroup& g) { return !g.none; });
  ASSERT_NE(first, groups.end());
  const auto& panel = static_cast<OperatorsPanel&>(*app().panel("operators"));
  EXPECT_EQ(panel.detail_op(), first->costliest);
  drive([](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    // The engine does not find combo boxes by a part of their path.
    const ImRect behind = t->ItemInfo("**/Columns").RectFull;
    t->MouseMoveToPos({behind.Min.x - 60, (behind.Min.y + behind.Max.y) / 2});
    t->MouseClick();
    t->Yield(2);
    t->ItemClick("//##Combo_00/**/By module");
    t->Yield(2);
  });
  EXPECT_EQ(rows().view().query.group, inspector::GroupBy::Module);
  const auto kept = app().panel("operators")->settings();
  EXPECT_TRUE(std::any_of(kept.begin(), kept.end(),
                          [](const auto& each) { return each.first == "group" && each.second == "module"; }));
  app().panel("operators")->restore("group", "none");
  settle();
  EXPECT_FALSE(rows().view().query.group.has_value());
}

TEST_F(OperatorsUi, WhatLeadsHereShowsItsOps) {
  open("partial_delegation");
  solo("operators");
  const int64_t op = data().table.ops[4].id;
  document().select(select_op(data(), op));
  settle();
  EXPECT_TRUE(rows().view().query.group.has_value()) << "a selection elsewhere leaves the table as it is";
  document().select(select_op(data(), op), "operators");
  settle();
  EXPECT_FALSE(rows().view().query.group.has_value());
  EXPECT_GE(rows().row_of(data().find_op(op)), 0);
}

TEST_F(OperatorsUi, FilterIsTyped) {
  open("partial_delegation");
  show_single();
  const size_t all = rows().view().ops.size();
  type_filter("delegated:yes");
  EXPECT_LT(rows().view().ops.size(), all);
  ASSERT_FALSE(rows().view().ops.empty());
  for (const int32_t op : rows().view().ops) EXPECT_TRUE(data().table.ops[static_cast<size_t>(op)].backend.has_value());
  type_filter("colour:red");
  EXPECT_FALSE(rows().view().status.ok());
  type_filter("");
  EXPECT_TRUE(rows().view().status.ok());
  EXPECT_EQ(rows().view().ops.size(), all);
}

TEST_F(OperatorsUi, HeadersSort) {
  open("partial_delegation");
  show_single();
  EXPECT_EQ(rows().view().query.sort, OpColumn::Self);
  EXPECT_TRUE(rows().view().query.descending);
  drive([](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick("**/Name###name");
  });
  EXPECT_EQ(rows().view().query.sort, OpColumn::Name);
  EXPECT_FALSE(rows().view().query.descending);
  drive([](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick("**/Name###name");
  });
  EXPECT_TRUE(rows().view().query.descending);
  const auto& view = rows().view();
  EXPECT_GE(data().table.ops[static_cast<size_t>(view.ops.front())].name.str(),
            data().table.ops[static_cast<size_t>(view.ops.back())].name.str());
}

TEST_F(OperatorsUi, ClickSelectsAndShowsSamples) {
  open("partial_delegation");
  show_single();
  const int32_t op = rows().view().ops[2];
  const std::string row = item(2);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick(row.c_str());
  });
  EXPECT_EQ(document().selection().op, data().table.ops[static_cast<size_t>(op)].id);
  const SamplesModel& samples = static_cast<OperatorsPanel*>(app().panel("operators"))->samples();
  ASSERT_NE(samples.view(), nullptr);
  EXPECT_EQ(samples.op(), op);
  EXPECT_EQ(samples.view()->samples.total, data().table.ops[static_cast<size_t>(op)].count);
}

TEST_F(OperatorsUi, GroupsOpenTheirOps) {
  open("partial_delegation");
  solo("operators");
  run("Operators: by type");
  ASSERT_FALSE(rows().view().groups.empty());
  size_t at = 0;
  while (at < rows().view().groups.size() && rows().view().groups[at].none) ++at;
  ASSERT_LT(at, rows().view().groups.size());
  const std::string key = rows().view().groups[at].key, row = "**/##group" + std::to_string(at);
  const int64_t ops = rows().view().groups[at].ops;
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemDoubleClick(row.c_str());
  });
  EXPECT_FALSE(rows().view().query.group.has_value());
  EXPECT_EQ(rows().view().query.filter, "type=\"" + key + "\" !kind=delegate_call") << "not the call around them";
  EXPECT_GT(ops, 0);
  EXPECT_EQ(std::ssize(rows().view().ops), ops) << "as many rows as the group counts";
  EXPECT_EQ(rows().view().count.ops, ops);
}

// Ops without a node have a type by their names, which is no key of filters: they are listed all the same.
TEST_F(OperatorsUi, AGroupOpensWhereNoFilterSaysWhatIsInIt) {
  open("partial_delegation");
  solo("operators");
  run("Operators: by type");
  const auto& groups = rows().view().groups;
  const auto group = std::find_if(groups.begin(), groups.end(), [](const auto& g) { return g.key == "Transpose"; });
  ASSERT_NE(group, groups.end());
  const int64_t ops = group->ops;
  const std::string row = "**/##group" + std::to_string(group - groups.begin());
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemDoubleClick(row.c_str());
    t->Yield(2);
  });
  settle();
  EXPECT_EQ(rows().view().query.only.name, "Transpose");
  EXPECT_EQ(std::ssize(rows().view().ops), ops);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick("**/###only");
    t->Yield(2);
  });
  settle();
  EXPECT_GT(std::ssize(rows().view().ops), ops) << "all ops again";
}

TEST_F(OperatorsUi, AClickOnAGroupSelectsItsOps) {
  open("partial_delegation");
  document().select(select_op(data(), data().table.ops[4].id));
  solo("operators");
  run("Operators: by type");
  const auto& groups = rows().view().groups;
  const int32_t chosen = data().find_op(document().selection().op);
  size_t at = 0;
  while (at < groups.size() &&
         (groups[at].none || is_in_group(data(), inspector::GroupBy::Type, groups[at].key, chosen) ||
          select_group(data(), inspector::GroupBy::Type, groups[at].key).empty()))
    ++at;
  ASSERT_LT(at, groups.size());
  const OperatorsGroup row = groups[at];
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick(("**/##group" + std::to_string(at)).c_str());
  });
  const Selection& now = document().selection();
  EXPECT_EQ(now.kind, Selection::Kind::Group);
  EXPECT_EQ(now.group, row.key);
  EXPECT_TRUE(now.has_op(row.costliest));
  EXPECT_FALSE(now.has_op(chosen)) << "no longer what was selected before";
  for (const int32_t op : now.ops)
    EXPECT_EQ(data().table.block_of(data().table.ops[static_cast<size_t>(op)]).kind, "execute");
  EXPECT_EQ(static_cast<OperatorsPanel*>(app().panel("operators"))->detail_op(), row.costliest);
  EXPECT_TRUE(select_again(data(), now).same(now));
}

TEST_F(OperatorsUi, DetailsAreOfWhatIsSelectedElsewhere) {
  open("mobilenet_v2_035_xnnpack_int8");
  solo("operators");
  run("Operators: by type");
  size_t tried = 0;
  for (const inspector::SourceFileCost& file : data().sources.files) {
    for (const inspector::SourceLine& line : file.lines) {
      const Selection chosen = select_line(data(), file.file, line.line);
      if (chosen.ops.empty() || !(line.ns > 0)) continue;
      document().select(chosen);
      settle();
      const int32_t op = static_cast<OperatorsPanel*>(app().panel("operators"))->detail_op();
      EXPECT_TRUE(chosen.has_op(op)) << file.file << ":" << line.line;
      EXPECT_EQ(op, op_of_selection(data(), chosen));
      ++tried;
    }
  }
  EXPECT_GT(tried, 1U);
}

TEST_F(OperatorsUi, ARowOfNoOperatorHasDetails) {
  open("mobilenet_v2_035_xnnpack_int8");
  solo("operators");
  run("Operators: by type");
  const auto& groups = rows().view().groups;
  const auto rest = std::find_if(groups.begin(), groups.end(), [](const OperatorsGroup& g) { return g.none; });
  ASSERT_NE(rest, groups.end());
  ASSERT_GE(rest->costliest, 0);
  const int32_t costliest = rest->costliest;
  const auto at = static_cast<size_t>(rest - groups.begin());
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick(("**/##group" + std::to_string(at)).c_str());
    t->Yield(2);
  });
  EXPECT_EQ(static_cast<OperatorsPanel*>(app().panel("operators"))->detail_op(), costliest);
}

TEST_F(OperatorsUi, CopiesWhatIsShown) {
  open("partial_delegation");
  show_single();
  type_filter("delegated:yes");
  const std::string row = item(0);
  std::string text;
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick(row.c_str());
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_C);
    t->Yield(2);
    const char* copied = ImGui::GetClipboardText();  // the engine's own, only here
    text = copied == nullptr ? "" : copied;
  });
  EXPECT_TRUE(text.starts_with("name,")) << text.substr(0, 80);
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), rows().view().ops.size() + 1);
  EXPECT_EQ(text, app().panel("operators")->csv());
}

// A hundred thousand rows, and the calls of their kernels, which have none: made of a small trace by copying rows,
// which costs less than recording them.
TEST_F(OperatorsUi, FramesStayShortWithManyOps) {
  const TemporaryFolder other;
  const std::string path = other / "many.db";
  ASSERT_TRUE(import_artifact("nanogpt_xnnpack_qd4", path).ok());
  {
    inspector::Store store;
    ASSERT_TRUE(inspector::Store::open(path, inspector::Store::Mode::ReadWrite, &store).ok());
    const Status status = store.exec(
        "CREATE TEMP TABLE copy AS SELECT * FROM raw_op; "
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 140000 / (SELECT count(*) FROM "
        "copy)) "
        "INSERT INTO raw_op SELECT id + 10000 * i, trace, block, ordinal + 10000 * i, parent + 10000 * i, name, kind, "
        "instruction_id, chain_index, delegate_id_int, delegate_id_str, backend, delegate, payload_node, role, clock, "
        "resolution_limited, debug_handles, op_types, outputs, count, sum, mean, stddev, min, p10, p50, p90, p99, max, "
        "self, share, self_share, cold, warm_mean, warm_p50, warm_p99, metadata, unit FROM copy, n;");
    ASSERT_TRUE(status.ok()) << status.message();
  }
  app().open_files({path});
  show_single();
  ASSERT_GT(rows().view().ops.size(), 90000U);
  // The quickest of some frames: what else the machine does is not the panel's.
  double quickest = 1e9;
  for (int i = 0; i < 40; ++i) {
    app().touch();
    ImGui::GetIO().AddMouseWheelEvent(0, -5);
    const auto begin = std::chrono::steady_clock::now();
    frame_untouched();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    quickest = std::min(quickest, took.count());
  }
  RecordProperty("milliseconds", std::to_string(quickest));
  if (!is_drawn()) {
    EXPECT_LT(quickest, 16);  // with software OpenGL the pixels cost most
  }
}

TEST_F(OperatorsUi, SamplesBeyondTheAxisLeadToTheSlowest) {
  const std::string path = folder / "store.db";
  ASSERT_TRUE(import_artifact("dynamic_shapes_bounded", path).ok());
  int64_t op = 0, run = 0;
  {
    inspector::Store store;
    ASSERT_TRUE(inspector::Store::open(path, inspector::Store::Mode::ReadWrite, &store).ok());
    // A sample of the last execution was preempted.
    inspector::Statement last =
        store.query("SELECT id >> 32, run FROM raw_sample WHERE run = (SELECT max(id) FROM raw_run) LIMIT 1");
    ASSERT_TRUE(last.step());
    op = last.integer(0);
    run = last.integer(1);
    last.reset();
    const std::string change =
        "UPDATE raw_sample SET duration = duration * 1000 + 1000000 WHERE run = " + std::to_string(run) +
        " AND id >> 32 = " + std::to_string(op);
    ASSERT_TRUE(store.exec(change.c_str()).ok());
  }
  app().open_files({path});
  show_single();
  document().select(select_op(data(), op));
  settle();
  const auto& panel = static_cast<OperatorsPanel&>(*app().panel("operators"));
  ASSERT_NE(panel.samples().view(), nullptr);
  ASSERT_EQ(panel.samples().view()->linear.beyond, 1);
  drive([](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick("**/###beyond");
  });
  EXPECT_EQ(document().run(), run);
  EXPECT_EQ(document().selection().op, op);
}

TEST_F(OperatorsUi, GroupsHaveTimesOnceTheyWereRead) {
  open("nanogpt_xnnpack_qd4");
  solo("operators");
  run("Operators: by module");
  ASSERT_FALSE(rows().reading());
  ASSERT_FALSE(rows().view().groups.empty());
  for (const OperatorsGroup& group : rows().view().groups) {
    EXPECT_EQ(group.times.mean.has_value(), group.shown_samples > 0) << group.key << ": what did not run took nothing";
  }
  drive([](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick("**/P99");
  });
  EXPECT_EQ(rows().view().query.group_sort, GroupColumn::P99);
  EXPECT_GE(rows().view().groups.front().times.p99, rows().view().groups.back().times.p99);
}

TEST_F(OperatorsUi, AGroupShowsWhatItsOpsTakeTogetherInEachExecution) {
  open("nanogpt_xnnpack_qd4");
  solo("operators");
  run("Operators: by type");
  size_t shown = 0;
  for (size_t at = 0; at < std::min<size_t>(rows().view().groups.size(), 4); ++at) {
    const OperatorsGroup row = rows().view().groups[at];
    if (!GroupSamplesModel::has_sums(data(), row)) continue;
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Operators##solo");
      t->ItemClick(("**/##group" + std::to_string(at)).c_str());
      t->Yield(2);
    });
    const GroupSamplesModel& sums = static_cast<OperatorsPanel*>(app().panel("operators"))->group_samples();
    ASSERT_NE(sums.view(), nullptr) << row.key;
    std::vector<int64_t> times = sums.view()->samples.durations;
    ASSERT_EQ(std::ssize(times), row.times.executions);
    std::sort(times.begin(), times.end());
    const double middle = static_cast<double>(times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
    EXPECT_NEAR(middle, *row.times.p50, 1) << row.key << ": the plot is of what the table says";
    EXPECT_EQ(sums.figures().warm_p50, row.times.p50);
    double all = 0;
    for (const GroupOp& op : sums.ops()) all += op.time;
    EXPECT_NEAR(all, row.self, 0.01 * row.self) << row.key;
    ++shown;
  }
  EXPECT_GT(shown, 1U);
  // One of its ops, by a click in the list of them.
  drive([](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick("**/$$0/##op");
    t->Yield(2);
  });
  EXPECT_EQ(document().selection().kind, Selection::Kind::Op);
}

TEST_F(OperatorsUi, ColumnsThatTheUserChoseStay) {
  open("partial_delegation");
  show_single();
  const auto shown = [&](const char* column) {
    return app().panel("operators")->csv().find(column) != std::string::npos;
  };
  EXPECT_TRUE(shown("warm_p99"));
  EXPECT_FALSE(shown(",p90"));
  drive([](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick("**/Columns");
    t->ItemClick("//$FOCUSED/P90, all");
  });
  frames(3);
  EXPECT_TRUE(shown(",p90"));
  EXPECT_TRUE(shown("warm_p99"));
}

struct SmallOperatorsUi : OperatorsUi {
  PictureSize picture_size() const override { return {900, 600}; }
};

TEST_F(SmallOperatorsUi, LinksOfAnOpHaveRoom) {
  open("partial_delegation");
  show_single();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick(item(0).c_str());
    t->Yield(2);
    t->ItemClick("**/###line");
  });
  settle();
  EXPECT_EQ(document().selection().kind, Selection::Kind::Line);
}

}  // namespace
}  // namespace et::gui::test
