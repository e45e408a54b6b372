// et_bench_gui: a scripted tour of the program over a store: opens it, visits every panel, zooms and moves in the
// timeline, selects, searches, and measures a range. Prints how long opening took, what frames cost, and the memory.
// Without a window (ImGui's null backend) it is what the program itself costs; with --window, drawing by OpenGL counts.
#include <imgui.h>
#include <imgui_impl_null.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gui/models/timeline_model.h"
#include "gui/shell/app.h"
#include "gui/shell/window.h"

namespace et::gui {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

/// CPU time of this thread: jobs run on others, and a busy machine does not count.
double thread_milliseconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Step {
  std::string name;
  std::vector<double> frames;  // milliseconds of CPU
};

class Tour {
 public:
  Tour(App& app, Window* window) : app_(app), window_(window) {}

  void frame() {
    const double before = thread_milliseconds();
    if (window_ != nullptr) {
      app_.touch();
      window_->frame();
    } else {
      ImGui_ImplNull_NewFrame();
      ImGui::GetIO().DisplaySize = {1440, 900};
      ImGui::GetIO().DeltaTime = 1.0F / 60;
      ImGui::NewFrame();
      app_.touch();
      app_.draw();
      ImGui::Render();
      ImGui_ImplNullRender_RenderDrawData(ImGui::GetDrawData());
    }
    if (!steps_.empty()) steps_.back().frames.push_back(thread_milliseconds() - before);
  }

  /// `each` before every frame, with its number.
  void step(const std::string& name, int frames, const std::function<void(int)>& each = {}) {
    steps_.push_back({name, {}});
    // Drawing in software takes long: every fifth frame says enough then.
    for (int i = 0; i < frames; i += window_ != nullptr ? 5 : 1) {
      if (each) each(i);
      frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // jobs get their share, as between real frames
    }
    // What was asked for arrives, and is drawn.
    const auto until = Clock::now() + std::chrono::seconds(60);
    while (app_.jobs().pending() > 0 && Clock::now() < until) {
      frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(window_ != nullptr ? 100 : 5));
    }
    frame();
  }

  bool open(const std::string& file) {
    const auto begin = Clock::now();
    app_.open_files({file});
    while (app_.document().state() != Document::State::Ready && app_.document().error().ok()) {
      frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    frame();
    open_ = milliseconds(Clock::now() - begin);
    if (!app_.document().error().ok()) std::fprintf(stderr, "%s\n", app_.document().error().message().c_str());
    return app_.document().error().ok();
  }

  void run() {
    app_.set_solo("timeline");
    step("timeline: read", 3);
    auto* model = static_cast<TimelineModel*>(app_.panel("timeline")->model());
    if (model == nullptr || !model->ready()) return;
    TimelineView& view = model->view;
    step("timeline: zoom in", 300, [&](int) { view.zoom(0.94, 0.63); });
    step("timeline: move", 200, [&](int i) { view.pan(i % 50 < 25 ? 0.05 : -0.03); });
    step("timeline: zoom out", 300, [&](int) { view.zoom(1.07, 0.31); });
    step("timeline: zoom and move", 300, [&](int i) {
      view.zoom(i % 100 < 60 ? 0.9 : 1.16, 0.4);
      view.pan(i % 3 == 0 ? 0.04 : -0.01);
    });
    const auto& ops = model->data()->table.ops;
    step("timeline: select ops", 60, [&](int i) {
      const size_t op = ops.size() * static_cast<size_t>(i) / 60;
      app_.document().select(select_op(*model->data(), ops[op].id));
    });
    step("timeline: search", 40,
         [&](int i) { model->search(std::string("softmax").substr(0, static_cast<size_t>(1 + i / 6))); });
    step("timeline: range", 10, [&](int i) { model->select_range(0, view.extent() * (i + 1) / 10); });
    step("timeline: all executions", 20, [&](int) { view.show_all(); });
    for (const PanelSpec* spec : all_panels()) {
      app_.set_solo(spec->id);
      step(std::string("panel ") + spec->id, 30);
    }
    app_.set_solo("");
    step("all panels", 60, [&](int i) {
      if (i % 10 == 0) app_.document().select(select_op(*model->data(), ops[static_cast<size_t>(i) % ops.size()].id));
    });
  }

  void print() {
    std::vector<double> all;
    std::printf("%-28s %7s %9s %9s %9s\n", "CPU of the UI thread", "frames", "p50 (ms)", "p99 (ms)", "worst");
    for (Step& s : steps_) {
      all.insert(all.end(), s.frames.begin(), s.frames.end());
      line(s.name, s.frames);
    }
    line("all", all);
    std::printf("open %.0f ms, peak %.0f MB\n", open_, peak_megabytes());
  }

 private:
  static void line(const std::string& name, std::vector<double> frames) {
    if (frames.empty()) return;
    std::sort(frames.begin(), frames.end());
    const auto at = [&](double q) { return frames[static_cast<size_t>(q * static_cast<double>(frames.size() - 1))]; };
    std::printf("%-28s %7zu %9.2f %9.2f %9.2f\n", name.c_str(), frames.size(), at(0.5), at(0.99), frames.back());
  }

  App& app_;
  Window* window_;
  double open_ = 0;
  std::vector<Step> steps_;
};

int tour(const std::string& file, bool with_window) {
  Window window;
  if (with_window) {
    WindowOptions options;
    options.hidden = true;
    if (const Status status = window.open(options); !status.ok()) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      return 2;
    }
  }
  AppOptions options;
  options.keep_settings = false;
  App app(options);
  if (with_window) {
    if (const Status status = window.attach(app); !status.ok()) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      return 2;
    }
  } else {
    ImGui_ImplNull_Init();
  }
  int code = 3;
  {
    Tour tour(app, with_window ? &window : nullptr);
    for (int i = 0; i < 10; ++i) tour.frame();  // the program has started
    if (tour.open(file)) {
      tour.run();
      tour.print();
      code = 0;
    }
  }
  if (with_window) {
    window.detach();
  } else {
    ImGui_ImplNull_Shutdown();
  }
  return code;
}

}  // namespace
}  // namespace et::gui

int main(int argc, char** argv) {
  CLI::App app("Frame times, opening time and memory of et-inspect-gui over a store.");
  std::string file;
  bool window = false;
  app.add_option("store", file, "store to open (et_make_trace and et-inspect --store make large ones)")->required();
  app.add_flag("--window", window, "draw with OpenGL into a hidden window; needs a display or xvfb-run");
  CLI11_PARSE(app, argc, argv);
  return et::gui::tour(file, window);
}
