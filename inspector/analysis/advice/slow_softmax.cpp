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
#include "inspector/analysis/advice/sized_rows.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/type_family.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kFarBelow = 0.1;             // of the rate of what moves as many bytes
constexpr double kFarFromExp = 3;             // times the time of an element with such a function and nothing else
constexpr double kSoftmaxShare = 0.05;        // of the execution, what would be won
constexpr double kPasses = 2.5;               // reads thrice (maximum, exponentials, scale) and writes twice: 5 for 2
constexpr int64_t kShortRow = 128;            // of so few elements, what each row costs by itself is a notable part
constexpr double kSameSize = 0.5;             // of the elements: smaller ones are in a faster cache
constexpr double kNearSize = 1 / kSeenReach;  // of the bytes, as for the roofs of a trace that knows no machine

/// Copies and conversions show what a cache does, not what a computation can reach; products wait for arithmetic.
bool computes(std::string_view op) {
  const TypeFamily family = type_family(op);
  return family == TypeFamily::Arithmetic || family == TypeFamily::Activation || family == TypeFamily::Normalisation;
}

struct SoftmaxOfOne {
  double ns = 0, could_ns = 0, bytes = 0;
  std::vector<SizedRow> rows;
  SizedRow costliest;
  const RooflineRow* beside = nullptr;
  std::optional<SizedRow> exponential;
};

std::string element_time(double ns) { return format_real(ns, ns < 10 ? 2 : 1) + " ns"; }

bool in_attention(std::string_view module) {
  const std::string path = lower_case(module);
  return path.find("attn") != std::string::npos || path.find("attention") != std::string::npos;
}

std::string softmax_advice(const SoftmaxOfOne& all, std::string_view module) {
  std::string text;
  if (all.costliest.row->backend.empty())
    text = "Delegate it: XnnpackPartitioner takes a softmax over the last dimension. ";
  if (!in_attention(module))
    return text +
           "Where only the largest is asked for, argmax of the logits needs none; as the last operator it may be "
           "left to the application.";
  return text +
         "Attention as one operator needs no softmax of its own: ExecuTorch's llama::custom_sdpa (its extension llm) "
         "keeps the scores in the cache between both products; it runs outside of delegates, so measure both. Longer "
         "rows cost less an element.";
}

}  // namespace

void advise_slow_softmax(AdviceContext& c) {
  const std::vector<SizedRow> all = sized_rows(c);
  std::map<std::pair<std::string, std::string>, SoftmaxOfOne> types;  // by method and operator
  for (const SizedRow& slow : all) {
    if (!is_softmax(slow.row->op)) continue;
    const RooflineRow* const beside = fastest_of(all, kNearSize * slow.call_bytes(), [](const RooflineRow& other) {
      return computes(other.op) && !is_softmax(other.op) && !has_exponential(other.op);
    });
    std::optional<SizedRow> exponential;
    for (const SizedRow& other : all) {
      if (!is_softmax(other.row->op) && has_exponential(other.row->op) && other.elements >= kSameSize * slow.elements &&
          (!exponential || other.element_ns() < exponential->element_ns()))
        exponential = other;
    }
    if (beside == nullptr && !exponential) continue;
    SoftmaxOfOne& type = types[{slow.row->method, slow.row->op}];
    type.ns += slow.row->ns;
    type.bytes += *slow.row->work.bytes;
    double could = beside == nullptr ? 0 : kPasses * *slow.row->work.bytes / *beside->gbytes();
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
    if (win < kSoftmaxShare * c.usual(key.first)) continue;
    const double element = type.costliest.element_ns();
    // A trace that has such a function of each element has the better yardstick; the fastest beside may be a slow one.
    const bool is_far = type.exponential ? element >= kFarFromExp * type.exponential->element_ns()
                                         : rate <= kFarBelow * *type.beside->gbytes();
    if (!is_far) continue;
    const auto count = static_cast<int64_t>(type.rows.size());
    const std::string name = operator_title(key.second) + (count > 1 ? " ×" + format_count(count) : std::string());
    Advice a;
    a.id = "slow-softmax";
    a.method = key.first;
    a.title = name + " slow even for its exponentials";
    c.add_time(&a, "time", type.ns);
    a.facts.push_back({"elements of a row", static_cast<double>(type.costliest.last_dim), AdviceFact::Unit::Count});
    a.facts.push_back({"time of an element", element});
    if (type.exponential) a.facts.push_back({"of " + type.exponential->row->title, type.exponential->element_ns()});
    a.facts.push_back({"its rate", rate, AdviceFact::Unit::Gbytes});
    if (type.beside != nullptr)
      a.facts.push_back({"rate of " + type.beside->title, *type.beside->gbytes(), AdviceFact::Unit::Gbytes});
    a.text = name + " takes " + c.time(type.ns) + ", " + c.share(type.ns, key.first) +
             " of the execution: " + element_time(element) + " for each element";
    if (type.exponential)
      a.text += ", where " + type.exponential->row->title +
                " of the same trace, with such a function of each element as well, takes " +
                element_time(type.exponential->element_ns());
    a.text += "; it moves " + format_real(rate, rate < 1 ? 2 : 1) + " GB/s";
    if (type.beside != nullptr) a.text += ", " + type.beside->title + " " + format_real(*type.beside->gbytes(), 1);
    a.text += "; it goes over each row several times";
    if (type.costliest.last_dim <= kShortRow)
      a.text += ", and rows of " + plural(type.costliest.last_dim, "element") +
                " are short: what each costs by itself counts";
    a.what_to_do = softmax_advice(type, c.place_of(*type.costliest.row).module);
    for (const SizedRow& one : type.rows) a.items.push_back({one.row->title, one.row->ns, c.place_of(*one.row)});
    a.most_ns = win;
    if (type.beside != nullptr) a.assumes = "what is left is three passes at the rate of " + type.beside->title;
    if (type.exponential)
      a.assumes += std::string(a.assumes.empty() ? "what is left is what " : ", or what ") +
                   type.exponential->row->title + " takes an element" +
                   (type.beside == nullptr ? "" : ", if that is more");
    a.place = c.place_of(*type.costliest.row);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
