// Groups of elementwise operators, each run as one: a value inside a group is read by the group alone and never exists
// as a whole. Between two Converts, from int8 and to int8, a group of one input is a table of 256 results.
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

class TableOperator final : public Operator {
 public:
  /// `steps` read one value.
  TableOperator(const Chain& steps, const Value& in, const Value& out) {
    reuse = Reuse::InPlace;
    int8_t codes[kCodes], results[kCodes];
    float x[kCodes], y[kCodes];
    for (int i = 0; i < kCodes; ++i) codes[i] = static_cast<int8_t>(i);
    dequantize_qs8(kCodes, codes, in.quant(), x);
    const int64_t shape[] = {kCodes};
    const ChainInput input = {shape, x};
    steps.run(shape, {&input, 1}, y);
    quantize_f32(kCodes, y, output_qs8(out.quant(), {}), results);
    std::copy_n(results, kCodes, reinterpret_cast<int8_t*>(table_));
  }
  Error reshape(Graph&) override { return Error::Ok; }  // the members do
  void run(Graph& g, uint8_t*) override {
    const Value& in = g.in(*this);
    look_up(in.shape.numel(), in.as<uint8_t>(), table_, g.out(*this).as<uint8_t>());
  }

 private:
  static constexpr int kCodes = 256;
  uint8_t table_[kCodes];
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
      if (converts(*g_.operators[i], Storage::F32, Storage::S8) && collect_table(static_cast<uint32_t>(i)))
        make_table();
    }
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
  bool fits(const Operator& op) const { return !op.absorbed && op.chain < 0 && fits_step(op); }
  bool fits_step(const Operator& op) const {
    ChainStep step;
    return op.as_step(g_, &step);
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

  bool converts(const Operator& op, Storage from, Storage to) const {
    const Value &in = g_.values[fused_input(g_, op, 0)], &out = g_.values[fused_result(g_, op)];
    return op.type == format::XnnNodeType::Convert && !op.absorbed && op.chain < 0 && in.storage == from &&
           out.storage == to && in.float_type() == FloatType::F32 && out.float_type() == FloatType::F32;
  }

  /// All between the quantisation `end` and conversions of one int8 value; false: there is something else.
  bool collect_table(uint32_t end) {
    const auto group = static_cast<int32_t>(g_.chains.size());
    const Shape& shape = g_.values[fused_result(g_, *g_.operators[end])].declared;
    const auto inside = [&](uint32_t r) { return g_.operators[r]->chain == group; };
    members_ = {end};
    g_.operators[end]->chain = group;
    std::vector<uint32_t> needed;
    size_t steps = 0;
    int64_t source = -1;
    const auto need = [&](const Operator& op) {
      for (size_t k = 0; k < op.inputs.size(); ++k) needed.push_back(fused_input(g_, op, k));
    };
    need(*g_.operators[end]);
    bool whole = true;
    // Values wait until all of their readers are members.
    for (size_t refused = 0; whole && !needed.empty() && refused < needed.size();) {
      const uint32_t v = needed.front();
      needed.erase(needed.begin());
      if (producer_[v] < 0 || g_.values[v].output || !(g_.values[v].declared == shape)) {
        whole = false;
        break;
      }
      const auto at = static_cast<uint32_t>(producer_[v]);
      Operator& op = *g_.operators[at];
      if (op.chain == group) continue;
      if (!std::all_of(readers_[v].begin(), readers_[v].end(), inside)) {
        needed.push_back(v);
        ++refused;
        continue;
      }
      refused = 0;
      if (converts(op, Storage::S8, Storage::F32)) {
        const auto from = static_cast<int64_t>(fused_input(g_, op, 0));
        whole = source < 0 || source == from;
        source = from;
      } else if (fits(op) && members_.size() < kMaxMembers) {
        need(op);
        ++steps;
      } else {
        whole = false;
        break;
      }
      op.chain = group;
      members_.push_back(at);
    }
    whole = whole && needed.empty() && steps > 0 && source >= 0;
    if (!whole) {
      for (const uint32_t m : members_) g_.operators[m]->chain = -1;
    }
    return whole;
  }

  void make_table() {
    std::sort(members_.begin(), members_.end());
    std::vector<uint32_t> all = std::move(members_), inputs;
    const Operator& end = *g_.operators[all.back()];
    members_.clear();
    uint32_t source = 0;
    for (const uint32_t m : all) {
      const Operator& op = *g_.operators[m];
      if (converts_any(op)) {
        if (m != all.back()) source = fused_input(g_, op, 0);
      } else {
        members_.push_back(m);
      }
    }
    std::vector<ChainStep> steps = steps_of_members(inputs);
    for (ChainStep& step : steps) {  // several Converts of the one value
      if (!step.a.of_step) step.a.index = 0;
      if (!step.b.of_step) step.b.index = 0;
    }
    members_ = std::move(all);
    add(std::make_unique<TableOperator>(Chain(std::move(steps)), g_.values[source], g_.values[fused_result(g_, end)]),
        {source});
  }
  bool converts_any(const Operator& op) const { return op.type == format::XnnNodeType::Convert && !fits_step(op); }

  std::vector<ChainStep> steps_of_members(std::vector<uint32_t>& inputs) const {
    std::vector<ChainStep> steps;
    for (const uint32_t m : members_) {
      const Operator& op = *g_.operators[m];
      ChainStep step;
      op.as_step(g_, &step);
      step.round = g_.values[fused_result(g_, op)].float_type();
      step.a = operand(op, 0, inputs);
      if (step.is_binary) step.b = operand(op, 1, inputs);
      steps.push_back(step);
    }
    return steps;
  }
  void make() {
    std::vector<uint32_t> inputs;
    std::vector<ChainStep> steps = steps_of_members(inputs);
    add(std::make_unique<ChainOperator>(Chain(std::move(steps))), std::move(inputs));
  }
  void add(std::unique_ptr<Operator> chain, std::vector<uint32_t> inputs) {
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
