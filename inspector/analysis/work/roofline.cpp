#include "inspector/analysis/work/roofline.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>

#include "inspector/analysis/diff/op_groups.h"
#include "inspector/analysis/ops/group_face.h"
#include "inspector/analysis/ops/interruptions.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/work/operator_work.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

// Below this part of its time at the roof, an op of little work spends the rest on being called.
constexpr double kMostlyCall = 0.5;

double usual_of(const RooflineRow& row) { return row.usual_ns > 0 ? row.usual_ns : row.ns; }

/// So many times faster than memory no copy is, however well it lies in a cache; a call too short for a clock need not
/// be.
constexpr double kFasterThanCopies = 2;
bool stays(const RooflineRow& row, double roof_ns) {
  const bool is_short = usual_of(row) < kShortestRate * std::max(row.calls, 1.0);
  return row.may_stay && roof_ns > (is_short ? 1 : kFasterThanCopies) * usual_of(row);
}

void hold_row_against(const MachinePeaks& machine, RooflineRow* row) {
  row->roof_ns = 0;
  row->bound = Bound::Unknown;
  row->spares = row->stays = false;
  if (!row->work.flops || !row->work.bytes) return;
  const double calls = std::max(row->calls, 1.0);
  MachinePeaks::Roofs roofs = roofs_of(machine, *row);
  // Clearly: what is a little faster was measured under a peak that is a little too low.
  constexpr double kClearly = 1.1;
  if (!machine.at_least && row->work.spared_flops > 0 && roofs.compute_ns > kClearly * usual_of(*row)) {
    row->spares = true;
    roofs = roofs_of(machine, *row);
  }
  // What the machine does at least is no limit: who is faster, by Winograd's algorithm or not, has a rate of its own.
  if (machine.at_least && row->work.spared_flops > 0) roofs.compute_ns = std::min(roofs.compute_ns, usual_of(*row));
  const double roof_ns = std::max(roofs.compute_ns, roofs.memory_ns);
  row->stays = stays(*row, roof_ns);
  if (row->stays || roof_ns <= 0) return;
  row->roof_ns = roof_ns;
  const bool is_short = row->ns < kCallNs * calls && row->roof_ns < kMostlyCall * row->ns;
  if (is_short || (row->is_tiny() && row->ns < kSlowCallNs * calls)) {
    row->bound = Bound::Overhead;
  } else if (row->roof_ns < kNearRoof * row->ns) {
    row->bound = Bound::Neither;
  } else if (!machine.at_least) {  // else its roof may be a slow kernel's, perhaps its own, which limits nothing
    row->bound = roofs.memory_holds() ? Bound::Memory : Bound::Compute;
  }
}

/// On the bases of one execution or a few. The ops have the same indices.
Status add_usual_times(const Store& store, const OpTable& shown, Roofline* out) {
  const BasisKind kind = shown.basis.kind;
  const bool few = kind == BasisKind::Execution || kind == BasisKind::P99 || kind == BasisKind::Cold;
  // A range cuts ops at its ends.
  if (shown.old_store || (!few && kind != BasisKind::Range)) return {};
  OpTable usual;
  const std::shared_ptr<const OpTable> unowned(std::shared_ptr<const OpTable>(), &shown);
  if (Status s = load_other_basis(store, unowned, Basis{}, std::nullopt, &usual); !s.ok()) return s;
  for (RooflineRow& row : out->rows) {
    for (const uint32_t op : row.ops) row.usual_ns += usual.ops[op].cost;
  }
  return {};
}

/// Of how many executions the times of a row are the sum.
double executions_of(const RooflineRow& row, const OpTable& shown) {
  if (!shown.basis.is_sum()) return 1;
  int64_t most = 0;
  for (const uint32_t i : row.ops) most = std::max(most, shown.block_of(shown.ops[i]).runs);
  const auto runs = static_cast<double>(std::max<int64_t>(most, 1));
  if (shown.basis.kind == BasisKind::Total || !(row.usual_ns > 0)) return runs;
  // The first and the last may be cut: they count by their time, as if that were the usual.
  return std::clamp(row.ns / row.usual_ns, runs - 2, runs);
}

