#include "inspector/analysis/graph/layer_level.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace et::inspector {
namespace {

constexpr float kGapX = 22, kGapY = 36, kSlotGap = 9, kTopGap = 20;
constexpr int kOrderSweeps = 8, kPlaceSweeps = 10;

}  // namespace

void LayerNet::add_end(size_t item) {
  if (by_item_.try_emplace(item, ends.size()).second) ends.push_back({item, {}, 0});
}

const LayerNet::End* LayerNet::find_end(size_t item) const {
  const auto at = by_item_.find(item);
  return at == by_item_.end() ? nullptr : &ends[at->second];
}

size_t LayerLevel::add_box(float width, float height) {
  items_.emplace_back();
  resize(items_.size() - 1, width, height);
  return items_.size() - 1;
}

void LayerLevel::resize(size_t item, float width, float height) {
  items_[item].width = width;
  items_[item].height = height;
}

LayerNet& LayerLevel::net(int32_t source, size_t start) {
  const auto [at, added] = by_source_.try_emplace(source, nets_.size());
  if (added) {
    nets_.emplace_back();
    nets_.back().start = start;
    sources_.push_back(source);
  }
  return nets_[at->second];
}

const LayerNet* LayerLevel::find_net(int32_t source) const {
  const auto at = by_source_.find(source);
  return at == by_source_.end() ? nullptr : &nets_[at->second];
}

void LayerLevel::arrange(const Port& port) {
  if (items_.empty()) return;
  find_layers();
  lower_sources();
  size_t count = 0;
  for (const Item& item : items_) count = std::max(count, item.layer + 1);
  layers_.resize(count);
  for (size_t i = 0; i < items_.size(); ++i) layers_[items_[i].layer].push_back(i);
  add_slots();
  find_order();
  find_x();
  find_y();
  find_ends(port);
  find_ports(port);
}

// Layer of each item: one below the deepest thing that it reads. Circles are cut where they close.
void LayerLevel::find_layers() {
  std::vector<std::vector<size_t>> below(items_.size());
  std::vector<size_t> waits(items_.size());
  for (const LayerNet& n : nets_) {
    if (n.start == LayerNet::kOutside) continue;
    for (const LayerNet::End& end : n.ends) {
      if (end.item == n.start) continue;
      below[n.start].push_back(end.item);
      ++waits[end.item];
    }
  }
  std::vector<size_t> ready;
  for (size_t i = items_.size(); i-- > 0;) {
    if (waits[i] == 0) ready.push_back(i);
  }
  std::vector<bool> done(items_.size(), false);
  size_t finished = 0, next = 0;
  while (finished < items_.size()) {
    if (ready.empty()) {
      while (done[next]) ++next;
      ready.push_back(next);
    }
    const size_t i = ready.back();
    ready.pop_back();
    if (done[i]) continue;
    done[i] = true;
    ++finished;
    for (const size_t to : below[i]) {
      if (done[to]) continue;
      items_[to].layer = std::max(items_[to].layer, items_[i].layer + 1);
      if (--waits[to] == 0) ready.push_back(to);
    }
  }
}

// What reads nothing stands right above what reads it.
void LayerLevel::lower_sources() {
  std::vector<bool> fed(items_.size(), false);
  for (const LayerNet& n : nets_) {
    for (const LayerNet::End& end : n.ends) fed[end.item] = true;
  }
  std::vector<size_t> lowest(items_.size(), LayerNet::kOutside);
  for (const LayerNet& n : nets_) {
    if (n.start == LayerNet::kOutside || fed[n.start]) continue;
    for (const LayerNet::End& end : n.ends) {
      if (items_[end.item].layer > 0) lowest[n.start] = std::min(lowest[n.start], items_[end.item].layer - 1);
    }
  }
  for (size_t i = 0; i < items_.size(); ++i) {
    if (lowest[i] != LayerNet::kOutside && lowest[i] > items_[i].layer) items_[i].layer = lowest[i];
  }
}

