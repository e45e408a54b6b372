// OpenGL without a display: a context of EGL that has no surface, and a buffer of one's own to draw into. Needs a
// driver, which may be Mesa's software renderer, and no X server.
#pragma once

#include "base/status.h"

namespace et::gui {

class Offscreen {
 public:
  Offscreen() = default;
  ~Offscreen();
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;

  /// Makes the context current on this thread and binds a buffer of that size. Errors: NotSupported, with what to do.
  Status open(int width, int height);

 private:
  struct Calls;
  Status make_context(const Calls& egl);

  void* library_ = nullptr;  ///< libEGL
  void* display_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace et::gui
