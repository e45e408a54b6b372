#include "inspector/report/exporters.h"

namespace et::inspector {

#define ET_EXPORTER(name, extension, stacks, help) \
  Status export_##name(const Store&, int64_t, const ExportOptions&, std::ostream&);
#include "inspector/report/exporters.def"
#undef ET_EXPORTER

namespace {

constexpr Exporter kExporters[] = {
#define ET_EXPORTER(name, extension, stacks, help) {#name, extension, stacks, help, export_##name},
#include "inspector/report/exporters.def"
#undef ET_EXPORTER
};

}  // namespace

std::span<const Exporter> exporters() { return kExporters; }

const Exporter* find_exporter(std::string_view name) {
  for (const Exporter& e : kExporters) {
    if (name == e.name) return &e;
  }
  return nullptr;
}

}  // namespace et::inspector
