// et-check extract: a bundled program as files.
#include <string>

#include "bundled_program/cases/case_source.h"
#include "bundled_program/cases/sidecar_format.h"
#include "bundled_program/write/case_folder.h"
#include "cli/arguments.h"
#include "cli/check/bundle_command.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/run/json_text.h"
#include "cli/run/program_main.h"

namespace et::cli {
namespace {

constexpr OptionSpec kPositionals[] = {
    {.name = "bundle",
     .argument = "BUNDLE",
     .type = Value::Text,
     .complete = Complete::File,
     .required = true,
     .help = "a bundled program (.bpte), or a program (.pte) with a side-car beside it"},
};
constexpr OptionSpec kOutput[] = {
    {.name = "output",
     .short_name = 'o',
     .argument = "DIR",
     .type = Value::Text,
     .complete = Complete::Directory,
     .help = "folder to make; it appears whole or not at all"},
    {.name = "sidecar", .help = "the cases in one file, program.cases.npz, instead of one .npy a value"},
    {.name = "color",
     .argument = "WHEN",
     .type = Value::Choice,
     .choices = "auto|always|never",
     .fallback = "auto",
     .complete = Complete::Choices,
     .help = "colours: auto means on a terminal, unless NO_COLOR is set"},
    {.name = "quiet", .short_name = 'q', .help = "print nothing but errors"},
    {.name = "help", .short_name = 'h', .help = "show this help"},
};
constexpr OptionGroup kOutputGroup = {"Output", kOutput};
constexpr Example kExamples[] = {
    {"extract model.bpte -o parts", "parts/program.pte, parts/forward/0/input_0.npy and so on"},
    {"extract model.bpte -o parts --sidecar", "parts/program.pte and parts/program.cases.npz"},
};

std::string summary(const std::string& folder, const bundled::CaseFile& file) {
  std::string counts;
  for (size_t s = 0; s < file.cases().suite_count(); ++s) {
    counts +=
        (s > 0 ? ", " : "") + json_string(file.cases().method(s)) + ": " + std::to_string(file.cases().case_count(s));
  }
  return "{\"folder\": " + json_string(folder) + ", \"program\": \"program.pte\", \"program_sha256\": \"" +
         bundled::program_digest(file.program()) + "\", \"cases\": {" + counts + "}}\n";
}

int run(const Arguments& args) {
  const std::string folder = args.text("output");
  if (folder.empty()) return fail(kExitUsage, "--output: which folder should the files go to? E.g. -o parts");
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
    .summary = "take a bundled program apart",
    .description =
        "Writes the program inside a bundled program (program.pte) and its test cases as .npy arrays, with a meta.json "
        "that et-check bundle --from reads back: `et-check bundle parts/program.pte --from parts -o model.bpte` makes "
        "the same bundle again.\n\nPrints one line of JSON: what was written, and the number of cases by method.",
    .positionals = kPositionals,
    .groups = {},
    .examples = kExamples,
    .run = run,
    .common = &kOutputGroup,
};

}  // namespace et::cli
