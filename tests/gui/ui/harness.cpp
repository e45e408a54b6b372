#include "tests/gui/ui/harness.h"

#include <imgui_impl_null.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace et::gui::test {

void UiTest::SetUp() {
  const char* undrawn = std::getenv("ET_GUI_UNDRAWN");
  if ((undrawn == nullptr || *undrawn == 0) && wants_drawing()) {
    auto window = std::make_unique<Window>();
    WindowOptions options;
    options.width = picture_size().width;
    options.height = picture_size().height;
    options.hidden = true;
    const Status status = window->open(options);
    ASSERT_TRUE(status.ok()) << status.message();
    window_ = std::move(window);
  }
  AppOptions options;
  options.keep_settings = false;
  options.may_write = false;
  options.scale = scale();
  app_ = std::make_unique<App>(options);
  if (window_ != nullptr) {
    const Status status = window_->attach(*app_);
    ASSERT_TRUE(status.ok()) << status.message();
  } else {
    ImGui_ImplNull_Init();
  }
  engine_ = ImGuiTestEngine_CreateContext();
  ImGuiTestEngineIO& io = ImGuiTestEngine_GetIO(engine_);
  io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
  io.ConfigVerboseLevel = ImGuiTestVerboseLevel_Warning;
  io.ConfigVerboseLevelOnError = ImGuiTestVerboseLevel_Info;
  io.ConfigNoThrottle = true;
  io.ConfigLogToTTY = false;
  io.ConfigRestoreFocusAfterTests = false;
  io.ConfigSavedSettings = false;
  ImGuiTestEngine_Start(engine_, ImGui::GetCurrentContext());
  frames(4);
}

void UiTest::TearDown() {
  if (app_ == nullptr) return;
  const char* shots = std::getenv("ET_GUI_SHOTS");
  if (shots != nullptr && *shots != 0 && is_drawn()) {
    std::error_code ignored;
    std::filesystem::create_directories(shots, ignored);
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(info->test_suite_name()) + "." + info->name();
    std::replace(name.begin(), name.end(), '/', '.');
    const Status status = write_png(picture(), std::string(shots) + "/" + name + ".png");
    EXPECT_TRUE(status.ok()) << status.message();
  }
  if (engine_ != nullptr) ImGuiTestEngine_Stop(engine_);
  if (window_ != nullptr) {
    window_->detach();
  } else {
    ImGui_ImplNull_Shutdown();
  }
  app_.reset();
  if (engine_ != nullptr) ImGuiTestEngine_DestroyContext(engine_);
  window_.reset();
}

void UiTest::frame_untouched() {
  if (window_ != nullptr) {
    window_->frame();
  } else {
    ImGui_ImplNull_NewFrame();
    const PictureSize size = picture_size();
    ImGui::GetIO().DisplaySize = {static_cast<float>(size.width), static_cast<float>(size.height)};
    app_->new_frame();
    app_->draw();
    ImGui::Render();
    ImGui_ImplNullRender_RenderDrawData(ImGui::GetDrawData());
  }
  ImGuiTestEngine_PostSwap(engine_);
}

void UiTest::frame() {
  app_->touch();
  frame_untouched();
  if (jobs_end_with_frames) app_->jobs().finish();
}

void UiTest::frames(int count) {
  for (int i = 0; i < count; ++i) frame();
}

void UiTest::settle() {
  // What arrives is laid out by the frames after the one that draws it first: tabs, columns and scroll bars need them
  // even when the machine is so busy that a job ends between two of our frames.
  constexpr int kQuietFrames = 3;
  int quiet = 0;
  for (int count = 0; count < 120 && quiet < kQuietFrames; ++count) {
    frame();
    quiet = app_->jobs().pending() == 0 ? quiet + 1 : 0;
    if (quiet == 0) app_->jobs().finish();
  }
}

void UiTest::open(const std::string& artifact_name, const std::vector<std::string>& with) {
  std::vector<std::string> files;
  for (const std::string& file : with) {
    const std::string path = artifact(artifact_name) + "/" + file;
    if (std::filesystem::exists(path)) files.push_back(path);
  }
  document().set_neighbours(false);  // a test says itself what it opens
  app_->open_files(files);
  document().set_neighbours(true);
  app_->jobs().finish();
  ASSERT_TRUE(document().error().ok()) << document().error().message();
  ASSERT_NE(document().data(), nullptr);
  settle();
}

void UiTest::solo(const std::string& panel) {
  app_->set_solo(panel);
  settle();
}

void UiTest::drive(const std::function<void(ImGuiTestContext*)>& steps, const std::function<void()>& draw) {
  ImGuiTest* test = ImGuiTestEngine_RegisterTest(engine_, "ui", "steps", __FILE__, __LINE__);
  test->TestFunc = steps;
  if (draw) test->GuiFunc = [&draw](ImGuiTestContext*) { draw(); };
  ImGuiTestEngine_QueueTest(engine_, test, ImGuiTestRunFlags_RunFromCommandLine);
  constexpr int kMaxFrames = 20000;
  int count = 0;
  while (!ImGuiTestEngine_IsTestQueueEmpty(engine_) && ++count < kMaxFrames) frame();
  EXPECT_LT(count, kMaxFrames) << "the steps do not end";
  if (test->Output.Status != ImGuiTestStatus_Success) {
    ImGuiTextBuffer text;
    test->Output.Log.ExtractLinesForVerboseLevels(ImGuiTestVerboseLevel_Error, ImGuiTestVerboseLevel_Info, &text);
    ADD_FAILURE() << text.c_str();
  }
  ImGuiTestEngine_UnregisterTest(engine_, test);
  settle();
}

Picture UiTest::picture() { return window_ != nullptr ? window_->capture() : Picture(); }

}  // namespace et::gui::test
