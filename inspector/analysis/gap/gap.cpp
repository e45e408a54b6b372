#include "inspector/analysis/gap/gap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/gap/dequantised.h"
#include "inspector/analysis/gap/node_feeds.h"
#include "inspector/analysis/gap/value_match.h"
#include "inspector/analysis/ops/value_layout.h"
#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

constexpr double kRounding = 1e-4;
constexpr double kNarrowRounding = 1e-2;  // float16, bfloat16
// Of the largest value that an op was fed: rounding of float32, float16.
constexpr double kStep = 2e-7;
constexpr double kNarrowStep = 1e-3;
// Values of different nodes are not as near as this, in dB, unless one is a copy of the other.
constexpr double kNear = 20;
constexpr size_t kTriedMatches = 64;
constexpr double kImplausible = 4;
constexpr double kLeastPlausible = 20;  // dB that an op which works keeps of its result

struct EdgeNode {
  std::string op, module, dtype;
  std::optional<int64_t> debug_handle;
};

std::map<std::string, EdgeNode> read_graph_nodes(const Store& store, int64_t trace_id) {
  Statement s = store.query(
      "SELECT name, coalesce(op, ''), coalesce(module_path, ''), coalesce(dtype, ''), debug_handle FROM nodes WHERE "
      "trace_id = ? AND "
      "graph = 'edge'");
  s.bind_all(trace_id);
  std::map<std::string, EdgeNode> out;
  while (s.step()) out.emplace(s.str(0), EdgeNode{s.str(1), s.str(2), s.str(3), s.maybe_integer(4)});
  return out;
}

bool is_narrow(const std::string& dtype) { return dtype == "float16" || dtype == "bfloat16"; }

/// Names of nodes with those that feed them.
using Feeds = std::multimap<std::string, std::string>;

Feeds read_feeds(const Store& store, int64_t trace_id) {
  Statement s = store.query(
      "SELECT c.name, p.name FROM edges e JOIN nodes p ON p.node_id = e.producer_node_id JOIN nodes c ON c.node_id = "
      "e.consumer_node_id WHERE e.trace_id = ? AND p.graph = 'edge' AND c.graph = 'edge'");
  s.bind_all(trace_id);
  Feeds out;
  while (s.step()) out.emplace(s.str(0), s.str(1));
  return out;
}

/// Nodes of a narrow dtype and all that take their values.
std::set<std::string> nodes_after_narrow(const Feeds& feeds, const std::map<std::string, EdgeNode>& nodes) {
  std::set<std::string> out;
  for (const auto& [name, node] : nodes) {
    if (is_narrow(node.dtype)) out.insert(name);
  }
  if (out.empty()) return out;
  Feeds takers;
  for (const auto& [taker, from] : feeds) takers.emplace(from, taker);
  std::vector<std::string> open(out.begin(), out.end());
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const auto [begin, end] = takers.equal_range(name);
    for (auto it = begin; it != end; ++it) {
      if (out.insert(it->second).second) open.push_back(it->second);
    }
  }
  return out;
}

uint64_t elements_in(const LoggedValue& v) {
  uint64_t n = 1;
  for (const int32_t size : v.shape) n *= static_cast<uint64_t>(std::max(size, 0));
  return n;
}

