#include "inspector/ingest/payloads/xnnpack/alignment.h"

#include <map>

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

}  // namespace

XnnpackMatch match_xnnpack(const DelegateFacts& delegate, const std::vector<std::string_view>& events) {
  XnnpackMatch match;
  for (size_t i = 0; i < delegate.nodes.size(); ++i) {
    match.steps.push_back({static_cast<int32_t>(i), false});
    if (clamps_separately(delegate.nodes[i])) match.steps.push_back({static_cast<int32_t>(i), true});
  }
  std::vector<std::string_view> types, stems;
  for (const XnnpackMatch::Step& s : match.steps) {
    types.push_back(s.clamp ? std::string_view("Clamp") : delegate.nodes[static_cast<size_t>(s.node)].type);
  }
  for (const std::string_view e : events) stems.push_back(event_stem(e));
  TextFits fits(types, stems, stem_fits_node);
  match.alignment = align(match.steps.size(), events.size(), fits);

  // Fused nodes ride on the event of the neighbour they were folded into.
  match.host.assign(delegate.nodes.size(), -1);
  for (size_t s = 0; s < match.steps.size(); ++s) {
    const auto node = static_cast<size_t>(match.steps[s].node);
    if (!match.steps[s].clamp && match.alignment.of_a[s] >= 0) match.host[node] = static_cast<int32_t>(node);
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
