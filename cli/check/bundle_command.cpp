#include "cli/check/commands.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "bundled_program/cases/memory_cases.h"
#include "bundled_program/cases/sidecar.h"
#include "bundled_program/record/record.h"
#include "bundled_program/verify/program_file.h"
#include "bundled_program/write/bundle_writer.h"
#include "bundled_program/write/case_check.h"
#include "bundled_program/write/sidecar_writer.h"
#include "cli/arguments.h"
#include "cli/check/found_files.h"
#include "cli/check/new_cases.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/program_main.h"
#include "cli/written_files.h"
#include "runtime/module/log_capture.h"
#include "runtime/platform/platform.h"

namespace et::cli {
namespace {

using bundled::CaseFile;
using bundled::CaseSource;

constexpr OptionSpec kBundlePositionals[] = {
    {.name = "program",
     .argument = "PROGRAM",
     .type = Value::Text,
     .complete = Complete::File,
     .required = true,
     .help = "a program (.pte), or a bundled program (.bpte), whose cases are kept"},
};
constexpr OptionSpec kBundleCases[] = {
    repeated(with_help(kMethodOption,
                       "method of the --case and --expect options that follow (default: forward, or the only one)")),
    repeated(
        value_option("case", 0, "VALUES",
                     "inputs of one case in order, separated by commas: x.npy, x.npz (its arrays in order), int:5, "
                     "float:0.5, bool:true",
                     Complete::File)),
    repeated(value_option("expect", 0, "VALUES",
                          "expected outputs, likewise; the first --expect belongs to the first --case of the method, "
                          "and so on",
                          Complete::File)),
    choice_option("fill", 0, "HOW", "ones|zeros|random", nullptr,
                  "one case with generated inputs for each method without a --case"),
    number_option("seed", 0, "0", "seed for --fill random"),
    repeated(file_option(
        "from", 0, "copy the cases of a bundle (.bpte), a side-car (.npz) or a folder written by et-check extract")),
    {.name = "replace", .help = "drop the old cases of methods that get new ones, or that --method names"},
    {.name = "no-check", .help = "write cases even if they do not fit the program"},
};
constexpr OptionSpec kBundleRecord[] = {
    {.name = "record",
     .help =
         "run the program and record its outputs as the expected ones: for the new cases or, if there are none, for "
         "all existing cases (of --method)"},
    kDataOption,
};
constexpr OptionSpec kBundleOutput[] = {
    with_help(kOutputOption,
              "the bundle or side-car to write (default: a .bpte is updated in place, a side-car goes next to the "
              "program)"),
    kSidecarOption,
    {.name = "compress", .help = "with --sidecar: deflate the arrays"},
    kColorOption,
    with_help(kQuietOption, "print nothing but errors"),
    kLangOption,
    kHelpOption,
};
constexpr OptionGroup kBundleCasesGroup = {"Cases", kBundleCases};
constexpr OptionGroup kBundleRecordGroup = {"Recording", kBundleRecord};
constexpr OptionGroup kBundleOutputGroup = {"Output", kBundleOutput};
constexpr const OptionGroup* kBundleGroups[] = {&kBundleCasesGroup, &kBundleRecordGroup};
constexpr Example kBundleExamples[] = {
    {"bundle model.pte --case x.npy,y.npy --expect out.npy -o model.bpte", "one case"},
    {"bundle model.bpte --case a.npy,b.npy --expect out2.npy", "one more case, added in place"},
    {"bundle model.pte --case x.npy,int:3 --record -o model.bpte", "expect today's outputs"},
    {"bundle model.pte --fill random --seed 7 --record -o model.bpte", "when no inputs are at hand"},
    {"bundle model.bpte --record", "record all expected outputs again"},
    {"bundle llm.pte --method prefill --case p.npy --method decode --case d.npy --record --sidecar",
     "two methods, cases in llm.cases.npz"},
};

Status bundle_usage(std::string text) { return {Error::InvalidArgument, std::move(text)}; }

/// The cases of a --from, and the files they come from.
struct Taken {
  CaseFile file;
  MappedFile zip;
  std::unique_ptr<bundled::SidecarCases> sidecar;
  const CaseSource* cases = nullptr;