LoggedValue with_bytes(const LoggedValue& v, std::span<const uint8_t> bytes) {
  LoggedValue out;
  out.dtype = v.dtype;
  out.shape = v.shape;
  out.data.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return out;
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

class RunGauge {
 public:
  RunGauge(const Store& store, int64_t trace_id, const GapSide& run, const GapSide& reference, const GapSide* own,
           const GapOptions& options)
      : nodes_(read_graph_nodes(store, trace_id)),
        feeds_(read_feeds(store, trace_id)),
        after_narrow_(nodes_after_narrow(feeds_, nodes_)),
        steps_(dequantising_steps(store, trace_id)),
        known_(store, trace_id, run.method),
        run_(run),
        reference_(reference),
        own_(own),
        options_(options) {}

  Status measure(Gap* out) {
    const MatchedValues matched = match_values(run_.values, reference_.values, true);
    out->matched_by = matched.by;
    out->has_own = own_ != nullptr;
    for (const LoggedValue& v : run_.values) claims_[{v.node, v.node_output}].insert(v.op_id);
    std::map<std::tuple<int64_t, std::string, int64_t>, int64_t> visits;
    std::set<size_t> used;
    for (size_t i = 0; i < run_.values.size(); ++i) {
      const LoggedValue& v = run_.values[i];
      const int64_t visit = v.node.empty() ? 0 : visits[{v.op_id, v.node, v.node_output}]++;
      GapRow row;
      row.value = i;
      row.visit = visit;
      GapMissing missing{i, std::nullopt, ""};
      if (Status s = find_row(matched.matches[i], &row, &missing); !s.ok()) return s;
      if (!missing.why.empty()) {
        out->missing.push_back(std::move(missing));
        continue;
      }
      used.insert(row.reference);
      describe(&row);
      double& largest = largest_[reference_.values[row.reference].node];
      largest = std::max(largest, row.figures.largest);
      if (row.diverges && !out->first) out->first = out->rows.size();
      out->rows.push_back(std::move(row));
    }
    out->unused = reference_.values.size() - used.size();
    drop_doubtful(out);
    find_known_inputs(out);
    return own_ == nullptr ? Status() : add_own(out);
  }

 private:
  /// What only copies or reshapes cannot be wrong where all that read it are right: the value is another node's.
  void drop_doubtful(Gap* out) const {
    std::map<std::string, bool> right;  // nodes with a row
    for (const GapRow& row : out->rows) {
      const auto [at, fresh] = right.emplace(node_of(row), !row.diverges);
      at->second = at->second && !row.diverges;
    }
    Feeds takers;
    for (const auto& [taker, from] : feeds_) takers.emplace(from, taker);
    std::vector<GapRow> kept;
    out->first.reset();
    for (GapRow& row : out->rows) {
      bool doubtful = false;
      if (row.diverges && only_copies(node_of(row))) {
        const auto [begin, end] = takers.equal_range(node_of(row));
        bool read = false, all_right = true;
        for (auto it = begin; it != end; ++it) {
          const auto taker = right.find(it->second);
          read = read || taker != right.end();
          all_right = all_right && (taker == right.end() || taker->second);
        }
        doubtful = read && all_right;
      }
      if (doubtful) {
        out->missing.push_back({row.value, row.reference,
                                "its link to a node that only copies is doubtful: what reads that node is right"});
        continue;
      }
      if (row.diverges && !out->first) out->first = kept.size();
      kept.push_back(std::move(row));
    }
    out->rows = std::move(kept);
  }

  /// The likeliest match that is a tensor of as many elements; of several results that may be meant the nearest.
  Status find_row(const std::vector<size_t>& matches, GapRow* row, GapMissing* missing) {
    const LoggedValue& v = run_.values[row->value];
    if (const std::string control = control_flow_of(v); !control.empty()) {
      missing->why = "a part of the control flow operator " + control;
      return {};
    }
    if (matches.empty()) {
      missing->why = v.nodes.empty() && v.node.empty() ? "no graph node is known for it"
                     : v.node.empty()                  ? "no result of its graph nodes has its shape"
                                                       : "the reference has none";
      return {};
    }
    std::optional<GapRow> likeliest, nearest;
    for (size_t i = 0; i < matches.size() && i < kTriedMatches; ++i) {
      GapRow candidate = *row;
      candidate.reference = matches[i];
      std::string why;
      if (Status s = measure_match(&candidate, &why); !s.ok()) return s;
      if (!why.empty()) {
        if (missing->why.empty()) *missing = {row->value, matches[i], why};
        continue;
      }
      if (!likeliest) likeliest = candidate;
      if (!nearest || nearness(candidate) > nearness(*nearest)) nearest = candidate;
      // A fused operator may end at another of its nodes than the links say; what is close needs no other.
      if (!candidate.diverges || nearness(*likeliest) >= kNear) break;
    }
    if (!likeliest) return {};
    missing->why.clear();
    *row = *likeliest;
    if (nearness(*nearest) >= nearness(*likeliest) + kNear || (v.node.empty() && nearness(*nearest) >= kNear)) {
      *row = *nearest;
      row->nearest = nearest->reference != matches.front() || v.node.empty();
    } else if (nearness(*row) < kNear && is_shared(v)) {
      *missing = {row->value, std::nullopt, "which result of its graph nodes it is, is not known"};
    }
    return missing->why.empty() && row->diverges && only_copies(node_of(*row)) ? find_copied(row) : Status();
  }

  bool only_copies(const std::string& name) const {
    const auto node = nodes_.find(name);
    return node != nodes_.end() && only_moves_data(node->second.op);
  }

  /// A copy or view that is off: where one handle stands for many nodes, it may be linked to the wrong one of them.
  /// Then the value is that of another node of the handle that copies, best of the same operator.
  Status find_copied(GapRow* row) const {
    const LoggedValue& v = run_.values[row->value];
    const auto linked = nodes_.find(node_of(*row));
    const std::string_view kernel = operator_base(kernel_name(v.name));
    std::optional<GapRow> best;
    bool best_is_same = false;
    for (size_t i = 0; i < reference_.values.size(); ++i) {
      const auto other = nodes_.find(reference_.values[i].node);
      if (i == row->reference || other == nodes_.end() || !only_moves_data(other->second.op) ||
          other->second.debug_handle != linked->second.debug_handle ||
          elements_in(reference_.values[i]) != elements_in(v))
        continue;
      GapRow candidate = *row;
      candidate.reference = i;
      std::string why;
      if (Status s = measure_match(&candidate, &why); !s.ok()) return s;
      if (!why.empty() || candidate.diverges || nearness(candidate) < kNear) continue;
      const bool same = operator_base(other->second.op) == kernel;
      if (best && (best_is_same > same || (best_is_same == same && nearness(*best) >= nearness(candidate)))) continue;
      best = candidate;
      best_is_same = same;
    }
    if (!best) return {};
    *row = *best;
    row->nearest = true;
    return {};
  }

  /// What a loop slices and copies is no result of the loop's node.
  std::string control_flow_of(const LoggedValue& v) const {
    const std::string& name = v.node.empty() && v.nodes.size() == 1 ? v.nodes.front() : v.node;
    const auto node = nodes_.find(name);
    return node != nodes_.end() && node->second.op.find('.') == std::string::npos ? name : "";
  }

  Status measure_match(GapRow* row, std::string* why) const {
    const LoggedValue &v = run_.values[row->value], &want = reference_.values[row->reference];
    if (quantised_in_its_own_way(v, want)) {
      *why = "quantised by a scale of its own";
      return {};
    }
    if (Status s = compare(v, row->value, run_, want, row->reference, reference_, row, why); !s.ok()) return s;
    row->tolerance = tolerance_of(v, want);
    row->floor = floor_of(want.node.empty() ? v.node : want.node);
    row->diverges = beyond(row->figures, v.dtype, *row);
    return {};
  }

  /// In dB, so that a value that is equal beats all.
  static double nearness(const GapRow& row) {
    const GapFigures& f = row.figures;
    if (f.exact()) return HUGE_VAL;
    if (f.nan_mismatch + f.inf_mismatch > 0) return -HUGE_VAL;
    const double snr = f.snr_db();
    return std::isnan(snr) ? -HUGE_VAL : snr;
  }

  /// Other ops claim the node, too (one handle for all that an operator was decomposed into), or none is known.
  bool is_shared(const LoggedValue& v) const {
    if (v.node.empty() || reference_.unsure.contains(v.node)) return true;
    const auto it = claims_.find({v.node, v.node_output});
    return it != claims_.end() && it->second.size() > 1;
  }

  Status compare(const LoggedValue& got, size_t g, const GapSide& of_got, const LoggedValue& want, size_t w,
                 const GapSide& of_want, GapRow* row, std::string* why) const {
    ScalarType got_type{}, want_type{};
    if (!scalar_type_of(got.dtype, &got_type) || !scalar_type_of(want.dtype, &want_type)) {
      *why = "no numbers: " + got.dtype;
      return {};
    }
    if (elements_in(got) != elements_in(want)) {
      *why = "other shapes: " + type_text(got) + ", the reference " + type_text(want);
      return {};
    }
    if (got_type != want_type && !(is_floating_name(got.dtype) && is_floating_name(want.dtype))) {
      *why = "other dtypes: " + type_text(got) + ", the reference " + type_text(want);
      return {};
    }
    std::span<const uint8_t> a, b;
    Status status = of_got.read(g, &a);
    std::string kept;
    if (status.ok() && &of_got == &of_want) {
      kept.assign(reinterpret_cast<const char*>(a.data()), a.size());
      a = bytes_of(kept);
    }
    if (status.ok()) status = of_want.read(w, &b);
    if (!status.ok()) return status;
    const uint64_t n = elements_in(got);
    if (a.size() != n * element_size(got_type) || b.size() != n * element_size(want_type)) {
      *why = "its elements are not known";
      return {};
    }
    if (got.shape == want.shape) {
      if (!measure_gap(got_type, a, want_type, b, &row->figures)) {
        *why = "no numbers: " + got.dtype;
        return {};
      }
      // Inside of a delegate a tensor of 16 channels, 16 high and 16 wide may be channels last, too.
      const bool own_layout = !got.backend.empty() && !got.is_delegate_call && got.shape.size() > 2;
      if (!own_layout || nearness(*row) >= kNear) return {};
    }
    GapRow moved;
    if (!measure_rearranged(with_bytes(got, a), want, want_type, b, &moved)) {
      if (got.shape != want.shape) *why = "other shapes: " + type_text(got) + ", the reference " + type_text(want);
      return {};
    }
    if (got.shape == want.shape && nearness(moved) < nearness(*row) + kNear) return {};
    row->figures = moved.figures;
    row->rearranged = true;
    return {};
  }

  /// Delegates keep values in layouts of their own: the nearest one.
  static bool measure_rearranged(const LoggedValue& got, const LoggedValue& want, ScalarType type,
                                 std::span<const uint8_t> elements, GapRow* out) {
    bool any = false;
    for (const std::string& rows : arrangements(got, want.dtype, want.shape)) {
      GapFigures f;
      if (!measure_gap(type, bytes_of(rows), type, elements, &f)) break;
      if (!any || f.noise < out->figures.noise) out->figures = f;
      any = true;
    }
    return any;
  }

  double tolerance_of(const LoggedValue& got, const LoggedValue& want) const {
    if (!is_floating_name(got.dtype)) return got.dtype == "int8" || got.dtype == "uint8" ? 1 : 0;
    if (options_.tolerance) return *options_.tolerance;
    // Traces have narrow floats as float32, and what was computed from them stays as coarse: the graph knows.
    const bool narrow = is_narrow(got.dtype) || is_narrow(want.dtype) ||
                        after_narrow_.contains(want.node.empty() ? got.node : want.node);
    return narrow ? kNarrowRounding : kRounding;
  }

  /// Where values cancel out, as in the mean of a normalised tensor, what is left is rounding of the inputs.
  double floor_of(const std::string& node) const {
    if (options_.tolerance) return 0;  // somebody knows better
    double largest = 0;
    const auto [begin, end] = feeds_.equal_range(node);
    for (auto it = begin; it != end; ++it) {
      const auto known = largest_.find(it->second);
      if (known != largest_.end()) largest = std::max(largest, known->second);
    }
    const double rounding = largest * (after_narrow_.contains(node) ? kNarrowStep : kStep);
    // 8-bit integers may be a step off, and so may what is made of them.
    constexpr double kOneStep = 1.001;
    const auto step = steps_.find(node);
    return step == steps_.end() ? rounding : std::max(rounding, kOneStep * step->second);
  }

  void describe(GapRow* row) const {
    const LoggedValue& v = run_.values[row->value];
    // Of a row that is another node's value the line is still the op's own.
    row->module = v.module;
    const auto node = nodes_.find(node_of(*row));
    if (row->module.empty() && node != nodes_.end()) row->module = node->second.module;
    for (const std::string& name : v.nodes) {
      const auto it = nodes_.find(name);
      if (it == nodes_.end() || !it->second.debug_handle) continue;
      const int64_t handle = *it->second.debug_handle;
      if (std::find(row->debug_handles.begin(), row->debug_handles.end(), handle) == row->debug_handles.end())
        row->debug_handles.push_back(handle);
    }
  }

  /// The node of the run's graph that a row is the value of.
  const std::string& node_of(const GapRow& row) const {
    const std::string& want = reference_.values[row.reference].node;
    return nodes_.contains(want) ? want : run_.values[row.value].node;
  }

  void note_inputs(Gap* out) const {
    out->unproven_inputs = known_.unproven_inputs();
    out->inputs_proven = known_.has_graph() && out->unproven_inputs.empty();
    if (run_.test_case && reference_.test_case && *run_.test_case != *reference_.test_case) {
      out->inputs = GapInputs::Other;
      out->other_case = true;
    }
  }

  /// Inputs of a run are in no file: which ops were surely fed the same, and where that cannot be.
  void find_known_inputs(Gap* out) {
    for (const GapRow& row : out->rows) {
      known_.add_recorded(node_of(row));
      // A whole number or a mask may be the same by chance.
      const bool tells = is_floating_name(run_.values[row.value].dtype) && row.figures.largest > 0;
      if (!row.diverges && tells) known_.add_right(node_of(row));
      if (!row.diverges) continue;
      const bool far = !(row.figures.snr_db() >= kLeastPlausible);
      const std::string input = far ? known_.made_from(node_of(row)) : known_.handed_on(node_of(row));
      if (!input.empty()) known_.add_doubted(input);
    }
    for (GapRow& row : out->rows) {
      row.knows_inputs = known_.knows_inputs_of(node_of(row));
      if (row.knows_inputs || !row.diverges || out->inputs == GapInputs::Other) continue;
      const std::string input = known_.handed_on(node_of(row));
      if (!input.empty()) {
        out->inputs = GapInputs::Other;
        out->other_input = input;
      } else if (&row == &out->rows[*out->first] && !(row.figures.snr_db() >= kLeastPlausible)) {
        out->inputs = GapInputs::Doubtful;
        out->other_input = known_.made_from(node_of(row));
      }
    }
    note_inputs(out);
  }

  /// Noise of rounding each element in float32.
  static double rounding_of(const GapRow& row) { return 1e-12 * row.figures.signal; }

  Status add_own(Gap* out) const {
    for (GapRow& row : out->rows) {
      const LoggedValue& v = run_.values[row.value];
      row.role = row.diverges ? GapRole::Unknown : GapRole::None;
      if (!row.knows_inputs) {
        // It was worked out from the reference's inputs: no error of its own. A copy has none.
        if (row.diverges && !known_.handed_on(node_of(row)).empty()) row.role = GapRole::PassesOn;
        continue;
      }
      if (row.reference >= own_->values.size()) continue;
      GapRow alone;
      std::string why;
      const LoggedValue& want = own_->values[row.reference];
      if (Status s = compare(v, row.value, run_, want, row.reference, *own_, &alone, &why); !s.ok()) return s;
      // An op whose result is near the reference's was not fed what leads to another one: a value was taken for its
      // input that is none.
      if (!why.empty() || alone.figures.noise > kImplausible * row.figures.noise + rounding_of(alone)) continue;
      row.own = alone.figures;
      if (row.diverges) row.role = beyond(alone.figures, v.dtype, row) ? GapRole::Adds : GapRole::PassesOn;
    }
    return {};
  }

  const std::map<std::string, EdgeNode> nodes_;
  const Feeds feeds_;
  const std::set<std::string> after_narrow_;
  const std::map<std::string, double> steps_;  // of dequantising nodes
  NodeFeeds known_;
  std::map<std::string, double> largest_;                                // values of the reference so far, by node
  std::map<std::pair<std::string, int64_t>, std::set<int64_t>> claims_;  // ops by the results that they claim
  const GapSide& run_;
  const GapSide& reference_;
  const GapSide* own_;
  const GapOptions& options_;
};

/// What is sorted by: greater is worse.
double badness(const GapRow& row, GapOrder order) {
  const auto known = [](double v, double otherwise) { return std::isnan(v) ? otherwise : v; };
  const GapFigures& f = row.figures;
  const bool broken = f.nan_mismatch + f.inf_mismatch > 0;
  if (broken && order != GapOrder::Execution && order != GapOrder::Own) return HUGE_VAL;
  switch (order) {
    case GapOrder::Execution:
      return 0;
    case GapOrder::Error:
      return f.relative();
    case GapOrder::Own:
      return row.own ? row.own->relative() : -1;
    case GapOrder::MaxAbs:
      return f.max_abs;
    case GapOrder::Mse:
      return known(f.mse(), 0);
    case GapOrder::L1:
      return known(f.mean_abs(), 0);
    case GapOrder::Snr:
      return -known(f.snr_db(), HUGE_VAL);
    case GapOrder::Cosine:
      return -known(f.cosine(), 1);
  }
  return 0;
}

}  // namespace

