// The list beside the drawing of an arena: tensors that are alive at an instruction, or that a search finds, in any
// order.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "gui/core/text.h"
#include "gui/models/memory_model.h"

namespace et::gui {

using inspector::PlanArena;
using inspector::PlanInstruction;
using inspector::PlanTensor;

namespace {

/// What shows the bytes of another that is found, too, has none of its own while that is alive.
FoundMost most_at_once(const PlanArena& arena, const std::vector<int32_t>& found) {
  std::map<int64_t, int64_t> ends;  // by value
  for (const int32_t i : found)
    ends.emplace(arena.tensors[static_cast<size_t>(i)].value, arena.tensors[static_cast<size_t>(i)].last);
  std::vector<int64_t> change(arena.in_use.size() + 1, 0);
  for (const int32_t i : found) {
    const PlanTensor& t = arena.tensors[static_cast<size_t>(i)];
    const auto source = t.view_of < 0 ? ends.end() : ends.find(t.view_of);
    const int64_t first = source == ends.end() ? t.first : std::max(t.first, source->second + 1);
    if (first > t.last) continue;
    change[static_cast<size_t>(first + 1)] += t.bytes;
    change[static_cast<size_t>(t.last + 2)] -= t.bytes;
  }
  FoundMost out;
  int64_t now = 0;
  for (size_t i = 0; i < arena.in_use.size(); ++i) {
    now += change[i];
    const int64_t used = std::min(now, arena.in_use[i]);
    if (used > out.bytes) out = {used, static_cast<int64_t>(i) - 1};
  }
  return out;
}

}  // namespace

const std::vector<int32_t>& MemoryModel::alive() {
  if (alive_known_ && alive_at_ == instruction()) return alive_;
  alive_known_ = true;
  alive_at_ = instruction();
  const PlanArena* a = arena();
  alive_.clear();
  found_ = {};
  if (a == nullptr) return alive_;
  if (!searches()) alive_ = a->alive_at(alive_at_);
  for (size_t i = 0; i < a->tensors.size() && searches(); ++i) {
    const PlanTensor& t = a->tensors[i];
    std::string all = t.name + "\n" + t.shape + " " + t.dtype + "\n" + inspector::role_name(t.role);
    if (const PlanInstruction* by = instruction_facts(t.producer); by != nullptr) {
      all += "\n" + by->what + "\n" + by->title + "\n" + (t.node.empty() ? by->node : t.node) + "\n" +
             inspector::written_at(*by, t) + "\n" + (t.file.empty() ? by->module : t.module);
    }
    if (has_all_words(all, search_)) alive_.push_back(static_cast<int32_t>(i));
  }
  if (searches()) found_ = most_at_once(*a, alive_);
  sort_alive();
  return alive_;
}

std::string MemoryModel::text_of(int32_t tensor, TensorColumn column) const {
  const PlanTensor& t = arena()->tensors[static_cast<size_t>(tensor)];
  const PlanInstruction* const by = t.producer < 0 ? nullptr : instruction_facts(t.producer);
  switch (column) {
    case TensorColumn::Tensor:
      return t.name.empty() ? t.shape + " " + t.dtype : t.name;
    case TensorColumn::Module:
      return by == nullptr ? "" : t.file.empty() ? by->module : t.module;
    case TensorColumn::Writer:
      return by == nullptr ? inspector::role_name(t.role) : by->title;
    case TensorColumn::Line:
      return by == nullptr ? "" : inspector::written_at(*by, t);
    default:
      return {};
  }
}

/// Of those that are alike the largest come first.
void MemoryModel::sort_alive() {
  const PlanArena& a = *arena();
  struct Key {
    std::string text;
    std::pair<int64_t, int64_t> number;
    int64_t bytes = 0;
    int32_t tensor = 0;
  };
  std::vector<Key> keys;
  for (const int32_t i : alive_) {
    const PlanTensor& t = a.tensors[static_cast<size_t>(i)];
    Key& key = keys.emplace_back();
    key.text = text_of(i, sort_);
    if (sort_ == TensorColumn::Bytes) key.number.first = t.bytes;
    if (sort_ == TensorColumn::Lifetime) key.number = {t.first, t.last};
    key.bytes = t.bytes;
    key.tensor = i;
  }
  std::stable_sort(keys.begin(), keys.end(), [&](const Key& x, const Key& y) {
    const auto less = [](const Key& p, const Key& q) {
      return std::tie(p.number, p.text) < std::tie(q.number, q.text);
    };
    if (less(x, y) || less(y, x)) return descending_ ? less(y, x) : less(x, y);
    return x.bytes > y.bytes;
  });
  for (size_t i = 0; i < keys.size(); ++i) alive_[i] = keys[i].tensor;
}

void MemoryModel::sort(TensorColumn column, bool descending) {
  if (sort_ == column && descending_ == descending) return;
  sort_ = column;
  descending_ = descending;
  alive_known_ = false;
}

int64_t MemoryModel::listed_bytes() const {
  const PlanArena* a = arena();
  return a == nullptr ? 0 : searches() ? a->peak : a->used_at(instruction());
}

FoundMost MemoryModel::found_most() {
  alive();
  return found_;
}

void MemoryModel::search(const std::string& text) {
  if (lower(text) == search_) return;
  search_ = lower(text);
  ++search_version_;
  alive_known_ = false;
}

void MemoryModel::step_instruction(int by) {
  const PlanArena* a = arena();
  if (a == nullptr) return;
  const int64_t to = std::clamp<int64_t>(instruction() + by, -1, a->instructions());
  choose_instruction(to);
  const auto column = static_cast<double>(to + 1);
  const double width = view_.x1 - view_.x0;
  if (column < view_.x0 || column + 1 > view_.x1)
    show({.x0 = column + 0.5 - width / 2, .x1 = column + 0.5 + width / 2, .y0 = view_.y0, .y1 = view_.y1});
}

int32_t MemoryModel::next_listed(int by) {
  const std::vector<int32_t>& list = alive();
  if (list.empty()) return -1;
  const auto at = std::find(list.begin(), list.end(), selected_);
  if (at == list.end()) return list.front();
  const auto to = std::clamp<std::ptrdiff_t>(at - list.begin() + by, 0, std::ssize(list) - 1);
  return list[static_cast<size_t>(to)];
}

/// Its call, of which there is one: number and facts.
std::pair<int64_t, const PlanInstruction*> MemoryModel::call_of(size_t delegate) const {
  const inspector::PlanDelegate& d = plan_->delegates[delegate];
  for (const inspector::PlanMethod& m : plan_->methods) {
    for (size_t i = 0; m.name == d.method && i < m.instructions.size(); ++i) {
      if (m.instructions[i].delegate == d.ordinal) return {static_cast<int64_t>(i), &m.instructions[i]};
    }
  }
  return {-1, nullptr};
}

Selection MemoryModel::target_of_delegate(const TraceData& data, size_t delegate) const {
  const auto [instruction, call] = call_of(delegate);
  return call == nullptr ? Selection() : select_part(data, plan_->delegates[delegate].method, instruction);
}

std::string MemoryModel::module_of_delegate(size_t delegate) const {
  const PlanInstruction* const call = call_of(delegate).second;
  return call == nullptr ? std::string() : call->common_module;
}

}  // namespace et::gui
