// libEGL is opened here and nowhere else: the window itself, on X11 or Wayland, does not need it.
#include "gui/shell/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>

#include <array>
#include <string>

namespace et::gui {
namespace {

constexpr EGLenum kSurfaceless = 0x31DD;  // EGL_PLATFORM_SURFACELESS_MESA
constexpr unsigned kFramebuffer = 0x8D40, kRenderbuffer = 0x8D41, kColor = 0x8CE0, kRgba8 = 0x8058, kComplete = 0x8CD5;

Status no_drawing(const std::string& cause) {
  return {Error::NotSupported, "cannot draw without a display: " + cause +
                                   "; OpenGL 3.0 through EGL is needed, which a software renderer provides (Debian: "
                                   "libegl1, libgl1-mesa-dri)"};
}

}  // namespace

struct Offscreen::Calls {
  decltype(&eglGetProcAddress) get_proc = nullptr;
  decltype(&eglGetDisplay) get_display = nullptr;
  decltype(&eglInitialize) initialize = nullptr;
  decltype(&eglBindAPI) bind_api = nullptr;
  decltype(&eglChooseConfig) choose_config = nullptr;
  decltype(&eglCreateContext) create_context = nullptr;
  decltype(&eglMakeCurrent) make_current = nullptr;
  decltype(&eglDestroyContext) destroy_context = nullptr;
  decltype(&eglTerminate) terminate = nullptr;
  decltype(&eglGetError) get_error = nullptr;

  explicit Calls(void* library) {
    get(library, "eglGetProcAddress", &get_proc);
    get(library, "eglGetDisplay", &get_display);
    get(library, "eglInitialize", &initialize);
    get(library, "eglBindAPI", &bind_api);
    get(library, "eglChooseConfig", &choose_config);
    get(library, "eglCreateContext", &create_context);
    get(library, "eglMakeCurrent", &make_current);
    get(library, "eglDestroyContext", &destroy_context);
    get(library, "eglTerminate", &terminate);
    get(library, "eglGetError", &get_error);
  }
  template <class T>
  static void get(void* library, const char* name, T* slot) {
    *slot = reinterpret_cast<T>(::dlsym(library, name));
  }
  template <class T>
  bool get_gl(const char* name, T* slot) const {
    *slot = reinterpret_cast<T>(get_proc(name));
    return *slot != nullptr;
  }
  bool complete() const {
    return get_proc != nullptr && get_display != nullptr && initialize != nullptr && bind_api != nullptr &&
           choose_config != nullptr && create_context != nullptr && make_current != nullptr &&
           destroy_context != nullptr && terminate != nullptr && get_error != nullptr;
  }
};

namespace {

/// Displays that need no window system, the best first: Mesa's without surfaces, each device of a vendor, and what EGL
/// takes on its own.
template <class Try>
void* first_display(decltype(&eglGetProcAddress) get_proc, decltype(&eglGetDisplay) get_display, const Try& works) {
  const auto platform = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(get_proc("eglGetPlatformDisplayEXT"));
  const auto devices = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(get_proc("eglQueryDevicesEXT"));
  if (platform != nullptr) {
    if (void* display = platform(kSurfaceless, EGL_DEFAULT_DISPLAY, nullptr); works(display)) return display;
  }
  if (platform != nullptr && devices != nullptr) {
    std::array<EGLDeviceEXT, 16> found{};
    EGLint count = 0;
    if (devices(static_cast<EGLint>(found.size()), found.data(), &count) == EGL_FALSE) count = 0;
    for (EGLint i = 0; i < count; ++i) {
      void* display = platform(EGL_PLATFORM_DEVICE_EXT, found[static_cast<size_t>(i)], nullptr);
      if (works(display)) return display;
    }
  }
  void* display = get_display(EGL_DEFAULT_DISPLAY);
  return works(display) ? display : nullptr;
}

}  // namespace

Offscreen::~Offscreen() {
  if (library_ == nullptr) return;
  const Calls egl(library_);
  if (display_ != nullptr) {
    egl.make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context_ != nullptr) egl.destroy_context(display_, context_);
    egl.terminate(display_);
  }
  // The library stays loaded: drivers leave handlers behind that run at the end of the process.
}

Status Offscreen::make_context(const Calls& egl) {
  display_ = first_display(egl.get_proc, egl.get_display, [&](void* display) {
    return display != EGL_NO_DISPLAY && egl.initialize(display, nullptr, nullptr) == EGL_TRUE;
  });
  if (display_ == nullptr) return no_drawing("EGL has no display to offer");
  if (egl.bind_api(EGL_OPENGL_API) == EGL_FALSE) return no_drawing("EGL does not know OpenGL");
  constexpr std::array<EGLint, 5> kWanted = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                             EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (egl.choose_config(display_, kWanted.data(), &config, 1, &count) == EGL_FALSE || count == 0) {
    return no_drawing("EGL has no configuration for OpenGL");
  }
  constexpr std::array<EGLint, 5> kVersion = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE};
  context_ = egl.create_context(display_, config, EGL_NO_CONTEXT, kVersion.data());
  if (context_ == nullptr)
    return no_drawing("no context of OpenGL 3.0 (EGL error " + std::to_string(egl.get_error()) + ")");
  if (egl.make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_FALSE) {
    return no_drawing("a context without a surface is refused (EGL error " + std::to_string(egl.get_error()) + ")");
  }
  return {};
}

Status Offscreen::open(int width, int height) {
  library_ = ::dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) return no_drawing("libEGL.so.1 is not there");
  const Calls egl(library_);
  if (!egl.complete()) return no_drawing("libEGL.so.1 lacks functions of EGL 1.4");
  if (Status status = make_context(egl); !status.ok()) return status;
  void (*gen_framebuffers)(int, unsigned*) = nullptr;
  void (*bind_framebuffer)(unsigned, unsigned) = nullptr;
  void (*gen_renderbuffers)(int, unsigned*) = nullptr;
  void (*bind_renderbuffer)(unsigned, unsigned) = nullptr;
  void (*renderbuffer_storage)(unsigned, unsigned, int, int) = nullptr;
  void (*framebuffer_renderbuffer)(unsigned, unsigned, unsigned, unsigned) = nullptr;
  unsigned (*check_framebuffer)(unsigned) = nullptr;
  if (!egl.get_gl("glGenFramebuffers", &gen_framebuffers) || !egl.get_gl("glBindFramebuffer", &bind_framebuffer) ||
      !egl.get_gl("glGenRenderbuffers", &gen_renderbuffers) || !egl.get_gl("glBindRenderbuffer", &bind_renderbuffer) ||
      !egl.get_gl("glRenderbufferStorage", &renderbuffer_storage) ||
      !egl.get_gl("glFramebufferRenderbuffer", &framebuffer_renderbuffer) ||
      !egl.get_gl("glCheckFramebufferStatus", &check_framebuffer)) {
    return no_drawing("the driver lacks functions of OpenGL 3.0");
  }
  unsigned frame = 0, color = 0;
  gen_framebuffers(1, &frame);
  bind_framebuffer(kFramebuffer, frame);
  gen_renderbuffers(1, &color);
  bind_renderbuffer(kRenderbuffer, color);
  renderbuffer_storage(kRenderbuffer, kRgba8, width, height);
  framebuffer_renderbuffer(kFramebuffer, kColor, kRenderbuffer, color);
  if (check_framebuffer(kFramebuffer) != kComplete) return no_drawing("the driver has no buffer of that size");
  return {};
}

}  // namespace et::gui
