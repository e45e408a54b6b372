#include "inspector/analysis/findings/program_findings.h"

#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "inspector/analysis/program_file.h"
#include "inspector/text/words.h"
#include "runtime/backends/backend_names.h"
#include "runtime/format/payload.h"
#include "runtime/format/program.h"
#include "runtime/format/xnnpack_faults.h"
#include "runtime/format/xnnpack_payload.h"
#include "runtime/kernels/operator_names.h"

namespace et::inspector {
namespace {

using format::InstructionKind;

struct Needs {
  std::map<std::string, std::set<std::string>> operators;  // that have no kernel: methods that call them
  std::map<std::string, int> backends;                     // delegates of each
  std::set<std::string> external;                          // tensors in another file
  std::set<std::string> external_of_delegates;             // keys of weights that the program does not hold
  int unbounded = 0;
  size_t unwritten_values = 0, int32_biases = 0;  // of XNNPACK payloads: what the exporter gets wrong
  uint32_t instructions = 0;
};

/// Weights that the nodes of an XNNPACK payload name and the program does not hold; what is wrong with the payload.
void look_at_payload(std::span<const uint8_t> bytes, const std::set<std::string_view>& held, Needs* needs) {
  if (!format::is_xnnpack_payload(bytes)) return;
  std::vector<uint64_t> aligned(bytes.size() / 8 + 1);  // the verified view wants it so
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  format::XnnpackPayload payload;
  if (!format::XnnpackPayload::open({reinterpret_cast<const uint8_t*>(aligned.data()), bytes.size()}, &payload).ok())
    return;
  needs->unwritten_values += format::unwritten_values(payload).size();
  needs->int32_biases += format::float_nodes_with_int32_bias(payload).size();
  for (uint32_t v = 0; v < payload.value_count(); ++v) {
    for (const format::XnnConstant& c : {payload.value(v).constant(), payload.value(v).scale_constant()}) {
      if (c.place == format::XnnConstant::Place::Named && !held.contains(c.key))
        needs->external_of_delegates.insert(std::string(c.key));
    }
  }
}

void look_at(const format::Method& method, const std::set<std::string>& kernels, const std::set<std::string_view>& held,
             Needs* needs) {
  for (uint32_t c = 0; c < method.chain_count(); ++c) {
    const format::Chain chain = method.chain(c);
    for (uint32_t i = 0; i < chain.instruction_count(); ++i) {
      ++needs->instructions;
      const format::Instruction in = chain.instruction(i);
      if (in.kind() != InstructionKind::KernelCall) continue;
      const format::OperatorName op = method.operator_name(static_cast<uint32_t>(in.op_index()));
      std::string name(op.name);
      if (!op.overload.empty()) name += "." + std::string(op.overload);
      if (!kernels.contains(name)) needs->operators[name].insert(std::string(method.name()));
    }
  }
  for (uint32_t i = 0; i < method.delegate_count(); ++i) {
    ++needs->backends[std::string(method.delegate(i).id())];
    look_at_payload(method.delegate(i).payload(), held, needs);
  }
  for (uint32_t v = 0; v < method.value_count(); ++v) {
    if (method.value(v).kind() != format::ValueKind::Tensor) continue;
    const format::TensorView t = method.value(v).as_tensor();
    if (t.is_external()) needs->external.insert(std::string(t.fully_qualified_name()));
    needs->unbounded +=
        t.shape_dynamism() == format::ShapeDynamism::DynamicUnbound && t.data() != format::TensorData::None;
  }
}

using Findings = std::vector<Finding>;

void missing_operators(const Needs& needs, Findings* out) {
  for (const auto& [name, methods] : needs.operators) {
    out->push_back({"error", "missing-operator",
                    "operator " + name + " has no kernel (method " + joined(methods, ", ") + ")",
                    "Register one with EXECUTORCH_LIBRARY, or decompose it at export."});
  }
}

const BackendName* backend_named(const std::string& id) {
  for (const BackendName& b : kBackendNames) {
    if (b.name != nullptr && id == b.name) return &b;
  }
  return nullptr;
}

bool runs_here(const std::string& id) {
  const BackendName* const known = backend_named(id);
  return known != nullptr && known->refuses[0] == '\0';
}

// The file is sound: it is this machine that cannot run it.
void missing_backends(const Needs& needs, Findings* out) {
  for (const auto& [id, count] : needs.backends) {
    if (runs_here(id)) continue;
    const std::string delegates = plural(count, "delegate") + (count == 1 ? " needs " : " need ") + id;
    if (const BackendName* const known = backend_named(id); known != nullptr) {
      out->push_back(
          {"warning", "missing-backend", delegates + ", which et-run knows but cannot run: " + known->refuses,
           "et-run --fallback runs the program as far as it gets without, and et-inspect payloads shows what is "
           "inside."});
    } else {
      out->push_back({"warning", "missing-backend", delegates + ", a backend that et-run does not have",
                      "The program runs where that backend is linked. To run it here, link a backend of that name or "
                      "export without its partitioner; et-run --fallback runs it as far as it gets."});
    }
  }
}

void unbounded_tensors(const Needs& needs, Findings* out) {
  if (needs.unbounded == 0) return;
  out->push_back({"error", "unbounded-tensor", std::to_string(needs.unbounded) + " planned tensors have no upper bound",
                  "Give the dynamic dimensions a maximum at export."});
}

void external_weights(const Needs& needs, Findings* out) {
  if (needs.external.empty() && needs.external_of_delegates.empty()) return;
  std::string text;
  if (!needs.external.empty()) {
    text = plural(static_cast<int64_t>(needs.external.size()), "tensor") + " (" + joined(needs.external, ", ") + ")";
  }
  if (!needs.external_of_delegates.empty()) {
    text += (text.empty() ? "" : " and ") + plural(static_cast<int64_t>(needs.external_of_delegates.size()), "weight") +
            " of delegates";
  }
  out->push_back({"info", "external-weights", "needs a separate file of weights (.ptd): " + text,
                  "Pass it to et-run with --data."});
}

void faults_of_the_export(const Needs& needs, Findings* out) {
  if (needs.unwritten_values > 0) {
    out->push_back(
        {"warning", "lost-conversion",
         plural(static_cast<int64_t>(needs.unwritten_values), "value") +
             " of XNNPACK delegates that nothing writes: upstream's runtime computes with leftover memory",
         "The export lost a quantisation. et-run restores it where it can; for other runtimes keep the layer "
         "behind the product of two activations in float."});
  }
  if (needs.int32_biases > 0) {
    out->push_back({"warning", "shared-bias",
                    plural(static_cast<int64_t>(needs.int32_biases), "float node") +
                        " of XNNPACK delegates with an int8 node's bias: upstream's runtime refuses the program",
                    "A layer is called with int8 and with float activations: give each call a copy of the layer."});
  }
}

/// What the program can rely on; "runnable" when that is all it needs.
Finding what_is_there(uint32_t methods, const Needs& needs) {
  std::string text = plural(methods, "method") + ", " + plural(needs.instructions, "instruction") + ": ";
  const bool kernels = needs.operators.empty();
  text += kernels ? "every operator has a kernel"
                  : plural(static_cast<int64_t>(needs.operators.size()), "operator") + " without a kernel";
  std::set<std::string> there;
  for (const auto& [id, count] : needs.backends) {
    if (runs_here(id)) there.insert(id);
  }
  const bool backends = there.size() == needs.backends.size();
  if (!there.empty()) {
    text += ", " + std::string(backends ? "every delegate has a backend" : "some delegates have a backend") + " (" +
            joined(there, ", ") + ")";
  }
  if (kernels && backends && needs.unbounded == 0) return {"ok", "runnable", text, ""};
  return {"info", "available", text, ""};
}

// A rule a row.
constexpr void (*kRules[])(const Needs& needs, Findings* out) = {
    missing_operators, missing_backends, unbounded_tensors, external_weights, faults_of_the_export,
};

}  // namespace

Status find_program_findings(const std::string& path, std::vector<Finding>* out) {
  ProgramFile file;
  if (Status s = open_program_file(path, &file); !s.ok()) return s;
  const format::Program& program = file.program;

  const std::set<std::string> kernels(std::begin(kOperatorNames), std::end(kOperatorNames));
  std::set<std::string_view> held;
  for (uint32_t i = 0; i < program.named_data_count(); ++i) held.insert(program.named_data(i).key);
  Needs needs;
  for (uint32_t m = 0; m < program.method_count(); ++m) look_at(program.method(m), kernels, held, &needs);

  for (const auto rule : kRules) rule(needs, out);
  out->push_back(what_is_there(program.method_count(), needs));
  sort_findings(out);
  return {};
}

}  // namespace et::inspector
