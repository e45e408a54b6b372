#include "inspector/analysis/advice/sized_rows.h"

#include <iterator>

#include "inspector/analysis/work/operator_work.h"
#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

std::optional<SizedRow> sized(AdviceContext& c, const RooflineRow& row) {
  if (!is_measured(row)) return {};
  SizedRow out{&row};
  const OpNode* const main = c.shown().main_node(c.shown().ops[row.ops.front()]);
  const GraphNode* const node = main == nullptr ? nullptr : c.nodes().node(main->node->id).second;
  const std::optional<Shape> shape = node == nullptr ? std::nullopt : parse_shape(node->shape);
  if (!shape || shape->empty()) return {};
  out.elements = elements_of(*shape);
  out.last_dim = shape->back();
  return out.elements > 0 ? std::optional(out) : std::nullopt;
}

}  // namespace

bool is_measured(const RooflineRow& row) {
  return row.gbytes() && !row.op.empty() && row.ns >= kCallNs * std::max(row.calls, 1.0);
}

double bytes_a_call(const RooflineRow& row) { return *row.work.bytes / std::max(row.calls, 1.0); }

std::vector<SizedRow> sized_rows(AdviceContext& c) {
  std::vector<SizedRow> out;
  for (const RooflineRow& row : c.work().rows) {
    if (const std::optional<SizedRow> one = sized(c, row)) out.push_back(*one);
  }
  return out;
}

bool is_softmax(std::string_view op) {
  const std::string_view base = operator_base(op);
  return base == "softmax" || base == "_softmax" || base == "_log_softmax" || base == "log_softmax" ||
         base == "_safe_softmax";
}

bool has_exponential(std::string_view op) {
  static constexpr std::string_view kOps[] = {"exp", "sigmoid", "silu", "gelu", "tanh", "elu", "erf", "log"};
  const std::string_view base = operator_base(op);
  return std::find(std::begin(kOps), std::end(kOps), base) != std::end(kOps);
}

}  // namespace et::inspector
