// A scripted tour of the program: frames one after the other, inputs as a person makes them, and what each frame cost.
#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <vector>

#include "gui/shell/app.h"
#include "gui/shell/window.h"

namespace et::gui {

struct TourStep {
  std::string name;
  std::vector<double> frames;  ///< CPU time of the UI thread, milliseconds
};

/// Times of some frames, in milliseconds.
struct FrameTimes {
  size_t frames = 0;
  double p50 = 0, p99 = 0, worst = 0;
};
FrameTimes frame_times(std::vector<double> frames);

class Tour {
 public:
  static constexpr float kWidth = 1440, kHeight = 900;

  /// `window`: draws with OpenGL into it; null: nothing is rasterised.
  Tour(App& app, Window* window) : app_(app), window_(window) {}

  void frame();
  /// `each` before every frame, with its number; then frames until what was asked for is there and drawn.
  void step(const std::string& name, int frames, const std::function<void(int)>& each = {});
  /// Until the first frame with the trace. False when it cannot be opened; says why.
  bool open(const std::string& file);

  // Inputs.
  void mouse(float x, float y);  ///< parts of the window, 0 to 1
  void button(bool down, int which = 0);
  void wheel(float lines);
  void press(ImGuiKey key, bool down);
  /// The mouse wanders over the window from row to row, so that everything is hovered once; for `step`.
  void wander(int frame, int frames);
  /// `text` as it is typed, one more letter every few frames, then taken away again.
  static std::string typed(const std::string& text, int frame, int frames);
  /// Runs a command of the palette by its name; false when it is not offered.
  bool command(const std::string& title);

  App& app() { return app_; }
  template <class T>
  T* model(const std::string& panel) {
    return static_cast<T*>(app_.panel(panel)->model());
  }
  const std::vector<TourStep>& steps() const { return steps_; }
  double open_milliseconds() const { return open_; }
  /// CPU time of all threads, seconds, since the program started; frames that were drawn.
  static double process_seconds();
  static double peak_megabytes();

 private:
  App& app_;
  Window* window_;
  double open_ = 0;
  std::vector<TourStep> steps_;
};

/// All panels, one after the other, then all at once.
void visit_timeline(Tour& tour);
void visit_panels(Tour& tour);

}  // namespace et::gui
