// What of the graph is seen: how its layout is asked for, and how the camera follows what is opened, chosen and found.
#include <algorithm>
#include <cmath>

#include "gui/panels/graph_panel.h"
#include "inspector/analysis/graph/fold_layout.h"

namespace et::gui {

using inspector::GraphLayout;
using inspector::LayoutPoint;
using inspector::LayoutRect;

namespace {

constexpr float kLegibleZoom = 0.94F;  // on a display of 96 dpi: small letters are 11 pixels high
constexpr float kViewMargin = 12;
constexpr float kSeenMargin = 8;        // pixels
constexpr float kNamesAreRead = 0.55F;  // of boxes, which then say no more
float legible_zoom() { return kLegibleZoom * scaled(1); }
// Groups are closed until the whole can be read at the first; what does not become smaller is shown whole down to this.
float least_zoom() { return 0.75F * scaled(1); }

}  // namespace

void GraphPanel::ask_for_layout(PanelContext& context, ImVec2 room) {
  if (model_.scene().version == asked_) return;
  asked_ = model_.scene().version;
  laying_out_ = true;
  laid_out_for_ = room;
  const float zoom = legible_zoom();
  // What is just being opened is seen as a whole where that is possible.
  const std::vector<int32_t>& open = model_.scene().clusters;
  const auto opened = std::find(open.begin(), open.end(), anchor_);
  const int32_t kept = opened == open.end() ? -1 : static_cast<int32_t>(opened - open.begin());
  job_ = context.jobs.submit<GraphLayout>(
      [input = model_.scene().input, wide = room.x / zoom, high = room.y / zoom, kept](const Cancel&) {
        return inspector::fold_layout(input, inspector::layout_graph(input), wide, high, kept);
      },
      [this, version = asked_](GraphLayout layout) {
        laying_out_ = false;
        take_layout(std::move(layout), version);
      });
}

void GraphPanel::take_layout(GraphLayout layout, uint64_t version) {
  LayoutRect before, after;
  const bool anchored = anchor_ >= 0 && group_rect(anchor_, &before);
  model_.set_layout(std::move(layout), version);
  marks_ = 0;
  if (std::exchange(refit_, false) && fit_ == Fit::None) fit_ = shown_;
  if (anchored && group_rect(anchor_, &after)) {
    model_.camera.x += after.min.x - before.min.x;
    model_.camera.y += after.min.y - before.min.y;
    toggled_ = anchor_;
  }
  anchor_ = -1;
}

bool GraphPanel::whole_group_rect(int32_t group, LayoutRect* out) const {
  if (!group_rect(group, out)) return false;
  for (const auto& [cluster, piece] : model_.layout().pieces) {
    if (model_.drawn().clusters[static_cast<size_t>(cluster)] != group) continue;
    out->max = {std::max(out->max.x, piece.max.x), std::max(out->max.y, piece.max.y)};
    out->min.y = std::min(out->min.y, piece.min.y);
  }
  return true;
}

bool GraphPanel::group_rect(int32_t group, LayoutRect* out) const {
  const GraphScene& s = model_.drawn();
  for (size_t i = 0; i < s.clusters.size(); ++i) {
    if (s.clusters[i] == group) return *out = model_.layout().clusters[i], true;
  }
  for (size_t i = 0; i < s.boxes.size(); ++i) {
    if (s.boxes[i].kind == GraphBox::Kind::Group && s.boxes[i].index == group) {
      return *out = model_.layout().boxes[i], true;
    }
  }
  return false;
}

float GraphPanel::zoom_of_whole(ImVec2 room) const {
  GraphCamera camera;
  camera.fit({{0, 0}, {model_.layout().width, model_.layout().height}}, room.x, room.y, scaled(1));
  return camera.zoom;
}

// Groups close until the whole can be read. Where that is not enough boxes say less, if that is enough.
bool GraphPanel::make_smaller(ImVec2 room) {
  const float zoom = zoom_of_whole(room);
  if (zoom >= legible_zoom()) return false;
  if (!model_.brief() && model_.open_less()) return true;
  if (zoom >= least_zoom()) return false;
  const bool more = model_.brief() || !std::exchange(tried_brief_, true);
  if (more) model_.set_brief(!model_.brief());
  return more;
}

void GraphPanel::move_camera(ImVec2 whole, ImVec2 room) {
  if (!model_.has_layout()) return;
  if (fit_ == Fit::All || fit_ == Fit::First || fit_ == Fit::Opening) {
    const LayoutRect all = {{0, 0}, {model_.layout().width, model_.layout().height}};
    model_.camera.fit(all, whole.x, whole.y, 1.2F * scaled(1));
    if (fit_ != Fit::All && model_.camera.zoom < least_zoom()) show_legibly(room);
    if (fit_ == Fit::Opening) seen_selection_ = 0;  // groups that were closed to fit may hold what is selected
    shown_ = fit_ == Fit::All ? Fit::All : Fit::First;
    shown_at_ = model_.camera;
    fit_ = Fit::None;
    follow_ = follow_ && !selected_.empty();
  }
  LayoutRect rect;
  if (const int32_t toggled = std::exchange(toggled_, -1); toggled >= 0 && whole_group_rect(toggled, &rect))
    show_whole(rect, room);
  if (fit_ == Fit::Selection || fit_ == Fit::Jump) {
    constexpr float kCloser = 2;  // a single box still has its neighbours around it
    const float largest = fit_ == Fit::Selection ? kCloser * scaled(1) : scaled(1);
    fit_ = Fit::None;
    if (model_.bounds(selected_, &rect)) {
      model_.camera.fit(rect, room.x, room.y, largest);
      keep_in_view(room);
    }
  } else if (fit_ == Fit::Found) {
    fit_ = Fit::None;
    show_found(room);
  } else if (follow_ && model_.bounds(selected_, &rect)) {
    const LayoutPoint a = model_.camera.to_screen(rect.min), b = model_.camera.to_screen(rect.max);
    // A box is seen as a whole; of many boxes a part will do.
    const bool fits = b.x - a.x < room.x - 2 * kSeenMargin && b.y - a.y < room.y - 2 * kSeenMargin;
    const bool inside =
        a.x > kSeenMargin && a.y > kSeenMargin && b.x < room.x - kSeenMargin && b.y < room.y - kSeenMargin;
    const bool seen = fits ? inside : b.x > 20 && b.y > 20 && a.x < room.x - 20 && a.y < room.y - 20;
    if (!seen) {
      model_.camera.center({(rect.min.x + rect.max.x) / 2, (rect.min.y + rect.max.y) / 2}, room.x, room.y);
      keep_in_view(room);
    }
  }
  follow_ = false;
}

// What is selected, else what costs most, with as much around it as there is room for.
void GraphPanel::show_legibly(ImVec2 room) {
  GraphCamera& camera = model_.camera;
  camera.zoom = legible_zoom();
  int32_t box = std::max(0, model_.longest_box());
  double most = -1;
  for (size_t b = 0; b < selected_.size() && selected_.size() == model_.drawn().boxes.size(); ++b) {
    const double ns = model_.drawn().boxes[b].ns;
    if (selected_[b] && ns > most) most = ns, box = static_cast<int32_t>(b);
  }
  const LayoutPoint begin = model_.best_view(box, room.x / camera.zoom, room.y / camera.zoom, kViewMargin);
  camera.x = begin.x;
  camera.y = begin.y;
}

// What was opened or closed is seen as a whole where it can be read so, else from its beginning; and nothing empty is
// beside it.
void GraphPanel::show_whole(const LayoutRect& rect, ImVec2 room) {
  GraphCamera& camera = model_.camera;
  const float fits = std::min(room.x / (rect.width() + 2 * kViewMargin), room.y / (rect.height() + 2 * kViewMargin));
  const float zoom = fits >= kNamesAreRead * scaled(1) ? fits : least_zoom();
  if (zoom < camera.zoom) camera.zoom_at(zoom / camera.zoom, camera.to_screen(rect.min));
  const auto moved = [](float at, float low, float high, float seen) {
    low -= kViewMargin, high += kViewMargin;
    return high - low > seen ? low : std::clamp(at, high - seen, low);
  };
  camera.x = moved(camera.x, rect.min.x, rect.max.x, room.x / camera.zoom);
  camera.y = moved(camera.y, rect.min.y, rect.max.y, room.y / camera.zoom);
  keep_in_view(room);
}

// Of a view that nobody moved what it showed at first; of another one its middle stays.
void GraphPanel::resize(ImVec2 from, ImVec2 to) {
  GraphCamera& camera = model_.camera;
  if (is_untouched()) {
    if (fit_ == Fit::None) fit_ = shown_;
    return;
  }
  LayoutRect rect;
  follow_ = follow_ ||
            (model_.bounds(selected_, &rect) && camera.to_screen(rect.max).x > 0 && camera.to_screen(rect.max).y > 0 &&
             camera.to_screen(rect.min).x < from.x && camera.to_screen(rect.min).y < from.y);
  camera.x += (from.x - to.x) / 2 / camera.zoom;
  camera.y += (from.y - to.y) / 2 / camera.zoom;
}

bool GraphPanel::is_untouched() const {
  const GraphCamera& camera = model_.camera;
  return shown_ != Fit::None && camera.zoom == shown_at_.zoom && camera.x == shown_at_.x && camera.y == shown_at_.y;
}

// Columns are made for the room that there was.
void GraphPanel::fold_anew(ImVec2 room) {
  constexpr float kOther = 0.05F;
  const auto differs = [](float a, float b) { return std::abs(a - b) > kOther * b; };
  if (laying_out_ || fit_ == Fit::Opening || !is_untouched() || laid_out_for_.x <= 0) return;
  if (!differs(room.x, laid_out_for_.x) && !differs(room.y, laid_out_for_.y)) return;
  asked_ = 0;
  refit_ = true;
}

// No more emptiness around the graph than needed.
void GraphPanel::keep_in_view(ImVec2 room) {
  GraphCamera& camera = model_.camera;
  const auto keep_in = [](float at, float size, float seen) {
    if (size + 2 * kViewMargin <= seen) return (size - seen) / 2;
    return std::clamp(at, -kViewMargin, size + kViewMargin - seen);
  };
  camera.x = keep_in(camera.x, model_.layout().width, room.x / camera.zoom);
  camera.y = keep_in(camera.y, model_.layout().height, room.y / camera.zoom);
}

void GraphPanel::show_found(ImVec2 room) {
  LayoutRect rect;
  if (!model_.bounds(found_, &rect)) return;
  constexpr float kRecognised = 0.45F;
  model_.camera.fit(rect, room.x, room.y, scaled(1));
  if (model_.camera.zoom >= kRecognised * scaled(1)) return keep_in_view(room);
  const auto first = static_cast<size_t>(std::find(found_.begin(), found_.end(), true) - found_.begin());
  const LayoutRect& box = model_.layout().boxes[first];
  model_.camera.zoom = legible_zoom();
  model_.camera.center({(box.min.x + box.max.x) / 2, (box.min.y + box.max.y) / 2}, room.x, room.y);
  keep_in_view(room);
}

void GraphPanel::frame_group(PanelContext& context, int32_t group) {
  inspector::LayoutRect rect;
  if (whole_group_rect(group, &rect)) {
    model_.camera.fit(rect, view_.x, view_.y, scaled(1));
    keep_in_view({view_.x, view_.y});
  }
  const GraphGroup& g = model_.groups()[static_cast<size_t>(group)];
  if (g.kind != GraphGroup::Kind::Module) return;
  own_click_ = true;
  context.document.select(select_module(*model_.data(), g.path));
}

}  // namespace et::gui
