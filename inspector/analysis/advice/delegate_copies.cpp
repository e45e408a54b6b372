// Copies and changes of layout or shape that a delegate runs: the model's own, not those that its lowering inserted.
// What is to be won is held against what the same bytes take at the best rate of the trace, as the roofline has it.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/advice/data_movement.h"
#include "inspector/analysis/advice/sized_rows.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/work/operator_work.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kMostOfIt = 0.7;  // of what is to be won: in few of the ops
constexpr double kAsManyBytes = 0.5;
constexpr double kFarFromCopies = 0.5;  // of another's rate
constexpr int64_t kShortInside = 8;     // elements of a last dimension: moved nearly one by one

std::string copy_rate_text(double rate) { return format_real(rate, rate < 10 ? 2 : 1); }

struct Copies {
  double ns = 0, win = 0;
  std::vector<const RooflineRow*> rows;
  std::map<std::string, double> by_operator;
};

bool is_inserted(const AdviceContext& c, const RooflineRow& row) {
  return c.shown().ops[row.ops.front()].role.value_or("") == "layout";  // delegate-layout's
}

/// A row of no operations names no operator; its node does.
std::string moving_op(const AdviceContext& c, const RooflineRow& row) {
  if (!row.op.empty() || row.backend.empty() || row.is_framework) return row.op;
  const OpNode* const main = c.shown().main_node(c.shown().ops[row.ops.front()]);
  return main == nullptr ? std::string() : main->node->op;
}

double win_of(const RooflineRow& row) { return row.roof_ns > 0 ? std::max(0.0, row.ns - row.roof_ns) : 0; }

/// The best rate of what moves at least so many bytes in each call, whatever it does with them.
const RooflineRow* fastest_mover(const std::vector<RooflineRow>& rows, double least_bytes) {
  const RooflineRow* best = nullptr;
  for (const RooflineRow& row : rows) {
    if (!row.gbytes() || row.ns < kCallNs * std::max(row.calls, 1.0) || bytes_a_call(row) < least_bytes) continue;
    if (best == nullptr || *row.gbytes() > *best->gbytes()) best = &row;
  }
  return best;
}

/// "; 6 of them take 464 µs, at 1.02 GB/s, where aten.mul.Tensor of the same trace moves as many bytes at 40 GB/s".
std::string slowest_text(AdviceContext& c, const Copies& copies, const std::vector<RooflineRow>& all, Advice* a) {
  double won = 0, ns = 0, bytes = 0;
  size_t few = 0;
  while (few < copies.rows.size() && won < kMostOfIt * copies.win) {
    const RooflineRow& row = *copies.rows[few++];
    won += win_of(row);
    ns += row.ns;
    bytes += row.work.bytes.value_or(0);
  }
  const double rate = bytes / ns;
  const RooflineRow* const beside = fastest_mover(all, kAsManyBytes * bytes_a_call(*copies.rows.front()));
  a->facts.push_back({"rate of those that lose most", rate, AdviceFact::Unit::Gbytes});
  const bool one = few == 1;
  std::string text = few == copies.rows.size()
                         ? std::string("; ") + (one ? "it moves" : "they move")
                         : "; " + format_count(static_cast<int64_t>(few)) + " of them " + (one ? "takes " : "take ") +
                               c.time(ns) + " and " + (one ? "moves" : "move");
  text += " " + copy_rate_text(rate) + " GB/s";
  if (beside == nullptr || rate > kFarFromCopies * *beside->gbytes()) return text;
  a->facts.push_back({"rate of " + beside->title, *beside->gbytes(), AdviceFact::Unit::Gbytes});
  return text + ", where " + beside->title + " of the same trace moves as many bytes at " +
         copy_rate_text(*beside->gbytes()) + " GB/s";
}

/// Elements of the last dimension of what the costliest makes; 0 where it is not known.
int64_t inside_of(AdviceContext& c, const RooflineRow& worst) {
  const OpNode* const main = c.shown().main_node(c.shown().ops[worst.ops.front()]);
  const GraphNode* const node = main == nullptr ? nullptr : c.nodes().node(main->node->id).second;
  const std::optional<Shape> shape = node == nullptr ? std::nullopt : parse_shape(node->shape);
  return shape && !shape->empty() ? shape->back() : 0;
}

}  // namespace

void advise_delegate_copies(AdviceContext& c) {
  Roofline held = c.work();
  const auto has_roof = [](const RooflineRow& row) { return row.roof_ns > 0; };
  const bool calibrated = std::any_of(held.rows.begin(), held.rows.end(), has_roof);
  if (!calibrated) {
    if (const auto seen = best_rates(held)) hold_against(seen->peaks, &held);
  }
  std::map<std::pair<std::string, std::string>, Copies> found;  // by method and backend
  for (const RooflineRow& row : held.rows) {
    const std::string op = moving_op(c, row);
    // Views that move nothing have nothing to win.
    if (row.backend.empty() || op.empty() || !only_moves_data(op) || is_inserted(c, row) || win_of(row) <= 0) continue;
    Copies& copies = found[{row.method, row.backend}];
    copies.ns += row.ns;
    copies.win += win_of(row);
    copies.by_operator[op] += row.ns;
    copies.rows.push_back(&row);
  }
  for (auto& [key, copies] : found) {
    const auto& [method, backend] = key;
    if (copies.win < kLeastShare * c.usual(method)) continue;
    std::stable_sort(copies.rows.begin(), copies.rows.end(),
                     [](const RooflineRow* x, const RooflineRow* y) { return win_of(*x) > win_of(*y); });
    const RooflineRow& worst = *copies.rows.front();
    const auto most = std::max_element(copies.by_operator.begin(), copies.by_operator.end(),
                                       [](const auto& x, const auto& y) { return x.second < y.second; });
    const std::string name = operator_title(most->first);
    const auto count = std::ssize(copies.rows);
    Advice a;
    a.id = "delegate-copies";
    a.method = method;
    a.title = "Ops inside " + backend + " that only move data, most of all " + name;
    c.add_time(&a, "time of copies and changes of layout or shape in it", copies.ns);
    a.facts.push_back({"of which " + name, most->second, AdviceFact::Unit::Time});
    a.facts.push_back({"ops", static_cast<double>(count), AdviceFact::Unit::Count});
    a.text = plural(count, "op") + " inside " + backend + " that only " + (count == 1 ? "moves" : "move") + " data " +
             (count == 1 ? "takes " : "take ") + c.time(copies.ns) + ", " + c.share(copies.ns, method) +
             " of the execution" + c.largest_part(name, most->second, copies.ns, copies.by_operator.size()) +
             slowest_text(c, copies, held.rows, &a);
    const int64_t inside = inside_of(c, worst);
    if (inside > 0 && inside <= kShortInside)
      a.what_to_do = "The last dimension of what the slowest makes has " + plural(inside, "element") +
                     ", so it is moved nearly element by element: merge the reshape and the transpose with their "
                     "neighbours into one permute that leaves the largest dimension last, or cut patches by one "
                     "convolution or unfold instead of reshapes. ";
    a.what_to_do += what_spares_copies(name);
    for (const RooflineRow* const row : copies.rows) a.items.push_back({row->title, row->ns, c.place_of(*row)});
    a.most_ns = copies.win;
    a.assumes = calibrated ? "each moves its bytes at the machine's bandwidth"
                           : "each moves its bytes at the best rate of this trace";
    a.place = c.place_of(worst);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
