#include "cli/machine_options.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/basis_option.h"
#include "cli/console.h"

namespace et::cli {
namespace {

Status find_machine(const Arguments& args, WorkSource* out, std::string* hint) {
  out->has_machine = args.given("machine");
  if (out->has_machine) return inspector::read_machine(args.text("machine"), &out->machine);
  Status status = inspector::find_host_machine(out->trace, &out->machine, &out->has_machine, hint);
  if (!hint->empty() && !out->has_machine)
    *hint += out->machine.gflops > 0 ? "; --machine takes its peaks" : ", and give its file with --machine";
  return status;
}

/// Errors: InvalidArgument for what is not NAME=N.
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

}  // namespace

Status open_work_source(const Arguments& args, WorkSource* out) {
  std::optional<inspector::Basis> basis;
  std::string hint;
  TraceSource& source = out->source;
  Status status = read_basis(args, &basis);
  if (status.ok()) status = read_dims(args, &out->dims);
  if (status.ok()) status = open_trace_source(args, &source);
  if (status.ok()) status = inspector::read_trace_machine(source.store, source.trace_id, &out->trace);
  if (status.ok()) status = find_machine(args, out, &hint);
  if (!status.ok()) return status;
  warn_of_diagnostics(args, source);
  if (!hint.empty()) print_note(args, hint);
  return inspector::load_shown_ops(source.store, source.trace_id, {.basis = basis.value_or(inspector::Basis{})},
                                   &out->table);
}

}  // namespace et::cli