/// Work and calls of one execution become those of the time.
void add_work(const OpTable& shown, Roofline* out) {
  for (RooflineRow& row : out->rows) {
    const double executions = executions_of(row, shown);
    row.usual_ns *= executions;
    row.calls *= executions;
    if (row.work.flops) *row.work.flops *= row.calls;
    row.work.spared_flops *= row.calls;
    if (row.work.bytes) *row.work.bytes *= row.calls;
    row.work.weight_bytes *= row.calls;
    if (row.work.flops && row.work.bytes) out->known_ns += row.ns;
    out->flops += row.work.flops.value_or(0);
    out->bytes += row.work.bytes.value_or(0);
  }
}

/// At least: what Winograd's algorithm does without may not have been computed.
double usual_gflops(const RooflineRow& row) { return (*row.work.flops - row.work.spared_flops) / usual_of(row); }
double usual_gbytes(const RooflineRow& row) { return *row.work.bytes / usual_of(row); }

}  // namespace

MachinePeaks::Roofs roofs_of(const MachinePeaks& machine, const RooflineRow& row) {
  return machine.roofs_of(row.done_flops(), *row.work.bytes, row.calls, row.work.integer);
}

const char* bound_name(Bound bound) {
  switch (bound) {
    case Bound::Compute:
      return "compute";
    case Bound::Memory:
      return "memory";
    case Bound::Overhead:
      return "overhead";
    case Bound::Neither:
      return "neither";
    case Bound::Unknown:
      break;
  }
  return "";
}

bool Roofline::has_methods() const {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const RooflineRow& row) { return row.method != rows.front().method; });
}

std::string Roofline::unknown_text() const {
  constexpr size_t kNamed = 4;
  constexpr double kWorthAName = 0.005;
  if (!(unknown_ns() > 0)) return {};
  std::map<std::pair<std::string, std::string>, double> times;
  for (const RooflineRow& row : rows) {
    if (row.is_framework || (row.work.flops && row.work.bytes)) continue;
    // Shapes differ, their symbol does not.
    const bool shape = row.work.unknown.starts_with("shape");
    const bool formula = row.work.unknown.starts_with("operator");
    if (!row.work.unknown.empty())
      times[{row.title, shape ? "a shape without numbers" : formula ? "no formula" : row.work.unknown}] += row.ns;
  }
  std::vector<std::pair<double, std::string>> by_time;
  for (const auto& [what, ns] : times) {
    if (ns >= kWorthAName * total_ns)
      by_time.emplace_back(ns, what.first + " " + format_duration_with_unit(ns, "ns") + " (" + what.second + ")");
  }
  std::sort(by_time.rbegin(), by_time.rend());
  std::vector<std::string> names;
  for (const auto& [ns, name] : by_time) {
    if (names.size() < kNamed) names.push_back(name);
  }
  if (by_time.size() > kNamed) names.emplace_back("…");
  return joined(names, ", ");
}

