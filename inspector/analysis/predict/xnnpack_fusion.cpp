#include "inspector/analysis/predict/xnnpack_fusion.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace et::inspector {
namespace {

using T = format::XnnNodeType;
constexpr size_t kMostMembers = 32;

bool is_one_of(T type, std::initializer_list<T> list) {
  return std::find(list.begin(), list.end(), type) != list.end();
}

bool bounds_itself(T type) {
  return is_one_of(type, {T::Conv2d, T::DepthwiseConv2d, T::ConvTranspose2d, T::FullyConnected, T::BatchMatrixMultiply,
                          T::AvgPooling2d, T::MaxPooling2d, T::GlobalAvgPooling2d, T::Clamp, T::Add, T::Subtract,
                          T::Multiply, T::Div});
}

bool is_elementwise(T type) {
  return is_one_of(type, {T::Add,   T::Subtract, T::Multiply, T::Div,       T::Minimum, T::Maximum,
                          T::Clamp, T::Sigmoid,  T::Floor,    T::Convert,   T::Ceiling, T::SquareRoot,
                          T::Abs,   T::ELU,      T::Negate,   T::Hardswish, T::Square,  T::ReciprocalSquareRoot,
                          T::Log,   T::Gelu,     T::Tanh,     T::LeakyReLU, T::Exp,     T::Sin,
                          T::Cos});
}

bool is_float(const format::XnnValue& v) {
  return v.datatype() == format::XnnDatatype::Fp32 || v.datatype() == format::XnnDatatype::Fp16 ||
         v.datatype() == format::XnnDatatype::Bf16;
}

bool is_dynamic(const format::XnnValue& v) {
  return v.datatype() == format::XnnDatatype::QDInt8 || v.datatype() == format::XnnDatatype::QPInt8;
}

class Fusion {
 public:
  explicit Fusion(const format::XnnpackPayload& p) : p_(p), owner_(p.node_count()), chain_(p.node_count(), -1) {
    for (uint32_t i = 0; i < p.node_count(); ++i) {
      owner_[i] = i;
      for (const uint32_t v : p.node(i).inputs()) {
        if (v != format::kXnnNoValue) readers_[v].push_back(i);
      }
    }
  }

  std::vector<std::vector<uint32_t>> run() {
    absorb_bounds();
    fold_fronts();
    find_chains();
    std::map<uint32_t, std::vector<uint32_t>> groups;  // by where they run
    for (uint32_t i = 0; i < p_.node_count(); ++i) {
      const uint32_t o = root(i);
      const uint32_t at = chain_[o] >= 0 ? static_cast<uint32_t>(chain_[o]) : o;
      groups[at].push_back(i);
    }
    std::vector<std::vector<uint32_t>> out;
    for (auto& [at, nodes] : groups) {
      const auto first = std::find(nodes.begin(), nodes.end(), at);
      if (first != nodes.end() && chain_[at] < 0) std::rotate(nodes.begin(), first, first + 1);
      out.push_back(std::move(nodes));
    }
    return out;
  }

 private:
  uint32_t root(uint32_t i) const {
    while (owner_[i] != i) i = owner_[i];
    return i;
  }
  format::XnnValue output(uint32_t node) const { return p_.value_by_id(p_.node(node).outputs()[0]); }
  /// The only reader of what a node gives, -1 where others see it.
  int64_t only_reader(uint32_t node) const {
    const auto ids = p_.node(node).outputs();
    const auto it = readers_.find(ids[0]);
    const bool alone = ids.size() == 1 && it != readers_.end() && it->second.size() == 1;
    return alone && !output(node).is_external_output() ? static_cast<int64_t>(it->second[0]) : -1;
  }

  void absorb_bounds() {
    for (uint32_t i = p_.node_count(); i-- > 0;) {
      if (!bounds_itself(p_.node(i).type())) continue;
      const int64_t next = only_reader(i);
      if (next < 0 || p_.node(static_cast<uint32_t>(next)).type() != T::Clamp) continue;
      const auto behind = static_cast<uint32_t>(next);
      const format::XnnValue from = output(i), to = output(behind);
      const bool quantised = p_.node(i).type() == T::Clamp && !is_float(from);
      const bool same = from.datatype() == to.datatype() && from.scale() == to.scale() &&
                        from.zero_point() == to.zero_point() && from.datatype() != format::XnnDatatype::Int32;
      if (same && !quantised) owner_[behind] = i;
    }
  }

