#include "inspector/report/compiled_report.h"

#include <string>

namespace et::inspector {
namespace {

// Utilised: of the multiplications that the device could have done in the expected cycles.
constexpr const char* kCompiledQuery =
    "SELECT c.type, c.name, c.cycles, 1.0 * c.cycles / nullif(sum(c.cycles) OVER (), 0), c.measured_cycles, "
    "1.0 * c.measured_cycles / nullif(c.cycles, 0), c.compute_cycles, c.memory_cycles, c.memory, c.macs, 1.0 * c.macs "
    "/ "
    "nullif(c.cycles * (SELECT f.value FROM payload_facts f WHERE f.delegate_id = c.delegate_id AND f.kind = 'device' "
    "AND f.name = 'MACs per cycle'), 0), c.commands, n.name, n.file, n.line FROM compiled_ops c LEFT JOIN "
    "payload_links "
    "l ON l.payload_node_id = c.payload_node_id AND l.ordinal = 0 LEFT JOIN nodes n ON n.node_id = l.node_id WHERE "
    "c.delegate_id = ?1 ORDER BY c.ordinal";

namespace at {
enum Column : uint8_t {
  kType,
  kName,
  kCycles,
  kShare,
  kMeasured,
  kRatio,
  kCompute,
  kMemory,
  kBusiest,
  kMacs,
  kUtilised,
  kCommands,
  kNode,
  kFile,
  kLine
};
}  // namespace at

Cell integer_cell(const Statement& row, int column) { return row.is_null(column) ? Cell() : Cell(row.integer(column)); }
Cell real_cell(const Statement& row, int column) { return row.is_null(column) ? Cell() : Cell(row.real(column)); }
Cell text_cell(const std::string& v) { return v.empty() ? Cell() : Cell(printable(v)); }

Cell line_cell(const Statement& row) {
  const std::string path = row.str(at::kFile);
  return path.empty() ? Cell()
                      : Cell(printable(path.substr(path.find_last_of("/\\") + 1) + ":" +
                                       std::to_string(row.integer(at::kLine))));
}

}  // namespace

Table compiled_table(const Store& store, int64_t delegate_id) {
  Table t;
  t.columns = {{.title = "operator"},
               {.title = "expected cycles", .kind = CellKind::Integer},
               {.title = "share", .kind = CellKind::Share},
               {.title = "measured cycles", .kind = CellKind::Integer},
               {.title = "measured/expected", .kind = CellKind::Real, .drop = 3},
               {.title = "of computing", .kind = CellKind::Integer, .drop = 4},
               {.title = "of memory", .kind = CellKind::Integer, .drop = 4},
               {.title = "busiest", .drop = 5},
               {.title = "MACs", .kind = CellKind::Integer, .drop = 2},
               {.title = "utilised", .kind = CellKind::Share},
               {.title = "commands", .kind = CellKind::Integer, .drop = 1},
               {.title = "makes", .drop = 6, .min_width = 20},
               {.title = "graph node", .drop = 2, .min_width = 16},
               {.title = "line"}};
  if (!store.has_table("raw_compiled_op")) return t;
  Statement st = store.query(kCompiledQuery);
  st.bind_all(delegate_id);
  int64_t cycles = 0, measured = 0, macs = 0;
  bool any_measured = false;
  while (st.step()) {
    t.add({st.str(at::kType), integer_cell(st, at::kCycles), real_cell(st, at::kShare), integer_cell(st, at::kMeasured),
           real_cell(st, at::kRatio), integer_cell(st, at::kCompute), integer_cell(st, at::kMemory),
           text_cell(st.str(at::kBusiest)), integer_cell(st, at::kMacs), real_cell(st, at::kUtilised),
           integer_cell(st, at::kCommands), text_cell(st.str(at::kName)), text_cell(st.str(at::kNode)), line_cell(st)});
    cycles += st.integer(at::kCycles);
    measured += st.integer(at::kMeasured);
    macs += st.integer(at::kMacs);
    any_measured |= !st.is_null(at::kMeasured);
  }
  if (t.rows.size() < 2) return t;
  const Cell none;
  t.add({"all", cycles, none, any_measured ? Cell(measured) : none,
         any_measured && cycles > 0 ? Cell(static_cast<double>(measured) / static_cast<double>(cycles)) : none, none,
         none, none, macs, none, none, none, none, none},
        RowStyle::Total);
  return t;
}

}  // namespace et::inspector
