// `et-inspect fleet-report DIR`: the page is made by DuckDB, which reads data sets larger than memory; the Python
// package has it. This starts that.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/child_process.h"
#include "cli/commands/commands.h"
#include "cli/console.h"

namespace et::cli {
namespace {

constexpr OptionSpec kFleetPositionals[] = {
    {.name = "folder",
     .argument = "DIR",
     .type = Value::Text,
     .complete = Complete::Directory,
     .required = true,
     .help = "a data set of `export --format parquet`"},
};
constexpr Example kFleetExamples[] = {
    {"fleet-report fleet/", "builds over time, regressions, devices and ops: fleet.html"},
    {"fleet-report fleet/ -o nightly.html", "another name"},
};

/// The Python that has the package: named, or beside this program in an environment, or the system's.
std::string python_of() {
  if (const char* given = std::getenv("ET_INSPECT_PYTHON"); given != nullptr && *given != '\0') return given;
  const std::string beside = program_beside("python3");
  std::error_code ec;
  return std::filesystem::exists(beside, ec) ? beside : "python3";
}

int run_fleet_report(const Arguments& args) {
  const std::string folder = args.text("folder"), python = python_of();
  std::error_code ec;
  if (!std::filesystem::is_directory(folder, ec))
    return fail(kExitInput, folder + ": expected the folder of a data set, got " +
                                (std::filesystem::exists(folder, ec) ? "a file" : "nothing of that name"));
  // Whoever lacks a part is told which, before anything is read.
  ChildEnd end;
  const Status status = run_child({python, "-c", "import et_inspect._core, pyarrow, duckdb"}, nullptr, &end);
  if (!status.ok() || end.exit_code != 0) {
    const size_t line = end.errors.find_last_not_of('\n');
    const size_t start = line == std::string::npos ? 0 : end.errors.rfind('\n', line) + 1;
    const std::string cause =
        line == std::string::npos ? "it cannot be started" : end.errors.substr(start, line - start + 1);
    return fail(kExitInput, "fleet-report needs the Python package with DuckDB, and " + python + " has not: " + cause +
                                "; pip install 'et-inspect[fleet]', or name another Python in ET_INSPECT_PYTHON");
  }
  std::vector<std::string> words = {python,   "-m",  "et_inspect.fleet",
                                    "report", "-o",  args.given("output") ? args.text("output") : "fleet.html",
                                    "--",     folder};
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  ::execvp(raw.front(), raw.data());
  return fail(kExitInput, python + ": cannot start: " + std::strerror(errno));
}

}  // namespace

extern const CommandSpec kFleetReportCommand;
const CommandSpec kFleetReportCommand = {
    .name = "fleet-report",
    .summary = "one HTML page about a data set: builds over time, regressions, devices and ops",
    .description =
        "Asks a data set of many devices and builds all questions of fleet/queries, and writes the answers as one "
        "HTML\n"
        "file that opens offline: --output, else fleet.html. It is done by DuckDB in the Python package: pip install "
        "'et-inspect[fleet]'.",
    .positionals = kFleetPositionals,
    .groups = {},
    .examples = kFleetExamples,
    .run = run_fleet_report,
};

}  // namespace et::cli
