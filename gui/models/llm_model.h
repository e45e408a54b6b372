// A trace as that of a language model, as the window's panel shows it: figures, time of a token over its position,
// costs by kind and by layer with the ops behind them, sequences, caches.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/selection.h"
#include "gui/core/trace_data.h"
#include "gui/models/overview_model.h"
#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/llm/llm.h"
#include "inspector/analysis/ops/execution_notes.h"

namespace et::gui {

/// One decode step, or an execution where nothing tells what it is; of a trace without decode a prompt.
struct TokenPoint {
  double position = 0, time = 0;  ///< ticks; of a prompt the number of its execution
  int64_t run = 0;
  int32_t execution = 0, sequence = 0;
  bool cold = false;
};

struct LlmSequence {
  int32_t number = 0;
  int64_t prompt_tokens = 0;  ///< 0: not known
  double prompt = 0;          ///< time of its prefill
  double first_token = 0;     ///< from its start to the end of its prefill; 0 without one
  int64_t tokens = 0;
  double token = 0;   ///< mean time of one, with the cold one
  double median = 0;  ///< of its warm ones; of all where none is warm
  bool cold = false;
};

/// A figure of the first look: what it is, how much, and of what.
struct LlmFigure {
  std::string name, value, note;  ///< "Decode", "245 tokens/s", "4.08 ms a token"
};

/// A part of the time: a kind of work, or a layer.
struct LlmPart {
  std::string name;
  inspector::PhasePair time = {};
  std::string most = {};  ///< of a layer: the kind that takes most of it
  std::array<inspector::PhasePair, inspector::kLayerKinds> by_kind = {};  ///< of a layer
  /// What it is, for ops_of(); of the last two none is set.
  std::optional<inspector::LayerKind> kind = {};
  std::optional<int64_t> layer = {};
  std::string stack = {};  ///< of the layer, where several have layers
};

/// What the trace knows beside the times of its ops.
struct LlmAround {
  std::string note = {};                       ///< LlmModel::note_of()
  int64_t memory = 0;                          ///< bytes that the method needs in all; 0: not known
  std::vector<inspector::Advice> advice = {};  ///< what the rules find
};

/// An op's part of it.
struct LlmOp {
  uint32_t op = 0;  ///< index into TraceData::usual().ops
  std::string title, module, line;
  double time = 0;                   ///< of an execution of the phase, with what calling it takes
  std::vector<uint32_t> calls = {};  ///< the runtime's calls of it, whose time that is; indices as `op`
};

/// The ops of a part that have one name.
struct LlmGroup {
  std::string title;         ///< "aten.permute_copy"
  std::string module, line;  ///< what all have in common (module_pattern()), "" where that is nothing
  double time = 0;
  std::vector<LlmOp> ops;  ///< the dearest first
};

class LlmModel {
 public:
  void set(inspector::LlmView view, std::shared_ptr<const TraceData> data, LlmAround around = {});
  const inspector::LlmView& view() const { return view_; }
  /// Something says that this is a language model; else why not, and how to record one, is in empty_text().
  bool is_language_model() const { return view_.is_language_model(); }
  bool has_attention() const { return view_.has_attention(); }
  bool makes_tokens() const { return view_.makes_tokens(); }
  static std::pair<std::string, std::string> empty_text(const inspector::LlmView& view);

  const std::vector<std::pair<std::string, std::string>>& facts() const { return facts_; }
  /// The first look: what no line below it says again.
  const std::vector<LlmFigure>& figures() const { return figures_; }
  /// Facts that no figure has, as sentences.
  const std::vector<std::string>& lines() const { return lines_; }
  /// What to do next, the most telling first; only what holds for this model.
  const std::vector<OverviewStep>& steps() const { return steps_; }
  const std::vector<TokenPoint>& points() const { return points_; }
  /// They are prompts: nothing was decoded.
  bool points_are_prompts() const { return points_are_prompts_; }
  /// Ticks, where the axis ends at first: a little above all that is usual.
  double highest() const { return highest_; }
  /// Points above `end`, where an axis ends, the slowest first: they stand at its edge with their time.
  std::vector<size_t> beyond(double end) const;
  const std::vector<LlmPart>& kinds() const { return kinds_; }
  const std::vector<LlmPart>& layers() const { return layers_; }
  const std::vector<LlmSequence>& sequences() const { return sequences_; }
  bool ran(size_t phase) const { return view_.phases[phase].executions > 0; }
  /// "prefill", "decode"; "execution" where nothing tells them apart.
  const char* phase_title(size_t phase) const;
  double share(double time, size_t phase) const;
  /// What is looked at first: decode where it ran.
  size_t main_phase() const { return ran(1) || !ran(0) ? 1 : 0; }
  /// On a basis that slow executions rule, which it is and by how much; "" on others.
  std::string basis_hint() const;
  /// What notes say of the slow execution that the basis is of, or of the slowest of them; "" where it is of none.
  static std::string note_of(const std::vector<inspector::ExecutionNote>& notes, const inspector::Basis& basis);
  std::string time_text(double ticks) const;

  /// The ops of a kind or layer that a phase (of main_phase() unless it is said) runs, the dearest first; of parts
  /// without any, none.
  std::vector<LlmOp> ops_of(const LlmPart& part, std::optional<size_t> phase = {}) const;
  /// The same, by name, the dearest first.
  std::vector<LlmGroup> groups_of(const LlmPart& part, std::optional<size_t> phase = {}) const;
  /// The dearest op with all others of the part.
  Selection selection_of(const LlmPart& part, std::optional<size_t> phase = {}) const;
  Selection selection_of(const LlmGroup& group) const;
  Selection selection_of(const LlmOp& op) const;
  const TraceData* data() const { return data_.get(); }
  std::string csv() const;
  std::string markdown() const;

 private:
  Selection selection_of_all(const std::vector<LlmOp>& ops, const std::string& label) const;
  void add_facts();
  void add_points();
  void add_parts();
  void add_costliest();
  void add_sequences();
  void add_figures();
  void add_lines();
  void add_steps();
  LlmFigure first_token_figure() const;
  LlmFigure prefill_figure() const;
  LlmFigure decode_figure() const;
  LlmFigure cache_figure() const;
  LlmFigure layers_figure() const;
  std::string rate_text(double tokens, double ticks) const;
  double kind_share(inspector::LayerKind kind, size_t phase) const;

  LlmAround around_;
  inspector::LlmView view_;
  std::shared_ptr<const TraceData> data_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::vector<TokenPoint> points_;
  std::vector<LlmPart> kinds_, layers_;
  std::vector<LlmSequence> sequences_;
  std::vector<LlmFigure> figures_;
  std::vector<std::string> lines_;
  std::vector<OverviewStep> steps_;
  double highest_ = 0;
  bool points_are_prompts_ = false;
};

}  // namespace et::gui
