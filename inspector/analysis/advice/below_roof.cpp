// Operators far from what the machine could do. Only where et-run --calibrate measured the machine of the trace: then
// roofs are of that processor and not of a guess.
#include "inspector/analysis/advice/advice.h"

#include <map>
#include <string>
#include <vector>

#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/work/operator_work.h"
#include "inspector/match/type_family.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kFar = 0.5;          // of the roof
constexpr double kWorthSaying = 0.1;  // of the execution, what the roof would win

struct Type {
  double ns = 0, roof_ns = 0;
  std::vector<const RooflineRow*> rows;
  const RooflineRow* costliest = nullptr;
};

/// What makes an operator of that kind slow, and what spares it.
std::string what_to_do(const RooflineRow& row) {
  switch (type_family(row.op)) {
    case TypeFamily::Convolution:
      return "Shapes that a kernel is not made for (few channels, depthwise, groups, odd sizes) or a kernel without "
             "vector instructions: delegate it (for CPUs XnnpackPartitioner), or change its channels to multiples of "
             "8.";
    case TypeFamily::Matmul:
      return "Few rows, odd sizes, a transposed weight that is read with strides, or a kernel without vector "
             "instructions: delegate it (for CPUs XnnpackPartitioner), or batch rows that are computed one by one.";
    case TypeFamily::Reduction:
      return "A reduction that walks over its input with strides, or element by element: reduce over the last "
             "dimensions, write it as a pooling or a product with ones, or delegate it.";
    case TypeFamily::Normalisation:
    case TypeFamily::Softmax:
      return "Several passes over the values, one element at a time: delegate it, or use an operator of the backend "
             "that "
             "does all of it at once.";
    case TypeFamily::Activation:
      return "Costly functions of each element: a cheaper activation (hardswish for SiLU, ReLU for GELU) or a backend "
             "that fuses it with what computes its input.";
    case TypeFamily::Lookup:
      return "Single elements from scattered places: look up whole rows, with indices in order.";
    default:
      break;
  }
  return multiplies(row.op) ? "A kernel without vector instructions, or shapes that it is not made for: try "
                              "another shape or backend."
                            : "Its memory traffic does not explain it: broadcasts, strides, changes of dtype, or "
                              "a kernel without vector instructions. Delegate it, or fold it into its producer.";
}

}  // namespace

void advise_below_roof(AdviceContext& c) {
  if (!c.work().believable()) return;
  std::map<std::pair<std::string, std::string>, Type> types;  // by method and operator
  for (const RooflineRow& row : c.work().rows) {
    const bool judged = row.bound == Bound::Compute || row.bound == Bound::Memory || row.bound == Bound::Neither;
    if (!judged || row.op.empty() || !(row.roof_ns > 0) || only_moves_data(row.op)) continue;
    Type& type = types[{row.method, row.op}];
    type.ns += row.ns;
    type.roof_ns += row.roof_ns;
    type.rows.push_back(&row);
    if (type.costliest == nullptr || row.ns > type.costliest->ns) type.costliest = &row;
  }
  for (const auto& [key, type] : types) {
    const double win = type.ns - type.roof_ns, total = c.usual(key.first);
    if (type.roof_ns > kFar * type.ns || win < kWorthSaying * total) continue;
    const RooflineRow& first = *type.costliest;
    Advice a;
    a.id = "below-roof";
    a.method = key.first;
    const auto count = static_cast<int64_t>(type.rows.size());
    const std::string times = count > 1 ? " ×" + format_count(count) : std::string();
    a.title = operator_title(key.second) + times + " far below the roof";
    c.add_time(&a, "time", type.ns);
    a.facts.push_back({"time that its work needs at least", type.roof_ns, AdviceFact::Unit::Time});
    a.facts.push_back({"of what the machine can do", type.roof_ns / type.ns, AdviceFact::Unit::Share});
    a.text = operator_title(key.second) + times + " runs at " + format_share(type.roof_ns / type.ns) +
             " of what this machine can do: " + c.time(type.ns) + ", " + c.share(type.ns, key.first) +
             " of the execution, where its operations and bytes need " + c.time(type.roof_ns);
    a.what_to_do = what_to_do(first) + " et-inspect roofline shows each op.";
    for (const RooflineRow* const row : type.rows) a.items.push_back({row->title, row->ns, c.place_of(*row)});
    a.most_ns = win;
    a.assumes = "a kernel reaches the machine's peaks";
    a.place = c.place_of(first);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