Status roofline(const Store& store, const OpTable& shown, const MachinePeaks* machine, const DimValues& dims,
                Roofline* out) {
  *out = {};
  out->basis = shown.basis;
  if (shown.unit != "ns")
    return {Error::InvalidArgument,
            "the trace counts " + shown.unit + ": expected times in ns; --source-time-scale says what ticks are"};
  WorkOfNodes work;
  if (Status s = work.load(store, shown, dims); !s.ok()) return s;
  out->has_graph = work.has_graph();
  out->symbols = work.symbols();
  out->symbol_places = work.symbol_places();
  for (const OpBlock& b : shown.blocks) {
    if (b.kind != "execute") continue;
    out->total_ns += b.cost;
    out->variation_ns += b.variation;
  }
  for (const OpGroup& group : group_ops(OpTable(), shown)) {
    const GroupFace face = group_face(shown, group.after);
    if (face.op == nullptr) continue;
    RooflineRow row;
    row.title = group.after.size() == 1 && !face.op->encloses ? row_title(shown, *face.op) : face.title;
    row.method = face.method;
    row.place = face.place;
    row.module = face.module;
    row.backend = face.op->backend.value_or("");
    row.op_id = face.op->id;
    row.ops = group.after;
    std::set<int64_t> nodes;
    for (const uint32_t i : group.after) {
      const OpEntry& op = shown.ops[i];
      row.ns += op.cost;
      if (op.kind == "framework") {
        out->framework_ns += op.cost;
        row.is_framework = true;
      }
      if (!has_work(op)) continue;
      for (uint32_t l = op.first_node; l < op.first_node + op.nodes; ++l) {
        if (shown.nodes[l].weight > 0) nodes.insert(shown.nodes[l].node->id);
      }
      const int64_t runs = shown.block_of(op).runs;
      if (runs > 0) row.calls = std::max(row.calls, static_cast<double>(op.count) / static_cast<double>(runs));
    }
    row.work = work.of(nodes);
    row.may_stay = !nodes.empty();
    double most = 0;
    for (const int64_t id : nodes) {
      const double flops = work.of({id}).flops.value_or(0);
      if (flops > most) most = flops, row.op = work.node(id).second->op;
      const GraphNode* const node = work.node(id).second;
      row.may_stay = row.may_stay && node != nullptr && may_leave_data(node->op);
    }
    out->rows.push_back(std::move(row));
  }
  std::stable_sort(out->rows.begin(), out->rows.end(),
                   [](const RooflineRow& a, const RooflineRow& b) { return a.ns > b.ns; });
  Status status = add_usual_times(store, shown, out);
  add_work(shown, out);
  if (machine != nullptr) hold_against(*machine, out);
  return status;
}

Status calm_roofline(const Store& store, const OpTable& shown, const MachinePeaks* machine, const DimValues& dims,
                     Roofline* out) {
  std::vector<Interruption> found;
  if (Status s = find_interruptions(store, shown, &found); !s.ok()) return s;
  if (found.empty()) return roofline(store, shown, machine, dims, out);
  Status status = roofline(store, without_interruptions(shown, found), machine, dims, out);
  if (status.ok()) out->left_out = left_out_text(shown, found);
  return status;
}

