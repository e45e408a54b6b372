// `et-inspect size PROGRAM`: where its bytes are.
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/program_argument.h"
#include "inspector/ingest/ingest.h"
#include "inspector/report/size_report.h"

namespace et::cli {
namespace {

constexpr OptionSpec kSizePositionals[] = {kProgramArgument};
constexpr OptionSpec kSize[] = {
    kEtrecordOption,
    file_option("against", 0, "an earlier program: show what became larger and smaller since"),
    file_option("against-etrecord", 0, "ETRecord of the earlier program"),
    with_default(number_option("top", 'k', nullptr, "only the first N rows; one more row sums up the rest"), "10"),
};
constexpr OptionGroup kSizeOptions = {"Size", kSize};
constexpr const OptionGroup* kSizeGroups[] = {&kSizeOptions, &kFormatOptions};
constexpr Example kSizeExamples[] = {
    {"size model.pte", "constants, weights, instructions, payloads, padding: every byte of the file"},
    {"size model.pte -e etrecord.bin", "by module, too"},
    {"size new.pte --against old.pte --format markdown", "what the change costs, for a pull request"},
};

Status read_size(const std::string& word, const std::string& record, inspector::ProgramSize* out) {
  std::string path;
  Status status = program_of(word, &path);
  if (status.ok()) status = inspector::program_size(path, out);
  if (!status.ok() || record.empty()) return status;
  inspector::Store store;
  status = inspector::Store::open("", inspector::Store::Mode::Memory, &store);
  inspector::IngestInputs inputs;
  inputs.record = record;
  inputs.program = path;
  inputs.found = {"etrecord"};  // to be told when it belongs to another model
  inspector::IngestResult result;
  if (status.ok()) status = inspector::ingest(store, inputs, {}, &result);
  if (!result.foreign.empty())
    return {Error::InvalidArgument, record + ": of no use for " + path + ": " + result.foreign.begin()->second};
  return status.ok() ? inspector::name_entries(store, result.trace_id, out) : status;
}

int run_size(const Arguments& args) {
  inspector::ProgramSize size;
  Status status = read_size(args.text("program"), args.text("etrecord"), &size);
  if (!status.ok()) return fail(status);
  const inspector::SizeReportOptions options = {.format = args.text("format"),
                                                .top = args.integer("top", 10),
                                                .color = use_color(args),
                                                .width = output_width(args)};
  std::string text;
  if (args.given("against")) {
    inspector::ProgramSize before;
    status = read_size(args.text("against"), args.text("against-etrecord"), &before);
    if (status.ok()) status = inspector::write_size_diff(inspector::diff_sizes(before, size), options, &text);
  } else if (args.given("against-etrecord")) {
    return fail(kExitUsage, "--against-etrecord: expected --against with it");
  } else {
    status = inspector::write_size(size, options, &text);
  }
  return status.ok() ? write_output(args, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kSizeCommand = {
    .name = "size",
    .summary = "where a program's bytes are, and what changed against another one",
    .description =
        "Assigns every byte of a program to what it is for: constants by tensor, payloads and their weights by "
        "backend,\n"
        "instructions, tables, padding. The parts add up to the size of the file. With the ETRecord tensors are named "
        "by\n"
        "the module that uses them. Equal tensors that are stored twice are pointed out.",
    .positionals = kSizePositionals,
    .groups = kSizeGroups,
    .examples = kSizeExamples,
    .run = run_size,
};

}  // namespace et::cli
