// Which part of the model runs when: neighbouring ops of one module are a span, "encoder.layer.0". It is what tells one
// of twelve equal layers from the next in a timeline.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/core/trace_data.h"
#include "inspector/analysis/timeline/timeline_window.h"

namespace et::gui {

struct ModuleSpan {
  int64_t start = 0, end = 0;  ///< on the trace's clock
  int32_t module = 0;          ///< index into TimelineModules::names()
};

class TimelineModules {
 public:
  TimelineModules() = default;
  explicit TimelineModules(const TraceData& data);

  struct Name {
    std::string path;   ///< as select_module() takes it
    std::string label;  ///< without what all modules begin with
    std::string least;  ///< the shortest end of the label that no other one has, and that is no bare number
  };
  const std::vector<Name>& names() const { return names_; }
  /// Texts for a name from the longest to the shortest, each of which tells it from all others: "encoder.block.0",
  /// "e.b.0".
  static std::vector<std::string> labels(const Name& name);
  /// There is something to tell apart.
  bool any() const { return names_.size() > 1; }
  /// Of the executions in the window, by start. What is merged counts for the costliest of its ops.
  std::vector<ModuleSpan> spans(const TraceData& data, const inspector::TimelineWindow& window) const;

 private:
  void tell_apart();

  std::vector<Name> names_;
  std::vector<int32_t> of_op_;  // index into names_, -1 for none
};

}  // namespace et::gui
