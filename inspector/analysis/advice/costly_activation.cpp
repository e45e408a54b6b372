// Activations whose function of each element costs more than moving the elements: held against simple arithmetic of the
// same trace on about as many bytes. Needs no calibration; what it saves changes the model.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/advice/sized_rows.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/type_family.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kActivationShare = 0.1;       // of the execution, what would be won
constexpr double kFarFromMoving = 2;           // times what simple arithmetic on as many bytes takes
constexpr double kNearBytes = 1 / kSeenReach;  // of the bytes, as for the roofs of a trace that knows no machine

/// Of each element a sum, a product or a comparison: as fast as memory.
bool is_simple(std::string_view op) {
  static constexpr std::string_view kOps[] = {"add", "sub",   "mul",      "relu",      "relu6",
                                              "neg", "clamp", "hardtanh", "hardswish", "hardsigmoid"};
  const std::string_view base = operator_base(op);
  return std::find(std::begin(kOps), std::end(kOps), base) != std::end(kOps);
}

struct ActivationOfOne {
  double ns = 0, could_ns = 0, elements = 0;
  std::vector<SizedRow> rows;
  const RooflineRow *costliest = nullptr, *beside = nullptr;
  bool is_silu = true;
};

std::string cheaper(const ActivationOfOne& a, std::string_view op) {
  const std::string_view base = operator_base(op);
  if (base == "sigmoid" && !a.is_silu) return "hardsigmoid in place of sigmoid";
  if (base == "sigmoid" || base == "silu") return "hardswish in place of SiLU (torch.nn.Hardswish)";
  if (base == "gelu") return "ReLU or hardswish in place of GELU";
  return "hardtanh, ReLU or another function without an exponential";
}

}  // namespace

void advise_costly_activation(AdviceContext& c) {
  const std::vector<SizedRow> all = sized_rows(c);
  std::map<std::pair<std::string, std::string>, ActivationOfOne> types;  // by method and operator
  for (const SizedRow& one : all) {
    if (!has_exponential(one.row->op) || type_family(one.row->op) != TypeFamily::Activation) continue;
    const RooflineRow* const beside =
        fastest_of(all, kNearBytes * one.call_bytes(), [](const RooflineRow& other) { return is_simple(other.op); });
    if (beside == nullptr) continue;
    ActivationOfOne& type = types[{one.row->method, one.row->op}];
    type.ns += one.row->ns;
    type.could_ns += std::min(*one.row->work.bytes / *beside->gbytes(), one.row->ns);
    type.elements += one.elements * one.calls();
    type.rows.push_back(one);
    type.is_silu = type.is_silu && one.row->title == "aten.sigmoid + mul";
    if (type.costliest == nullptr || one.row->ns > type.costliest->ns) type.costliest = one.row, type.beside = beside;
  }
  for (const auto& [key, type] : types) {
    const double win = type.ns - type.could_ns;
    if (type.ns < kFarFromMoving * type.could_ns || win < kActivationShare * c.usual(key.first)) continue;
    const auto count = static_cast<int64_t>(type.rows.size());
    const std::string name = (type.is_silu ? type.costliest->title : operator_title(key.second)) +
                             (count > 1 ? " ×" + format_count(count) : std::string());
    Advice a;
    a.id = "costly-activation";
    a.method = key.first;
    a.title = name + " waits for its exponentials";
    c.add_time(&a, "time", type.ns);
    a.facts.push_back({"time without its exponentials", type.could_ns, AdviceFact::Unit::Time});
    a.facts.push_back({"rate of " + type.beside->title, *type.beside->gbytes(), AdviceFact::Unit::Gbytes});
    a.text = name + " takes " + c.time(type.ns) + ", " + c.share(type.ns, key.first) +
             " of the execution: " + format_real(type.ns / type.elements, 2) + " ns for each element" +
             (type.is_silu ? ", as SiLU is a sigmoid and a product" : "") + ". At the rate of " + type.beside->title +
             " of the same trace (" + format_real(*type.beside->gbytes(), 1) + " GB/s) it would take " +
             c.time(type.could_ns) + ": it is not memory that it waits for";
    a.what_to_do = "Where the model can be trained further: " + cheaper(type, key.second) +
                   ". A smaller or quantised tensor there helps as well; the same function in another backend may be "
                   "faster, so measure it.";
    for (const SizedRow& one : type.rows) a.items.push_back({one.row->title, one.row->ns, c.place_of(*one.row)});
    a.most_ns = win;
    a.assumes = "it moves its bytes as fast as " + type.beside->title + " does, and computes for nothing";
    a.place = c.place_of(*type.costliest);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
