// An execution held against a reference, from opening both to the figures: what `et-inspect gap` and the window's
// panel do.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "inspector/analysis/gap/gap.h"
#include "inspector/analysis/gap/graph_values.h"

namespace et::inspector {

class GapRun {
 public:
  /// `stage` is told what is done now; `cancelled` is asked while another program works. Both may be empty.
  using Stage = std::function<void(const char*)>;
  explicit GapRun(GapOptions options = {}, Stage stage = {}, const std::function<bool()>& cancelled = {})
      : options_(options), stage_(std::move(stage)), cancelled_(cancelled), graph_(cancelled) {}

  /// Whether against_graph() looks beside the ETDump for what nobody says that the run was fed.
  void look_beside(bool look) { look_beside_ = look; }

  /// The side that is judged. The store must outlive this. Errors: as open_gap_side().
  Status open(const Store& store, int64_t trace_id, std::optional<int64_t> execution);

  // One of these, once. Errors: those of opening the reference and of reading values; InvalidState (cancelled).
  Status against_graph(const GraphInputs& inputs);
  Status against_tensors(const std::string& path);
  /// The execution of the same number when one was chosen, else the last of the same test case. `other` must outlive
  /// this.
  Status against_trace(const Store& other, int64_t other_id);

  const Gap& gap() const { return gap_; }
  const GapSide& run() const { return run_; }
  const GapSide& reference() const { return reference_; }
  /// What was found beside the ETDump and feeds the graph.
  const std::optional<GraphInputs>& found_inputs() const { return found_inputs_; }
  /// Why it is not known which ops add error, "" when it is or was not asked for.
  const std::string& own_problem() const { return own_problem_; }

 private:
  void tell(const char* stage) const {
    if (stage_) stage_(stage);
  }
  Status compare(const GapSide* own);
  Status run_graph(const GraphInputs& given, const HandleNodes& handles);

  GapOptions options_;
  Stage stage_;
  std::function<bool()> cancelled_;
  const Store* store_ = nullptr;
  int64_t trace_id_ = 0;
  std::optional<int64_t> execution_;
  GraphValues graph_;
  GapSide run_, reference_;
  Gap gap_;
  std::string own_problem_;
  std::optional<GraphInputs> found_inputs_;
  bool look_beside_ = false;
};

/// Whether a path holds recorded tensors (.npz, or a folder with .npy files); everything else is a trace. A folder that
/// has a run, too, is that run's: its arrays are what it was fed, and what it gave.
bool is_recorded_tensors(const std::string& path);

}  // namespace et::inspector
