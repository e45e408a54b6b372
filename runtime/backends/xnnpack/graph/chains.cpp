// Groups of elementwise operators, each run as one: a value inside a group is read by the group alone and never exists
// as a whole.
#include <algorithm>

#include "runtime/backends/xnnpack/graph/fuse.h"
#include "runtime/backends/xnnpack/graph/operator_factories.h"

namespace et::xnn {
namespace {

constexpr size_t kMaxMembers = 32;

class ChainOperator final : public Operator {
 public:
  explicit ChainOperator(Chain steps) : chain_(std::move(steps)) {
    reuse = Reuse::InPlace;
    moves_only = true;  // rounds by itself
  }
  Error reshape(Graph&) override { return Error::Ok; }  // the members do
  void run(Graph& g, uint8_t*) override {
    const Value& out = g.out(*this);
    data_.clear();
    for (const uint32_t v : inputs) data_.push_back({dims_of(g.values[v].shape), g.values[v].as<float>()});
    chain_.run(dims_of(out.shape), data_, out.as<float>());
  }

 private:
  Chain chain_;
  std::vector<ChainInput> data_;
};

class Finder {
 public:
  explicit Finder(Graph& g) : g_(g), producer_(g.values.size(), -1), readers_(g.values.size()) {
    for (uint32_t i = 0; i < g.operators.size(); ++i) {
      const Operator& op = *g.operators[i];
      if (op.absorbed) continue;
      for (size_t k = 0; k < op.inputs.size(); ++k) readers_[fused_input(g, op, k)].push_back(i);
      producer_[fused_result(g, op)] = static_cast<int32_t>(i);
    }
  }

  /// From the last operator backwards: each is the end of a group, which takes in what it alone reads.
  void run() {
    for (size_t i = g_.operators.size(); i-- > 0;) {
      if (!fits(*g_.operators[i])) continue;
      collect(static_cast<uint32_t>(i));
      if (members_.size() < 2) {
        g_.operators[i]->chain = -1;
        continue;
      }
      std::sort(members_.begin(), members_.end());
      make();
    }
  }

 private:
  bool fits(const Operator& op) const {
    ChainStep step;
    return !op.absorbed && op.chain < 0 && op.as_step(g_, &step);
  }

  void collect(uint32_t end) {
    const auto group = static_cast<int32_t>(g_.chains.size());
    const Value& result = g_.values[fused_result(g_, *g_.operators[end])];
    members_ = {end};
    g_.operators[end]->chain = group;
    // Whoever was refused for another reader is met again behind that one.
    for (size_t next = 0; next < members_.size(); ++next) {
      const Operator& op = *g_.operators[members_[next]];
      for (size_t k = 0; k < op.inputs.size(); ++k) {
        const uint32_t v = fused_input(g_, op, k);
        if (producer_[v] < 0 || members_.size() >= kMaxMembers) continue;
        const auto at = static_cast<uint32_t>(producer_[v]);
        Operator& before = *g_.operators[at];
        const auto inside = [&](uint32_t r) { return g_.operators[r]->chain == group; };
        if (g_.values[v].output || !(g_.values[v].declared == result.declared) || !fits(before) ||
            !std::all_of(readers_[v].begin(), readers_[v].end(), inside)) {
          continue;
        }
        before.chain = group;
        members_.push_back(at);
      }
    }
  }

  void make() {
    std::vector<ChainStep> steps;
    std::vector<uint32_t> inputs;
    for (const uint32_t m : members_) {
      const Operator& op = *g_.operators[m];
      ChainStep step;
      op.as_step(g_, &step);
      step.round = g_.values[fused_result(g_, op)].float_type();
      step.a = operand(op, 0, inputs);
      if (step.is_binary) step.b = operand(op, 1, inputs);
      steps.push_back(step);
    }
    auto chain = std::make_unique<ChainOperator>(Chain(std::move(steps)));
    const Operator& end = *g_.operators[members_.back()];
    chain->inputs = std::move(inputs);
    chain->outputs = {fused_result(g_, end)};
    chain->result = chain->outputs[0];
    chain->members = members_;
    chain->node = end.node;
    chain->type = end.type;
    g_.chains.push_back(std::move(chain));
  }

  ChainOperand operand(const Operator& op, size_t k, std::vector<uint32_t>& inputs) const {
    const uint32_t v = fused_input(g_, op, k);
    for (uint32_t m = 0; m < members_.size(); ++m) {
      if (fused_result(g_, *g_.operators[members_[m]]) == v) return {true, m};
    }
    const auto at = std::find(inputs.begin(), inputs.end(), v);
    const auto index = static_cast<uint32_t>(at - inputs.begin());
    if (at == inputs.end()) inputs.push_back(v);
    return {false, index};
  }

  Graph& g_;
  std::vector<int32_t> producer_;
  std::vector<std::vector<uint32_t>> readers_;
  std::vector<uint32_t> members_;
};

}  // namespace

void find_chains(Graph& g) { Finder(g).run(); }

}  // namespace et::xnn
