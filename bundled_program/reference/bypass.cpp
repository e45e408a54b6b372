#include "bundled_program/reference/bypass.h"

#include <algorithm>

namespace et::reference {
namespace {

Status scales_of(NativeCall& call, std::vector<double>* out) {
  for (const char* name : {"scales", "scale"}) {
    const etrecord::Argument* argument = call.find(name);
    if (argument == nullptr) continue;
    if (argument->kind == etrecord::ArgumentKind::Tensor) return call.numbers(name, SIZE_MAX, out);
    std::vector<GraphValue> value;
    if (Status s = call.argument(name, SIZE_MAX, &value); !s.ok()) return s;
    if (value.size() != 1 || !value[0].is_number()) break;
    out->push_back(value[0].as_double());
    return {};
  }
  return {Error::InvalidProgram, "a node that dequantises without a scale"};
}

/// Elements that share a scale, in each dimension: a block of torchao, else all but those of a channel.
std::vector<int64_t> block_of(NativeCall& call, const Tensor& t, size_t scales) {
  std::vector<int64_t> block(t.sizes().begin(), t.sizes().end());
  std::vector<GraphValue> given;
  if (call.find("block_size") != nullptr && call.argument("block_size", SIZE_MAX, &given).ok() &&
      given.size() == block.size()) {
    for (size_t d = 0; d < block.size(); ++d) block[d] = std::max<int64_t>(given[d].integer, 1);
    return block;
  }
  if (scales <= 1 || block.empty()) return block;
  int64_t axis = 0;
  if (call.find("axis") != nullptr && call.argument("axis", SIZE_MAX, &given).ok() && given.size() == 1)
    axis = given[0].integer;
  if (axis < 0) axis += static_cast<int64_t>(block.size());
  if (axis >= 0 && axis < static_cast<int64_t>(block.size())) block[static_cast<size_t>(axis)] = 1;
  // Groups of a channel, where there are more scales than channels.
  const int64_t channels = t.sizes()[0], all = static_cast<int64_t>(scales);
  if (axis == 0 && channels > 0 && all > channels && all % channels == 0)
    block.back() = std::max<int64_t>(block.back() / (all / channels), 1);
  return block;
}

}  // namespace

bool Bypass::quantises(const etrecord::Node& node) const {
  return std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.second == &node; });
}

Status disturb(NativeCall& call, const TensorHandle& values) {
  const Tensor t = values->tensor();
  std::vector<double> scales;
  if (Status s = scales_of(call, &scales); !s.ok()) return s;
  if (t.scalar_type() != ScalarType::Float || scales.empty()) return {};
  const std::vector<int64_t> block = block_of(call, t, scales.size());
  const auto rank = block.size();
  uint64_t random = 0x9E3779B97F4A7C15u;
  auto* const data = t.mutable_data_ptr<float>();
  for (ssize_t i = 0; i < t.numel(); ++i) {
    size_t at = 0;
    ssize_t rest = i;
    std::vector<int64_t> place(rank);
    for (size_t d = rank; d-- > 0;) {
      place[d] = rest % t.sizes()[d];
      rest /= t.sizes()[d];
    }
    ssize_t element = 0;
    for (size_t d = 0; d < rank; ++d) {
      at =
          at * static_cast<size_t>((t.sizes()[d] + block[d] - 1) / block[d]) + static_cast<size_t>(place[d] / block[d]);
      element += place[d] * t.strides()[d];
    }
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    const double even = static_cast<double>(random >> 11) / 9007199254740992.0 - 0.5;
    data[element] += static_cast<float>(even * scales[std::min(at, scales.size() - 1)]);
  }
  return {};
}

}  // namespace et::reference
