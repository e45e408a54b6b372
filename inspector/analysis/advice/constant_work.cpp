// Kernels that compute the same from constants in every execution: transposed weights of a decomposed linear layer,
// masks, positions.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/work/node_work.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

bool is_random(const std::string& op) {
  constexpr std::string_view kRandom[] = {"rand", "dropout", "bernoulli", "normal", "multinomial"};
  return op.find("norm") == std::string::npos
             ? std::any_of(std::begin(kRandom), std::end(kRandom),
                           [&](std::string_view r) { return op.find(r) != std::string::npos; })
             : op.find("normal_") != std::string::npos;
}

/// Buffers that the program writes are no constants.
std::set<std::string> written_buffers(const Store& store, int64_t trace) {
  std::set<std::string> out;
  Statement st = store.query(
      "SELECT DISTINCT target FROM graph_values WHERE trace_id = ?1 AND role = 'output' AND kind LIKE '%mutation' AND "
      "target IS NOT NULL");
  st.bind_all(trace);
  while (st.step()) out.insert(st.str(0));
  return out;
}

/// Weights are stored quantised on purpose, whatever makes floats of them.
bool is_quantisation(const std::string& op) {
  return op.starts_with("quantized_decomposed.") || op.find("quantize_affine") != std::string::npos;
}

/// What the exporter's propagation of constants leaves in the program, so that it does not grow.
bool is_left(const std::string& op) { return op == "aten.full.default"; }

/// None, float32, inf: no value and no symbol of a dynamic shape, whose number is the input's.
bool is_word(const GraphArgument& argument, std::string_view id) {
  constexpr std::string_view kNames[] = {"dtype", "layout", "device", "memory_format"};
  constexpr std::string_view kWords[] = {"None", "True", "False", "inf", "nan"};
  return std::find(std::begin(kNames), std::end(kNames), argument.name) != std::end(kNames) ||
         std::find(std::begin(kWords), std::end(kWords), id) != std::end(kWords) || bits_of_dtype(id) > 0;
}

enum class Constant : uint8_t { No, Foldable, Left };

std::vector<Constant> find_constant_nodes(const GraphModel& graph, const std::set<std::string>& written) {
  std::vector<Constant> constant(graph.nodes.size(), Constant::No);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& n = graph.nodes[i];
    // Bodies of control flow have operands that are not seen here.
    if (n.scope != 0 || !n.bodies.empty() || is_random(n.op) || is_quantisation(n.op)) continue;
    bool all = true, left = is_left(n.op);
    for (const GraphArgument& a : n.arguments) {
      for (const std::string_view id : identifiers(a.text)) {
        const GraphValue* const v = graph.value(n.scope, std::string(id));
        if (v == nullptr) {
          all = all && is_word(a, id);
          continue;
        }
        if (v->producer >= 0) {
          const auto producer = static_cast<size_t>(v->producer);
          all = all && producer < i && constant[producer] != Constant::No;
          left = left || (producer < i && constant[producer] == Constant::Left);
        } else {
          all = all && v->is_constant() && !written.contains(v->target);
        }
      }
    }
    if (all) constant[i] = left ? Constant::Left : Constant::Foldable;
  }
  return constant;
}

/// `left`: the part that starts from what the exporter does not fold.
std::string what_to_do(double left) {
  constexpr double kMatters = 0.1;
  std::string text;
  if (left < 1 - kMatters)
    text =
        "Have the exporter compute it once: "
        "to_executorch(ExecutorchBackendConfig(do_quant_fusion_and_const_prop=True)) "
        "folds also what lowering itself makes, as the transposed weight of a linear layer. The program grows by what "
        "is "
        "stored then.";
  if (left > kMatters)
    text += std::string(text.empty() ? "" : " ") +
            "What starts from aten.full (torch.zeros, the first state of an LSTM) it leaves: "
            "constant_prop_pass(exported_program) before lowering folds that, or a buffer of the module "
            "(register_buffer).";
  return text;
}

}  // namespace

const std::vector<ConstantNode>& AdviceContext::constant_nodes(size_t graph) {
  if (!constant_nodes_) {
    constant_nodes_.emplace();
    const std::set<std::string> written = written_buffers(store_, shown_.trace_id);
    for (const GraphModel& model : graphs()) {
      std::vector<ConstantNode>& nodes = constant_nodes_->emplace_back();
      const std::vector<Constant> constant = find_constant_nodes(model, written);
      for (size_t i = 0; i < constant.size(); ++i) {
        if (constant[i] != Constant::No) nodes.push_back({i, constant[i] == Constant::Left});
      }
    }
  }
  return (*constant_nodes_)[graph];
}

std::set<int64_t> AdviceContext::constant_instructions(size_t graph) {
  std::set<int64_t> out;
  for (const ConstantNode& constant : constant_nodes(graph)) {
    const GraphNode& n = graphs()[graph].nodes[constant.node];
    if (n.instruction && n.part < 0) out.insert(*n.instruction);
  }
  return out;
}

void advise_constant_work(AdviceContext& c) {
  for (size_t m = 0; m < c.graphs().size(); ++m) {
    const GraphModel& graph = c.graphs()[m];
    const std::string& method = c.maps()[m].method;
    double sum = 0, left = 0;
    int64_t count = 0;
    std::vector<AdviceItem> items;
    std::map<std::string, double> by_operator;
    const GraphNode* worst = nullptr;
    for (const ConstantNode& constant : c.constant_nodes(m)) {
      const GraphNode& n = graph.nodes[constant.node];
      if (n.part >= 0 || !n.instruction || n.ns <= 0) continue;
      sum += n.ns;
      left += constant.left ? n.ns : 0;
      ++count;
      items.push_back({operator_title(n.op), n.ns, {0, n.file, n.module_path, n.name, n.line}});
      by_operator[n.op] += n.ns;
      if (worst == nullptr || n.ns > worst->ns) worst = &n;
    }
    if (count == 0 || sum < kLeastShare * c.usual(method)) continue;
    const auto most = std::max_element(by_operator.begin(), by_operator.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    Advice a;
    a.id = "constant-work";
    a.method = method;
    const std::string most_title = operator_title(most->first);
    a.title = "The same is computed from constants in every execution";
    c.add_time(&a, "time of nodes that read only constants", sum);
    a.facts.push_back({"of which " + most_title, most->second, AdviceFact::Unit::Time});
    a.facts.push_back({"nodes", static_cast<double>(count), AdviceFact::Unit::Count});
    a.text = plural(count, "node") + (count == 1 ? " computes" : " compute") +
             " the same from constants in every execution: " + c.time(sum) + ", " + c.share(sum, method) +
             " of the execution" + c.largest_part(most_title, most->second, sum, by_operator.size());
    a.what_to_do = what_to_do(left / sum);
    a.items = std::move(items);
    a.most_ns = sum;
    a.place = {0, worst->file, worst->module_path, worst->name, worst->line};
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
