// et-inspect-gui: options, then the window, or pictures of it.
#include <charconv>
#include <csignal>
#include <cstdio>

#include "base/read_double.h"
#include "cli/basis_option.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/gui_options.h"
#include "cli/program_main.h"
#include "cli/version.h"
#include "gui/shell/screenshots.h"
#include "gui/shell/window.h"
#include "inspector/store/store.h"
#include "inspector/store/trace_problems.h"

namespace et::gui {
namespace {

using cli::Arguments;

Status parse_size(const std::string& text, WindowOptions* out) {
  int width = 0, height = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 320 || height < 200 ||
      width > 8192 || height > 8192) {
    return {Error::InvalidArgument, "--size: expected WIDTHxHEIGHT, 320x200 to 8192x8192, got '" + text + "'"};
  }
  out->width = width;
  out->height = height;
  return {};
}

Status parse_scale(const std::string& text, float* out) {
  double number = 0;
  const auto end = read_double(text.data(), text.data() + text.size(), &number);
  *out = static_cast<float>(number);
  if (end.ec == std::errc() && end.ptr == text.data() + text.size() && number >= 0.5 && number <= 4) return {};
  return {Error::InvalidArgument, "--scale: expected a number from 0.5 to 4, got '" + text + "'"};
}

/// What cannot be opened is an error of the input, what is asked for wrongly one of the usage.
int fail_with(const Status& status) {
  const bool usage = status.code() == Error::InvalidArgument || status.code() == Error::NotFound;
  return cli::fail(usage ? cli::kExitUsage : cli::kExitInput, status.message());
}

/// What the panel of numerics compares with.
void set_reference(App& app, const Arguments& args) {
  for (const cli::OptionGroup* group : {&cli::kGuiNumericsGroup, &cli::kGraphInputOptions}) {
    for (const cli::OptionSpec& option : group->options) {
      for (const std::string& value : args.list(option.name)) app.panel("numerics")->restore(option.name, value);
    }
  }
}

int show(App& app, Window& window, const Arguments& args, const std::vector<std::string>& files) {
  if (!files.empty()) app.open_files(files);
  if (args.given("compare")) app.compare_files({args.text("compare")});
  if (args.given("panel") && !app.show_first(args.text("panel"))) return fail_with(no_panel(args.text("panel")));
  // SIGTERM ends like Quit: settings are written, the temporary store is removed.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, [](int) { stop_windows(); });
  window.run();
  return cli::kExitOk;
}

/// As `et-inspect` ends with these files: whoever takes pictures in a CI does not read the banner in them.
int code_of_trace(App& app) {
  const TraceData* const data = app.document().data();
  if (data == nullptr) return cli::kExitOk;
  inspector::Store store;
  const Status status = inspector::Store::open(app.document().store_path(), inspector::Store::Mode::ReadOnly, &store);
  if (!status.ok()) return fail_with(status);
  for (const auto& problem : inspector::problem_texts(store, data->trace_id())) cli::print_error(problem.message);
  const inspector::TraceProblems problems = inspector::problems_of(store, data->trace_id());
  if (problems.damaged) return cli::kExitInput;
  if (problems.data_loss) return cli::kExitIncomplete;
  return problems.mismatched ? cli::kExitDifference : cli::kExitOk;
}

int picture(App& app, Window& window, const Arguments& args, const std::vector<std::string>& files) {
  ScreenshotOptions shots;
  shots.path = args.text("screenshot");
  shots.panel = args.text("panel");
  shots.svg = args.flag("svg");
  shots.compare = args.text("compare");
  std::vector<std::string> written;
  const Status status = take_screenshots(app, window, files, shots, &written);
  for (const std::string& path : written) std::printf("%s\n", path.c_str());
  return status.ok() ? code_of_trace(app) : fail_with(status);
}

int run_window(const Arguments& args) {
  const bool pictures = args.given("screenshot");
  if (args.given("compare") && args.list("files").empty())
    return fail_with({Error::InvalidArgument, "--compare: expected a trace to compare with it"});
  if (args.flag("svg") && !pictures) return fail_with({Error::InvalidArgument, "--svg: expected --screenshot with it"});
  WindowOptions window_options;
  window_options.hidden = pictures;
  AppOptions app_options;
  app_options.version = cli::kVersion;
  if (args.given("size")) {
    if (const Status status = parse_size(args.text("size"), &window_options); !status.ok()) return fail_with(status);
  }
  if (args.given("scale")) {
    if (const Status status = parse_scale(args.text("scale"), &app_options.scale); !status.ok())
      return fail_with(status);
  }
  if (const Status status = cli::read_basis(args, &app_options.basis); !status.ok()) return fail_with(status);
  std::vector<std::string> files = args.list("files");
  for (const char* option : {"etrecord", "pte", "debug-buffer"}) {
    if (args.given(option)) files.push_back(args.text(option));
  }
  Window window;
  if (const Status status = window.open(window_options); !status.ok()) return fail_with(status);
  app_options.keep_settings = !pictures && !args.flag("no-settings");
  app_options.theme = args.text("theme");
  app_options.language = args.text("lang");
  app_options.neighbours = !args.flag("no-neighbours");
  app_options.lines = inspector::parse_line_rule(args.text("lines")).value_or(inspector::LineRule::Auto);
  app_options.display_scale = window.display_scale();
  if (!pictures) app_options.failed_to_open = [](const std::string& message) { cli::print_error(message); };
  App app(app_options);
  if (!pictures && !args.given("size") && app.settings().width > 0)
    window.resize(app.settings().width, app.settings().height);
  set_reference(app, args);
  if (const Status status = window.attach(app); !status.ok()) return fail_with(status);
  const int code = pictures ? picture(app, window, args, files) : show(app, window, args, files);
  window.detach();
  return code;
}

constexpr cli::OptionSpec kProgramOptions[] = {
    cli::kColorOption, cli::kVersionOption, cli::kManOption, cli::kCompletionOption, cli::kLangOption, cli::kHelpOption,
};
constexpr cli::OptionGroup kProgramGroup = {"Other", kProgramOptions};
constexpr cli::Example kExamples[] = {
    {"etdump.etdp -e etrecord.bin -p model.pte", "look at a run"},
    {"model.pte etrecord.bin", "a model before its first run: graph, delegates, memory plan"},
    {"traces.db@latest", "the newest trace of a store, updated when a newer one is added"},
    {"traces.db --screenshot graph.png --panel graph --size 1600x1000", "a picture of one panel, without a display"},
    {"run.etdp -b run.bin -e etrecord.bin --ones --screenshot numerics.png --panel numerics",
     "how far each tensor is from the graph's"},
    {"- etrecord.bin", "an ETDump, or a serial log with one, from a pipe"},
    {"new/etdump.etdp --compare old/ --panel compare", "what became slower or faster, and why"},
    {"traces.db --screenshot pictures --theme light --svg", "all panels, each as PNG and SVG"},
};
constexpr cli::CommandSpec kCommand = {
    .name = "",
    .summary = "shows traces of ExecuTorch programs in a window",
    .description =
        "Opens a trace, or a model that has not run yet, in a window: overview, timeline, operators, source, flame "
        "graph, graph, delegation map, memory, comparison, checks and SQL with a shared selection. F1 lists the "
        "keys.\n\nWith "
        "--screenshot nothing is shown: pictures are drawn without a display, as a CI needs them.",
    .positionals = cli::kGuiPositionals,
    .groups = cli::kGuiGroups,
    .examples = kExamples,
    .run = run_window,
    .common = &kProgramGroup,
};
constexpr const cli::CommandSpec* kCommands[] = {&kCommand};
constexpr const char* kRelated[] = {"et-inspect", "et-run", "et-check"};
constexpr cli::ProgramSpec kProgram = {"et-inspect-gui", cli::kVersion, kCommands, kRelated};

}  // namespace
}  // namespace et::gui

int main(int argc, char** argv) {
  et::inspector::use_sqlite_alone();
  return et::cli::run_program(et::gui::kProgram, argc, argv);
}
