// et_bench_gui: a scripted tour of the program over a store (tour_panels.cpp). Prints how long opening took, what
// frames cost, and the memory. Without a window (ImGui's null backend) it is what the program itself costs; with
// --window, drawing by OpenGL counts.
#include <imgui.h>
#include <imgui_impl_null.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/bench/gui/tour.h"

namespace et::gui {
namespace {

struct TourOptions {
  std::string file;
  bool window = false, json = false, timeline_only = false;
  size_t worst = 5;
};

void line(const std::string& name, const FrameTimes& t) {
  std::printf("%-40s %7zu %9.2f %9.2f %9.2f\n", name.c_str(), t.frames, t.p50, t.p99, t.worst);
}

void print(const Tour& tour, const TourOptions& options) {
  std::vector<double> all;
  for (const TourStep& s : tour.steps()) all.insert(all.end(), s.frames.begin(), s.frames.end());
  const FrameTimes total = frame_times(all);
  const double process = Tour::process_seconds();
  if (options.json) {
    std::printf(
        "{\"open_ms\": %.1f, \"peak_mb\": %.1f, \"frames\": %zu, \"p50_ms\": %.3f, \"p99_ms\": %.3f, "
        "\"worst_ms\": %.3f, \"process_s\": %.2f}\n",
        tour.open_milliseconds(), Tour::peak_megabytes(), total.frames, total.p50, total.p99, total.worst, process);
    return;
  }
  std::printf("%-40s %7s %9s %9s %9s\n", "CPU of the UI thread", "frames", "p50 (ms)", "p99 (ms)", "worst");
  for (const TourStep& s : tour.steps()) line(s.name, frame_times(s.frames));
  line("all", total);
  struct Frame {
    double time;
    const TourStep* step;
    size_t number;
  };
  std::vector<Frame> frames;
  for (const TourStep& s : tour.steps()) {
    for (size_t i = 0; i < s.frames.size(); ++i) frames.push_back({s.frames[i], &s, i});
  }
  const size_t n = std::min(options.worst, frames.size());
  std::partial_sort(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(n), frames.end(),
                    [](const Frame& a, const Frame& b) { return a.time > b.time; });
  for (size_t i = 0; i < n; ++i) {
    std::printf("worst %zu: %.2f ms, frame %zu of %s\n", i + 1, frames[i].time, frames[i].number,
                frames[i].step->name.c_str());
  }
  std::printf("open %.0f ms, peak %.0f MB, %.1f s of CPU in all threads\n", tour.open_milliseconds(),
              Tour::peak_megabytes(), process);
}

int run(const TourOptions& given) {
  Window window;
  const auto failed = [](const Status& status) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return 2;
  };
  if (given.window) {
    WindowOptions options;
    options.hidden = true;
    options.width = static_cast<int>(Tour::kWidth);
    options.height = static_cast<int>(Tour::kHeight);
    if (const Status status = window.open(options); !status.ok()) return failed(status);
  }
  AppOptions options;
  options.keep_settings = false;
  App app(options);
  if (given.window) {
    if (const Status status = window.attach(app); !status.ok()) return failed(status);
  } else {
    ImGui_ImplNull_Init();
  }
  int code = 3;
  {
    Tour tour(app, given.window ? &window : nullptr);
    for (int i = 0; i < 10; ++i) tour.frame();  // the program has started
    if (tour.open(given.file)) {
      visit_timeline(tour);
      if (!given.timeline_only) visit_panels(tour);
      print(tour, given);
      code = 0;
    }
  }
  if (given.window) {
    window.detach();
  } else {
    ImGui_ImplNull_Shutdown();
  }
  return code;
}

}  // namespace
}  // namespace et::gui

int main(int argc, char** argv) {
  CLI::App app("Frame times, opening time and memory of et-inspect-gui over a store. Notes are written and removed.");
  et::gui::TourOptions options;
  app.add_option("store", options.file, "store to open (et_make_trace and et-inspect --store make large ones)")
      ->required();
  app.add_flag("--window", options.window, "draw with OpenGL into a hidden window; needs a display or xvfb-run");
  app.add_flag("--json", options.json, "one line of JSON for bench_gui.py");
  app.add_flag("--timeline", options.timeline_only, "the timeline alone");
  app.add_option("--worst", options.worst, "how many of the worst frames are listed")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return et::gui::run(options);
}
