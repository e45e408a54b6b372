// What a frame of the Python stack is called where there is little room, and what choosing it selects.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/core/selection.h"
#include "gui/core/trace_data.h"
#include "inspector/analysis/ops/module_tree.h"

namespace et::gui {

/// Why a time is an estimate: it is an even share of ops that are linked to that many nodes.
std::string estimate_text(int64_t nodes);

/// "self.encoder" of "hidden = self.encoder(": what the line calls; the code where it calls nothing, else the function.
std::string called_name(std::string_view code, std::string_view function);
/// The call on a line's text that most of its time is in, "self.mlp" of x = self.mlp(self.norm(x)), known by its module
/// or operator; "" where no call on it is known to be that.
std::string costliest_call(const inspector::CostTree& tree, int32_t node);
/// "self.encoder(…)" of "hidden = self.encoder(": what the line does, without what it is assigned to.
std::string called_text(std::string_view code);
/// "self.token(…) + self.position(…)": what the line does, without what it is given.
std::string without_arguments(const std::string& text);
/// "model.py:41", "" for what is no frame.
std::string frame_place(const inspector::CostNode& node);

/// The frame that a node is, or stands below; the root where it is in none.
int32_t frame_above(const inspector::CostTree& tree, int32_t node);
/// The only frame below a frame that has all of its time; -1 where there are several, or time of its own.
int32_t only_frame_below(const inspector::CostTree& tree, int32_t node);

/// True for each node below `node`, and for itself.
std::vector<bool> nodes_below(const inspector::CostTree& tree, int32_t node);
/// Of a tree with charges: everything that is inside of a node. A frame is chosen as its line, other nodes by their
/// name.
Selection select_inside(const TraceData& data, const inspector::CostTree& tree, int32_t node);

/// A module's path as far as there is room: its end with the number that tells equal modules apart, "…3.conv",
/// "blocks.3…conv"; the end alone where that is too much.
std::string short_module(const std::string& path, const std::function<bool(const std::string&)>& fits);

}  // namespace et::gui
