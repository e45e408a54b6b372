#include "tests/bench/gui/tour.h"

#include <imgui_impl_null.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <thread>

namespace et::gui {
namespace {

using Clock = std::chrono::steady_clock;

double clock_seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

void pause(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

}  // namespace

FrameTimes frame_times(std::vector<double> frames) {
  if (frames.empty()) return {};
  std::sort(frames.begin(), frames.end());
  const auto at = [&](double q) { return frames[static_cast<size_t>(q * static_cast<double>(frames.size() - 1))]; };
  return {frames.size(), at(0.5), at(0.99), frames.back()};
}

void Tour::frame() {
  // Of this thread: jobs run on others, and a busy machine does not count.
  const double before = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  if (window_ != nullptr) {
    app_.touch();
    window_->frame();
  } else {
    ImGui_ImplNull_NewFrame();
    ImGui::GetIO().DisplaySize = {kWidth, kHeight};
    ImGui::GetIO().DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    app_.touch();
    app_.draw();
    ImGui::Render();
    ImGui_ImplNullRender_RenderDrawData(ImGui::GetDrawData());
  }
  if (!steps_.empty()) steps_.back().frames.push_back((clock_seconds(CLOCK_THREAD_CPUTIME_ID) - before) * 1e3);
}

void Tour::step(const std::string& name, int frames, const std::function<void(int)>& each) {
  steps_.push_back({name, {}});
  // Drawing in software takes long: every fifth frame says enough then.
  for (int i = 0; i < frames; i += window_ != nullptr ? 5 : 1) {
    if (each) each(i);
    frame();
    pause(1);  // jobs get their share, as between real frames
  }
  const auto until = Clock::now() + std::chrono::seconds(60);
  while (app_.jobs().pending() > 0 && Clock::now() < until) {
    frame();
    pause(window_ != nullptr ? 100 : 5);
  }
  frame();
}

bool Tour::open(const std::string& file) {
  const auto begin = Clock::now();
  app_.open_files({file});
  while (app_.document().state() != Document::State::Ready && app_.document().error().ok()) {
    frame();
    pause(1);
  }
  frame();
  open_ = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  if (!app_.document().error().ok()) std::fprintf(stderr, "%s\n", app_.document().error().message().c_str());
  return app_.document().error().ok();
}

void Tour::mouse(float x, float y) { ImGui::GetIO().AddMousePosEvent(x * kWidth, y * kHeight); }
void Tour::button(bool down, int which) { ImGui::GetIO().AddMouseButtonEvent(which, down); }
void Tour::wheel(float lines) { ImGui::GetIO().AddMouseWheelEvent(0, lines); }
void Tour::press(ImGuiKey key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); }

void Tour::wander(int frame, int frames) {
  constexpr int kRows = 10;
  const float at = static_cast<float>(frame) / static_cast<float>(frames) * kRows;
  mouse(0.02F + 0.96F * (at - std::floor(at)), 0.05F + 0.9F * std::floor(at) / kRows);
}

std::string Tour::typed(const std::string& text, int frame, int frames) {
  const auto letters = static_cast<int>(text.size());
  const int at = frame * (2 * letters + 1) / std::max(frames, 1);
  return text.substr(0, static_cast<size_t>(at <= letters ? at : 2 * letters - at));
}

bool Tour::command(const std::string& title) {
  for (const Command& c : app_.commands()) {
    if (c.title != title || !c.enabled) continue;
    c.run();
    return true;
  }
  return false;
}

double Tour::process_seconds() { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }

double Tour::peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace et::gui
