#include "gui/shell/screenshots.h"

#include <filesystem>

namespace et::gui {
namespace {

// A frame may start a job, whose result may start another.
constexpr int kMaxRounds = 20;
constexpr int kFramesEach = 4, kMostFrames = 40;

}  // namespace

void settle(App& app, Window& window) {
  for (int round = 0; round < kMaxRounds; ++round) {
    for (int i = 0; i < kFramesEach || (app.wants_frame() && i < kMostFrames); ++i) window.frame();
    if (app.jobs().pending() == 0) break;
    app.jobs().finish();
  }
}

Status no_panel(const std::string& id) {
  std::string known = "window";
  for (const PanelSpec* spec : all_panels()) known += std::string(", ") + spec->id;
  return {Error::NotFound, "no panel '" + id + "'; expected one of " + known};
}

Status take_screenshots(App& app, Window& window, const std::vector<std::string>& files,
                        const ScreenshotOptions& options, std::vector<std::string>* written) {
  const std::filesystem::path target = options.path;
  const bool one = target.extension() == ".png";
  std::vector<std::string> wanted;
  if (const PanelSpec* const panel = find_panel_named(options.panel); panel != nullptr || options.panel == "window") {
    wanted.emplace_back(panel != nullptr ? panel->id : "window");
  } else if (!options.panel.empty()) {
    return no_panel(options.panel);
  } else {
    wanted.emplace_back("window");
    for (const PanelSpec* spec : all_panels()) {
      if (!one) wanted.emplace_back(spec->id);
    }
  }
  const std::filesystem::path folder = one ? target.parent_path() : target;
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) return {Error::AccessFailed, folder.string() + ": " + error.message()};
  if (!files.empty()) {
    app.open_files(files);
    app.jobs().finish();
    if (!app.document().error().ok()) return app.document().error();
    const TraceData* const data = app.document().data();
    if (data != nullptr && !data->basis_error.empty()) return {Error::InvalidArgument, "--basis: " + data->basis_error};
  }
  if (!options.compare.empty()) {
    app.compare_files({options.compare});
    settle(app, window);
    if (!app.document().comparison().error().ok()) return app.document().comparison().error();
  }
  for (const std::string& id : wanted) {
    app.set_solo(id == "window" ? "" : id);
    settle(app, window);
    app.dismiss_notices();
    settle(app, window);
    const std::filesystem::path path = one ? target : folder / (id + ".png");
    Status status = write_png(window.capture(), path.string());
    if (!status.ok()) return status;
    written->push_back(path.string());
    if (!options.svg || id == "window") continue;
    const std::string drawing = std::filesystem::path(path).replace_extension(".svg").string();
    status = app.save_svg(id, drawing, ImGui::GetMainViewport()->WorkSize);
    if (status.code() == Error::NotSupported) continue;
    if (!status.ok()) return status;
    written->push_back(drawing);
  }
  app.set_solo("");
  return {};
}

}  // namespace et::gui