void LayerLevel::link(size_t above, size_t below) {
  items_[above].below.push_back(below);
  items_[below].above.push_back(above);
}

size_t LayerLevel::add_slot(size_t layer, size_t above) {
  const size_t slot = items_.size();
  Item item;
  item.slot = true;
  item.layer = layer;
  items_.push_back(std::move(item));
  layers_[layer].push_back(slot);
  if (above != LayerNet::kOutside) link(above, slot);
  return slot;
}

void LayerLevel::add_slots() {
  for (LayerNet& n : nets_) {
    const bool outside = n.start == LayerNet::kOutside;
    const size_t first = outside ? 0 : items_[n.start].layer + 1;
    size_t last = n.leaves ? layers_.size() : first;  // behind the last slot
    for (const LayerNet::End& end : n.ends) last = std::max(last, items_[end.item].layer);
    size_t above = n.start;
    for (size_t layer = first; layer < last; ++layer) {
      above = add_slot(layer, above);
      n.slots.push_back(above);
    }
    for (LayerNet::End& end : n.ends) {
      const size_t layer = items_[end.item].layer;
      if (layer >= first) {
        const size_t before = layer == first ? n.start : n.slots[layer - first - 1];
        if (before != LayerNet::kOutside) link(before, end.item);
        continue;
      }
      for (size_t l = first; l-- > layer;) {  // up, from the layer of the start to that of the end
        const size_t slot = add_slot(l, LayerNet::kOutside);
        if (!end.back.empty()) link(slot, end.back.back());
        end.back.push_back(slot);
      }
    }
  }
}

// By the means of the neighbours, down and up in turns.
void LayerLevel::find_order() {
  for (auto& layer : layers_) {
    for (size_t k = 0; k < layer.size(); ++k) items_[layer[k]].order = static_cast<double>(k);
  }
  std::vector<double> mean(items_.size());
  for (int sweep = 0; sweep < kOrderSweeps; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (size_t l = 0; l < layers_.size(); ++l) {
      auto& layer = layers_[down ? l : layers_.size() - 1 - l];
      for (const size_t i : layer) {
        const Item& item = items_[i];
        const auto& near = down ? item.above : item.below;
        double sum = 0;
        for (const size_t n : near) sum += items_[n].order / static_cast<double>(layers_[items_[n].layer].size());
        const double own = item.order / static_cast<double>(layer.size());
        mean[i] = near.empty() ? own : sum / static_cast<double>(near.size());
      }
      std::stable_sort(layer.begin(), layer.end(), [&](size_t a, size_t b) { return mean[a] < mean[b]; });
      for (size_t k = 0; k < layer.size(); ++k) items_[layer[k]].order = static_cast<double>(k);
    }
  }
}

// Everything wants to stand below and above what it is linked to, in its order and with its distance: the least sum of
// squares is found by merging neighbours that would overlap into one block (pool adjacent violators).
void LayerLevel::settle(const std::vector<size_t>& layer, bool by_above, bool by_below) {
  struct Block {
    double sum, weight;  ///< of what its items want, without their distances
    size_t count;
  };
  std::vector<Block> blocks;
  std::vector<double> offset(layer.size());
  for (size_t k = 0; k < layer.size(); ++k) {
    const Item& item = items_[layer[k]];
    if (k > 0) {
      const Item& left = items_[layer[k - 1]];
      const float gap = item.slot || left.slot ? kSlotGap : kGapX;
      offset[k] = offset[k - 1] + static_cast<double>(left.width / 2 + gap + item.width / 2);
    }
    double sum = 0, count = 0;
    const auto add = [&](const std::vector<size_t>& near) {
      for (const size_t n : near) {
        const double weight = item.slot && items_[n].slot ? 4 : 1;  // long lines straight
        sum += weight * static_cast<double>(items_[n].x);
        count += weight;
      }
    };
    if (by_above) add(item.above);
    if (by_below) add(item.below);
    const double weight = count > 0 ? (item.slot ? 2 : 1) : 0.05;
    const double wish = count > 0 ? sum / count : static_cast<double>(item.x);
    blocks.push_back({(wish - offset[k]) * weight, weight, 1});
    while (blocks.size() > 1) {
      Block& right = blocks.back();
      Block& left = blocks[blocks.size() - 2];
      if (left.sum / left.weight <= right.sum / right.weight) break;
      left = {left.sum + right.sum, left.weight + right.weight, left.count + right.count};
      blocks.pop_back();
    }
  }
  size_t k = 0;
  for (const Block& block : blocks) {
    for (size_t n = 0; n < block.count; ++n, ++k) {
      items_[layer[k]].x = static_cast<float>(block.sum / block.weight + offset[k]);
    }
  }
}

