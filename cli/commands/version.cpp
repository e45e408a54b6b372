// `et-inspect version` and --version: the version, and those of the libraries that read and keep the data.
#include <flatbuffers/base.h>
#include <sqlite3.h>

#include "cli/commands/commands.h"
#include "cli/commands/version.h"
#include "cli/output.h"
#include "inspector/store/store.h"
#include "inspector/text/json_writer.h"

namespace et::cli {
namespace {

constexpr Example kVersionExamples[] = {
    {"version", "the versions, one a line"},
    {"version --json", "for a script"},
};

constexpr OptionSpec kVersionOptions[] = {
    kTextOrJsonOption,
    kJsonOption,
};
constexpr OptionGroup kVersionGroup = {"Format", kVersionOptions};
constexpr const OptionGroup* kVersionGroups[] = {&kVersionGroup};

std::string flatbuffers_version() {
  return std::to_string(FLATBUFFERS_VERSION_MAJOR) + "." + std::to_string(FLATBUFFERS_VERSION_MINOR) + "." +
         std::to_string(FLATBUFFERS_VERSION_REVISION);
}

std::string version_json(const ProgramSpec& program) {
  std::string out;
  inspector::JsonWriter json(&out);
  json.begin_object().member("name", program.name).member("version", program.version);
  json.member("store_version", static_cast<int64_t>(inspector::kStoreVersion));
  json.key("libraries").begin_object();
  json.member("sqlite", sqlite3_libversion()).member("flatbuffers", flatbuffers_version());
  json.end_object().end_object();
  return out;
}

int run_version(const Arguments& args) {
  const bool json = args.text("format") == "json";
  return write_output(args, json ? version_json(args.program()) : version_text(args.program()));
}

}  // namespace

std::string version_text(const ProgramSpec& program) {
  std::string out = std::string(program.name) + " " + program.version + "\n";
  out += "store version " + std::to_string(inspector::kStoreVersion) + "\n";
  out += std::string("SQLite ") + sqlite3_libversion() + "\n";
  out += "FlatBuffers " + flatbuffers_version() + "\n";
  return out;
}

constexpr CommandSpec kVersionCommand = {
    .name = "version",
    .summary = "print the version",
    .description = "Prints the version of the program, of the store format, and of the libraries in use.",
    .positionals = {},
    .groups = kVersionGroups,
    .examples = kVersionExamples,
    .run = run_version,
};

}  // namespace et::cli
