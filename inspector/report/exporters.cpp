#include "inspector/report/exporters.h"

#include <array>

namespace et::inspector {

// One function a format, each in its export_<format>.cpp.
Status export_chrome(const Store&, int64_t, const ExportOptions&, std::ostream&);
Status export_perfetto(const Store&, int64_t, const ExportOptions&, std::ostream&);
Status export_speedscope(const Store&, int64_t, const ExportOptions&, std::ostream&);
Status export_folded(const Store&, int64_t, const ExportOptions&, std::ostream&);
Status export_html(const Store&, int64_t, const ExportOptions&, std::ostream&);

namespace {

constexpr std::array<Exporter, 5> kExporters = {{
    {"chrome", "json", "Chrome trace events, for chrome://tracing and the Perfetto UI", export_chrome},
    {"perfetto", "perfetto-trace", "Perfetto's native trace: smaller, and readable by trace_processor",
     export_perfetto},
    {"speedscope", "speedscope.json", "profile for speedscope.app: all runs together, then each", export_speedscope},
    {"folded", "folded", "folded stacks of self time, for flamegraph.pl and inferno", export_folded},
    {"html", "html", "report in a single file that opens offline", export_html},
}};

}  // namespace

std::span<const Exporter> exporters() { return kExporters; }

const Exporter* find_exporter(std::string_view name) {
  for (const Exporter& e : kExporters) {
    if (name == e.name) return &e;
  }
  return nullptr;
}

}  // namespace et::inspector
