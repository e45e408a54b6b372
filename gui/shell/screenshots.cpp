#include "gui/shell/screenshots.h"

#include <filesystem>

namespace et::gui {
namespace {

// A frame may start a job, whose result may start another.
constexpr int kMaxRounds = 20;
constexpr int kFramesEach = 4;

}  // namespace

void settle(App& app, Window& window) {
  for (int round = 0; round < kMaxRounds; ++round) {
    for (int i = 0; i < kFramesEach; ++i) window.frame();
    if (app.jobs().pending() == 0) break;
    app.jobs().finish();
  }
}

Status take_screenshots(App& app, Window& window, const std::vector<std::string>& files,
                        const ScreenshotOptions& options, std::vector<std::string>* written) {
  std::vector<std::string> wanted;
  if (options.panel.empty()) {
    wanted.push_back("window");
    for (const PanelSpec* spec : all_panels()) wanted.emplace_back(spec->id);
  } else if (options.panel == "window" || find_panel(options.panel) != nullptr) {
    wanted.push_back(options.panel);
  } else {
    std::string known = "window";
    for (const PanelSpec* spec : all_panels()) known += std::string(", ") + spec->id;
    return {Error::NotFound, "no panel '" + options.panel + "'; expected one of " + known};
  }
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (error) return {Error::AccessFailed, options.folder + ": " + error.message()};
  if (!files.empty()) {
    app.open_files(files);
    app.jobs().finish();
    if (!app.document().error().ok()) return app.document().error();
  }
  for (const std::string& id : wanted) {
    app.set_solo(id == "window" ? "" : id);
    settle(app, window);
    const std::string path = (std::filesystem::path(options.folder) / (id + ".png")).string();
    Status status = write_png(window.capture(), path);
    if (!status.ok()) return status;
    written->push_back(path);
    if (!options.svg || id == "window") continue;
    const std::string drawing = (std::filesystem::path(options.folder) / (id + ".svg")).string();
    status = app.save_svg(id, drawing, ImGui::GetMainViewport()->WorkSize);
    if (status.code() == Error::NotSupported) continue;
    if (!status.ok()) return status;
    written->push_back(drawing);
  }
  app.set_solo("");
  return {};
}

}  // namespace et::gui
