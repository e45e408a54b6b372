// et-check extract: a bundled program as files.
#include <string>

#include "bundled_program/cases/case_source.h"
#include "bundled_program/cases/sidecar_format.h"
#include "bundled_program/write/case_folder.h"
#include "cli/arguments.h"
#include "cli/check/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/program_main.h"
#include "inspector/text/format.h"

namespace et::cli {
namespace {

constexpr OptionSpec kExtractPositionals[] = {
    {.name = "bundle",
     .argument = "BUNDLE",
     .type = Value::Text,
     .complete = Complete::File,
     .required = true,
     .help = "a bundled program (.bpte), or a program (.pte) with a side-car next to it"},
};
constexpr OptionSpec kExtractOutput[] = {
    written(value_option("output", 'o', "DIR", "folder to create; it appears only when everything is written",
                         Complete::Directory)),
    kSidecarOption,
    kColorOption,
    with_help(kQuietOption, "print nothing but errors"),
    kLangOption,
    kHelpOption,
};
constexpr OptionGroup kExtractOutputGroup = {"Output", kExtractOutput};
constexpr Example kExtractExamples[] = {
    {"extract model.bpte -o parts", "parts/program.pte, parts/forward/0/input_0.npy and so on"},
    {"extract model.bpte -o parts --sidecar", "parts/program.pte and parts/program.cases.npz"},
};

std::string summary(const std::string& folder, const bundled::CaseFile& file) {
  std::string counts;
  for (size_t s = 0; s < file.cases().suite_count(); ++s) {
    counts += s > 0 ? ", " : "";
    inspector::append_json_string(&counts, file.cases().method(s));
    counts += ": " + std::to_string(file.cases().case_count(s));
  }
  std::string out = "{\"folder\": ";
  inspector::append_json_string(&out, folder);
  return out + ", \"program\": \"program.pte\", \"program_sha256\": \"" + bundled::program_digest(file.program()) +
         "\", \"cases\": {" + counts + "}}\n";
}

int run_extract(const Arguments& args) {
  const std::string folder = args.text("output");
  if (folder.empty()) return fail(kExitUsage, "missing --output: name the folder to write, e.g. -o parts");
  bundled::CaseFile file;
  if (const Status s = bundled::CaseFile::open(args.text("bundle"), "", &file); !s.ok()) return fail(s);
  if (const Status s = bundled::write_case_folder(folder, file.program(), file.cases(), {args.flag("sidecar")});
      !s.ok()) {
    return fail(s);
  }
  return args.flag("quiet") ? kExitOk : print_text(args, summary(folder, file));
}

}  // namespace

const CommandSpec kExtractCommand = {
    .name = "extract",
    .summary = "unpack a bundled program",
    .description =
        "Writes the program of a bundled program (program.pte) and its test cases as .npy arrays, with a meta.json "
        "that et-check bundle --from reads back: `et-check bundle parts/program.pte --from parts -o model.bpte` "
        "rebuilds the bundle. With --sidecar the cases are one file instead, program.cases.npz.\n\nPrints one line of "
        "JSON: what was written, and the number of cases by method.",
    .positionals = kExtractPositionals,
    .groups = {},
    .examples = kExtractExamples,
    .run = run_extract,
    .common = &kExtractOutputGroup,
};

}  // namespace et::cli
