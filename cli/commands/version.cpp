// `et-inspect version` and --version: the version, and those of the libraries that read and keep the data.
#include <flatbuffers/base.h>
#include <sqlite3.h>

#include "cli/commands/commands.h"
#include "cli/commands/version.h"
#include "cli/output.h"
#include "inspector/store/store.h"

namespace et::cli {
namespace {

constexpr Example kVersionExamples[] = {{"version", "the versions, one a line"}};

int run_version(const Arguments& args) { return write_output(args, version_text(args.program())); }

}  // namespace

std::string version_text(const ProgramSpec& program) {
  std::string out = std::string(program.name) + " " + program.version + "\n";
  out += "store version " + std::to_string(inspector::kStoreVersion) + "\n";
  out += std::string("SQLite ") + sqlite3_libversion() + "\n";
  out += "FlatBuffers " + std::to_string(FLATBUFFERS_VERSION_MAJOR) + "." + std::to_string(FLATBUFFERS_VERSION_MINOR) +
         "." + std::to_string(FLATBUFFERS_VERSION_REVISION) + "\n";
  return out;
}

constexpr CommandSpec kVersionCommand = {
    .name = "version",
    .summary = "print the version",
    .description = "Prints the version of the program, of the store format, and of the libraries in use.",
    .positionals = {},
    .groups = {},
    .examples = kVersionExamples,
    .run = run_version,
};

}  // namespace et::cli
