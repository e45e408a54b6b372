// The window: GLFW and OpenGL 3 around an App. Redraws only after input or news.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "gui/shell/app.h"
#include "gui/shell/offscreen.h"

struct GLFWwindow;

namespace et::gui {

/// One RGBA picture, rows from the top.
struct Picture {
  int width = 0, height = 0;
  std::vector<unsigned char> pixels;
};
/// Errors: AccessFailed.
Status write_png(const Picture& picture, const std::string& path);

struct WindowOptions {
  int width = 1440, height = 900;
  bool hidden = false;  ///< for screenshots and tests: a fixed size, without a display
};

/// Ends run() within half a second; may be called by a signal's handler.
void stop_windows();

class Window {
 public:
  Window() = default;
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Needs a display, or, hidden, a driver that draws without one. Errors: NotSupported, with what to do.
  Status open(const WindowOptions& options);
  /// Of the monitor; before an App is made.
  float display_scale() const;
  /// As it was when the program ended the last time; no larger than the monitor.
  void resize(int width, int height);
  /// After the App is made: connects ImGui to the window.
  Status attach(App& app);
  void detach();

  /// Until the user closes it.
  void run();
  /// One frame, drawn whatever happened.
  void frame();
  bool wants_close() const;
  Picture capture();

 private:
  void begin_frame();
  void end_frame();

  GLFWwindow* window_ = nullptr;  ///< null when hidden
  std::unique_ptr<Offscreen> offscreen_;
  App* app_ = nullptr;
  WindowOptions options_;
  std::string title_;
};

}  // namespace et::gui
