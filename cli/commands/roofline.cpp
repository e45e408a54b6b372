// `et-inspect roofline TRACE`: what each op achieved against what the machine can do.
#include "inspector/report/roofline_report.h"

#include <charconv>
#include <filesystem>

#include "cli/basis_option.h"
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/trace_source.h"

namespace et::cli {
namespace {

constexpr OptionSpec kRooflinePositionals[] = {kTraceArgument};
constexpr OptionSpec kRoofline[] = {
    kBasisOption,
    kUnitsOption,
    with_default(number_option("top", 'k', nullptr, "only the first N rows; one more row sums up the rest"), "20"),
    repeated(value_option("dim", 0, "NAME=N", "number for a symbol of dynamic shapes, e.g. s27=128", Complete::None,
                          Value::Pair)),
    file_option("machine", 0,
                "peaks of the machine, from et-run --calibrate (default: those of this host, when they are of the "
                "trace's processor)"),
};
constexpr OptionGroup kRooflineOptions = {"Roofline", kRoofline};
constexpr const OptionGroup* kRooflineGroups[] = {&kInputOptions, &kRooflineOptions, &kFormatOptions};
constexpr Example kRooflineExamples[] = {
    {"roofline etdump.etdp --etrecord etrecord.bin",
     "GFLOP/s and GB/s of each op; with its roof once et-run --calibrate ran here"},
    {"roofline pixel/ --machine pixel.toml", "a trace of a device, with the device's peaks"},
};

struct TraceMachine {
  std::string cpu;
  int64_t threads = 1;
};

Status read_trace_machine(const TraceSource& source, TraceMachine* out) {
  inspector::Statement st = source.store.query("SELECT cpu, coalesce(threads, 1) FROM traces WHERE trace_id = ?1");
  st.bind_all(source.trace_id);
  if (st.step()) *out = {st.str(0), st.integer(1)};
  return st.finish("the trace");
}

/// Peaks that were asked for, or those of this host where the trace was made on its processor.
Status find_machine(const Arguments& args, const TraceMachine& trace, inspector::MachinePeaks* peaks, bool* found,
                    std::string* hint) {
  *found = args.given("machine");
  if (*found) return inspector::read_machine(args.text("machine"), peaks);
  const std::string path = inspector::machine_file(inspector::host_name(), trace.threads);
  if (path.empty() || !std::filesystem::exists(path)) {
    const std::string threads = trace.threads == 1 ? "" : " --threads " + std::to_string(trace.threads);
    *hint = "without the machine's peaks there are no roofs: run 'et-run --calibrate" + threads +
            "' where the trace was made, and give its file with --machine";
    return {};
  }
  if (Status s = inspector::read_machine(path, peaks); !s.ok()) return s;
  *found = trace.cpu.empty() || peaks->cpu.empty() || peaks->cpu == trace.cpu;
  if (!*found)
    *hint = path + " is of another processor (" + peaks->cpu + ") than the trace (" + trace.cpu +
            "); --machine takes its peaks";
  return {};
}

Status read_dims(const Arguments& args, inspector::DimValues* out) {
  for (const std::string& text : args.list("dim")) {
    const size_t sign = std::min(text.find('='), text.size());
    const std::string value = text.substr(std::min(sign + 1, text.size()));
    int64_t n = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (error != std::errc() || end != value.data() + value.size() || n < 0 || sign == 0)
      return {Error::InvalidArgument, "--dim: expected NAME=N, got '" + text + "'"};
    (*out)[text.substr(0, sign)] = n;
  }
  return {};
}

int run_roofline(const Arguments& args) {
  std::optional<inspector::Basis> basis;
  TraceSource source;
  TraceMachine trace;
  inspector::MachinePeaks peaks;
  bool has_peaks = false;
  std::string hint, text;
  inspector::DimValues dims;
  Status status = read_basis(args, &basis);
  if (status.ok()) status = read_dims(args, &dims);
  if (status.ok()) status = open_trace_source(args, &source);
  if (status.ok()) status = read_trace_machine(source, &trace);
  if (status.ok()) status = find_machine(args, trace, &peaks, &has_peaks, &hint);
  if (!status.ok()) return fail(status);
  warn_of_diagnostics(args, source);
  if (!hint.empty()) print_note(args, hint);
  inspector::OpTable table;
  inspector::Roofline roofline;
  status =
      inspector::load_shown_ops(source.store, source.trace_id, {.basis = basis.value_or(inspector::Basis{})}, &table);
  if (status.ok()) status = inspector::roofline(source.store, table, has_peaks ? &peaks : nullptr, dims, &roofline);
  const inspector::RooflineReportOptions options = {.format = args.text("format"),
                                                    .units = args.text("units"),
                                                    .top = args.integer("top", 20),
                                                    .color = use_color(args),
                                                    .width = output_width(args)};
  if (status.ok())
    status = inspector::write_roofline(roofline, has_peaks ? &peaks : nullptr, trace.cpu, options, &text);
  return status.ok() ? write_output(args, text, exit_code_of_trace(source)) : fail(status);
}

}  // namespace

constexpr CommandSpec kRooflineCommand = {
    .name = "roofline",
    .summary = "operations and bytes of each op, what it achieved, and what the machine could",
    .description =
        "Counts operations and bytes from the shapes of the graph nodes (a multiplication and an addition are one "
        "each; a\n"
        "fused kernel reads and writes only what crosses its border) and divides them by the time of the op. With the\n"
        "machine's peaks each op has a roof: 'compute' or 'memory' says which, 'overhead' that there is less to do "
        "than\n"
        "calling it costs. Caches count: the bandwidth is that of a working set of the op's size.",
    .positionals = kRooflinePositionals,
    .groups = kRooflineGroups,
    .examples = kRooflineExamples,
    .run = run_roofline,
};

}  // namespace et::cli