void LayerLevel::find_x() {
  for (const auto& layer : layers_) settle(layer, false, false);
  for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
    const bool down = sweep % 2 == 0;
    const bool last = sweep >= kPlaceSweeps - 2;
    for (size_t l = 0; l < layers_.size(); ++l) {
      settle(layers_[down ? l : layers_.size() - 1 - l], down || last, !down || last);
    }
  }
  float left = 0, right = 0;
  bool any = false;
  for (const Item& item : items_) {
    const float half = item.slot ? kSlotGap / 2 : item.width / 2;
    left = any ? std::min(left, item.x - half) : item.x - half;
    right = any ? std::max(right, item.x + half) : item.x + half;
    any = true;
  }
  for (Item& item : items_) item.x -= left;
  width_ = right - left;
}

void LayerLevel::find_y() {
  const bool entered =
      std::any_of(nets_.begin(), nets_.end(), [](const LayerNet& n) { return n.start == LayerNet::kOutside; });
  float y = entered ? kTopGap : 0;
  for (const auto& layer : layers_) {
    float height = 0;
    for (const size_t i : layer) height = std::max(height, items_[i].height);
    tops_.push_back(y);
    heights_.push_back(height);
    y += height + kGapY;
  }
  height_ = y - kGapY;
}

// Lines arrive beside each other, in the order in which they come.
void LayerLevel::find_ends(const Port& port) {
  struct Arrival {
    float from;
    LayerNet::End* end;
    int32_t source;
  };
  std::vector<std::vector<Arrival>> arrivals(items_.size());
  for (size_t n = 0; n < nets_.size(); ++n) {
    LayerNet& net = nets_[n];
    const size_t first = net.start == LayerNet::kOutside ? 0 : items_[net.start].layer + 1;
    for (LayerNet::End& end : net.ends) {
      const size_t layer = items_[end.item].layer;
      float from = net.start == LayerNet::kOutside ? items_[end.item].x : items_[net.start].x;
      if (!end.back.empty()) {
        from = items_[end.back.back()].x;
      } else if (layer > first) {
        from = items_[net.slots[layer - first - 1]].x;
      }
      arrivals[end.item].push_back({from, &end, sources_[n]});
    }
  }
  for (size_t i = 0; i < arrivals.size(); ++i) {
    auto& list = arrivals[i];
    std::stable_sort(list.begin(), list.end(), [](const Arrival& a, const Arrival& b) { return a.from < b.from; });
    const float room = std::max(0.0F, items_[i].width - 24);
    const float step = list.size() < 2 ? 0 : std::min(16.0F, room / static_cast<float>(list.size() - 1));
    float x = items_[i].x - step * static_cast<float>(list.size() - 1) / 2;
    for (const Arrival& a : list) {
      const float inside = port(i, a.source, true);
      a.end->x = inside < 0 ? x : items_[i].x - items_[i].width / 2 + inside;
      x += step;
    }
  }
}

