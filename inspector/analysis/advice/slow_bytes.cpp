// Simple operators that move their bytes many times slower than others of the same trace move as many. Needs no
// calibration: what another op reached here, this machine can do.
#include "inspector/analysis/advice/advice.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inspector/analysis/advice/sized_rows.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/type_family.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kFar = 0.2;          // of the other's rate
constexpr double kWorthSaying = 0.1;  // of the execution
constexpr double kAsMany = 0.5;       // of the bytes: smaller ones are in a faster cache

/// Sorting, and functions that take an element more than its traffic, are rightly slower.
bool only_reads_and_adds(const std::string& op) {
  static constexpr std::string_view kCostly[] = {"topk", "sort",   "cumsum", "pool", "upsample", "resize", "pow",
                                                 "exp",  "log",    "sin",    "cos",  "erf",      "sqrt",   "div",
                                                 "fmod", "remain", "recip",  "var",  "std",      "tan"};
  const TypeFamily family = type_family(op);
  if (family != TypeFamily::Reduction && family != TypeFamily::Arithmetic) return false;
  const std::string key = type_key(op);
  return std::none_of(std::begin(kCostly), std::end(kCostly),
                      [&](std::string_view word) { return key.find(word) != std::string::npos; });
}

std::string rate_text(double rate) { return format_real(rate, rate < 1 ? 2 : 1); }

struct Type {
  double ns = 0, bytes = 0, could_ns = 0;
  std::vector<const RooflineRow*> rows;
  const RooflineRow *costliest = nullptr, *beside = nullptr;
};

}  // namespace

void advise_slow_bytes(AdviceContext& c) {
  const std::vector<RooflineRow>& rows = c.work().rows;
  std::map<std::pair<std::string, std::string>, Type> types;  // by method and operator
  for (const RooflineRow& row : rows) {
    if (!is_measured(row) || !only_reads_and_adds(row.op)) continue;
    const RooflineRow* const beside =
        fastest_of(rows, kAsMany * bytes_a_call(row), [&](const RooflineRow& other) { return other.op != row.op; });
    if (beside == nullptr) continue;
    Type& type = types[{row.method, row.op}];
    type.ns += row.ns;
    type.bytes += *row.work.bytes;
    type.could_ns += *row.work.bytes / *beside->gbytes();
    type.rows.push_back(&row);
    if (type.costliest == nullptr || row.ns > type.costliest->ns) type.costliest = &row, type.beside = beside;
  }
  for (const auto& [key, type] : types) {
    const double win = type.ns - type.could_ns;
    if (type.could_ns > kFar * type.ns || win < kWorthSaying * c.usual(key.first)) continue;
    const auto count = static_cast<int64_t>(type.rows.size());
    const std::string name = operator_title(key.second) + (count > 1 ? " ×" + format_count(count) : std::string());
    const double rate = type.bytes / type.ns;
    Advice a;
    a.id = "slow-bytes";
    a.method = key.first;
    a.title = name + " slow for the bytes it moves";
    c.add_time(&a, "time", type.ns);
    a.facts.push_back({"bytes moved", type.bytes, AdviceFact::Unit::Bytes});
    a.facts.push_back({"its rate", rate, AdviceFact::Unit::Gbytes});
    a.facts.push_back({"rate of " + type.beside->title, *type.beside->gbytes(), AdviceFact::Unit::Gbytes});
    a.text = name + " takes " + c.time(type.ns) + ", " + c.share(type.ns, key.first) + " of the execution, to move " +
             format_bytes(static_cast<int64_t>(type.bytes)) + ": " + rate_text(rate) + " GB/s, where " +
             type.beside->title + " of the same trace moves as many bytes at " + rate_text(*type.beside->gbytes()) +
             " GB/s";
    a.what_to_do =
        type_family(key.second) == TypeFamily::Reduction
            ? "Its kernel walks over the input with strides, or element by element: delegate it, reduce over "
              "the last dimensions, or write it as a pooling (adaptive_avg_pool2d for a mean over height and "
              "width)."
            : std::string(
                  "Its kernel goes element by element: broadcasts, strides or changes of dtype are the usual "
                  "reason. ") +
                  (type.costliest->backend.empty() ? "Delegate it, make" : "Make") +
                  " its operands of equal shape and dtype, or fold it into its producer.";
    for (const RooflineRow* const row : type.rows) a.items.push_back({row->title, row->ns, c.place_of(*row)});
    std::sort(a.items.begin(), a.items.end(), [](const AdviceItem& x, const AdviceItem& y) { return x.ns > y.ns; });
    a.most_ns = win;
    a.assumes = "it moves its bytes as fast as the fastest operator of the trace does";
    a.place = c.place_of(*type.costliest);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
