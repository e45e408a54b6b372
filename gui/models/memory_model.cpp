#include "gui/models/memory_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "gui/core/text.h"
#include "inspector/analysis/size/delegate_weights.h"
#include "inspector/analysis/size/program_size.h"
#include "inspector/text/format.h"
#include "inspector/text/table.h"

namespace et::gui {

using inspector::MemoryPlan;
using inspector::PlanArena;
using inspector::PlanInstruction;
using inspector::PlanTensor;

namespace {

/// The program says which delegate asks for which named data; where it is not there any more nothing is known.
std::vector<std::optional<int64_t>> weights_in_named_data(const std::string& program, const MemoryPlan& plan) {
  std::vector<std::optional<int64_t>> out(plan.delegates.size());
  inspector::ProgramSize size;
  if (program.empty() || plan.delegates.empty() || !inspector::program_size(program, &size).ok()) return out;
  const auto bytes = inspector::delegate_weights(size);
  for (size_t i = 0; i < plan.delegates.size(); ++i) {
    const auto at = bytes.find({plan.delegates[i].method, plan.delegates[i].ordinal});
    if (at != bytes.end()) out[i] = at->second;
  }
  return out;
}

}  // namespace

void MemoryModel::refresh(Document& document) {
  if (asked_ && document_version_ == document.trace_version()) return;
  asked_ = true;
  document_version_ = document.trace_version();
  if (document.data() == nullptr) {
    job_.reset();
    loading_ = false;
    plan_ = std::make_shared<MemoryPlan>();
    named_weights_.clear();
    ++plan_version_;
    return;
  }
  loading_ = true;
  struct Loaded {
    MemoryPlan plan;
    std::vector<std::optional<int64_t>> named_weights;
  };
  job_ = document.jobs().query<Loaded>(
      document.store_path(),
      [trace = document.data()->trace_id(), program = document.data()->facts.program_path.value_or("")](
          const inspector::Store& store, const Cancel&, Loaded* out) {
        const Status status = inspector::load_memory_plan(store, trace, &out->plan);
        if (status.ok()) out->named_weights = weights_in_named_data(program, out->plan);
        return status;
      },
      [this](const Status& status, Loaded loaded) {
        loading_ = false;
        error_ = status.ok() ? "" : status.message();
        named_weights_ = std::move(loaded.named_weights);
        set_plan(std::move(loaded.plan));
      });
}

void MemoryModel::set_plan(MemoryPlan plan) {
  plan_ = std::make_shared<const MemoryPlan>(std::move(plan));
  ++plan_version_;
  // The largest arena has most to tell.
  int largest = 0;
  for (size_t i = 0; i < plan_->arenas.size(); ++i) {
    if (plan_->arenas[i].bytes > plan_->arenas[static_cast<size_t>(largest)].bytes) largest = static_cast<int>(i);
  }
  show_arena(largest);
}

const PlanArena* MemoryModel::arena() const {
  return arena_ >= 0 && arena_ < static_cast<int>(plan_->arenas.size()) ? &plan_->arenas[static_cast<size_t>(arena_)]
                                                                        : nullptr;
}

void MemoryModel::show_arena(int index) {
  arena_ = index;
  chosen_.reset();
  selected_ = -1;
  alive_known_ = false;
  laid_out_ = {};
  rects_.clear();
  fit();
}

MemoryView MemoryModel::whole() const {
  const PlanArena* a = arena();
  if (a == nullptr) return {};
  const double bytes = static_cast<double>(std::max({a->bytes, a->reach, int64_t{1}}));
  return {.x0 = 0, .x1 = static_cast<double>(a->in_use.size()), .y0 = 0, .y1 = bytes};
}

void MemoryModel::show(const MemoryView& wanted) {
  constexpr double kFewestColumns = 2, kFewestBytes = 16;
  const MemoryView all = whole();
  const auto range = [](double a, double b, double most, double least, double* x0, double* x1) {
    const double size = std::clamp(b - a, std::min(least, most), most);
    const double middle = (a + b) / 2;
    *x0 = std::clamp(middle - size / 2, 0.0, most - size);
    *x1 = *x0 + size;
  };
  range(wanted.x0, wanted.x1, all.x1, kFewestColumns, &view_.x0, &view_.x1);
  range(wanted.y0, wanted.y1, all.y1, kFewestBytes, &view_.y0, &view_.y1);
}

void MemoryModel::zoom(double at_x, double at_y, double factor_x, double factor_y) {
  const double x = view_.x0 + at_x * (view_.x1 - view_.x0), y = view_.y0 + at_y * (view_.y1 - view_.y0);
  show({.x0 = x - (x - view_.x0) * factor_x,
        .x1 = x + (view_.x1 - x) * factor_x,
        .y0 = y - (y - view_.y0) * factor_y,
        .y1 = y + (view_.y1 - y) * factor_y});
}

void MemoryModel::pan(double dx, double dy) {
  const double x = dx * (view_.x1 - view_.x0), y = dy * (view_.y1 - view_.y0);
  show({.x0 = view_.x0 + x, .x1 = view_.x1 + x, .y0 = view_.y0 + y, .y1 = view_.y1 + y});
}

const std::vector<MemoryRect>& MemoryModel::layout(float width, float height) {
  const LayoutKey key = {.arena = arena_, .view = view_, .width = width, .height = height, .plan = plan_version_};
  if (key == laid_out_) return rects_;
  laid_out_ = key;
  rects_.clear();
  const PlanArena* a = arena();
  if (a == nullptr || width <= 0 || height <= 0) return rects_;
  const double per_column = width / (view_.x1 - view_.x0), per_byte = height / (view_.y1 - view_.y0);
  std::unordered_map<uint64_t, bool> tiny;  // pixels that stand for what is too small to see
  for (size_t i = 0; i < a->tensors.size(); ++i) {
    const PlanTensor& t = a->tensors[i];
    const double x0 = (static_cast<double>(t.first + 1) - view_.x0) * per_column;
    const double x1 = (static_cast<double>(t.last + 2) - view_.x0) * per_column;
    const double y1 = height - (static_cast<double>(t.offset) - view_.y0) * per_byte;
    const double y0 = y1 - static_cast<double>(t.bytes) * per_byte;
    if (x1 <= 0 || x0 >= width || y1 <= 0 || y0 >= height) continue;
    if (x1 - x0 < 1 && y1 - y0 < 1) {
      const auto pixel = (static_cast<uint64_t>(std::max(0.0, x0)) << 32) | static_cast<uint64_t>(std::max(0.0, y0));
      if (!tiny.emplace(pixel, true).second) continue;
    }
    MemoryRect r;
    r.x0 = static_cast<float>(std::max(x0, -2.0));
    r.x1 = static_cast<float>(std::min(std::max(x1, x0 + 1), static_cast<double>(width) + 2));
    r.y1 = static_cast<float>(std::min(y1, static_cast<double>(height) + 2));
    r.y0 = static_cast<float>(std::max(std::min(y0, y1 - 1), -2.0));
    r.tensor = static_cast<int32_t>(i);
    rects_.push_back(r);
  }
  return rects_;
}

int32_t MemoryModel::hit(float x, float y) const {
  for (auto it = rects_.rbegin(); it != rects_.rend(); ++it) {
    if (x >= it->x0 && x < it->x1 && y >= it->y0 && y < it->y1) return it->tensor;
  }
  return -1;
}

int64_t MemoryModel::instruction_at(float x, float width) const {
  const PlanArena* a = arena();
  if (a == nullptr || width <= 0) return -1;
  const double column = view_.x0 + static_cast<double>(x) / width * (view_.x1 - view_.x0);
  return std::clamp<int64_t>(static_cast<int64_t>(std::floor(column)) - 1, -1, a->instructions());
}

int64_t MemoryModel::instruction() const {
  const PlanArena* a = arena();
  return chosen_.value_or(a == nullptr ? -1 : a->peak_at);
}

void MemoryModel::choose_instruction(std::optional<int64_t> instruction) { chosen_ = instruction; }

bool MemoryModel::stands_out(int32_t tensor, const std::vector<int32_t>& highlighted) const {
  if (tensor == selected_ || std::binary_search(highlighted.begin(), highlighted.end(), tensor)) return true;
  const PlanTensor& t = arena()->tensors[static_cast<size_t>(tensor)];
  return !searches() && t.first <= instruction() && instruction() <= t.last;
}

const std::vector<double>& MemoryModel::begins(const TraceData& data) {
  const BeginsKey key = {.data = &data, .plan = plan_version_, .arena = arena_};
  if (key == begins_for_) return begins_;
  begins_for_ = key;
  begins_.clear();
  const PlanArena* a = arena();
  if (a == nullptr || a->instructions() <= 0) return begins_;
  std::vector<double> costs(static_cast<size_t>(a->instructions()), 0);
  double total = 0;
  const inspector::OpTable& table = data.usual();  // a range has parts of executions, the plan is of a whole one
  for (const inspector::OpEntry& op : table.ops) {
    const inspector::OpBlock& block = table.block_of(op);
    if (block.kind != "execute" || block.method.value_or("") != a->method || !op.on_trace_clock()) continue;
    // Everything inside of an instruction is its own, also the instructions of a program that a delegate runs.
    const inspector::OpEntry* at = &op;
    int64_t instruction = -1;
    for (size_t steps = 0; steps <= block.ops; ++steps) {
      instruction = at->instruction_id.value_or(instruction);
      if (!at->parent) break;
      at = &table.ops[*at->parent];
    }
    if (instruction < 0 || instruction >= a->instructions()) continue;
    costs[static_cast<size_t>(instruction)] += op.cost;
    total += op.cost;
  }
  if (!(total > 0)) return begins_;
  begins_.push_back(0);
  for (const double cost : costs) begins_.push_back(begins_.back() + std::max(cost, 0.0));
  return begins_;
}

const PlanInstruction* MemoryModel::instruction_facts(int64_t instruction) const {
  const PlanArena* a = arena();
  if (a == nullptr) return nullptr;
  const auto& list = plan_->methods[a->method_index].instructions;
  return instruction >= 0 && instruction < static_cast<int64_t>(list.size()) ? &list[static_cast<size_t>(instruction)]
                                                                             : nullptr;
}

std::string MemoryModel::instruction_text(int64_t instruction) const {
  if (instruction < 0) return "before the first instruction";
  const PlanInstruction* facts = instruction_facts(instruction);
  if (facts == nullptr) return "after the last instruction";
  return "instruction " + std::to_string(instruction) + ": " + facts->title;
}

std::string MemoryModel::moment_text(int64_t instruction) const {
  const std::string text = instruction_text(instruction);
  return instruction_facts(instruction) == nullptr ? text : "at " + text;
}

Selection MemoryModel::target(const TraceData& data, int32_t tensor) const {
  const PlanArena* a = arena();
  if (a == nullptr || tensor < 0 || tensor >= static_cast<int32_t>(a->tensors.size())) return {};
  const PlanTensor& t = a->tensors[static_cast<size_t>(tensor)];
  // Nobody writes an input: then who reads it first.
  const PlanInstruction* facts = instruction_facts(t.producer >= 0 ? t.producer : t.reader);
  if (facts == nullptr) return {};
  if (t.producer >= 0 && !t.node.empty()) {
    if (Selection s = select_node(data, t.node); !s.empty()) return s;
  }
  if (facts->op_id.has_value()) {
    if (Selection s = select_op(data, *facts->op_id); !s.empty()) return s;
  }
  return facts->node.empty() ? Selection() : select_node(data, facts->node);
}

const std::vector<int32_t>& MemoryModel::highlighted(const Document& document) {
  const HighlightKey key = {
      .selection = document.selection_version(), .plan = plan_version_, .search = search_version_, .arena = arena_};
  if (key == highlighted_for_) return highlighted_;
  highlighted_for_ = key;
  highlighted_.clear();
  const PlanArena* a = arena();
  const Selection& s = document.selection();
  if (a != nullptr && searches()) {
    highlighted_ = alive();
    std::sort(highlighted_.begin(), highlighted_.end());
    return highlighted_;
  }
  if (a == nullptr || s.empty() || document.data() == nullptr) return highlighted_;
  std::vector<bool> chosen(static_cast<size_t>(std::max<int64_t>(a->instructions(), 0)), false);
  const auto& table = document.data()->table;
  for (const int32_t index : s.ops) {
    const auto& op = table.ops[static_cast<size_t>(index)];
    const auto& method = table.block_of(op).method;
    if (method.has_value() && *method != a->method) continue;
    if (op.instruction_id.has_value() && *op.instruction_id >= 0 && *op.instruction_id < a->instructions()) {
      chosen[static_cast<size_t>(*op.instruction_id)] = true;
    }
  }
  const auto& list = plan_->methods[a->method_index].instructions;
  for (size_t i = 0; i < chosen.size() && i < list.size(); ++i) {
    if (!list[i].node.empty() && s.has_node(list[i].node)) chosen[i] = true;
  }
  for (size_t i = 0; i < a->tensors.size(); ++i) {
    const int64_t producer = a->tensors[i].producer;
    if (producer >= 0 && producer < static_cast<int64_t>(chosen.size()) && chosen[static_cast<size_t>(producer)]) {
      highlighted_.push_back(static_cast<int32_t>(i));
    }
  }
  return highlighted_;
}

std::string MemoryModel::csv() const {
  if (plan_->arenas.empty()) return {};
  inspector::Table table;
  for (const char* name : {"method", "memory_id", "value", "name", "role", "dtype", "shape", "offset", "bytes",
                           "first_instruction", "last_instruction", "operator", "node", "file", "line"}) {
    table.columns.push_back({.title = name, .key = name});
  }
  for (const PlanArena& a : plan_->arenas) {
    for (const PlanTensor& t : a.tensors) {
      const auto& list = plan_->methods[a.method_index].instructions;
      const PlanInstruction* by = t.producer >= 0 && t.producer < static_cast<int64_t>(list.size())
                                      ? &list[static_cast<size_t>(t.producer)]
                                      : nullptr;
      std::vector<inspector::Cell> cells = {
          a.method, a.memory_id, t.value, t.name, std::string(inspector::role_name(t.role)), t.dtype, t.shape,
          t.offset, t.bytes,     t.first, t.last};
      if (by != nullptr) {
        // Of a delegate's call the first node is not the one that writes it.
        const bool delegate = by->kind == "DelegateCall";
        const int64_t line = delegate ? t.line : by->line;
        cells.insert(cells.end(), {by->what, delegate ? t.node : by->node, delegate ? t.file : by->file});
        if (line > 0) cells.emplace_back(line);
      }
      table.add(std::move(cells));
    }
  }
  std::string out;
  (void)table.write({.format = "csv"}, &out);
  return out;
}

}  // namespace et::gui
