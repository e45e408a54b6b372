#include "inspector/ingest/found_files.h"

#include <algorithm>

#include "base/sha256.h"
#include "inspector/ingest/links/link_context.h"
#include "inspector/ingest/method_inference.h"
#include "inspector/match/operator_name.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

/// A message of the diagnostics without the file's name in front.
std::string cause_of(const Import& in, const char* code, const std::string& path) {
  const std::string text = in.context.diagnostics.message(code);
  return text.starts_with(path + ": ") ? text.substr(path.size() + 2) : text;
}

/// Without an ETDump the instructions are all that an ETRecord and a program have in common.
Agreement agree_with_each_other(const RecordImport& record, const MethodFacts& method) {
  Agreement a;
  const MethodGraph* graph = record.graph(method.name);
  if (graph == nullptr) return a;
  const auto contradict = [&](size_t instruction, const std::string& what) {
    ++a.contradictions;
    if (a.first.empty()) a.first = "instruction " + std::to_string(instruction) + " of " + method.name + " is " + what;
  };
  for (size_t i = 0; i < method.instructions.size(); ++i) {
    const InstructionFacts& in = method.instructions[i];
    const auto at = static_cast<int64_t>(i);
    if (in.kind == format::InstructionKind::DelegateCall && record.record().has_delegate_map()) {
      ++a.checked;
      const etrecord::DelegateEntry* entry = record.delegate(method.name, at);
      if (entry == nullptr) contradict(i, "a delegate call in the program alone");
    }
    const std::vector<int64_t>* handles = record.handles(method.name, at);
    if (in.kind != format::InstructionKind::KernelCall) continue;
    if (handles == nullptr) {
      ++a.unknown;
      continue;
    }
    bool found = false;
    std::string first;
    for (const int64_t h : *handles) {
      for (const int32_t n : graph->walk->nodes_of_handle(h)) {
        if (first.empty()) first = graph->node(n).op;
        found |= same_operator(operator_base(in.op), operator_base(graph->node(n).qualified_op));
      }
    }
    if (first.empty()) continue;
    ++a.checked;
    if (!found) contradict(i, in.op + " in the program, " + first + " in the ETRecord");
  }
  const auto& map = record.record().debug_handle_map();
  const auto known = map.find(method.name);
  if (known == map.end() || known->second.empty()) return a;
  const auto last = static_cast<size_t>(std::max<int64_t>(known->second.rbegin()->first, 0));
  if (last >= method.instructions.size()) contradict(last, "in the ETRecord alone");
  return a;
}

bool has_graphs(const RecordImport& record) {
  const std::vector<std::string> methods = record.methods();
  return std::any_of(methods.begin(), methods.end(), [&](const auto& m) { return record.graph(m) != nullptr; });
}

/// A newer backend may have events that nobody knows.
bool too_many(const Import& in, const Block& block, int64_t unmatched) {
  size_t all = 0;
  for (const auto& [instruction, events] : delegate_events(in.trace, block)) all += events.size();
  return unmatched * 4 > static_cast<int64_t>(all);
}

// What was named is used when most of it agrees; what was found has to agree in everything.

std::string program_contradiction(const Import& in, const Block& block, const MethodFacts& method) {
  const Agreement a = agree_with_program(in.trace, block, method);
  if (!a.first.empty()) return a.first;
  if (a.missing > 0) return plural(a.missing, "instruction") + " of it did not run";
  const int64_t rest = unmatched_payload_events(in.trace, block, method);
  return too_many(in, block, rest) ? plural(rest, "event") + " of delegates not in its payloads" : "";
}

