#include "inspector/analysis/gap/dequantised.h"

#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "base/read_double.h"
#include "inspector/analysis/ops/value_layout.h"

namespace et::inspector {
namespace {

struct Quantised {
  std::string input;
  double scale = 0, zero_point = 0;
  bool is_signed = true;  // int8, else uint8
};

/// The number behind "scale=" in a node's arguments.
std::optional<double> number_of(std::string_view arguments, std::string_view name) {
  const size_t at = arguments.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  double v = 0;
  const char* const begin = arguments.data() + at + name.size();
  const auto [end, error] = read_double(begin, arguments.data() + arguments.size(), &v);
  return error == std::errc() ? std::optional(v) : std::nullopt;
}

/// Names and arguments of the graph's nodes of one operator, which outlives the statement.
Statement nodes_of(const Store& store, int64_t trace_id, std::string_view op) {
  Statement s =
      store.query("SELECT name, coalesce(arguments, '') FROM nodes WHERE trace_id = ?1 AND graph = 'edge' AND op = ?2");
  s.bind_all(trace_id, op);
  return s;
}

std::map<std::string, Quantised> quantising_nodes(const Store& store, int64_t trace_id) {
  Statement s = nodes_of(store, trace_id, "quantized_decomposed.quantize_per_tensor.default");
  std::map<std::string, Quantised> out;
  while (s.step()) {
    constexpr std::string_view kInput = "input=";
    const std::string arguments = s.str(1);
    const std::optional<double> scale = number_of(arguments, ", scale="), zero = number_of(arguments, ", zero_point=");
    if (!arguments.starts_with(kInput) || !scale || !zero) continue;
    out[s.str(0)] = {arguments.substr(kInput.size(), arguments.find(',') - kInput.size()), *scale, *zero};
  }
  return out;
}

}  // namespace

std::map<std::string, double> dequantising_steps(const Store& store, int64_t trace_id) {
  Statement s = nodes_of(store, trace_id, "quantized_decomposed.dequantize_per_tensor.default");
  std::map<std::string, double> out;
  while (s.step()) {
    const std::string arguments = s.str(1);
    if (arguments.find("int8") == std::string::npos) continue;  // of wider integers a step is none
    if (const auto scale = number_of(arguments, ", scale=")) out.emplace(s.str(0), *scale);
  }
  return out;
}

Status dequantise(const Store& store, int64_t trace_id, const std::set<std::string>& kept, GapSide* side) {
  const std::map<std::string, Quantised> nodes = quantising_nodes(store, trace_id);
  std::map<size_t, Quantised> changed;
  for (size_t i = 0; i < side->values.size(); ++i) {
    LoggedValue& v = side->values[i];
    const auto node = nodes.find(v.node);
    if (node == nodes.end() || kept.contains(v.node) || (v.dtype != "int8" && v.dtype != "uint8")) continue;
    changed.emplace(i, node->second).first->second.is_signed = v.dtype == "int8";
    v.node = node->second.input;
    v.others.clear();
    v.dtype = "float32";
  }
  if (changed.empty()) return {};
  auto numbers = std::make_shared<std::string>();
  const auto whole = std::make_shared<GapSide>(std::move(*side));
  *side = *whole;
  side->bytes = [whole, changed, numbers](size_t value, std::span<const uint8_t>* bytes) -> Status {
    if (Status s = whole->read(value, bytes); !s.ok()) return s;
    const auto q = changed.find(value);
    if (q == changed.end()) return {};
    numbers->resize(bytes->size() * sizeof(float));
    for (size_t i = 0; i < bytes->size(); ++i) {
      const int element = q->second.is_signed ? static_cast<int8_t>((*bytes)[i]) : (*bytes)[i];
      const auto real = static_cast<float>((element - q->second.zero_point) * q->second.scale);
      std::memcpy(numbers->data() + i * sizeof(real), &real, sizeof(real));
    }
    *bytes = {reinterpret_cast<const uint8_t*>(numbers->data()), numbers->size()};
    return {};
  };
  return {};
}

}  // namespace et::inspector
