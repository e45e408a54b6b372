#include "inspector/ingest/found_files.h"

#include "inspector/ingest/method_inference.h"
#include "inspector/match/operator_name.h"

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
    if (in.kind != format::InstructionKind::KernelCall || handles == nullptr) continue;
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
  return a;
}

}  // namespace

ForeignFiles foreign_files(const Import& in) {
  ForeignFiles out;
  const IngestInputs& inputs = in.context.inputs;
  const bool record = inputs.was_found("etrecord"), program = inputs.was_found("pte");
  if (record && in.context.diagnostics.has("record-damaged"))
    out["etrecord"] = cause_of(in, "record-damaged", inputs.record);
  if (!inputs.dump.empty() || (!record && !program) || !in.record.loaded() || !in.program.loaded()) return out;
  bool common = false;
  std::string first;
  for (const MethodFacts& m : in.program.methods()) {
    if (in.record.graph(m.name) == nullptr) continue;
    common = true;
    const Agreement a = agree_with_each_other(in.record, m);
    if (!a.possible() && first.empty()) first = a.first;
  }
  bool graphs = false;
  for (const std::string& m : in.record.methods()) graphs = graphs || in.record.graph(m) != nullptr;
  if (!common && graphs) first = "no method of the program is in the ETRecord";
  // What was found gives way to what was named.
  if (!first.empty()) out[record ? "etrecord" : "pte"] = "another model's: " + first;
  return out;
}

ForeignFiles foreign_files(const Import& in, const LinkContext& links, const Block& block) {
  ForeignFiles out;
  const IngestInputs& inputs = in.context.inputs;
  const bool record = inputs.was_found("etrecord"), program = inputs.was_found("pte");
  if (block.kind != "execute" || (!record && !program)) return out;
  if (record && links.record_mismatch.contains(block.ordinal)) {
    out["etrecord"] = "another model's: " + cause_of(in, "record-mismatch", inputs.record);
  }
  if (program && links.program_mismatch.contains(block.ordinal)) {
    out["pte"] = "another model's: " + cause_of(in, "program-mismatch", inputs.program);
  }
  if (!block.method.empty()) return out;
  // It fits none of several methods, or more than one.
  const auto refuse = [&](const char* option, const std::string& first) {
    out[option] = "another model's: no method has the operators of the ETDump: " + first;
  };
  std::string first;
  bool any = false;
  for (const MethodFacts& m : in.program.methods()) {
    const Agreement a = agree_with_program(in.trace, block, m);
    any = any || a.possible();
    if (first.empty()) first = a.first;
  }
  if (program && in.program.loaded() && !any) refuse("pte", first);
  first.clear();
  any = false;
  for (const std::string& m : in.record.methods()) {
    const Agreement a = agree_with_record(in.trace, block, in.record, m);
    any = any || a.possible();
    if (first.empty()) first = a.first;
  }
  if (record && in.record.loaded() && !any) refuse("etrecord", first);
  return out;
}

}  // namespace et::inspector
