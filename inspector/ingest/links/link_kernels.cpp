// Kernels and the calls around them, by the debug handles of their instruction.
#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "inspector/ingest/links/linker.h"
#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

// An operator that is decomposed may leave a few nodes or, unrolled over time, thousands, which all carry its handle.
// Of so many each op gets those that it can be and no others: links would grow with the square of the steps.
constexpr size_t kMany = 64;
constexpr size_t kTypes = 256;  // as many are listed as op types, which upstream's Inspector does with all

/// Nodes of one handle, as one kernel sees them.
struct Rivals {
  std::vector<int32_t> nodes, alike;                          // all; those of the kernel's operator
  std::vector<int64_t> instructions;                          // that call the same kernel for this handle, in order
  std::map<std::string_view, std::vector<int32_t>> by_stack;  // of many: the nodes in question by their Python stack

  bool exact() const { return alike.size() == 1 || (!alike.empty() && alike.size() == instructions.size()); }
  size_t rank(int64_t instruction) const {
    return static_cast<size_t>(std::find(instructions.begin(), instructions.end(), instruction) - instructions.begin());
  }
};

class KernelLinks {
 public:
  explicit KernelLinks(const MethodIndex& index) : index_(index) {}

  void link(Op& op, int64_t handle) {
    const auto kernel = index_.kernel_of_instruction.find(op.key.instruction);
    const std::string_view name = kernel == index_.kernel_of_instruction.end() ? std::string_view() : kernel->second;
    const auto [it, fresh] = rivals_.try_emplace({handle, name});
    if (fresh) it->second = rivals_of(handle, name);
    const Rivals& r = it->second;
    const size_t known = op.links.size();
    if (r.nodes.size() == 1)
      add_link(op, r.nodes[0], Via::Instruction, 1.0);
    else if (r.nodes.size() > kMany)
      link_some(op, r);
    else
      link_all(op, r);
    if (r.nodes.size() <= kTypes) {
      for (const int32_t n : r.nodes) add_type(op, n);
    } else {
      for (size_t i = known; i < op.links.size(); ++i) add_type(op, op.links[i].node);
    }
  }

 private:
  Rivals rivals_of(int64_t handle, std::string_view kernel) const {
    Rivals r;
    r.nodes = index_.nodes(handle, false);
    if (r.nodes.size() < 2) return r;
    std::copy_if(r.nodes.begin(), r.nodes.end(), std::back_inserter(r.alike), [&](int32_t n) {
      return !kernel.empty() && same_operator(kernel, operator_base(index_.graph->node(n).qualified_op));
    });
    if (const auto it = index_.instructions_of_handle.find(handle); it != index_.instructions_of_handle.end()) {
      for (const int64_t i : it->second) {
        const auto k = index_.kernel_of_instruction.find(i);
        if (k != index_.kernel_of_instruction.end() && !kernel.empty() && same_operator(k->second, kernel)) {
          r.instructions.push_back(i);
        }
      }
    }
    if (r.exact() && r.alike.size() > 1) order_by_shape(&r);
    if (r.nodes.size() > kMany) {
      for (const int32_t n : r.alike.empty() ? r.nodes : r.alike) {
        r.by_stack[index_.graph->node(n).stack_trace].push_back(n);
      }
    }
    return r;
  }

  /// The node's result may be what the instruction returns; a size with a symbol may be any.
  bool may_return(int32_t n, const std::vector<int64_t>& sizes) const {
    const etrecord::Node& node = index_.graph->node(n);
    const etrecord::TensorMeta* const meta =
        node.outputs.size() == 1 ? index_.graph->program->tensor(node.graph, node.outputs[0]) : nullptr;
    return meta == nullptr ||
           std::equal(meta->sizes.begin(), meta->sizes.end(), sizes.begin(), sizes.end(),
                      [](const etrecord::Dim& d, int64_t size) { return !d.fixed() || d.value.value_or(0) == size; });
  }

  /// The partition moves what does not depend on each other, so the order is kept among results of one shape only.
  /// Where shapes leave an instruction without a node, they are not those of this graph.
  void order_by_shape(Rivals* r) const {
    std::vector<int32_t> left = r->alike, ordered;
    for (const int64_t instruction : r->instructions) {
      const auto sizes = index_.sizes_of_instruction.find(instruction);
      const auto it = std::find_if(left.begin(), left.end(), [&](int32_t n) {
        return sizes == index_.sizes_of_instruction.end() || may_return(n, sizes->second);
      });
      if (it == left.end()) return;
      ordered.push_back(*it);
      left.erase(it);
    }
    r->alike = std::move(ordered);
  }

  /// Several nodes stem from one operator of the model. The kernel's name tells which one ran, and of several with that
  /// name the order does: instructions are emitted in the graph's order.
  static void link_all(Op& op, const Rivals& r) {
    const size_t rank = r.rank(op.key.instruction);
    for (const int32_t n : r.nodes) {
      double confidence = r.alike.empty() ? 0.5 : 0.2;
      if (std::find(r.alike.begin(), r.alike.end(), n) != r.alike.end()) {
        confidence = 0.5;
        if (r.exact()) confidence = r.alike.size() == 1 || r.alike[rank] == n ? 1.0 : 0.2;
      }
      add_link(op, n, Via::Instruction, confidence);
    }
  }

  /// Of very many the one that it is, where counts tell; else for each Python stack the node at about its place in the
  /// order, as sure as that stack has nodes.
  static void link_some(Op& op, const Rivals& r) {
    const size_t rank = r.rank(op.key.instruction);
    const auto add = [&](int32_t n, double confidence) { add_link(op, n, Via::Instruction, confidence); };
    if (r.exact()) return add(r.alike[r.alike.size() == 1 ? 0 : rank], 1.0);
    const double all = static_cast<double>((r.alike.empty() ? r.nodes : r.alike).size());
    size_t left = kMany;
    for (const auto& [stack, nodes] : r.by_stack) {
      if (left-- == 0) break;
      const size_t at =
          r.instructions.empty() ? 0 : std::min(nodes.size() - 1, rank * nodes.size() / r.instructions.size());
      // Its place is a guess, even of the only stack.
      add(nodes[at], static_cast<double>(nodes.size()) / all * (r.alike.empty() ? 0.25 : 0.5));
    }
  }

  void add_type(Op& op, int32_t n) const { op.op_types.push_back(index_.graph->node(n).op); }

  const MethodIndex& index_;
  std::map<std::pair<int64_t, std::string_view>, Rivals> rivals_;
};

}  // namespace

void link_kernels(LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index) {
  KernelLinks links(index);
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    const bool of_kernel = op.kind == OpKind::Kernel || op.kind == OpKind::OperatorCall;
    const bool value = op.kind == OpKind::Value && !op.key.delegated();
    if ((!of_kernel && !value) || op.key.chain < 0) continue;
    const std::vector<int64_t>* handles = context.record.handles(block.method, op.key.instruction);
    if (handles == nullptr) continue;
    op.handles = *handles;
    op.has_handles = true;
    for (const int64_t h : *handles) links.link(op, h);
  }
}

}  // namespace et::inspector
