// Operators far from what the machine could do. Only where et-run --calibrate measured the machine of the trace: then
// roofs are of that processor and not of a guess.
#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/advice/slow_shapes.h"

#include <map>
#include <string>
#include <vector>

#include "inspector/analysis/ops/op_title.h"
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
    a.text += shapes_text(c, type.rows);
    a.what_to_do = what_spares(c, type.rows) + " et-inspect roofline shows each op.";
    for (const RooflineRow* const row : type.rows) a.items.push_back({row->title, row->ns, c.place_of(*row)});
    a.most_ns = win;
    a.assumes = "a kernel reaches the machine's peaks";
    a.place = c.place_of(first);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
