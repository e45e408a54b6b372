#include "inspector/analysis/advice/consumers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/advice/sized_rows.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr double kMuch = 0.1;        // of an execution
constexpr size_t kMost = 3;          // consumers
constexpr double kSpokenOf = 0.5;    // of its time: then findings are about it
constexpr double kAtTheRoof = 0.85;  // of its time

/// The rows under roofs, as the Roofline panel has them, and which of them an item of a finding is.
struct Roofs {
  Roofline roofline;
  bool calibrated = false;
  std::map<int64_t, size_t> by_op;
  std::map<std::pair<std::string, std::string>, size_t> by_node;  // with its method

  explicit Roofs(AdviceContext& c) : roofline(c.work()) {
    const auto has_roof = [](const RooflineRow& row) { return row.roof_ns > 0; };
    calibrated = std::any_of(roofline.rows.begin(), roofline.rows.end(), has_roof);
    if (!calibrated) {
      if (const auto seen = best_rates(roofline)) hold_against(seen->peaks, &roofline);
    }
    for (size_t i = 0; i < roofline.rows.size(); ++i) {
      for (const uint32_t op : roofline.rows[i].ops) {
        const OpEntry& entry = c.shown().ops[op];
        by_op.emplace(entry.id, i);
        for (const OpNode* const n : c.shown().own_nodes(entry))
          by_node.emplace(std::pair(roofline.rows[i].method, n->node->name), i);
      }
    }
  }

  /// `along`: also of what goes with it.
  std::set<size_t> rows_of(const Advice& advice, bool along = false) const {
    std::set<size_t> out;
    const auto add = [&](const AdvicePlace& place) {
      const auto op = by_op.find(place.op_id);
      const auto node = by_node.find({advice.method, place.node});
      if (place.op_id > 0 && op != by_op.end()) {
        out.insert(op->second);
      } else if (!place.node.empty() && node != by_node.end()) {
        out.insert(node->second);
      }
    };
    for (const AdviceItem& item : advice.items) add(item.place);
    for (const AdviceItem& item : advice.along) {
      if (along) add(item.place);
    }
    if (advice.items.empty()) add(advice.place);
    return out;
  }
};

/// What the calls of delegates take and no op inside them explains. `method`: "" for all.
Consumer unattributed(const OpTable& shown, const std::string& method) {
  Consumer out;
  out.title = "unattributed";
  out.method = method;
  double most = -1;
  for (const OpEntry& op : shown.ops) {
    out.cut = out.cut || (op.is_delegated && op.resolution_limited && shown.block_of(op).kind == "execute");
    if (op.kind != "delegate_call" || !op.encloses || !op.on_trace_clock() || !(op.cost > 0)) continue;
    const OpBlock& block = shown.block_of(op);
    if (block.kind != "execute" || (!method.empty() && block.method.value_or("") != method)) continue;
    out.ns += op.cost;
    ++out.calls;
    if (op.cost > most) most = op.cost, out.op_id = op.id;
  }
  return out;
}

}  // namespace

bool Consumer::is_far_from_roof() const { return known_ns > 0 && roof_ns < kAtTheRoof * known_ns; }