const char* gap_role_text(const Gap& gap, const GapRow& row) {
  const bool other = gap.inputs != GapInputs::Same && row.diverges && row.role != GapRole::Adds;
  if (!other) return gap_role_name(row.role);
  return gap.inputs == GapInputs::Other ? "other inputs" : "other inputs?";
}

const char* gap_role_name(GapRole role) {
  switch (role) {
    case GapRole::None:
      return "";
    case GapRole::Adds:
      return "adds";
    case GapRole::PassesOn:
      return "passes on";
    case GapRole::Unknown:
      return "unknown";
  }
  return "";
}

Status GapSide::read(size_t value, std::span<const uint8_t>* out) const {
  if (bytes) return bytes(value, out);
  *out = bytes_of(values[value].data);
  return {};
}

bool beyond(const GapFigures& f, const std::string& dtype, const GapRow& row) {
  if (f.nan_mismatch + f.inf_mismatch > 0) return true;
  if (!is_floating_name(dtype)) return f.max_abs > row.tolerance;
  return f.relative() > row.tolerance && f.max_abs > row.floor;
}

Status measure_run(const Store& store, int64_t trace_id, const GapSide& run, const GapSide& reference,
                   const GapSide* own, const GapOptions& options, Gap* out) {
  *out = {};
  const Status status = RunGauge(store, trace_id, run, reference, own, options).measure(out);
  const auto has_bytes = [](const GapSide& side) {
    return std::any_of(side.values.begin(), side.values.end(),
                       [](const LoggedValue& v) { return v.dtype == "int8" || v.dtype == "uint8"; });
  };
  // Other inputs explain more, and own values say which op it is.
  out->quantised = own == nullptr && out->inputs == GapInputs::Same && has_bytes(run) && !has_bytes(reference);
  return status;
}

size_t largest_error(const Gap& gap) {
  size_t at = 0;
  double most = 0;
  for (size_t i = 0; i < gap.rows.size(); ++i) {
    const double error = gap.rows[i].figures.relative();
    if (error > most) at = i, most = error;  // never of NaN
  }
  return at;
}

std::optional<GapOrder> parse_gap_order(std::string_view name) {
  constexpr std::pair<std::string_view, GapOrder> kNames[] = {
      {"order", GapOrder::Execution}, {"error", GapOrder::Error}, {"own", GapOrder::Own}, {"max", GapOrder::MaxAbs},
      {"mse", GapOrder::Mse},         {"l1", GapOrder::L1},       {"snr", GapOrder::Snr}, {"cosine", GapOrder::Cosine}};
  for (const auto& [known, order] : kNames) {
    if (name == known) return order;
  }
  return std::nullopt;
}

std::vector<size_t> sorted_rows(const Gap& gap, GapOrder order) {
  std::vector<size_t> out(gap.rows.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = i;
  std::stable_sort(out.begin(), out.end(),
                   [&](size_t a, size_t b) { return badness(gap.rows[a], order) > badness(gap.rows[b], order); });
  return out;
}

}  // namespace et::inspector
