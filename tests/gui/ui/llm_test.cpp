// Language model by mouse: kinds and layers choose their ops, links lead on, a point leads to the timeline.
#include <imgui_te_utils.h>

#include <algorithm>

#include "gui/models/llm_model.h"
#include "gui/models/timeline_model.h"
#include "tests/gui/support/tokens_trace.h"
#include "tests/gui/ui/cut_text.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct LlmUiTest : UiTest {
  void open_tokens() {
    write_tokens_trace(folder / "tokens.etdp");
    app().open_files({folder / "tokens.etdp"});
    app().jobs().finish();
    ASSERT_NE(document().data(), nullptr) << document().error().message();
    settle();
    solo("llm");
  }
  /// nanoGPT's trace, whose executions the application would have called decode.
  void open_layers() {
    const std::string path = folder / "store.db";
    ASSERT_TRUE(import_artifact("nanogpt_xnnpack_qd4", path).ok());
    inspector::Store store;
    ASSERT_TRUE(inspector::Store::open(path, inspector::Store::Mode::ReadWrite, &store).ok());
    ASSERT_TRUE(store.exec("UPDATE raw_run SET phase = 'decode'").ok());
    store = {};
    app().open_files({path});
    app().jobs().finish();
    ASSERT_NE(document().data(), nullptr) << document().error().message();
    settle();
    solo("llm");
  }
  LlmModel& llm() { return model<LlmModel>("llm"); }
};

TEST_F(LlmUiTest, AKindChoosesItsOpsAndAnOpItself) {
  open_tokens();
  ASSERT_TRUE(llm().is_language_model());
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Language model##solo");
    t->ItemClick("**/$$1/##row");
  });
  EXPECT_EQ(document().selection().ops, llm().selection_of(llm().kinds()[1]).ops);
  const std::vector<LlmOp> ops = llm().ops_of(llm().kinds()[1]);
  ASSERT_FALSE(ops.empty());
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Language model##solo");
    t->ItemClick("**/$$0/##op");
  });
  EXPECT_TRUE(document().selection().same(llm().selection_of(ops.front())));
}

TEST_F(LlmUiTest, APartOfABarChoosesItsKind) {
  open_layers();
  ASSERT_GT(llm().kinds().front().time[1], 0);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Language model##solo");
    const ImRect bar = t->ItemInfo("**/##bar").RectFull;
    t->MouseMoveToPos({bar.Min.x + 4, (bar.Min.y + bar.Max.y) / 2});
    t->MouseClick();
    t->Yield(2);
  });
  EXPECT_FALSE(document().selection().ops.empty());
  EXPECT_EQ(document().selection().ops, llm().selection_of(llm().kinds().front(), 1).ops);
}

TEST_F(LlmUiTest, ThePromptsLengthIsAskedForWhereTheTraceDoesNotKnowIt) {
  open_tokens();
  ASSERT_TRUE(llm().view().prompt_missing());
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Language model##solo");
    t->ItemClick("**/##prompt");
    t->KeyCharsReplaceEnter("48");
    t->Yield(2);
  });
  settle();
  EXPECT_TRUE(llm().view().steps.prompt_given);
  EXPECT_EQ(llm().view().times.prompt_tokens, 96);
  const auto& facts = llm().facts();
  EXPECT_TRUE(std::any_of(facts.begin(), facts.end(), [](const auto& fact) {
    return fact.first == "prompt" && fact.second.find("tokens/s") != std::string::npos;
  }));
}

TEST_F(LlmUiTest, ALayerLeadsToItsLine) {
  open_layers();
  ASSERT_FALSE(llm().layers().empty());
  app().set_solo("");
  settle();
  app().show_panel("llm");
  settle();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("###Language model");
    t->ItemClick("**/By layer");
    t->ItemClick("**/$$1/##row");
    t->ItemClick("**/Source");
  });
  settle();
  EXPECT_EQ(app().focused_panel(), "source");
  EXPECT_EQ(document().selection().file, llm().selection_of(llm().layers()[1]).file);
}

TEST_F(LlmUiTest, TheRightSideIsOfThePageAtTheLeft) {
  open_layers();
  const std::vector<LlmPart>& layers = llm().layers();
  const auto dearest = std::max_element(layers.begin(), layers.end(),
                                        [](const LlmPart& a, const LlmPart& b) { return a.time[1] < b.time[1]; });
  const auto first_row = [&] {
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Language model##solo");
      const auto child = t->WindowInfo("//Language model##solo/##ops");
      t->SetRef(child.ID);
      const bool group = t->ItemExists("**/$$0/##group");
      t->ItemClick(group ? "**/$$0/##group" : "**/$$0/##op");
    });
    return document().selection();
  };
  const auto first_of = [&](const LlmPart& part) { return llm().selection_of(llm().groups_of(part).front()); };
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Language model##solo");
    t->ItemClick("**/By layer");
  });
  EXPECT_EQ(first_row().ops, first_of(*dearest).ops);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Language model##solo");
    t->ItemClick("**/By kind");
  });
  EXPECT_EQ(first_row().ops, first_of(llm().kinds().front()).ops);
}

