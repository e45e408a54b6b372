#include "inspector/analysis/ops/places.h"

#include "inspector/store/line_rule.h"

namespace et::inspector {
namespace {

Place place_of(const Statement& row) {
  Place p;
  p.handle = row.is_null(0) ? -1 : row.integer(0);
  p.method = row.str(1);
  p.node = row.str(2);
  p.op = row.str(3);
  p.file = row.str(4);
  p.line = row.integer(5);
  p.function = row.str(6);
  p.code = row.str(7);
  p.module_path = row.str(8);
  p.module_type = row.str(9);
  p.id = row.integer(10);
  return p;
}

constexpr const char* kNode =
    "SELECT debug_handle, method, name, op, file, line, function, code, module_path, module_type, node_id FROM nodes ";

void add_frames(const Store& store, int64_t trace_id, std::vector<Place>* places) {
  const auto owners = owners_of_files(store, trace_id);
  Statement st = store.query("SELECT file, line, function FROM frames WHERE node_id = ?1 ORDER BY depth");
  for (Place& p : *places) {
    if (const auto owner = owners.find(p.file); owner != owners.end()) p.frame = owner->second;
    st.bind_all(p.id);
    while (st.step()) p.frames.push_back({.file = st.str(0), .function = st.str(2), .line = st.integer(1)});
    st.reset();
  }
}

std::vector<Place> nodes_with(const Store& store, int64_t trace_id, const std::string& method, int64_t handle,
                              bool edge) {
  std::vector<Place> out;
  Statement st = store.query(std::string(kNode) +
                             "WHERE trace_id = ?1 AND debug_handle = ?2 AND (?3 = '' OR method = ?3) AND (graph = "
                             "'edge') = ?4 ORDER BY method, ordinal");
  st.bind_all(trace_id, handle, method, static_cast<int64_t>(edge));
  while (st.step()) out.push_back(place_of(st));
  return out;
}

InstructionPlace instruction_of(const Statement& row) {
  InstructionPlace i;
  i.method = row.str(0);
  i.instruction = row.integer(1);
  i.kind = row.str(2);
  i.op = row.str(3);
  i.backend = row.str(4);
  i.delegate = row.is_null(5) ? -1 : row.integer(5);
  i.payload_bytes = row.is_null(6) ? -1 : row.integer(6);
  i.node_count = row.integer(7);
  return i;
}

constexpr const char* kInstruction =
    "SELECT i.method, i.instruction_id, i.kind, i.operator, d.backend, d.ordinal, d.payload_bytes, "
    "coalesce(json_array_length(i.debug_handles), 0) FROM instructions i "
    "LEFT JOIN delegates d ON d.delegate_id = i.delegate_id WHERE i.trace_id = ?1 AND (?2 = '' OR i.method = ?2) ";

}  // namespace

std::string Place::text() const {
  std::string out = handle < 0 ? "" : "handle " + std::to_string(handle) + " → ";
  out += op.empty() ? node : op;
  if (!file.empty()) out += " → " + file_line();
  return out;
}

std::string Place::file_line() const {
  return file.empty() ? "" : file.substr(file.find_last_of("/\\") + 1) + ":" + std::to_string(line);
}

HandlePlaces places_of_handle(const Store& store, int64_t trace_id, const std::string& method, int64_t handle) {
  HandlePlaces out;
  out.nodes = nodes_with(store, trace_id, method, handle, true);
  if (out.nodes.empty()) out.nodes = nodes_with(store, trace_id, method, handle, false);
  add_frames(store, trace_id, &out.nodes);
  Statement inside = store.query(
      "SELECT d.method, d.backend, p.type, d.ordinal, p.ordinal, p.label FROM payload_nodes p JOIN delegates d ON "
      "d.delegate_id "
      "= p.delegate_id WHERE p.trace_id = ?1 AND p.debug_handle = ?2 AND (?3 = '' OR d.method = ?3) ORDER BY d.method, "
      "d.ordinal, p.ordinal");
  inside.bind_all(trace_id, handle, method);
  while (inside.step()) {
    out.payload_nodes.push_back(
        {inside.str(0), inside.str(1), inside.str(2), inside.integer(3), inside.integer(4), inside.str(5)});
  }
  Statement st =
      store.query(std::string(kInstruction) +
                  "AND EXISTS (SELECT 1 FROM json_each(i.debug_handles) WHERE value = ?3) ORDER BY i.method, "
                  "i.instruction_id");
  st.bind_all(trace_id, method, handle);
  while (st.step()) out.instructions.push_back(instruction_of(st));
  return out;
}

std::string handle_range_text(const Store& store, int64_t trace_id, const std::string& method) {
  Statement st = store.query(
      "SELECT min(h), max(h), count(DISTINCT h) FROM (SELECT debug_handle AS h FROM nodes WHERE trace_id = ?1 AND "
      "(?2 = '' OR method = ?2) AND debug_handle IS NOT NULL UNION SELECT value FROM instructions i, "
      "json_each(i.debug_handles) WHERE i.trace_id = ?1 AND (?2 = '' OR i.method = ?2))");
  st.bind_all(trace_id, method);
  if (!st.step() || st.is_null(0)) return "";
  return "handles are " + std::to_string(st.integer(0)) + " to " + std::to_string(st.integer(1)) + ", " +
         std::to_string(st.integer(2)) + " of them";
}

Status place_of_instruction(const Store& store, int64_t trace_id, const std::string& method, int64_t instruction,
                            InstructionPlace* out) {
  Statement st = store.query(std::string(kInstruction) + "AND i.instruction_id = ?3 ORDER BY i.method");
  st.bind_all(trace_id, method, instruction);
  if (!st.step()) {
    Statement count = store.query("SELECT count(*) FROM instructions WHERE trace_id = ?1 AND (?2 = '' OR method = ?2)");
    count.bind_all(trace_id, method);
    const int64_t n = count.step() ? count.integer(0) : 0;
    return {Error::NotFound, "there is no instruction " + std::to_string(instruction) +
                                 (method.empty() ? "" : " in method " + method) + "; " +
                                 (n == 0 ? "no instruction is known: give the program (--pte)"
                                         : "there are " + std::to_string(n) + " instructions")};
  }
  *out = instruction_of(st);
  Statement nodes = store.query(
      std::string(kNode) +
      "WHERE trace_id = ?1 AND method = ?2 AND graph = 'edge' AND debug_handle IN (SELECT h.value FROM instructions i, "
      "json_each(i.debug_handles) h WHERE i.trace_id = ?1 AND i.method = ?2 AND i.instruction_id = ?3) ORDER BY "
      "ordinal");
  nodes.bind_all(trace_id, out->method, instruction);
  while (nodes.step()) out->nodes.push_back(place_of(nodes));
  add_frames(store, trace_id, &out->nodes);
  return {};
}

}  // namespace et::inspector
