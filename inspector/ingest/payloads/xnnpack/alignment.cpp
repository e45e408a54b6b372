#include "inspector/ingest/payloads/xnnpack/alignment.h"

#include <algorithm>
#include <map>
#include <utility>

#include "inspector/ingest/payloads/xnnpack/lookup_chains.h"
#include "inspector/match/text_fits.h"
#include "inspector/match/word_list.h"

namespace et::inspector {
namespace {

// Arithmetic nodes whose output bounds XNNPACK runs as an operator behind them; the others apply theirs inside.
bool clamps_separately(const PayloadNode& node) {
  return node.clamped && in_word_list("Add|Subtract|Multiply|Div", node.type);
}

// Nodes that XNNPACK is known to fold into a neighbour.
bool is_fusible(const PayloadNode& node) {
  return in_word_list("Clamp|Convert|StaticConstantPad|Copy|StaticReshape", node.type);
}
bool folds_forward(const PayloadNode& node) { return in_word_list("Convert|StaticConstantPad", node.type); }

// Steps of the payload: its nodes, the bounds that run separately, and tables in the place of chains.
struct Steps {
  std::vector<XnnpackMatch::Step> steps;
  std::vector<std::string_view> types;
  std::vector<int32_t> table_of;  // by node: the last node of its chain, -1 none
};

Steps steps_of(const DelegateFacts& delegate, const std::vector<std::string_view>& stems) {
  Steps out;
  out.table_of.assign(delegate.nodes.size(), -1);
  if (std::find(stems.begin(), stems.end(), kTableEvent) != stems.end()) {
    for (const std::vector<int32_t>& chain : find_lookup_chains(delegate.nodes)) {
      for (const int32_t n : chain) out.table_of[static_cast<size_t>(n)] = chain.back();
    }
  }
  const auto add = [&](size_t node, bool clamp, std::string_view type) {
    out.steps.push_back({static_cast<int32_t>(node), clamp});
    out.types.push_back(type);
  };
  for (size_t i = 0; i < delegate.nodes.size(); ++i) {
    const PayloadNode& node = delegate.nodes[i];
    if (out.table_of[i] >= 0) {
      if (out.table_of[i] == static_cast<int32_t>(i)) add(i, false, kTableEvent);
      continue;
    }
    add(i, false, node.type);
    if (clamps_separately(node)) add(i, true, "Clamp");
  }
  return out;
}

bool fits_step(std::string_view type, std::string_view stem) {
  return type == kTableEvent || stem == kTableEvent ? type == stem : stem_fits_node(type, stem);
}

bool fits_old_step(std::string_view type, std::string_view stem) {
  return fits_step(type, stem) || old_stem_fits_node(type, stem);
}

Alignment align_steps(const Steps& s, const std::vector<std::string_view>& stems) {
  TextFits fits(s.types, stems, fits_step);
  Alignment alignment = align(s.steps.size(), stems.size(), fits);
  if (alignment.unmatched_b == 0) return alignment;
  TextFits old_fits(s.types, stems, fits_old_step);
  Alignment old = align(s.steps.size(), stems.size(), old_fits);
  return old.matched > alignment.matched ? old : alignment;
}

}  // namespace

XnnpackMatch match_xnnpack(const DelegateFacts& delegate, const std::vector<std::string_view>& events) {
  XnnpackMatch match;
  std::vector<std::string_view> stems;
  for (const std::string_view e : events) stems.push_back(event_stem(e));
  Steps steps = steps_of(delegate, stems);
  match.alignment = align_steps(steps, stems);
  match.steps = std::move(steps.steps);

  // Fused nodes ride on the event of the neighbour they were folded into.
  match.host.assign(delegate.nodes.size(), -1);
  for (size_t s = 0; s < match.steps.size(); ++s) {
    const auto node = static_cast<size_t>(match.steps[s].node);
    if (!match.steps[s].clamp && match.alignment.of_a[s] >= 0) match.host[node] = static_cast<int32_t>(node);
  }
  for (size_t i = 0; i < delegate.nodes.size(); ++i) {
    const int32_t table = steps.table_of[i];
    if (table >= 0 && match.host[static_cast<size_t>(table)] == table) match.host[i] = table;
  }
  std::map<int64_t, int32_t> producer;
  std::multimap<int64_t, int32_t> users;
  for (size_t i = 0; i < delegate.nodes.size(); ++i) {
    for (const int64_t v : delegate.nodes[i].outputs) producer[v] = static_cast<int32_t>(i);
    for (const int64_t v : delegate.nodes[i].inputs) users.emplace(v, static_cast<int32_t>(i));
  }
  auto neighbour = [&](const PayloadNode& node, bool forward) -> int32_t {
    if (forward) {
      for (const int64_t v : node.outputs) {
        if (const auto it = users.find(v); it != users.end()) return it->second;
      }
    } else {
      for (const int64_t v : node.inputs) {
        if (const auto it = producer.find(v); it != producer.end()) return it->second;
      }
    }
    return -1;
  };
  for (size_t i = 0; i < delegate.nodes.size(); ++i) {
    if (match.host[i] >= 0) continue;
    if (!is_fusible(delegate.nodes[i])) ++match.unexplained_nodes;
    int32_t at = static_cast<int32_t>(i);
    const bool forward = folds_forward(delegate.nodes[i]);
    for (int hops = 0; hops < 8 && at >= 0 && match.host[static_cast<size_t>(at)] != at; ++hops) {
      at = neighbour(delegate.nodes[static_cast<size_t>(at)], forward);
    }
    if (at < 0 || match.host[static_cast<size_t>(at)] != at) at = neighbour(delegate.nodes[i], !forward);
    if (at >= 0 && match.host[static_cast<size_t>(at)] == at) match.host[i] = at;
  }
  return match;
}

}  // namespace et::inspector