  bool folds(uint32_t reader, uint32_t front) const {
    const T type = p_.node(reader).type(), before = p_.node(front).type();
    if (before == T::Convert) return type == T::FullyConnected && is_dynamic(output(front));
    if (before == T::StaticTranspose) return type == T::StaticTranspose;
    if (before != T::StaticConstantPad || is_dynamic(output(front))) return false;
    format::XnnParameter fill;
    const bool has = p_.node(front).find_parameter("padding_value", &fill);
    if (type == T::MaxPooling2d) return has && std::isinf(fill.float_value);
    return is_one_of(type, {T::Conv2d, T::DepthwiseConv2d}) && (!has || fill.float_value == 0);
  }

  void fold_fronts() {
    for (uint32_t i = 0; i < p_.node_count(); ++i) {
      const int64_t reader = only_reader(i);
      if (reader < 0) continue;
      const auto behind = static_cast<uint32_t>(reader);
      if (p_.node(behind).inputs()[0] == p_.node(i).outputs()[0] && folds(behind, i)) owner_[i] = behind;
    }
  }

  /// The value that a node and what it absorbs end in.
  uint32_t result(uint32_t node) const {
    uint32_t at = node;
    for (int64_t next = only_reader(at); next >= 0 && owner_[static_cast<size_t>(next)] == at; next = only_reader(at))
      at = static_cast<uint32_t>(next);
    return p_.node(at).outputs()[0];
  }

  bool may_join(uint32_t node) const {
    if (owner_[node] != node || chain_[node] >= 0 || !is_elementwise(p_.node(node).type())) return false;
    const format::XnnValue in = p_.value_by_id(p_.node(node).inputs()[0]);
    return is_float(in) && (p_.node(node).type() != T::Convert || is_float(output(node)));
  }

  void find_chains() {
    std::map<uint32_t, uint32_t> makers;
    for (uint32_t i = 0; i < p_.node_count(); ++i) {
      if (owner_[i] == i) makers[result(i)] = i;
    }
    for (uint32_t end = p_.node_count(); end-- > 0;) {
      if (!may_join(end)) continue;
      const format::XnnValue last = p_.value_by_id(result(end));
      std::vector<uint32_t> members = {end};
      chain_[end] = static_cast<int64_t>(end);
      for (size_t next = 0; next < members.size(); ++next) {
        for (const uint32_t v : p_.node(members[next]).inputs()) collect(v, end, last, makers, &members);
      }
      if (members.size() < 2) chain_[end] = -1;
    }
  }

  void collect(uint32_t v, uint32_t end, const format::XnnValue& last, const std::map<uint32_t, uint32_t>& makers,
               std::vector<uint32_t>* members) {
    const auto maker = makers.find(v);
    if (maker == makers.end() || members->size() >= kMostMembers || !may_join(maker->second)) return;
    const format::XnnValue value = p_.value_by_id(v);
    if (value.is_external_output() ||
        !std::equal(value.dims().begin(), value.dims().end(), last.dims().begin(), last.dims().end())) {
      return;
    }
    const std::vector<uint32_t>& readers = readers_[v];
    const bool inside = std::all_of(readers.begin(), readers.end(),
                                    [&](uint32_t r) { return chain_[root(r)] == static_cast<int64_t>(end); });
    if (!inside) return;
    chain_[maker->second] = static_cast<int64_t>(end);
    members->push_back(maker->second);
  }

  const format::XnnpackPayload& p_;
  std::map<uint32_t, std::vector<uint32_t>> readers_;
  std::vector<uint32_t> owner_;  // the node that does it
  std::vector<int64_t> chain_;   // the last node of its row
};

}  // namespace

std::vector<std::vector<uint32_t>> fused_nodes(const format::XnnpackPayload& payload) { return Fusion(payload).run(); }

}  // namespace et::inspector
