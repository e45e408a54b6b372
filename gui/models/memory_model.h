// The memory panel's data: the plan of the trace's program, which arena is looked at, which part of it is seen, which
// rectangles that makes, and what is hit by the mouse. No drawing.
//
// A drawing has instructions from left to right (column 0 stands before the first one, the last column after the last
// one) and bytes of the arena from bottom to top.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/document.h"
#include "inspector/analysis/memory/memory_plan.h"

namespace et::gui {

/// A part of a drawing; columns count from 0, a tensor covers [first + 1, last + 2).
struct MemoryView {
  double x0 = 0, x1 = 1;  ///< columns
  double y0 = 0, y1 = 1;  ///< bytes
  bool operator==(const MemoryView&) const = default;
};

/// A tensor as it is drawn, in pixels from the drawing's left upper corner.
struct MemoryRect {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  int32_t tensor = 0;  ///< index into PlanArena::tensors
};

/// What the method needs beside its arenas, as far as it is known: "constants 541 KiB · 13 delegates: payloads 21.5 KiB
/// · at run time: method allocator 25.7 KiB"; "" when nothing is.
std::string memory_beside(const inspector::MemoryPlan& plan, const std::string& method);

/// What the list of tensors can be sorted by.
enum class TensorColumn : uint8_t { Tensor, Bytes, Module, Lifetime, Writer, Line };

/// Of what a search finds, the most that is alive at once.
struct FoundMost {
  int64_t bytes = 0, at = -1;
};

/// `bytes` in the unit that `beside` has, so that both can be compared: "1,072 KiB" beside "1,008 KiB".
std::string bytes_beside(int64_t bytes, int64_t beside);

class MemoryModel {
 public:
  /// Asks for the plan when the document's data changed.
  void refresh(Document& document);

  /// Shows that plan: what refresh() reads.
  void set_plan(inspector::MemoryPlan plan);
  bool loading() const { return loading_; }
  const std::string& error() const { return error_; }
  const inspector::MemoryPlan& plan() const { return *plan_; }
  bool has_plan() const { return !plan_->arenas.empty(); }
  /// By delegate of the plan, bytes of its weights in the program, those of named data that it is the first to use
  /// included; nullopt: none, or the program cannot be read.
  const std::vector<std::optional<int64_t>>& named_weights() const { return named_weights_; }

  int arena_index() const { return arena_; }
  const inspector::PlanArena* arena() const;
  void show_arena(int index);

  const MemoryView& view() const { return view_; }
  MemoryView whole() const;
  void fit() { view_ = whole(); }
  /// `at`: a place that stays where it is, 0..1 from the left and from the bottom; factor < 1 comes closer.
  void zoom(double at_x, double at_y, double factor_x, double factor_y);
  /// By parts of what is seen.
  void pan(double dx, double dy);
  void show(const MemoryView& view);

  /// Rectangles of what is seen in a drawing of that size, recomputed only when something changed. Those of less
  /// than a pixel stand for all that fall into it.
  const std::vector<MemoryRect>& layout(float width, float height);
  /// The topmost tensor at a place, -1 for none.
  int32_t hit(float x, float y) const;
  /// Instruction at a place of the drawing, -1 before the first.
  int64_t instruction_at(float x, float width) const;

  /// The instruction whose tensors are listed: the peak's unless one was chosen.
  int64_t instruction() const;
  void choose_instruction(std::optional<int64_t> instruction);
  bool at_peak() const { return !chosen_.has_value(); }
  /// To the one after it or before it, which is brought into view.
  void step_instruction(int by);
  /// The next one of alive(), or the one before, from the selected one; -1 where there is none.
  int32_t next_listed(int by);
  /// Tensors alive at instruction(), largest first; kept until something changes. During a search: all of the arena
  /// that it finds.
  const std::vector<int32_t>& alive();
  void sort(TensorColumn column, bool descending);
  /// What shares of the list are of: bytes in use at instruction(), which tensors may share; during a search, whose
  /// tensors need not be alive together, the peak.
  int64_t listed_bytes() const;
  FoundMost found_most();
  /// Part of a tensor's name, shape, dtype or role, or of the operator, node or line that writes it; any case.
  void search(const std::string& text);
  bool searches() const { return !search_.empty(); }
  /// Whether a tensor of the arena is drawn bright: what is alive at instruction(), and what has a frame: `highlighted`
  /// and the selected one; during a search what it finds alone.
  bool stands_out(int32_t tensor, const std::vector<int32_t>& highlighted) const;

  /// When each instruction of the arena's method begins, on the shown basis, in ticks; one more than instructions, the
  /// last is the end. Empty without times.
  const std::vector<double>& begins(const TraceData& data);

  int32_t selected() const { return selected_; }
  void select_tensor(int32_t tensor) { selected_ = tensor; }
  /// The op, node or line that belongs to a tensor; None when nothing is known.
  Selection target(const TraceData& data, int32_t tensor) const;
  /// Call of a delegate of the plan, and the innermost module that all of it lies in.
  Selection target_of_delegate(const TraceData& data, size_t delegate) const;
  std::string module_of_delegate(size_t delegate) const;
  /// Tensors that the document's selection writes or reads first: highlighted. Kept until the selection changes.
  const std::vector<int32_t>& highlighted(const Document& document);

  /// What holds the peak, what it would be without, and what to do about it: sentences, the most telling first. Empty
  /// without tensors.
  std::vector<std::string> peak_facts() const;

  const inspector::PlanInstruction* instruction_facts(int64_t instruction) const;
  /// "at instruction 12: aten::add.out" / "before the first instruction".
  std::string moment_text(int64_t instruction) const;
  /// The same without "at".
  std::string instruction_text(int64_t instruction) const;
  std::string csv() const;

 private:
  std::shared_ptr<const inspector::MemoryPlan> plan_ = std::make_shared<inspector::MemoryPlan>();
  std::vector<std::optional<int64_t>> named_weights_;
  uint64_t document_version_ = 0;
  bool loading_ = false, asked_ = false;
  std::string error_;
  int arena_ = 0;
  MemoryView view_;
  std::optional<int64_t> chosen_;
  int32_t selected_ = -1;
  std::vector<MemoryRect> rects_;
  void sort_alive();
  void add_in_place(const inspector::PlanArena& a, std::vector<std::string>* out) const;
  std::string text_of(int32_t tensor, TensorColumn column) const;
  std::pair<int64_t, const inspector::PlanInstruction*> call_of(size_t delegate) const;

  TensorColumn sort_ = TensorColumn::Bytes;
  bool descending_ = true;
  FoundMost found_;
  std::vector<int32_t> alive_, highlighted_;
  int64_t alive_at_ = 0;
  bool alive_known_ = false;
  std::string search_;
  uint64_t search_version_ = 0;
  std::vector<double> begins_;
  struct BeginsKey {
    const TraceData* data = nullptr;
    uint64_t plan = 0;
    int arena = -1;
    bool operator==(const BeginsKey&) const = default;
  } begins_for_;
  struct LayoutKey {
    int arena = -1;
    MemoryView view;
    float width = 0, height = 0;
    uint64_t plan = 0;
    bool operator==(const LayoutKey&) const = default;
  } laid_out_;
  struct HighlightKey {
    uint64_t selection = 0, plan = 0, search = 0;
    int arena = -1;
    bool operator==(const HighlightKey&) const = default;
  } highlighted_for_;
  uint64_t plan_version_ = 0;
  JobHandle job_;
};

}  // namespace et::gui
