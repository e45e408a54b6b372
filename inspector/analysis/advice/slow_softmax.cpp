// Softmax that is slow even for the exponentials in it: held against operators of the same trace that move as many
// bytes, and against those that work out such a function of each element, too. Needs no calibration.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/work/operator_work.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/type_family.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kFarBelow = 0.1;       // of the rate of what moves as many bytes
constexpr double kFarFromExp = 3;       // times the time of an element with such a function and nothing else
constexpr double kSoftmaxShare = 0.05;  // of the execution, what would be won
constexpr double kPasses = 2.5;         // reads thrice (maximum, exponentials, scale) and writes twice: 5 for 2
constexpr int64_t kShortRow = 128;      // of so few elements, what each row costs by itself is a notable part
constexpr double kSameSize = 0.5;       // of the elements: smaller ones are in a faster cache

bool is_softmax(std::string_view op) {
  const std::string_view base = operator_base(op);
  return base == "softmax" || base == "_softmax" || base == "_log_softmax" || base == "log_softmax" ||
         base == "_safe_softmax";
}

/// One function of about the cost of an exponential for each element.
bool has_exponential(std::string_view op) {
  static constexpr std::string_view kOps[] = {"exp", "sigmoid", "silu", "gelu", "tanh", "elu", "erf", "log"};
  const std::string_view base = operator_base(op);
  return std::find(std::begin(kOps), std::end(kOps), base) != std::end(kOps);
}

/// Copies and conversions show what a cache does, not what a computation can reach.
bool computes(std::string_view op) {
  const TypeFamily family = type_family(op);
  return family == TypeFamily::Arithmetic || family == TypeFamily::Activation || family == TypeFamily::Matmul ||
         family == TypeFamily::Convolution || family == TypeFamily::Normalisation;
}

struct Sized {
  const RooflineRow* row = nullptr;
  double elements = 0;   // of a call
  int64_t last_dim = 0;  // elements of the last dimension
  double element_ns() const { return row->ns / std::max(row->calls, 1.0) / elements; }
  double call_bytes() const { return *row->work.bytes / std::max(row->calls, 1.0); }
};

/// What takes longer than a call, and whose size is known.
std::optional<Sized> sized(AdviceContext& c, const RooflineRow& row) {
  if (!row.gbytes() || row.op.empty() || row.ns < kCallNs * std::max(row.calls, 1.0)) return {};
  Sized out{&row};
  const OpNode* const main = c.shown().main_node(c.shown().ops[row.ops.front()]);
  const GraphNode* const node = main == nullptr ? nullptr : c.nodes().node(main->node->id).second;
  const std::optional<Shape> shape = node == nullptr ? std::nullopt : parse_shape(node->shape);
  if (!shape || shape->empty()) return {};
  out.elements = elements_of(*shape);
  out.last_dim = shape->back();
  return out.elements > 0 ? std::optional(out) : std::nullopt;
}

struct SoftmaxOfOne {
  double ns = 0, could_ns = 0, bytes = 0;
  std::vector<Sized> rows;
  Sized costliest;
  const RooflineRow* beside = nullptr;
  std::optional<Sized> exponential;
};

std::string element_time(double ns) { return format_real(ns, ns < 10 ? 2 : 1) + " ns"; }

std::string softmax_advice(const SoftmaxOfOne& all) {
  std::string text;
  if (all.costliest.row->backend.empty())
    text = "Delegate it: XnnpackPartitioner takes a softmax over the last dimension. ";
  return text +
         "Attention as one operator needs no softmax of its own: ExecuTorch's llama::custom_sdpa (its extension llm) "
         "keeps the scores in the cache between both products; it runs outside of delegates, so measure both. Where "
         "only the largest is asked for, argmax of the logits needs none.";
}

}  // namespace

void advise_slow_softmax(AdviceContext& c) {
  std::vector<Sized> all;
  for (const RooflineRow& row : c.work().rows) {
    if (const std::optional<Sized> one = sized(c, row)) all.push_back(*one);
  }
  std::map<std::pair<std::string, std::string>, SoftmaxOfOne> types;  // by method and operator
  for (const Sized& slow : all) {
    if (!is_softmax(slow.row->op)) continue;
    const RooflineRow* beside = nullptr;
    std::optional<Sized> exponential;
    for (const Sized& other : all) {
      if (is_softmax(other.row->op)) continue;
      if (computes(other.row->op) && other.call_bytes() >= kSameSize * slow.call_bytes() &&
          (beside == nullptr || *other.row->gbytes() > *beside->gbytes()))
        beside = other.row;
      if (has_exponential(other.row->op) && other.elements >= kSameSize * slow.elements &&
          (!exponential || other.element_ns() < exponential->element_ns()))
        exponential = other;
    }
    if (beside == nullptr) continue;
    SoftmaxOfOne& type = types[{slow.row->method, slow.row->op}];
    type.ns += slow.row->ns;
    type.bytes += *slow.row->work.bytes;
    double could = kPasses * *slow.row->work.bytes / *beside->gbytes();
    if (exponential) could = std::max(could, slow.row->ns * exponential->element_ns() / slow.element_ns());
    type.could_ns += std::min(could, slow.row->ns);
    type.rows.push_back(slow);
    if (type.costliest.row != nullptr && slow.row->ns <= type.costliest.row->ns) continue;
    type.costliest = slow;
    type.beside = beside;
    type.exponential = exponential;
  }
  for (const auto& [key, type] : types) {
    const double win = type.ns - type.could_ns, rate = type.bytes / type.ns;
    if (rate > kFarBelow * *type.beside->gbytes() || win < kSoftmaxShare * c.usual(key.first)) continue;
    const double element = type.costliest.element_ns();
    if (type.exponential && element < kFarFromExp * type.exponential->element_ns()) continue;
    const auto count = static_cast<int64_t>(type.rows.size());
    const std::string name = operator_title(key.second) + (count > 1 ? " ×" + format_count(count) : std::string());
    Advice a;
    a.id = "slow-softmax";
    a.method = key.first;
    a.title = name + " slow even for its exponentials";
    c.add_time(&a, "time", type.ns);
    a.facts.push_back({"elements of a row", static_cast<double>(type.costliest.last_dim), AdviceFact::Unit::Count});
    a.facts.push_back({"its rate", rate, AdviceFact::Unit::Gbytes});
    a.facts.push_back({"rate of " + type.beside->title, *type.beside->gbytes(), AdviceFact::Unit::Gbytes});
    a.text = name + " takes " + c.time(type.ns) + ", " + c.share(type.ns, key.first) +
             " of the execution: " + element_time(element) + " for each element";
    if (type.exponential)
      a.text += ", where " + type.exponential->row->title +
                " of the same trace, with such a function of each element as well, takes " +
                element_time(type.exponential->element_ns());
    a.text += "; it moves " + format_real(rate, rate < 1 ? 2 : 1) + " GB/s, " + type.beside->title + " " +
              format_real(*type.beside->gbytes(), 1) + "; it goes over each row several times";
    if (type.costliest.last_dim <= kShortRow)
      a.text += ", and rows of " + plural(type.costliest.last_dim, "element") +
                " are short: what each costs by itself counts";
    a.what_to_do = softmax_advice(type);
    for (const Sized& one : type.rows) a.items.push_back({one.row->title, one.row->ns, c.place_of(*one.row)});
    a.most_ns = win;
    a.assumes = "what is left is three passes at the rate of " + type.beside->title;
    if (type.exponential)
      a.assumes += ", or what " + type.exponential->row->title + " takes an element, if that is more";
    a.place = c.place_of(*type.costliest.row);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