namespace {

/// Rates that no row is held against are no roofs of this trace. What is left maps each row to the same rate.
void leave_out_unused(const Roofline& roofline, SeenPeaks* seen) {
  std::set<size_t> used;
  for (const RooflineRow& row : roofline.rows) {
    if (!row.work.flops || !row.work.bytes || !(*row.work.bytes > 0)) continue;
    const MachinePeaks::Roofs roofs = roofs_of(seen->peaks, row);
    if (roofs.memory_holds() && !stays(row, roofs.memory_ns)) used.insert(roofs.entry);
  }
  if (used.empty()) return;
  for (size_t at = seen->memory_of.size(); at-- > 0;) {
    if (used.contains(at)) continue;
    seen->peaks.bandwidth.erase(seen->peaks.bandwidth.begin() + static_cast<std::ptrdiff_t>(at));
    seen->memory_of.erase(seen->memory_of.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

double set_of(const RooflineRow& row) { return *row.work.bytes / std::max(row.calls, 1.0); }

/// Of the rows those whose rate is no single op's: best_rates() says why. All of them where that leaves none.
template <class Rate>
std::vector<const RooflineRow*> confirmed(std::vector<const RooflineRow*> rows, const Rate& rate) {
  constexpr double kMuchTime = 0.005, kNear = 0.8;
  double all = 0;
  for (const RooflineRow* const row : rows) all += usual_of(*row);
  std::erase_if(rows, [&](const RooflineRow* row) { return row->may_stay && usual_of(*row) < kMuchTime * all; });
  const auto comes_near = [&](const RooflineRow& a, const RooflineRow& b) {
    return (a.title != b.title || set_of(a) != set_of(b)) && kSeenReach * set_of(b) >= set_of(a) &&
           rate(b) >= kNear * rate(a);
  };
  std::vector<const RooflineRow*> out;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(out), [&](const RooflineRow* row) {
    return usual_of(*row) >= kMuchTime * all ||
           std::any_of(rows.begin(), rows.end(), [&](const RooflineRow* other) { return comes_near(*row, *other); });
  });
  return out.empty() ? rows : out;
}

}  // namespace

std::optional<SeenPeaks> best_rates(const Roofline& roofline) {
  constexpr int kEnough = 3;
  SeenPeaks out;
  std::vector<const RooflineRow*> computing, moving;
  int longer = 0;
  bool products = false;
  for (const RooflineRow& row : roofline.rows) {
    const double calls = std::max(row.calls, 1.0);
    if (usual_of(row) < kShortestRate * calls || !row.work.flops || !row.work.bytes || !(row.ns > 0)) continue;
    computing.push_back(&row);
    moving.push_back(&row);
    longer += usual_of(row) >= kCallNs * calls ? 1 : 0;
    products = products || (multiplies(row.op) && usual_gflops(row) > 0);
  }
  if (longer < kEnough) return std::nullopt;
  if (products) std::erase_if(computing, [](const RooflineRow* row) { return !multiplies(row->op); });
  for (const RooflineRow* const row : confirmed(computing, usual_gflops)) {
    double& best = row->work.integer ? out.peaks.int8_gops : out.peaks.gflops;
    if (usual_gflops(*row) <= best) continue;
    best = usual_gflops(*row);
    if (best >= std::max(out.peaks.gflops, out.peaks.int8_gops)) out.compute_of = row->title;
  }
  moving = confirmed(moving, usual_gbytes);
  std::stable_sort(moving.begin(), moving.end(),
                   [&](const RooflineRow* a, const RooflineRow* b) { return set_of(*a) > set_of(*b); });
  double best = 0;
  for (const RooflineRow* const row : moving) {
    if (usual_gbytes(*row) <= best) continue;
    best = usual_gbytes(*row);
    // Of one size the fastest stands for it.
    if (!out.memory_of.empty() && out.peaks.bandwidth.front().first == set_of(*row)) {
      out.peaks.bandwidth.front().second = best;
      out.memory_of.front() = row->title;
      continue;
    }
    out.peaks.bandwidth.insert(out.peaks.bandwidth.begin(), {set_of(*row), best});
    out.memory_of.insert(out.memory_of.begin(), row->title);
  }
  // Where nothing else was measured, integers are at least as fast as floats were, and the other way round.
  if (out.peaks.gflops <= 0) out.peaks.gflops = out.peaks.int8_gops;
  if (out.peaks.gflops <= 0 || best <= 0) return std::nullopt;
  out.peaks.reach = kSeenReach;
  out.peaks.at_least = true;
  leave_out_unused(roofline, &out);
  return out;
}

std::string SeenPeaks::reference_of(const RooflineRow& row) const {
  if (!(row.roof_ns > 0) || !row.work.bytes || !row.work.flops || peaks.bandwidth.empty()) return {};
  const MachinePeaks::Roofs roofs = roofs_of(peaks, row);
  if (!roofs.memory_holds())
    return format_real(roofs.gops, 1) + " " + rate_unit(row.work.integer) + " (" + compute_of + ")";
  const auto& [size, speed] = peaks.bandwidth[roofs.entry];
  return format_real(speed, 1) + " GB/s in " + format_bytes(static_cast<int64_t>(size)) + " (" +
         memory_of[roofs.entry] + ")";
}

void hold_against(const MachinePeaks& machine, Roofline* roofline) {
  roofline->known_ns = roofline->roof_ns = roofline->above_ns = roofline->flops = roofline->bytes = 0;
  for (RooflineRow& row : roofline->rows) {
    hold_row_against(machine, &row);
    roofline->flops += row.work.flops.value_or(0);
    roofline->bytes += row.work.bytes.value_or(0);
    if (row.roof_ns > 0) roofline->known_ns += row.ns;
    roofline->roof_ns += row.roof_ns;
    if (row.roof_ns > row.ns) roofline->above_ns += row.ns;
  }
}

}  // namespace et::inspector
