#include "cli/run/failure_place.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

#include "inspector/analysis/ops/places.h"
#include "inspector/ingest/ingest.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::cli {
namespace {

constexpr size_t kMaxLines = 20;
constexpr char kHandle[] = "debug handle ";

std::string line(const std::string& text) { return "  " + inspector::printable(text) + "\n"; }

std::string node_line(const inspector::Place& p) { return line(p.text() + (p.code.empty() ? "" : ": " + p.code)); }

bool is_quantisation(const inspector::Place& p) { return p.op.starts_with("quantized_decomposed."); }

/// A line for each Python line, in the graph's order: "models.py:94: y = self.conv(y)  # aten.convolution.default".
/// Scalings between operators are named only where nothing else is.
std::vector<std::string> by_line(const std::vector<inspector::Place>& nodes) {
  const bool all = std::all_of(nodes.begin(), nodes.end(), is_quantisation);
  struct Line {
    std::string place;
    std::vector<std::string> ops;
  };
  std::vector<Line> lines;
  for (const inspector::Place& p : nodes) {
    if (!all && is_quantisation(p)) continue;
    std::string place = p.file.empty() ? "(no line)" : p.file_line();
    if (!p.code.empty()) place += ": " + p.code;
    auto at = std::find_if(lines.begin(), lines.end(), [&](const Line& l) { return l.place == place; });
    if (at == lines.end()) at = lines.insert(lines.end(), {place, {}});
    if (std::find(at->ops.begin(), at->ops.end(), p.op) == at->ops.end()) at->ops.push_back(p.op);
  }
  std::vector<std::string> out;
  for (const Line& l : lines) {
    if (out.size() == kMaxLines) {
      out.push_back("… and " + std::to_string(lines.size() - kMaxLines) + " more lines");
      break;
    }
    out.push_back(l.place + "  # " + inspector::joined(l.ops, ", "));
  }
  return out;
}

/// The handle that a backend named, -1 without.
int64_t handle_in(const std::string& error) {
  const size_t at = error.find(kHandle);
  if (at == std::string::npos) return -1;
  int64_t handle = -1;
  const char* first = error.data() + at + std::strlen(kHandle);
  std::from_chars(first, error.data() + error.size(), handle);
  return handle;
}

}  // namespace

std::string failure_text(const FailurePlace& place) {
  inspector::Store store;
  inspector::IngestInputs inputs;
  inputs.program = place.program;
  inputs.record = place.record;
  inspector::IngestResult imported;
  Status status = inspector::Store::open("", inspector::Store::Mode::Memory, &store);
  if (status.ok()) status = inspector::ingest(store, inputs, {}, &imported);
  if (!status.ok()) return line("cannot find the place in the model: " + status.message());
  std::string out;
  if (const int64_t handle = handle_in(place.error); handle >= 0 && !place.record.empty()) {
    const inspector::HandlePlaces found = inspector::places_of_handle(store, imported.trace_id, place.method, handle);
    for (const inspector::Place& p : found.nodes) out += node_line(p);
  }
  inspector::InstructionPlace at;
  if (place.instruction < 0) return out;
  status = inspector::place_of_instruction(store, imported.trace_id, place.method, place.instruction, &at);
  if (!status.ok()) return out + line(status.message());
  std::string what = "instruction " + std::to_string(at.instruction) + ": ";
  if (at.delegate >= 0) {
    what += "delegate " + std::to_string(at.delegate) + " (" + at.backend;
    what += at.payload_bytes < 0 ? ")" : ", payload of " + inspector::format_bytes(at.payload_bytes) + ")";
  } else {
    what += at.op.empty() ? at.kind : at.op;
  }
  if (at.nodes.empty()) {
    return out + line(what + (place.record.empty() ? "; graph nodes and lines need --etrecord" : ""));
  }
  // Nodes of one operator of the model share a handle: there may be more of them than belong to this instruction.
  const auto count = static_cast<int64_t>(at.nodes.size());
  const int64_t own = at.node_count > 0 && at.node_count < count ? at.node_count : count;
  what += ", " + inspector::plural(own, "node");
  out += line(what + (own < count ? " of the " + std::to_string(count) + " that share their debug handles" : ""));
  for (const std::string& l : by_line(at.nodes)) out += "  " + line(l);
  return out;
}

}  // namespace et::cli