void LayerLevel::find_ports(const Port& port) {
  for (size_t n = 0; n < nets_.size(); ++n) {
    LayerNet& net = nets_[n];
    if (net.start == LayerNet::kOutside) {
      net.enter_x = !net.slots.empty() ? items_[net.slots.front()].x : net.ends.empty() ? 0 : net.ends.front().x;
    }
    if (!net.leaves) continue;
    if (!net.slots.empty()) {
      net.leave_x = items_[net.slots.back()].x;
    } else if (net.start != LayerNet::kOutside) {
      const float inside = port(net.start, sources_[n], false);
      const Item& item = items_[net.start];
      net.leave_x = inside < 0 ? item.x : item.x - item.width / 2 + inside;
    }
  }
}

void LayerLevel::shift(float x) {
  for (Item& item : items_) item.x += x;
  for (LayerNet& net : nets_) {
    net.enter_x += x;
    net.leave_x += x;
    for (LayerNet::End& end : net.ends) end.x += x;
  }
}

LayoutRect LayerLevel::rect(size_t i) const {
  const Item& item = items_[i];
  const float y = tops_[item.layer] + (heights_[item.layer] - item.height) / 2;
  return {{item.x - item.width / 2, y}, {item.x + item.width / 2, y + item.height}};
}

void LayerLevel::through(size_t slot, LayerPath* path) const {
  const Item& item = items_[slot];
  path->to({item.x, top_of(item.layer)});
  path->to({item.x, bottom_of(item.layer)});
}

void LayerLevel::leave(int32_t source, LayerPath* path) const {
  const LayerNet* net = find_net(source);
  if (net == nullptr || net->start == LayerNet::kOutside) return;
  path->down_to(path->origin.y + bottom_of(items_[net->start].layer));
  for (const size_t slot : net->slots) through(slot, path);
}

void LayerLevel::pass(int32_t source, size_t item, LayerPath* path) const {
  const LayerNet* net = find_net(source);
  const LayerNet::End* end = net == nullptr ? nullptr : net->find_end(item);
  if (end == nullptr) return;
  const bool outside = net->start == LayerNet::kOutside;
  const size_t first = outside ? 0 : items_[net->start].layer + 1, layer = items_[item].layer;
  path->down_to(path->origin.y + (outside ? 0 : bottom_of(items_[net->start].layer)));
  const float top = rect(item).min.y;
  if (end->back.empty()) {
    for (size_t l = first; l < layer; ++l) through(net->slots[l - first], path);
    path->to({end->x, top_of(layer)});
  } else {
    for (size_t k = 0; k < end->back.size(); ++k) {
      const Item& slot = items_[end->back[k]];
      const LayoutPoint low = {slot.x, bottom_of(slot.layer)};
      k == 0 ? path->turn_to(low, false) : path->to(low);
      path->to({slot.x, top_of(slot.layer)});
    }
    path->turn_to({end->x, top_of(layer)}, true);
  }
  path->to({end->x, top});
}

void LayerPath::curve(LayoutPoint b, LayoutPoint c, LayoutPoint d) {
  points_.push_back(b);
  points_.push_back(c);
  points_.push_back(d);
}

void LayerPath::down_to(float y) {
  const LayoutPoint a = points_.back();
  if (y <= a.y) return;
  curve({a.x, a.y + (y - a.y) / 3}, {a.x, y - (y - a.y) / 3}, {a.x, y});
}

void LayerPath::to(LayoutPoint at) {
  const LayoutPoint a = points_.back(), b = {origin.x + at.x, origin.y + at.y};
  const float bend = (b.y - a.y) / 2;
  if (std::abs(b.y - a.y) < 0.01F && std::abs(b.x - a.x) < 0.01F) return;
  curve({a.x, a.y + bend}, {b.x, b.y - bend}, b);
}

void LayerPath::turn_to(LayoutPoint at, bool upwards) {
  const LayoutPoint a = points_.back(), b = {origin.x + at.x, origin.y + at.y};
  const float bend = (upwards ? -0.6F : 0.6F) * kGapY;
  curve({a.x, a.y + bend}, {b.x, b.y + bend}, b);
}

}  // namespace et::inspector
