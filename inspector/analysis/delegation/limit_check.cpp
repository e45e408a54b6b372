#include "inspector/analysis/delegation/limit_check.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

std::optional<std::string_view> argument(const GraphNode& n, std::string_view name) {
  for (const GraphArgument& a : n.arguments) {
    if (a.name == name) return a.text;
  }
  return {};
}

const GraphValue* value_of(const GraphModel& m, const GraphNode& n, std::string_view name) {
  const auto text = argument(n, name);
  return text ? m.value(n.scope, std::string(*text)) : nullptr;
}

/// "[-1, -2]" or "3" as dimensions counted from the first; empty where one is no number.
std::vector<int> dimensions(std::string_view text, int rank) {
  std::vector<int> out;
  std::string number;
  for (const char c : std::string(text) + ",") {
    if ((c >= '0' && c <= '9') || c == '-') number += c;
    if (c != ',' && c != ']') {
      if (c >= 'a' && c <= 'z') return {};
      continue;
    }
    if (number.empty()) continue;
    if (number.size() > 3 || number == "-") return {};
    const int at = std::stoi(number);
    out.push_back(at < 0 ? at + rank : at);
    number.clear();
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// All that it is computed from are constants.
bool is_from_constants(const GraphModel& m, const GraphValue& v, int depth) {
  constexpr int kDeepest = 12;
  if (v.is_constant()) return true;
  if (v.producer < 0 || depth > kDeepest) return false;
  const GraphNode& maker = m.nodes[static_cast<size_t>(v.producer)];
  bool any = false, all = true;
  for (const GraphArgument& a : maker.arguments) {
    for (const std::string_view id : identifiers(a.text)) {
      const GraphValue* const input = m.value(maker.scope, std::string(id));
      if (input == nullptr) continue;
      any = true;
      all = all && is_from_constants(m, *input, depth + 1);
    }
  }
  return any && all;
}

/// Its weights are constant; or what makes them reads constants alone.
LimitCheck check_weights(const GraphModel& m, const GraphNode& n, std::string_view name) {
  const GraphValue* const v = value_of(m, n, name);
  if (v == nullptr) return {};
  if (v->is_constant()) return {.kept = true};
  if (v->producer >= 0 && is_from_constants(m, *v, 0))
    return {.decomposed = true,
            .what = "; here " + operator_title(m.nodes[static_cast<size_t>(v->producer)].op) +
                    " makes them from constants at run time"};
  return {.what = "; here they are computed"};
}

LimitCheck check_mean(const GraphModel& m, const GraphNode& n) {
  const GraphValue* const input = value_of(m, n, "self");
  const auto dim = argument(n, "dim"), keep = argument(n, "keepdim"), dtype = argument(n, "dtype");
  if (input == nullptr || !dim) return {};
  const int rank = rank_of(input->shape);
  const bool last_two = dimensions(*dim, rank) == std::vector<int>{2, 3};
  const bool kept = keep && *keep == "True";
  if (rank == 4 && last_two && kept && (!dtype || *dtype == "None")) return {.kept = true};
  std::string what = "; here ";
  what += rank != 4 && rank >= 0 ? std::to_string(rank) + "-D"
          : !last_two            ? "dim=" + std::string(*dim)
          : !kept                ? std::string("keepdim=False")
                                 : std::string("with a dtype");
  return {.what = std::move(what)};
}

LimitCheck check_softmax(const GraphModel& m, const GraphNode& n) {
  const GraphValue* const input = value_of(m, n, "self");
  const auto dim = argument(n, "dim");
  if (input == nullptr || !dim) return {};
  const int rank = rank_of(input->shape);
  if (rank > 0 && dimensions(*dim, rank) == std::vector<int>{rank - 1}) return {.kept = true};
  return {.what = "; here dim=" + std::string(*dim)};
}

LimitCheck check_number(const GraphNode& n, std::string_view name, std::string_view wanted, bool usual) {
  const auto text = argument(n, name);
  if (!text) return {.kept = usual};
  if (*text == wanted || *text == std::string(wanted) + ".0") return {.kept = true};
  return {.what = "; here " + std::string(name) + "=" + std::string(*text)};
}

/// Windows that end beyond the input, zeros that count, another divisor. An argument that is left out has its default.
LimitCheck check_avg_pool(const GraphNode& n) {
  const auto ceil = argument(n, "ceil_mode"), zeros = argument(n, "count_include_pad"),
             divisor = argument(n, "divisor_override");
  if (ceil && *ceil == "True") return {.what = "; here ceil_mode=True"};
  const auto padding = argument(n, "padding");
  const bool pads = padding && padding->find_first_of("123456789") != std::string_view::npos;
  if (pads && (!zeros || *zeros == "True"))
    return {.what = zeros ? "; here count_include_pad=True" : "; here count_include_pad=True, its default"};
  if (divisor && *divisor != "None") return {.what = "; here divisor_override=" + std::string(*divisor)};
  return {.kept = true};
}

/// XNNPACK has none in half precision.
LimitCheck check_gelu(const GraphModel& m, const GraphNode& n) {
  const GraphValue* const input = value_of(m, n, "self");
  const std::string& dtype = !n.dtype.empty() || input == nullptr ? n.dtype : input->dtype;
  if (dtype.empty() || dtype == "float32") return {.kept = !dtype.empty()};
  return {.what = "; here " + dtype};
}

LimitCheck check_cat(const GraphNode& n) {
  const auto tensors = argument(n, "tensors");
  if (!tensors) return {};
  if (identifiers(*tensors).size() > 1) return {.kept = true};
  return {.what = "; here of one"};
}

/// Behind the last dimension, counted from either end.
LimitCheck check_unsqueeze(const GraphModel& m, const GraphNode& n) {
  const GraphValue* const input = value_of(m, n, "self");
  const auto dim = argument(n, "dim");
  if (input == nullptr || !dim) return {};
  const int rank = rank_of(input->shape);
  if (*dim == "-1" || (rank >= 0 && *dim == std::to_string(rank))) return {.kept = true};
  return {.what = "; here dim=" + std::string(*dim)};
}

}  // namespace

int rank_of(const std::string& shape) {
  if (shape.size() < 2 || shape.front() != '[') return -1;
  return shape == "[]" ? 0 : static_cast<int>(std::count(shape.begin(), shape.end(), ',')) + 1;
}

LimitCheck check_limit(const GraphModel& m, const GraphNode& n) {
  struct Weight {
    std::string_view op, argument;
  };
  constexpr std::array<Weight, 3> kWeights = {{{"addmm", "mat2"}, {"mm", "mat2"}, {"linear", "weight"}}};
  const std::string_view op = operator_base(n.op);
  for (const Weight& w : kWeights) {
    if (w.op == op) return check_weights(m, n, w.argument);
  }
  if (op == "mean") return check_mean(m, n);
  if (op == "_softmax") return check_softmax(m, n);
  if (op == "avg_pool2d") return check_avg_pool(n);
  if (op == "gelu") return check_gelu(m, n);
  if (op == "cat") return check_cat(n);
  if (op == "unsqueeze_copy") return check_unsqueeze(m, n);
  if (op == "add" || op == "sub") return check_number(n, "alpha", "1", true);
  if (op == "pow") return check_number(n, "exponent", "2", false);
  return {};
}

}  // namespace et::inspector
