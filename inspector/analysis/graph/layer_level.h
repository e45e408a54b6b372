// One level of a layered layout: items in layers, lines between them. Internal to layout_in_layers().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "inspector/analysis/graph/graph_layout.h"

namespace et::inspector {

/// The points of an edge as it goes down, and up where it has to: curves between places where it runs vertically.
class LayerPath {
 public:
  explicit LayerPath(LayoutPoint start) : points_{start} {}
  LayoutPoint origin;  ///< of the level whose coordinates the next calls use

  void down_to(float absolute_y);
  /// To a place of the level; forwards through the gap between two layers.
  void to(LayoutPoint at);
  /// To a place from which the line goes the other way: a bend that stays within half a gap.
  void turn_to(LayoutPoint at, bool upwards);
  std::vector<LayoutPoint> take() { return std::move(points_); }

 private:
  void curve(LayoutPoint b, LayoutPoint c, LayoutPoint d);
  std::vector<LayoutPoint> points_;
};

/// All lines of one box in a level: from an item, or from above, to items, or out at the bottom.
struct LayerNet {
  static constexpr size_t kOutside = ~size_t{0};
  struct End {
    size_t item = 0;
    std::vector<size_t> back;  ///< slots on the way up, for an end that does not stand below the start
    float x = 0;               ///< where the line arrives
  };
  size_t start = kOutside;
  bool leaves = false;
  std::vector<End> ends;
  std::vector<size_t> slots;  ///< one a layer, from the layer below the start
  float enter_x = 0, leave_x = 0;

  void add_end(size_t item);
  const End* find_end(size_t item) const;

 private:
  std::unordered_map<size_t, size_t> by_item_;
};

class LayerLevel {
 public:
  size_t add_box(float width, float height);
  void resize(size_t item, float width, float height);
  /// The lines of that box; made when they are not there.
  LayerNet& net(int32_t source, size_t start);
  const LayerNet* find_net(int32_t source) const;

  /// Where lines of a source enter or leave an item that is a cluster, from its left edge; negative for a box.
  using Port = std::function<float(size_t item, int32_t source, bool entering)>;
  void arrange(const Port& port);
  /// Moves everything to the right.
  void shift(float x);
  float width() const { return width_; }
  float height() const { return height_; }
  LayoutRect rect(size_t item) const;

  // Continue a path through this level, once everything is arranged.
  void leave(int32_t source, LayerPath* path) const;
  void pass(int32_t source, size_t item, LayerPath* path) const;

 private:
  struct Item {
    float width = 0, height = 0, x = 0;  ///< x: of its middle
    size_t layer = 0;
    double order = 0;
    bool slot = false;
    std::vector<size_t> above, below;
  };

  void find_layers();
  void lower_sources();
  void add_slots();
  size_t add_slot(size_t layer, size_t above);
  void link(size_t above, size_t below);
  void find_order();
  void find_x();
  void settle(const std::vector<size_t>& layer, bool by_above, bool by_below);
  void find_y();
  void find_ends(const Port& port);
  void find_ports(const Port& port);
  float top_of(size_t layer) const { return tops_[layer]; }
  float bottom_of(size_t layer) const { return tops_[layer] + heights_[layer]; }
  void through(size_t slot, LayerPath* path) const;

  std::vector<Item> items_;
  std::vector<std::vector<size_t>> layers_;
  std::vector<float> tops_, heights_;
  std::vector<LayerNet> nets_;
  std::vector<int32_t> sources_;                   ///< of each net
  std::unordered_map<int32_t, size_t> by_source_;  ///< net of a box
  float width_ = 0, height_ = 0;
};

}  // namespace et::inspector