TEST_F(LlmUiTest, APointLeadsToItsExecution) {
  open_tokens();
  app().set_solo("");
  settle();
  app().show_panel("llm");
  settle();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("###Language model");
    // The plot stands above the pages: upwards until a point answers.
    const ImRect page = t->ItemInfo("**/By kind").RectFull;
    for (float x = page.Min.x + 300; x < page.Min.x + 320 && document().run() == 0; x += 6) {
      for (float y = page.Min.y - 40; y > page.Min.y - 320 && document().run() == 0; y -= 7) {
        t->MouseMoveToPos({x, y});
        t->MouseClick();
        t->Yield();
      }
    }
  });
  settle();
  ASSERT_NE(document().run(), 0);
  EXPECT_EQ(app().focused_panel(), "timeline");
  // The timeline, which was not drawn before, frames that execution and no other one.
  for (int i = 0; i < 4; ++i) settle();
  const auto& timeline = model<TimelineModel>("timeline");
  const auto& runs = document().data()->runs;
  const auto run = std::find_if(runs.begin(), runs.end(), [&](const auto& r) { return r.id == document().run(); });
  ASSERT_NE(run, runs.end());
  const auto begin = static_cast<double>(run->start - timeline.view.origin());
  EXPECT_LE(timeline.view.wanted_begin(), begin + 1);
  EXPECT_GE(timeline.view.wanted_end() + 1, begin + static_cast<double>(run->duration));
  EXPECT_LT(timeline.view.wanted_end() - timeline.view.wanted_begin(), 1.5 * static_cast<double>(run->duration));
}

TEST_F(LlmUiTest, TheTabsStayUnderTheMouse) {
  for (const bool tokens : {true, false}) {
    tokens ? open_tokens() : open_layers();
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Language model##solo");
      const float at = t->ItemInfo("**/By kind").RectFull.Min.y;
      for (const char* page : {"**/Sequences", "**/By layer", "**/KV cache", "**/By kind"}) {
        if (!t->ItemExists(page)) continue;
        t->ItemClick(page);
        t->Yield(2);
        EXPECT_EQ(t->ItemInfo("**/By kind").RectFull.Min.y, at) << page;
      }
      t->ItemClick("**/$$1/##row");
      t->Yield(2);
      EXPECT_EQ(t->ItemInfo("**/By kind").RectFull.Min.y, at) << "another kind";
    });
  }
}

TEST_F(LlmUiTest, OpsOfOneNameAreOneRowThatOpens) {
  open_layers();
  const std::vector<LlmPart>& kinds = llm().kinds();
  size_t part = kinds.size(), at = 0;
  std::vector<LlmGroup> groups;
  for (size_t k = 0; k < kinds.size() && part == kinds.size(); ++k) {
    groups = llm().groups_of(kinds[k]);
    for (at = 0; at < groups.size() && groups[at].ops.size() < 2; ++at) continue;
    if (at < groups.size()) part = k;
  }
  ASSERT_LT(part, kinds.size()) << "a model with layers has several ops of one name";
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Language model##solo");
    t->ItemClick(("**/$$" + std::to_string(part) + "/##row").c_str());
    t->ItemClick(("**/$$" + std::to_string(at) + "/##group").c_str());
  });
  EXPECT_TRUE(document().selection().same(llm().selection_of(groups[at])));
  EXPECT_EQ(document().selection().ops, llm().selection_of(groups[at]).ops);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Language model##solo");
    t->ItemClick(("**/$$" + std::to_string(at + 1) + "/##op").c_str());
  });
  EXPECT_TRUE(document().selection().same(llm().selection_of(groups[at].ops.front())));
}

TEST_F(LlmUiTest, EveryPageIsWholeInBothThemesAndSizes) {
  for (const bool layers : {false, true}) {
    layers ? open_layers() : open_tokens();
    for (const char* theme : {"dark", "light"}) {
      app().set_theme(theme);
      for (const char* page : {"By kind", "By layer", "Sequences"}) {
        if (!layers && std::string_view(page) == "By layer") continue;
        drive([&](ImGuiTestContext* t) {
          t->SetRef("Language model##solo");
          t->ItemClick((std::string("**/") + page).c_str());
        });
        settle();
        for (const CutText& cut : cut_texts())
          ADD_FAILURE() << page << ", " << theme << ": text at " << cut.at.x << ", " << cut.at.y << " misses "
                        << cut.missing;
      }
    }
  }
}

struct SmallLlmUiTest : LlmUiTest {
  PictureSize picture_size() const override { return {900, 600}; }
};

TEST_F(SmallLlmUiTest, NothingIsCut) {
  for (const bool layers : {false, true}) {
    layers ? open_layers() : open_tokens();
    for (const CutText& cut : cut_texts())
      ADD_FAILURE() << "text at " << cut.at.x << ", " << cut.at.y << " misses " << cut.missing;
  }
}

TEST_F(LlmUiTest, WithoutTokensThePanelSaysWhy) {
  open("add_mul");
  solo("llm");
  EXPECT_FALSE(llm().is_language_model());
  for (const CutText& cut : cut_texts()) ADD_FAILURE() << "text misses " << cut.missing;
}

}  // namespace
}  // namespace et::gui::test
