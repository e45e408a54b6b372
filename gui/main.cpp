// et-inspect-gui: options, then the window.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include "gui/shell/screenshots.h"
#include "gui/shell/window.h"

namespace {

using namespace et::gui;

constexpr int kUsage = 2, kInput = 3;

struct Options {
  std::vector<std::string> files;
  double scale = 0;
  std::string record, program, debug_buffer, screenshot, panel, theme, size, lines = "auto";
  bool no_settings = false, no_neighbours = false, svg = false;
};

int fail(const et::Status& status) {
  std::fprintf(stderr, "et-inspect-gui: error: %s\n", status.message().c_str());
  return status.code() == et::Error::InvalidArgument || status.code() == et::Error::NotFound ? kUsage : kInput;
}

bool parse_size(const std::string& text, WindowOptions* out) {
  int width = 0, height = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2) return false;
  if (width < 320 || height < 200 || width > 8192 || height > 8192) return false;
  out->width = width;
  out->height = height;
  return true;
}

int run(const Options& options) {
  WindowOptions window_options;
  window_options.hidden = !options.screenshot.empty();
  if (!options.size.empty() && !parse_size(options.size, &window_options)) {
    std::fprintf(stderr, "et-inspect-gui: error: --size %s: expected WIDTHxHEIGHT, 320x200 to 8192x8192\n",
                 options.size.c_str());
    return kUsage;
  }
  std::vector<std::string> files = options.files;
  for (const std::string* file : {&options.record, &options.program, &options.debug_buffer}) {
    if (!file->empty()) files.push_back(*file);
  }
  Window window;
  et::Status status = window.open(window_options);
  if (!status.ok()) return fail(status);
  AppOptions app_options;
  app_options.keep_settings = options.screenshot.empty() && !options.no_settings;
  app_options.theme = options.theme;
  app_options.neighbours = !options.no_neighbours;
  app_options.lines = et::inspector::parse_line_rule(options.lines).value_or(et::inspector::LineRule::Auto);
  app_options.display_scale = window.display_scale();
  app_options.scale = static_cast<float>(options.scale);
  App app(app_options);
  status = window.attach(app);
  if (!status.ok()) return fail(status);
  int code = 0;
  if (!options.screenshot.empty()) {
    ScreenshotOptions shots;
    shots.folder = options.screenshot;
    shots.panel = options.panel;
    shots.svg = options.svg;
    shots.window = window_options;
    std::vector<std::string> written;
    status = take_screenshots(app, window, files, shots, &written);
    for (const std::string& path : written) std::printf("%s\n", path.c_str());
    if (!status.ok()) code = fail(status);
  } else {
    if (!files.empty()) app.open_files(files);
    if (!options.panel.empty() && !app.show_panel(options.panel)) {
      return fail({et::Error::NotFound, "no panel '" + options.panel + "'"});
    }
    // SIGTERM ends like Quit: settings are written, the temporary store is removed.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, [](int) { stop_windows(); });
    window.run();
  }
  window.detach();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App cli("Shows traces of ExecuTorch programs in a window.", "et-inspect-gui");
  cli.add_option(
      "files", options.files,
      "A store (store.db, store.db#3, store.db@latest), or an ETDump with its ETRecord and program, or a folder");
  cli.add_option("-e,--etrecord", options.record, "ETRecord of the model");
  cli.add_option("-p,--pte", options.program, "Program that wrote the ETDump");
  cli.add_option("-b,--debug-buffer", options.debug_buffer, "Debug buffer of the ETDump");
  cli.add_option("--screenshot", options.screenshot, "Write each panel as a PNG into this folder and exit");
  cli.add_flag("--svg", options.svg, "With --screenshot: write the panels as SVG, too")->needs("--screenshot");
  cli.add_option("--panel", options.panel, "With --screenshot: only this panel; else the panel to start with");
  cli.add_option("--size", options.size, "Size of the window or picture, WIDTHxHEIGHT");
  cli.add_option("--scale", options.scale, "Scale of text and lines; 2 for a HiDPI display")
      ->check(CLI::Range(0.5, 4.0));
  cli.add_option("--theme", options.theme, "dark or light")->check(CLI::IsMember({"dark", "light"}));
  cli.add_option("--lines", options.lines, "Frame that a node's line is: auto, user, innermost or outermost")
      ->check(CLI::IsMember({"auto", "user", "innermost", "outermost"}));
  cli.add_flag("--no-neighbours", options.no_neighbours, "Read only the files that are named");
  cli.add_flag("--no-settings", options.no_settings, "Do not read or write settings and layout");
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = cli.exit(e);
    return code == 0 ? 0 : kUsage;
  }
  return run(options);
}
