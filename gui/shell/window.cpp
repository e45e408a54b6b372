#include "gui/shell/window.h"

#include <GLFW/glfw3.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <png.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "imgui_internal.h"

namespace et::gui {
namespace {

std::string g_glfw_error;
volatile std::sig_atomic_t g_stop = 0;

}  // namespace

Status write_png(const Picture& picture, const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<unsigned>(picture.width);
  image.height = static_cast<unsigned>(picture.height);
  image.format = PNG_FORMAT_RGBA;
  if (png_image_write_to_file(&image, path.c_str(), 0, picture.pixels.data(), 0, nullptr) == 0) {
    return {Error::AccessFailed, path + ": cannot write the picture: " + image.message};
  }
  return {};
}

Window::~Window() {
  detach();
  if (window_ != nullptr) glfwDestroyWindow(window_);
  if (!options_.hidden) glfwTerminate();
}

Status Window::open(const WindowOptions& options) {
  options_ = options;
  if (options.hidden) {
    offscreen_ = std::make_unique<Offscreen>();
    return offscreen_->open(options.width, options.height);
  }
  glfwSetErrorCallback([](int, const char* text) { g_glfw_error = text; });
  const auto no_window = [](const char* what) -> Status {
    return {Error::NotSupported, std::string(what) + ": " + g_glfw_error +
                                     ". et-inspect-gui needs a display with OpenGL 3.0; without one, --screenshot "
                                     "PATH writes pictures, and `ssh -X` or `xvfb-run -a` provide a display"};
  };
  if (glfwInit() == 0) return no_window("no display");
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 0);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "et-inspect");
  window_ = glfwCreateWindow(options.width, options.height, "et-inspect", nullptr, nullptr);
  if (window_ == nullptr) return no_window("cannot create a window");
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
  return {};
}

float Window::display_scale() const {
  float x = 1, y = 1;
  if (window_ != nullptr) glfwGetWindowContentScale(window_, &x, &y);
  return std::clamp(x, 0.5F, 4.0F);
}

void Window::resize(int width, int height) {
  if (window_ == nullptr) return;
  if (GLFWmonitor* const monitor = glfwGetPrimaryMonitor()) {
    int x = 0, y = 0, room_x = 0, room_y = 0;
    glfwGetMonitorWorkarea(monitor, &x, &y, &room_x, &room_y);
    if (room_x > 0 && room_y > 0) width = std::min(width, room_x), height = std::min(height, room_y);
  }
  glfwSetWindowSize(window_, width, height);
}

Status Window::attach(App& app) {
  app_ = &app;
  if (options_.hidden) {
    ImGui::GetIO().BackendPlatformName = "offscreen";
    if (!ImGui_ImplOpenGL3_Init("#version 130")) {
      app_ = nullptr;
      return {Error::NotSupported, "OpenGL 3.0 is not available"};
    }
    return {};
  }
  glfwSetWindowUserPointer(window_, this);
  const auto touched = [](GLFWwindow* w) { static_cast<Window*>(glfwGetWindowUserPointer(w))->app_->touch(); };
  glfwSetWindowRefreshCallback(window_, touched);
  glfwSetFramebufferSizeCallback(
      window_, [](GLFWwindow* w, int, int) { static_cast<Window*>(glfwGetWindowUserPointer(w))->app_->touch(); });
  glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
    static_cast<Window*>(glfwGetWindowUserPointer(w))->app_->drop_files(std::vector<std::string>(paths, paths + count));
  });
  glfwSetWindowContentScaleCallback(window_, [](GLFWwindow* w, float x, float) {
    static_cast<Window*>(glfwGetWindowUserPointer(w))->app_->set_display_scale(x);
  });
  if (!ImGui_ImplGlfw_InitForOpenGL(window_, true) || !ImGui_ImplOpenGL3_Init("#version 130")) {
    return {Error::NotSupported, "OpenGL 3.0 is not available: " + g_glfw_error};
  }
  app.jobs().set_wake([] { glfwPostEmptyEvent(); });
  return {};
}

void Window::detach() {
  if (app_ == nullptr) return;
  app_->jobs().set_wake(nullptr);
  ImGui_ImplOpenGL3_Shutdown();
  if (!options_.hidden) ImGui_ImplGlfw_Shutdown();
  app_ = nullptr;
}

void stop_windows() { g_stop = 1; }

bool Window::wants_close() const { return g_stop != 0 || app_->quit_wanted(); }

void Window::run() {
  constexpr double kIdleSeconds = 0.5;  // between looks at the store's file
  while (!wants_close()) {
    if (glfwWindowShouldClose(window_) != 0) {
      glfwSetWindowShouldClose(window_, GLFW_FALSE);
      app_->request_quit();
    }
    if (app_->wants_frame()) {
      glfwPollEvents();
    } else {
      glfwWaitEventsTimeout(kIdleSeconds);
    }
    app_->poll();
    // Events of this turn wait in ImGui's queue; a text cursor blinks.
    if (ImGui::GetCurrentContext()->InputEventsQueue.Size > 0 || ImGui::GetIO().WantTextInput) app_->touch();
    if (!app_->wants_frame()) continue;
    frame();
    // A maximized window is as large as its monitor, not as its user likes it.
    if (glfwGetWindowAttrib(window_, GLFW_MAXIMIZED) == 0) {
      int width = 0, height = 0;
      glfwGetWindowSize(window_, &width, &height);
      app_->set_window_size(width, height);
    }
    if (title_ != app_->title()) {
      title_ = app_->title();
      glfwSetWindowTitle(window_, title_.c_str());
    }
  }
}

void Window::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  if (!options_.hidden) {
    ImGui_ImplGlfw_NewFrame();
  } else {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(options_.width), static_cast<float>(options_.height)};
    io.DisplayFramebufferScale = {1, 1};
    io.DeltaTime = 1.0F / 60;  // pictures do not depend on how fast they are made
  }
  app_->new_frame();
}

void Window::end_frame() {
  ImGui::Render();
  int width = options_.width, height = options_.height;
  if (!options_.hidden) glfwGetFramebufferSize(window_, &width, &height);
  glViewport(0, 0, width, height);
  const ImVec4 ground = ImGui::ColorConvertU32ToFloat4(theme().background);
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Window::frame() {
  begin_frame();
  app_->draw();
  const std::string picture = app_->take_picture_path();
  end_frame();
  if (!picture.empty()) {
    const Status status = write_png(capture(), picture);
    app_->notices().say(status.ok() ? "saved " + picture : status.message());
    app_->touch();
  }
  if (!options_.hidden) glfwSwapBuffers(window_);
}

Picture Window::capture() {
  Picture picture;
  picture.width = options_.width;
  picture.height = options_.height;
  if (!options_.hidden) glfwGetFramebufferSize(window_, &picture.width, &picture.height);
  const size_t row = static_cast<size_t>(picture.width) * 4;
  std::vector<unsigned char> upside(row * static_cast<size_t>(picture.height));
  glFinish();
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, picture.width, picture.height, GL_RGBA, GL_UNSIGNED_BYTE, upside.data());
  picture.pixels.resize(upside.size());
  for (size_t y = 0; y < static_cast<size_t>(picture.height); ++y) {
    std::memcpy(picture.pixels.data() + y * row, upside.data() + (static_cast<size_t>(picture.height) - 1 - y) * row,
                row);
  }
  for (size_t i = 3; i < picture.pixels.size(); i += 4) picture.pixels[i] = 255;
  return picture;
}

}  // namespace et::gui
