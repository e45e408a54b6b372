// `et-inspect gap TRACE`: how far the values that a run logged are from those of a good one, and where they part.
#include <algorithm>

#include "base/quantity.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/graph_inputs.h"
#include "cli/output.h"
#include "cli/trace_source.h"
#include "inspector/analysis/gap/found_inputs.h"
#include "inspector/analysis/gap/gap_run.h"
#include "inspector/report/gap_report.h"
#include "inspector/text/words.h"

namespace et::cli {
namespace {

constexpr OptionSpec kGapPositionals[] = {kTraceArgument};
constexpr OptionSpec kGap[] = {
    kAgainstOption,
    number_option("execution", 0, nullptr, "which execution, from 0 (default: the last)"),
    choice_option("sort", 0, "KEY", "order|error|own|max|mse|l1|snr|cosine", "order",
                  "what rows are ranked by; order: as they ran"),
    with_default(number_option("top", 'k', nullptr, "only the first N rows; one more row sums up the rest"), "30"),
    value_option("tolerance", 0, "SHARE",
                 "error up to which floating point is rounding, as a share of the tensor's largest value (default: "
                 "0.01%; of float16 and bfloat16 1%)"),
    value_option("fail-above", 0, "SHARE",
                 "exit code 1 when a value's error, as a share, is above this, or none could be compared"),
};
constexpr OptionGroup kGapOptions = {"Gap", kGap};
constexpr const OptionGroup* kGapGroups[] = {&kInputOptions, &kGapOptions, &kGraphInputOptions, &kFormatOptions};
constexpr Example kGapExamples[] = {
    {"gap run.etdp --debug-buffer run.bin --etrecord etrecord.bin --ones",
     "against the model's graph with the inputs that et-run had; which ops add error"},
    {"gap xnnpack/run.etdp --against portable/run.etdp --sort error", "what a delegate changes, the worst first"},
    {"gap device/ --against eager.npz --fail-above 1%", "against tensors recorded in Python, in CI"},
};

Status read_limit(const Arguments& args, const char* option, std::optional<double>* out) {
  if (!args.given(option)) return {};
  *out = parse_share(args.text(option));
  if (*out) return {};
  return {Error::InvalidArgument,
          std::string("--") + option + ": expected a share such as 1% or 0.01, got '" + args.text(option) + "'"};
}

class GapCommand {
 public:
  explicit GapCommand(const Arguments& args) : args_(args) {}

  Status measure() {
    inspector::GapOptions options;
    if (Status s = read_limit(args_, "tolerance", &options.tolerance); !s.ok()) return s;
    if (Status s = read_limit(args_, "fail-above", &limit_); !s.ok()) return s;
    if (Status s = open_trace_source(args_, &source_); !s.ok()) return s;
    warn_of_diagnostics(args_, source_);
    run_.emplace(options);
    const std::optional<int64_t> execution =
        args_.given("execution") ? std::optional(args_.integer("execution")) : std::nullopt;
    if (Status s = run_->open(source_.store, source_.trace_id, execution); !s.ok()) return s;
    return args_.given("against") ? measure_against() : measure_graph();
  }

  Status write(std::string* text) const {
    const inspector::GapReportOptions options = {.format = args_.text("format"),
                                                 .order = *inspector::parse_gap_order(args_.text("sort")),
                                                 .top = args_.integer("top", 30),
                                                 .color = use_color(args_),
                                                 .width = output_width(args_)};
    return inspector::write_gap(run_->gap(), run_->run(), run_->reference(), options, text);
  }

  int exit_code() const {
    const int code = exit_code_of_trace(source_);
    const auto& rows = run_->gap().rows;
    // A reference of something else proves nothing.
    if (rows.empty()) {
      print_warning(args_, nothing_compared());
      return code == kExitOk ? kExitDifference : code;
    }
    if (code != kExitOk || !limit_) return code;
    const bool failed = std::any_of(rows.begin(), rows.end(),
                                    [&](const inspector::GapRow& row) { return row.figures.relative() > *limit_; });
    return failed ? kExitDifference : kExitOk;
  }

 private:
  std::string nothing_compared() const {
    std::string text = "no value was compared, so nothing is known to be right";
    if (!against_arrays_) return text;
    const auto& arrays = run_->reference().values;
    std::vector<std::string> names;
    for (size_t i = 0; i < std::min<size_t>(arrays.size(), 3); ++i) names.push_back(arrays[i].name);
    return text + ": " + run_->reference().name + " has " +
           inspector::plural(static_cast<int64_t>(arrays.size()), "array") + " (" + inspector::joined(names, ", ") +
           (arrays.size() > names.size() ? ", …" : "") +
           "), none named like a node or a debug handle of the run's graph; expected such arrays, or a run with its "
           "ETDump";
  }
  Status measure_against() {
    const std::vector<std::string>& words = args_.list("against");
    against_arrays_ = words.size() == 1 && inspector::is_recorded_tensors(words.front());
    if (against_arrays_) return run_->against_tensors(words.front());
    Arguments other = args_.with("trace", words);
    for (const char* option : {"etrecord", "pte", "debug-buffer", "checks", "store", "name"}) {
      other = other.with(option, {});
    }
    if (Status s = open_trace_source(other, &other_); !s.ok()) return s;
    warn_of_diagnostics(other, other_);
    return run_->against_trace(other_.store, other_.trace_id);
  }

  Status measure_graph() {
    run_->look_beside(!args_.flag("no-neighbours"));
    const Status status = run_->against_graph(graph_inputs_of(args_));
    if (status.ok() && run_->found_inputs())
      print_note(args_,
                 "the run was fed " + inspector::inputs_text(*run_->found_inputs()) +
                     ", found beside it, as far as is known; --input, --cases, --ones or --random say otherwise");
    if (status.ok() && !run_->own_problem().empty())
      print_warning(args_, "which ops add error is not known: " + run_->own_problem());
    return status;
  }

  const Arguments& args_;
  std::optional<double> limit_;
  bool against_arrays_ = false;
  TraceSource source_, other_;
  std::optional<inspector::GapRun> run_;  // reads from the stores: gone before them
};

int run_gap(const Arguments& args) {
  GapCommand run(args);
  std::string text;
  Status status = run.measure();
  if (status.ok()) status = run.write(&text);
  return status.ok() ? write_output(args, text, run.exit_code()) : fail(status);
}

}  // namespace

constexpr CommandSpec kGapCommand = {
    .name = "gap",
    .summary = "how far the logged tensors of a run are from those of a good one, and which op is to blame",
    .description =
        "Compares the tensors that each op of an execution logged (et-run --debug-buffer) with those of a reference:\n"
        "the graph of the ETRecord, which et-check works out node by node without PyTorch, another trace, or tensors "
        "that\n"
        "were recorded in Python. Against the graph each op is also held against what it should have made of its own\n"
        "inputs: one that differs there 'adds' error, one that does not 'passes on' what it was fed. Where its inputs\n"
        "were not recorded, its own error is unknown. NaN equals NaN.",
    .positionals = kGapPositionals,
    .groups = kGapGroups,
    .examples = kGapExamples,
    .run = run_gap,
};

}  // namespace et::cli
