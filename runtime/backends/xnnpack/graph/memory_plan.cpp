#include "runtime/backends/xnnpack/graph/memory_plan.h"

#include <algorithm>

#include "runtime/platform/log.h"

namespace et::xnn {
namespace {

constexpr size_t kAlignment = 64;
/// Beyond this many blocks none shares memory with another: finding a place is quadratic.
constexpr size_t kMaxBlocks = 4096;

size_t aligned(size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

uint32_t MemoryPlan::root(uint32_t v) const {
  while (parent_[v] != v) v = parent_[v];
  return v;
}

Error MemoryPlan::make(const Graph& g, const std::vector<Operator*>& order, size_t limit) {
  const auto end = static_cast<int64_t>(order.size());
  parent_.resize(g.values.size());
  blocks_.assign(g.values.size(), {});
  for (uint32_t v = 0; v < g.values.size(); ++v) {
    const Value& value = g.values[v];
    Block& b = blocks_[v];
    parent_[v] = b.holder = v;
    b.home = value.is_constant() ? Home::Constant : lies_in_argument(value) ? Home::Argument : Home::Nowhere;
    if (value.external == Value::kNotExternal || !value.is_half()) continue;
    // Converted from before the first operator, or to behind the last.
    b.home = Home::Arena;
    b.first = value.input ? -1 : end;
    b.last = value.input ? -1 : end;
  }
  size_t scratch = 0;
  for (int64_t i = 0; i < end; ++i) {
    const Operator& op = *order[static_cast<size_t>(i)];
    scratch = std::max(scratch, op.scratch);
    for (const uint32_t v : op.inputs) blocks_[v].last = std::max(blocks_[v].last, i);
    for (size_t k = 0; k < op.outputs.size(); ++k) {
      Block& b = blocks_[k == 0 ? op.result : op.outputs[k]];
      b.first = i;
      b.last = std::max(b.last, i);
      if (b.home == Home::Nowhere) b.home = Home::Arena;
    }
  }
  for (uint32_t v = 0; v < g.values.size(); ++v) blocks_[v].size = aligned(g.values[v].bytes());
  share_views(order, g);
  share_in_place(order, g);
  ET_CHECK_OK_OR_RETURN_ERROR(assign_offsets(limit));
  scratch_offset_ = bytes_;
  if (__builtin_add_overflow(bytes_, aligned(scratch), &bytes_) || bytes_ > limit) {
    ET_LOG(Error, "XNNPACK: intermediate values need %zu bytes, more than the limit of %zu", bytes_, limit);
    return Error::MemoryAllocationFailed;
  }
  return Error::Ok;
}

void MemoryPlan::share_views(const std::vector<Operator*>& order, const Graph& g) {
  for (const Operator* op : order) {
    if (op->reuse != Operator::Reuse::View) continue;
    const uint32_t from = root(op->inputs[0]), to = root(op->result);
    if (from == to || g.values[op->inputs[0]].bytes() != g.values[op->result].bytes()) continue;
    Block& a = blocks_[from];
    Block& b = blocks_[to];
    // What is an argument or a constant keeps its place; two of them stay apart.
    const bool into_argument = b.home == Home::Argument && a.home == Home::Arena;
    if (b.home != Home::Arena && !into_argument) continue;
    const int64_t first = std::min(a.first, b.first), last = std::max(a.last, b.last);
    parent_[into_argument ? from : to] = into_argument ? to : from;
    Block& kept = into_argument ? b : a;
    kept.first = first;
    kept.last = last;
  }
}

void MemoryPlan::share_in_place(const std::vector<Operator*>& order, const Graph& g) {
  for (size_t i = 0; i < order.size(); ++i) {
    const Operator& op = *order[i];
    if (op.reuse != Operator::Reuse::InPlace) continue;
    const uint32_t to = root(op.result);
    if (blocks_[to].home != Home::Arena) continue;
    for (const uint32_t input : op.inputs) {
      const uint32_t from = root(input);
      Block& a = blocks_[from];
      if (from == to || a.home != Home::Arena || a.last != static_cast<int64_t>(i) ||
          blocks_[to].first != static_cast<int64_t>(i) || g.values[input].bytes() != g.values[op.result].bytes()) {
        continue;
      }
      parent_[to] = from;
      a.last = std::max(a.last, blocks_[to].last);
      break;
    }
  }
}

// The largest block first, each at the lowest place where nothing lies that lives at the same time.
Error MemoryPlan::assign_offsets(size_t limit) {
  std::vector<Block*> all;
  for (uint32_t v = 0; v < parent_.size(); ++v) {
    if (parent_[v] == v && blocks_[v].home == Home::Arena && blocks_[v].size != 0) all.push_back(&blocks_[v]);
  }
  bytes_ = 0;
  const bool share = all.size() <= kMaxBlocks;
  std::stable_sort(all.begin(), all.end(), [](const Block* a, const Block* b) { return a->size > b->size; });
  std::vector<const Block*> placed;  // by offset
  for (Block* b : all) {
    size_t at = share ? 0 : bytes_;
    if (share) {
      for (const Block* p : placed) {
        if (p->last < b->first || b->last < p->first) continue;
        if (at + b->size <= p->offset) break;
        at = std::max(at, p->offset + p->size);
      }
    }
    b->offset = at;
    if (at + b->size > limit) {
      ET_LOG(Error, "XNNPACK: intermediate values need more than the limit of %zu bytes", limit);
      return Error::MemoryAllocationFailed;
    }
    bytes_ = std::max(bytes_, at + b->size);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), b,
                                   [](const Block* x, const Block* y) { return x->offset < y->offset; }),
                  b);
  }
  return Error::Ok;
}

void MemoryPlan::place(Graph& g, uint8_t* arena, const std::vector<uint8_t*>& argument) const {
  for (uint32_t v = 0; v < g.values.size(); ++v) {
    const Block& b = blocks_[root(v)];
    switch (b.home) {
      case Home::Arena:
        g.values[v].data = arena + b.offset;
        break;
      case Home::Argument:
        g.values[v].data = argument[b.holder];
        break;
      case Home::Constant:
        g.values[v].data = const_cast<uint8_t*>(g.values[b.holder].constant);
        break;
      case Home::Nowhere:
        g.values[v].data = nullptr;
        break;
    }
  }
}

}  // namespace et::xnn
