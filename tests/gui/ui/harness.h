// The program driven as a person drives it, by the Dear ImGui Test Engine: mouse and keys by labels, then assertions on
// what the panels' models have. Drawn with OpenGL, without a display, or with ET_GUI_UNDRAWN by nothing at all; the
// tests are the same. ET_GUI_SHOTS names a folder for a picture of each test's end.
//
//   TEST_F(UiTest, SortsByMean) {
//     open("partial_delegation");
//     drive([&](ImGuiTestContext* t) {
//       t->SetRef("Operators");
//       t->ItemClick("**/Mean");
//     });
//     EXPECT_EQ(model<OperatorsModel>("operators").sort_column(), …);
//   }
#pragma once

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_te_context.h>
#include <imgui_te_engine.h>

#include <functional>
#include <memory>
#include <string>

#include "gui/shell/app.h"
#include "gui/shell/window.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {

class UiTest : public testing::Test {
 protected:
  struct PictureSize {
    int width = 1280, height = 800;
  };
  virtual PictureSize picture_size() const { return {}; }
  virtual float scale() const { return 0; }  ///< 0: as the display says

  /// True: what a frame starts in the background has ended before the next one, so that `Yield(2)` means the same on
  /// every machine. False for a test of what runs longer.
  bool jobs_end_with_frames = true;

  /// False: nothing is drawn, though it could be: for many frames, and where memory counts.
  virtual bool wants_drawing() const { return true; }

  void SetUp() override;
  void TearDown() override;

  App& app() { return *app_; }
  Document& document() { return app_->document(); }
  const TraceData& data() { return *app_->document().data(); }

  /// Opens ETDump, ETRecord and program of a fixture and waits until all is read. `with`: only these files.
  void open(const std::string& artifact_name,
            const std::vector<std::string>& with = {"etdump.etdp", "etrecord.bin", "program.pte"});
  /// Shows one panel alone over the whole window, and settles.
  void solo(const std::string& panel);
  /// Draws until jobs and layouts rest.
  void settle();
  void frames(int count);
  /// One frame as the loop draws it, which does not ask for another.
  void frame_untouched();
  /// Runs `steps` in the test engine's coroutine; what it could not do is a failure of this test.
  /// `draw`: windows of the test's own, beside those of the program.
  void drive(const std::function<void(ImGuiTestContext*)>& steps, const std::function<void()>& draw = {});
  /// Model of a panel, of the type that its file says.
  template <class T>
  T& model(const std::string& panel) {
    return *static_cast<T*>(app_->panel(panel)->model());
  }
  /// Picture of the last frame; empty when nothing is drawn.
  Picture picture();
  bool is_drawn() const { return window_ != nullptr; }

  TemporaryFolder folder;

 private:
  void frame();

  std::unique_ptr<Window> window_;
  std::unique_ptr<App> app_;
  ImGuiTestEngine* engine_ = nullptr;
};

}  // namespace et::gui::test