  Status open(const std::string& path, const std::string& program, const std::string& digest) {
    std::error_code ec;
    const bool folder = std::filesystem::is_directory(path, ec);
    if (!folder && !path.ends_with(".npz")) {
      if (Status s = CaseFile::open(path, "", &file); !s.ok()) return s;
      cases = &file.cases();
      return {};
    }
    if (folder) {
      if (Status s = bundled::SidecarCases::open_folder(path, &sidecar); !s.ok()) return s;
    } else {
      if (Status s = MappedFile::open(path, &zip); !s.ok()) return s;
      if (Status s = bundled::SidecarCases::open(zip.bytes(), path, &sidecar); !s.ok()) return s;
    }
    if (sidecar->program_digest() != digest) {
      return {Error::InvalidExternalData, path + ": meta.json: program_sha256: expected " + digest + " (" + program +
                                              "), got " + sidecar->program_digest() +
                                              ": the cases belong to another program"};
    }
    cases = sidecar.get();
    return {};
  }
};

class Bundling {
 public:
  explicit Bundling(const Arguments& args) : args_(args), path_(args.text("program")) {}

  Status run() {
    if (Status s = open(); !s.ok()) return s;
    if (Status s = gather(); !s.ok()) return s;
    if (Status s = record(); !s.ok()) return s;
    if (!args_.flag("no-check")) {
      if (Status s = bundled::check_cases(program_.program().view(), *all_); !s.ok()) return s;
    }
    return write();
  }

  /// "model.bpte: forward 3 cases (1 new, 1 recorded), decode 1 case"
  std::string summary() const {
    std::string text = target_ + ":";
    for (size_t s = 0; s < all_->suite_count(); ++s) {
      const size_t count = all_->case_count(s), fresh = count - old_count(s);
      size_t recorded = 0;
      for (const auto& [place, test] : recorded_) recorded += place.first == s;
      std::string what = fresh > 0 ? std::to_string(fresh) + " new" : "";
      if (recorded > 0) what += (what.empty() ? "" : ", ") + std::to_string(recorded) + " recorded";
      text += (s > 0 ? ", " : " ") + std::string(all_->method(s)) + " " + std::to_string(count) +
              (count == 1 ? " case" : " cases") + (what.empty() ? "" : " (" + what + ")");
    }
    return text + (all_->suite_count() == 0 ? " no cases\n" : "\n");
  }

 private:
  Status open() {
    sidecar_ = args_.flag("sidecar");
    if (args_.flag("compress") && !sidecar_) return bundle_usage("--compress needs --sidecar");
    const auto problem = program_.open(path_, "", args_.list("data"));
    if (!problem.ok()) {
      const bool io = problem.failure == bundled::Failure::Io;
      return {io ? Error::AccessFailed : Error::InvalidProgram, problem.reason};
    }
    const CaseFile& file = program_.file();
    target_ = args_.text("output");
    if (target_.empty()) target_ = sidecar_ ? bundled::sidecar_path(path_) : file.is_bundle() ? path_ : "";
    if (target_ == "-") return bundle_usage("--output: expected a file, got '-'");
    if (target_.empty()) {
      return bundle_usage("missing --output: name the bundled program to write, e.g. -o " +
                          std::filesystem::path(path_).replace_extension(".bpte").string());
    }
    return check_target();
  }

  /// What is updated in place, the program or its side-car, is the one input that may be replaced.
  Status check_target() const {
    std::vector<NamedFile> read = read_files(args_);
    const std::vector<NamedFile> beside = files_beside(read);
    read.insert(read.end(), beside.begin(), beside.end());
    const std::string in_place = sidecar_ ? bundled::sidecar_path(path_) : args_.given("output") ? "" : path_;
    std::erase_if(read, [&](const NamedFile& f) {
      return f.path == in_place && (f.shown == "PROGRAM" || f.shown.starts_with("read with"));
    });
    return check_written({{args_.given("output") ? "--output" : "the file to update", target_}}, read);
  }

  Status gather() {
    if (Status s = read_new_cases(args_, path_, program_.program().view(), &fresh_); !s.ok()) return s;
    if (fresh_.expectations && args_.flag("record")) {
      return bundle_usage("--expect and --record are mutually exclusive");
    }
    const CaseFile& file = program_.file();
    const CaseSource& own = sidecar_ ? file.sidecar_cases() : file.bundle_cases();
    std::unique_ptr<CaseSource> more;
    std::vector<std::string> replaced = fresh_.methods;
    for (const std::string& path : args_.list("from")) {
      taken_.push_back(std::make_unique<Taken>());
      if (Status s = taken_.back()->open(path, path_, program_.sha256()); !s.ok()) return s;
      const CaseSource& cases = *taken_.back()->cases;
      for (size_t i = 0; i < cases.suite_count(); ++i) replaced.emplace_back(cases.method(i));
      more = bundled::joined_cases(std::move(more), bundled::cases_without(cases, {}));
    }
    if (!args_.flag("replace")) replaced.clear();
    kept_ = bundled::cases_without(own, replaced);
    std::unique_ptr<CaseSource> base = bundled::joined_cases(bundled::cases_without(*kept_, {}), std::move(more));
    base_ = base.get();
    old_counts_.clear();
    joined_ = bundled::joined_cases(std::move(base), bundled::cases_without(fresh_.cases, {}));
    all_ = joined_.get();
    for (size_t s = 0; s < joined_->suite_count(); ++s) {
      const std::optional<size_t> known = base_->find(joined_->method(s));
      // Of two suites with one name only the first gets new cases.
      const bool first = joined_->find(joined_->method(s)) == s;
      old_counts_.push_back(!known ? 0 : first ? base_->case_count(*known) : joined_->case_count(s));
    }
    if (fresh_.methods.empty() && taken_.empty() && !args_.flag("record") && !args_.flag("replace")) {
      return bundle_usage("nothing to do: give --case, --fill, --from or --record");
    }
    return {};
  }

