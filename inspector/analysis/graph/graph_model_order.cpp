#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "inspector/analysis/graph/graph_model.h"

namespace et::inspector {

std::vector<GraphItem> execution_order(const GraphModel& model, int32_t scope) {
  struct Item {
    GraphItem item;
    int64_t instruction = -1;  // unknown: that of the last thing it reads
    std::set<size_t> waits, wakes;
  };
  std::vector<Item> items;
  std::map<int32_t, size_t> item_of_part;
  std::map<int32_t, size_t> item_of;
  const auto& nodes = model.scopes[static_cast<size_t>(scope)].nodes;
  for (const int32_t n : nodes) {
    const GraphNode& node = model.nodes[static_cast<size_t>(n)];
    const auto known = node.part >= 0 ? item_of_part.find(node.part) : item_of_part.end();
    if (known != item_of_part.end()) {
      item_of[n] = known->second;
      continue;
    }
    item_of[n] = items.size();
    if (node.part >= 0) item_of_part[node.part] = items.size();
    Item i;
    i.item = node.part >= 0 ? GraphItem{-1, node.part} : GraphItem{n, -1};
    i.instruction = node.instruction.value_or(-1);
    items.push_back(std::move(i));
  }
  for (const int32_t n : nodes) {
    for (const int32_t producer : model.nodes[static_cast<size_t>(n)].producers) {
      const auto from = item_of.find(producer);
      if (from == item_of.end() || from->second == item_of[n]) continue;
      items[item_of[n]].waits.insert(from->second);
      items[from->second].wakes.insert(item_of[n]);
    }
  }
  std::priority_queue<std::pair<int64_t, size_t>, std::vector<std::pair<int64_t, size_t>>, std::greater<>> ready;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].waits.empty()) ready.emplace(items[i].instruction, i);
  }
  std::vector<GraphItem> out;
  std::vector<bool> done(items.size(), false);
  size_t stuck = 0;
  while (out.size() < items.size()) {
    if (ready.empty()) {  // a circle: only nodes assigned to the wrong delegate make one; break it in the graph's order
      while (done[stuck]) ++stuck;
      ready.emplace(items[stuck].instruction, stuck);
    }
    const size_t i = ready.top().second;
    ready.pop();
    if (done[i]) continue;
    done[i] = true;
    out.push_back(items[i].item);
    for (const size_t w : items[i].wakes) {
      Item& waiting = items[w];
      waiting.waits.erase(i);
      // The parts of a model that leave no instruction (views that cost nothing) follow what they look at.
      const GraphItem& what = waiting.item;
      const bool unknown = what.part < 0 && !model.nodes[static_cast<size_t>(what.node)].instruction;
      if (unknown) waiting.instruction = std::max(waiting.instruction, items[i].instruction);
      if (waiting.waits.empty() && !done[w]) ready.emplace(waiting.instruction, w);
    }
  }
  return out;
}

}  // namespace et::inspector