std::vector<Consumer> silent_consumers(AdviceContext& c, const std::vector<Advice>& advice) {
  const Roofs roofs(c);
  std::set<size_t> spoken;
  for (const Advice& a : advice) {
    if (a.most_ns > 0 || a.open) spoken.merge(roofs.rows_of(a));
  }
  struct Type {
    Consumer sum;
    double spoken_ns = 0;
    int64_t rows = 0;
  };
  // An execution of each method has costs of its own.
  std::map<std::pair<std::string, std::string>, Type> types;
  const std::vector<RooflineRow>& rows = roofs.roofline.rows;
  const std::set<std::string> methods = c.methods();
  const bool several = methods.size() > 1;
  for (size_t i = 0; i < rows.size(); ++i) {
    const RooflineRow& row = rows[i];
    if (row.op.empty()) continue;
    Type& type = types[{several ? row.method : "", row.title}];
    if (type.rows++ == 0) type.sum.op_id = row.op_id;  // the costliest comes first
    type.sum.rows.push_back(i);
    type.sum.ns += row.ns;
    type.sum.integer = type.sum.integer || row.work.integer;
    type.sum.exponential = has_exponential(row.op) || is_softmax(row.op);
    type.spoken_ns += spoken.contains(i) ? row.ns : 0;
    if (!(row.roof_ns > 0)) continue;
    type.sum.known_ns += row.ns;
    type.sum.roof_ns += std::min(row.roof_ns, row.ns);
  }
  std::vector<Consumer> out;
  // As of findings: of so little nobody wants to know.
  const double least = c.shown().unit == "ns" ? kLeastTime : 0;
  for (auto& [key, type] : types) {
    const auto& [method, title] = key;
    const double usual = c.usual(method);
    if (!(usual > 0) || type.sum.ns < std::max(kMuch * usual, least) || type.spoken_ns >= kSpokenOf * type.sum.ns)
      continue;
    type.sum.title = title + (type.rows > 1 ? " ×" + format_count(type.rows) : "");
    type.sum.method = method;
    type.sum.share = std::min(type.sum.ns / share_basis(c.shown(), method), 1.0);
    type.sum.calibrated = roofs.calibrated;
    out.push_back(std::move(type.sum));
  }
  for (const std::string& method : several ? methods : std::set<std::string>{""}) {
    const auto speaks = [&](const Advice& a) {
      return a.id == "small-delegates" && (method.empty() || a.method == method);
    };
    const double usual = c.usual(method);
    Consumer rest = unattributed(c.shown(), method);
    if (!(usual > 0) || rest.ns < std::max(kMuch * usual, least) || std::any_of(advice.begin(), advice.end(), speaks))
      continue;
    rest.share = std::min(rest.ns / share_basis(c.shown(), method), 1.0);
    out.push_back(std::move(rest));
  }
  const auto weight = [&](const Consumer& x) { return x.ns * c.weight_of(x.method); };
  std::stable_sort(out.begin(), out.end(), [&](const Consumer& a, const Consumer& b) { return weight(a) > weight(b); });
  if (out.size() > kMost) out.resize(kMost);
  return out;
}

void add_roofline_bounds(AdviceContext& c, std::vector<Advice>* advice) {
  const auto wins = [](const Advice& a) { return a.most_ns > 0; };
  if (std::none_of(advice->begin(), advice->end(), wins)) return;
  const Roofs roofs(c);
  for (Advice& a : *advice) {
    if (!(a.most_ns > 0)) continue;
    double win = 0, unknown = 0;
    bool known = false;
    for (const size_t i : roofs.rows_of(a, true)) {
      const RooflineRow& row = roofs.roofline.rows[i];
      known = known || row.roof_ns > 0;
      (row.roof_ns > 0 ? win : unknown) += row.roof_ns > 0 ? std::max(0.0, row.ns - row.roof_ns) : row.ns;
    }
    if (!known) continue;
    a.roof_win = win;
    a.work_ns = std::max(0.0, a.work_ns - unknown);  // all of it might go
  }
}

std::string consumer_text(const Consumer& c, const OpTable& shown, bool listed) {
  const auto time = [&](double ns) { return format_duration_with_unit(ns, shown.unit); };
  const std::string in = c.method.empty() ? "" : "in " + c.method + " ";
  if (c.calls > 0)
    return in + plural(c.calls, "call") + (c.calls == 1 ? " of a delegate takes " : " of delegates take ") +
           time(c.ns) + " (" + format_share(c.share) + ") in no op inside (unattributed): what calling costs" +
           (c.cut ? ", and what events of whole microseconds leave out" : "") +
           ". Fewer, larger delegates have less of it";
  std::string out = in + c.title + " takes " + time(c.ns) + " (" + format_share(c.share) +
                    (listed ? "), and no other rule speaks of it: " : "), and no rule speaks of it: ");
  if (!(c.known_ns > 0)) return out + "its roof is not known";
  if (c.exponential)
    return out +
           "most of its work are exponentials, which roofs only weigh, so nothing here tells what a better kernel " +
           "would win";
  const double part = c.roof_ns / c.known_ns, win = c.known_ns - c.roof_ns;
  const std::string smaller = c.integer ? "a smaller model" : "a smaller or a quantised model";
  if (c.calibrated) {
    out += "at " + format_share(part) + " of its roof, ";
    return out + (!c.is_far_from_roof() ? "nothing is to be won but by " + smaller
                                        : "a better kernel could win up to " + time(win));
  }
  if (!c.is_far_from_roof())
    return out + "it is among the fastest of this trace, so only " + smaller +
           " is sure to win; what the machine could do, et-run --calibrate measures";
  return out + "at " + format_share(part) + " of the best rates of this trace, reaching them would win " + time(win);
}

}  // namespace et::inspector