std::string record_contradiction(const Import& in, const Block& block, const std::string& method, bool program_known) {
  const Agreement a = agree_with_record(in.trace, block, in.record, method);
  if (!a.first.empty()) return a.first;
  if (a.missing > 0) return plural(a.missing, "instruction") + " of it did not run";
  const MethodGraph* graph = in.record.graph(method);
  if (a.checked == 0 || graph == nullptr) return {};
  bool jumps = false;
  for (const int32_t o : block.ops) jumps = jumps || in.trace.ops[static_cast<size_t>(o)].name == "JF_CALL";
  const auto& nodes = graph->program->nodes;
  const bool branches = std::any_of(nodes.begin(), nodes.end(), [](const auto& n) { return !n.subgraphs.empty(); });
  if (jumps != branches)
    return jumps ? "it has no control flow, the ETDump has" : "it has control flow, the ETDump none";
  // Exporters add kernels behind the graph: those of control flow, and copies into state.
  const int64_t most = jumps ? a.checked : a.checked / 3;
  if (a.unknown > most) return "it does not know " + plural(a.unknown, "kernel") + " that ran";
  // The program has been compared with it already, whatever a backend makes of its events.
  if (program_known) return {};
  const int64_t rest = unmatched_graph_events(in.trace, block, in.record, method, in.context.payload_kinds);
  return too_many(in, block, rest) ? plural(rest, "event") + " of delegates not in its graph" : "";
}

}  // namespace

std::optional<bool> program_hash_agrees(const Import& in) {
  const etdump::Trailer* trailer = in.dump.reader.trailer();
  if (!in.program.loaded() || trailer == nullptr || !trailer->has_program()) return std::nullopt;
  const auto named = trailer->program().sha256;
  if (named.size() != 32) return std::nullopt;
  const auto hash = et::sha256(in.program.file());
  return std::equal(hash.begin(), hash.end(), named.begin());
}

ForeignFiles foreign_files(const Import& in) {
  ForeignFiles out;
  const IngestInputs& inputs = in.context.inputs;
  const bool record = inputs.was_found("etrecord"), program = inputs.was_found("pte");
  if (record && in.context.diagnostics.has("record-damaged")) {
    out["etrecord"] = cause_of(in, "record-damaged", inputs.record);
  } else if (record && !has_graphs(in.record)) {
    out["etrecord"] = "it has no graph; its export failed half-way";
  }
  if (!out.empty()) return out;
  if (!inputs.dump.empty() || (!record && !program) || !in.record.loaded() || !in.program.loaded()) return out;
  bool common = false;
  std::string first;
  for (const MethodFacts& m : in.program.methods()) {
    if (in.record.graph(m.name) == nullptr) continue;
    common = true;
    const Agreement a = agree_with_each_other(in.record, m);
    if (first.empty()) first = a.first;
    if (first.empty() && !m.jumps && a.unknown > a.checked) first = "the ETRecord does not know its kernels";
  }
  if (!common) first = "no method of the program is in the ETRecord";
  // What was found gives way to what was named.
  if (!first.empty()) out[record ? "etrecord" : "pte"] = "another model's: " + first;
  return out;
}

ForeignFiles foreign_files(const Import& in, const Block& block) {
  ForeignFiles out;
  const IngestInputs& inputs = in.context.inputs;
  if (block.kind != "execute" || inputs.found.empty()) return out;
  // A method that is not known may be any that fits.
  const auto check = [&](const char* option, const std::vector<std::string>& methods, const auto& contradiction) {
    std::string first;
    for (const std::string& m : methods) {
      if (!block.method.empty() && m != block.method) continue;
      const std::string text = contradiction(m);
      if (text.empty()) return;
      if (first.empty()) first = text;
    }
    out[option] = "another model's: " + (first.empty() ? "no method " + block.method : first);
  };
  const bool program_known = in.program_hash_agrees.value_or(false);
  if (inputs.was_found("pte") && in.program.loaded() && !program_known) {
    std::vector<std::string> methods;
    for (const MethodFacts& m : in.program.methods()) methods.push_back(m.name);
    check("pte", methods,
          [&](const std::string& m) { return program_contradiction(in, block, *in.program.method(m)); });
  }
  if (inputs.was_found("etrecord") && in.record.loaded() && has_graphs(in.record)) {
    std::vector<std::string> methods = in.record.methods();
    if (methods.size() == 1 && !block.method.empty()) methods[0] = block.method;  // stored as "forward", whatever it is
    check("etrecord", methods, [&](const std::string& m) { return record_contradiction(in, block, m, program_known); });
  }
  return out;
}

}  // namespace et::inspector