  Status record() {
    if (!args_.flag("record")) return {};
    const bool renew = fresh_.cases.total() == 0;
    const auto wanted = [&](size_t suite, size_t index) {
      if (!renew) return index >= old_count(suite);
      return fresh_.methods.empty() ||
             std::find(fresh_.methods.begin(), fresh_.methods.end(), joined_->method(suite)) != fresh_.methods.end();
    };
    if (Status s = bundled::record_expectations(program_, *joined_, wanted, &recorded_); !s.ok()) return s;
    if (recorded_.empty()) return bundle_usage("--record: " + path_ + " has no cases to record; give --case or --fill");
    renewed_ = bundled::cases_with_expectations(*joined_, recorded_);
    all_ = renewed_.get();
    for (const auto& [place, test] : recorded_) {
      const bool tensors = std::all_of(test.expected.begin(), test.expected.end(),
                                       [](const bundled::Value& v) { return v.kind == bundled::ValueKind::Tensor; });
      if (tensors) continue;
      print_warning(args_, joined_->place(place.first, place.second) +
                               ": an expected output is not a tensor; ExecuTorch's own runners cannot verify it");
      break;
    }
    return {};
  }

  Status write() {
    if (sidecar_) return bundled::write_sidecar(target_, program_.bytes(), *all_, {args_.flag("compress")});
    bundled::BundleBytes bytes;
    if (Status s = bundled::write_bundle(program_.bytes(), *all_, &bytes); !s.ok()) return s;
    Output out;
    out.may_replace_inputs();  // check_target() says which
    if (Status s = out.open(target_); !s.ok()) return s;
    out.stream().write(reinterpret_cast<const char*>(bytes.bytes().data()),
                       static_cast<std::streamsize>(bytes.bytes().size()));
    return out.finish();
  }

  size_t old_count(size_t suite) const { return suite < old_counts_.size() ? old_counts_[suite] : 0; }

  const Arguments& args_;
  const std::string path_;
  bool sidecar_ = false;
  std::string target_;
  bundled::ProgramFile program_;
  NewCases fresh_;
  std::vector<std::unique_ptr<Taken>> taken_;
  std::unique_ptr<CaseSource> kept_, joined_, renewed_;  // each is a view of those before
  const CaseSource* base_ = nullptr;                     // of joined_: all but the new cases
  const CaseSource* all_ = nullptr;                      // what is written
  std::vector<size_t> old_counts_;                       // by suite of joined_
  bundled::Expectations recorded_;
};

int run_bundle(const Arguments& args) {
  runtime_init();
  capture_errors();
  Bundling bundling(args);
  if (const Status s = bundling.run(); !s.ok()) return fail(s);
  return args.flag("quiet") ? kExitOk : print_text(args, bundling.summary());
}

}  // namespace

const CommandSpec kBundleCommand = {
    .name = "bundle",
    .summary = "add test cases to a program",
    .description =
        "Builds a bundled program (.bpte) from a program and test cases: inputs and their expected outputs. Both "
        "et-check "
        "and ExecuTorch's own tools read it. Cases are added to those of a .bpte; --replace drops the old ones of a "
        "method.\n\nEverything is checked against the program before anything is written: methods, number and kinds of "
        "values, dtypes and sizes.\n\nWith --sidecar the cases go to a zip of .npy arrays next to the program, which "
        "et-check finds by its name: for cases that exceed the size of a bundle (2 GiB), and for programs that must "
        "not change. External weights (.ptd) next to the program are found without --data.",
    .positionals = kBundlePositionals,
    .groups = kBundleGroups,
    .examples = kBundleExamples,
    .run = run_bundle,
    .common = &kBundleOutputGroup,
};

}  // namespace et::cli
