#include "cli/machine_options.h"

#include <algorithm>
#include <charconv>

namespace et::cli {

Status read_trace_machine(const TraceSource& source, TraceMachine* out) {
  inspector::Statement st = source.store.query("SELECT cpu, coalesce(threads, 1) FROM traces WHERE trace_id = ?1");
  st.bind_all(source.trace_id);
  if (st.step()) *out = {st.str(0), st.integer(1)};
  return st.finish("the trace");
}

Status find_machine(const Arguments& args, const TraceMachine& trace, inspector::MachinePeaks* peaks, bool* found,
                    std::string* hint) {
  *found = args.given("machine");
  if (*found) return inspector::read_machine(args.text("machine"), peaks);
  Status status = inspector::find_host_machine(trace.cpu, trace.threads, peaks, found, hint);
  if (!hint->empty()) *hint += peaks->gflops > 0 ? "; --machine takes its peaks" : ", and give its file with --machine";
  return status;
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

}  // namespace et::cli
