// --screenshot: panels as PNG files, without a person: for documents, bug reports and CI.
#pragma once

#include <string>
#include <vector>

#include "gui/shell/window.h"

namespace et::gui {

struct ScreenshotOptions {
  std::string path;          ///< FILE.png: one picture; else a folder, created when it is missing
  std::string compare = {};  ///< another trace beside the one of the files
  bool svg = false;          ///< also the drawings of panels that have one: "<panel>.svg", or FILE.svg
  std::string panel;  ///< id of one; "window" for all in their layout; "": for a folder each panel and the window
};

/// "no panel 'x'; expected one of window, overview, …".
Status no_panel(const std::string& id);

/// Opens the files, waits until all is read and drawn, writes "<panel>.png". `written` gets the paths.
/// Errors: of opening; NotFound (no such panel); AccessFailed.
Status take_screenshots(App& app, Window& window, const std::vector<std::string>& files,
                        const ScreenshotOptions& options, std::vector<std::string>* written);

/// Draws until jobs and layouts have come to rest.
void settle(App& app, Window& window);

}  // namespace et::gui
