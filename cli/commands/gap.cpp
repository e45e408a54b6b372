// `et-inspect gap TRACE`: how far the values that a run logged are from those of a good one, and where they part.
#include <algorithm>
#include <filesystem>

#include "base/quantity.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/gap/graph_values.h"
#include "cli/gap/tensor_files.h"
#include "cli/output.h"
#include "cli/trace_source.h"
#include "inspector/analysis/gap/renamed_nodes.h"
#include "inspector/report/gap_report.h"
#include "inspector/store/file_kind.h"

namespace et::cli {
namespace {

constexpr OptionSpec kGapPositionals[] = {kTraceArgument};
constexpr OptionSpec kGap[] = {
    repeated(value_option("against", 0, "REFERENCE",
                          "what is right: another trace with logged values (its files in any order, or a trace in a "
                          "store), an .npz archive or a folder of .npy files (default: the graph of the ETRecord)",
                          Complete::File)),
    number_option("execution", 0, nullptr, "which execution, from 0 (default: the last)"),
    choice_option("sort", 0, "KEY", "order|error|own|max|mse|l1|snr|cosine", "order",
                  "what rows are ranked by; order: as they ran"),
    with_default(number_option("top", 'k', nullptr, "only the first N rows; one more row sums up the rest"), "30"),
    value_option("tolerance", 0, "SHARE",
                 "error up to which floating point is rounding, as a share of the tensor's largest value (default: "
                 "0.01%; of float16 and bfloat16 1%)"),
    value_option("fail-above", 0, "SHARE", "exit code 1 when a value's error, as a share, is above this"),
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

/// Recorded tensors; everything else is a trace.
bool is_tensors(const std::string& word) {
  using inspector::FileKind;
  const FileKind kind = inspector::file_kind(word);
  if (kind == FileKind::Zip) return true;
  if (kind != FileKind::Directory) return false;
  std::error_code ec;
  for (const auto& e : std::filesystem::directory_iterator(word, ec)) {
    if (e.path().extension() == ".npy") return true;
  }
  return false;
}

struct Executed {
  std::string record, method;
  std::optional<int64_t> test_case;
};

Status read_executed(const TraceSource& source, std::optional<int64_t> execution, Executed* out) {
  inspector::Statement st = source.store.query(
      "SELECT coalesce(t.record_path, ''), coalesce(b.method, ''), b.bundled_input_index FROM executions e JOIN blocks "
      "b "
      "ON b.block_id = e.block_id JOIN traces t ON t.trace_id = e.trace_id WHERE e.trace_id = ?1 AND b.kind = "
      "'execute' "
      "ORDER BY e.start_ns, e.run_id");
  st.bind_all(source.trace_id);
  for (int64_t at = 0; st.step(); ++at) {
    if (execution && at > *execution) break;
    *out = {st.str(0), st.str(1), st.maybe_integer(2)};
    if (out->test_case && *out->test_case < 0) out->test_case.reset();
  }
  return st.finish("the executions");
}

class GapRun {
 public:
  explicit GapRun(const Arguments& args) : args_(args) {}

  Status measure() {
    if (Status s = read_limit(args_, "tolerance", &options_.tolerance); !s.ok()) return s;
    if (Status s = read_limit(args_, "fail-above", &limit_); !s.ok()) return s;
    if (args_.given("execution")) execution_ = args_.integer("execution");
    if (Status s = open_trace_source(args_, &source_); !s.ok()) return s;
    warn_of_diagnostics(args_, source_);
    Status status = inspector::open_gap_side(source_.store, source_.trace_id, execution_, std::nullopt, &run_);
    if (!status.ok()) return status;
    return args_.given("against") ? measure_against() : measure_graph();
  }

  Status write(std::string* text) const {
    const inspector::GapReportOptions options = {.format = args_.text("format"),
                                                 .order = *inspector::parse_gap_order(args_.text("sort")),
                                                 .top = args_.integer("top", 30),
                                                 .color = use_color(args_),
                                                 .width = output_width(args_)};
    return inspector::write_gap(gap_, run_, reference_, options, text);
  }

  int exit_code() const {
    const int code = exit_code_of_trace(source_);
    if (code != kExitOk || !limit_) return code;
    const bool failed = std::any_of(gap_.rows.begin(), gap_.rows.end(),
                                    [&](const inspector::GapRow& row) { return row.figures.relative() > *limit_; });
    return failed ? kExitDifference : kExitOk;
  }

 private:
  Status measure_against() {
    const std::vector<std::string>& words = args_.list("against");
    Status status;
    if (words.size() == 1 && is_tensors(words.front())) {
      status = open_tensor_files(words.front(), handle_nodes(source_.store, source_.trace_id), &reference_);
    } else {
      status = open_other_trace(words);
    }
    return status.ok() ? compare(nullptr) : status;
  }

  Status open_other_trace(const std::vector<std::string>& words) {
    Arguments other = args_.with("trace", words);
    for (const char* option : {"etrecord", "pte", "debug-buffer", "checks", "store", "name"}) {
      other = other.with(option, {});
    }
    if (Status s = open_trace_source(other, &other_); !s.ok()) return s;
    warn_of_diagnostics(other, other_);
    Executed executed;
    if (Status s = read_executed(source_, execution_, &executed); !s.ok()) return s;
    // The same test case, else the execution of the same number, where there is one.
    Status status =
        inspector::open_gap_side(other_.store, other_.trace_id, execution_, executed.test_case, &reference_);
    if (!status.ok()) return status;
    return inspector::rename_nodes(source_.store, source_.trace_id, other_.store, other_.trace_id, &run_, &reference_);
  }

  Status measure_graph() {
    Executed executed;
    Status status = read_executed(source_, execution_, &executed);
    const HandleNodes handles = handle_nodes(source_.store, source_.trace_id);
    if (status.ok())
      status = graph_.run(args_, executed.record, executed.method, executed.test_case, handles, &reference_);
    if (status.ok()) status = compare(nullptr);
    if (!status.ok() || !gap_.first) return status;
    inspector::GapSide own;
    if (Status s = graph_.run_fed(run_, gap_, reference_, handles, &own); !s.ok()) {
      print_warning(args_, "which ops add error is not known: " + s.message());
      return {};
    }
    return compare(&own);
  }

  Status compare(const inspector::GapSide* own) {
    return inspector::measure_run(source_.store, source_.trace_id, run_, reference_, own, options_, &gap_);
  }

  const Arguments& args_;
  inspector::GapOptions options_;
  std::optional<double> limit_;
  std::optional<int64_t> execution_;
  TraceSource source_, other_;
  GraphValues graph_;
  inspector::GapSide run_, reference_;
  inspector::Gap gap_;
};

int run_gap(const Arguments& args) {
  GapRun run(args);
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
        "inputs: one that differs there 'adds' error, one that does not 'passes on' what it was fed. NaN equals NaN.",
    .positionals = kGapPositionals,
    .groups = kGapGroups,
    .examples = kGapExamples,
    .run = run_gap,
};

}  // namespace et::cli
