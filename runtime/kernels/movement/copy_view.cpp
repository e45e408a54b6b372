// The copy behind every kernel that moves elements: dimensions are put into the order of the result's memory and
// merged, then rows are moved by the cheapest means: memmove, fill, blocked transpose, (de)interleave, or one by one.
#include <cstring>
#include <utility>

#include "runtime/kernels/movement/copy_run.h"
#include "runtime/kernels/movement/transpose.h"
#include "runtime/kernels/movement/view.h"
#include "runtime/platform/parallel.h"

namespace et::ET_KERNELS {
namespace {

constexpr int64_t kGrainBytes = 256 * 1024;  // minimum work of a thread

struct Dim {
  int64_t size, dst, src;  // steps in bytes
};

struct Plan {
  size_t rank = 0;
  Dim dims[kViewRank];
};

// Outermost first by the steps of the result, size 1 left out, neighbours merged. False: nothing to copy.
bool make_plan(const View& dst, const View& src, Plan* plan) {
  for (size_t d = 0; d < dst.rank; ++d) {
    if (dst.sizes[d] <= 0) return false;
    if (dst.sizes[d] == 1) continue;
    const Dim dim{dst.sizes[d], dst.steps[d], src.steps[d]};
    size_t at = plan->rank++;
    const auto width = [](int64_t step) { return step < 0 ? -step : step; };
    for (; at > 0 && width(plan->dims[at - 1].dst) < width(dim.dst); --at) plan->dims[at] = plan->dims[at - 1];
    plan->dims[at] = dim;
  }
  size_t kept = 0;
  for (size_t d = 0; d < plan->rank; ++d) {
    const Dim dim = plan->dims[d];
    if (kept > 0) {
      Dim& outer = plan->dims[kept - 1];
      if (outer.dst == dim.dst * dim.size && outer.src == dim.src * dim.size) {
        outer = {outer.size * dim.size, dim.dst, dim.src};
        continue;
      }
    }
    plan->dims[kept++] = dim;
  }
  plan->rank = kept;
  return true;
}

// Splits the plan's items (all but the last `inner` dimensions, times `parts` of each) over threads and calls
// f(dst, src, first_part, last_part) for runs of parts with the same outer index.
template <class F>
void walk(const Plan& plan, size_t inner, uint8_t* dst, const uint8_t* src, int64_t parts, int64_t part_bytes,
          const F& f) {
  const size_t outer = plan.rank - inner;
  int64_t items = parts;
  for (size_t d = 0; d < outer; ++d) items *= plan.dims[d].size;
  const int64_t grain = part_bytes >= kGrainBytes ? 1 : kGrainBytes / (part_bytes > 0 ? part_bytes : 1);
  parallel_for(0, items, grain, [&](int64_t begin, int64_t end) {
    int64_t index[kViewRank] = {};
    uint8_t* to = dst;
    const uint8_t* from = src;
    int64_t rest = begin / parts;
    for (size_t d = outer; d-- > 0;) {
      index[d] = rest % plan.dims[d].size;
      rest /= plan.dims[d].size;
      to += index[d] * plan.dims[d].dst;
      from += index[d] * plan.dims[d].src;
    }
    int64_t part = begin % parts;
    for (int64_t at = begin; at < end;) {
      const int64_t stop = parts - part < end - at ? parts : part + (end - at);
      f(to, from, part, stop);
      at += stop - part;
      part = 0;
      for (size_t d = outer; d-- > 0;) {
        to += plan.dims[d].dst;
        from += plan.dims[d].src;
        if (++index[d] < plan.dims[d].size) break;
        to -= plan.dims[d].dst * plan.dims[d].size;
        from -= plan.dims[d].src * plan.dims[d].size;
        index[d] = 0;
      }
    }
  });
}

template <class T>
void move_row(uint8_t* dst, int64_t dst_step, const uint8_t* src, int64_t src_step, int64_t n) {
  constexpr int64_t kSize = sizeof(T);
  if (dst_step == kSize && src_step == 0) {
    const auto value = reinterpret_cast<const T*>(src)->v;
    for (int64_t i = 0; i < n; ++i) reinterpret_cast<T*>(dst)[i].v = value;
  } else if (dst_step == kSize && src_step == -kSize) {
    for (int64_t i = 0; i < n; ++i) reinterpret_cast<T*>(dst)[i].v = reinterpret_cast<const T*>(src)[-i].v;
  } else if (dst_step == kSize && src_step == 2 * kSize) {
    for (int64_t i = 0; i < n; ++i) reinterpret_cast<T*>(dst)[i].v = reinterpret_cast<const T*>(src)[2 * i].v;
  } else {
    for (int64_t i = 0; i < n; ++i)
      reinterpret_cast<T*>(dst + i * dst_step)->v = reinterpret_cast<const T*>(src + i * src_step)->v;
  }
}

template <class T>
void copy_items(const Plan& plan, uint8_t* dst, const uint8_t* src) {
  constexpr int64_t kSize = sizeof(T);
  const Dim last = plan.dims[plan.rank - 1];
  if (plan.rank >= 2 && last.dst == kSize && last.src != 0) {
    // A dimension along which the source is contiguous makes it a transpose.
    for (size_t d = 0; d + 1 < plan.rank; ++d) {
      if (plan.dims[d].src != kSize) continue;
      Plan p = plan;
      const Dim a = plan.dims[d];
      for (size_t i = d; i + 2 < p.rank; ++i) p.dims[i] = p.dims[i + 1];
      p.dims[p.rank - 2] = a;
      constexpr int64_t kBlock = 64;
      const int64_t blocks = (a.size + kBlock - 1) / kBlock;
      walk(p, 2, dst, src, blocks, kBlock * last.size * kSize,
           [&](uint8_t* to, const uint8_t* from, int64_t b, int64_t e) {
             const int64_t first = b * kBlock;
             const int64_t n = (e * kBlock < a.size ? e * kBlock : a.size) - first;
             transpose<T>(to + first * a.dst, a.dst, from + first * kSize, last.src, n, last.size);
           });
      return;
    }
  }
  const Dim rows = plan.rank >= 2 ? plan.dims[plan.rank - 2] : Dim{1, 0, 0};
  walk(plan, plan.rank >= 2 ? 2 : 1, dst, src, rows.size, last.size * kSize,
       [&](uint8_t* to, const uint8_t* from, int64_t b, int64_t e) {
         for (int64_t i = b; i < e; ++i) {
           move_row<T>(to + i * rows.dst, last.dst, from + i * rows.src, last.src, last.size);
         }
       });
}

}  // namespace

void copy_view(const View& dst, const View& src) {
  Plan plan;
  if (!make_plan(dst, src, &plan)) return;
  int64_t item = static_cast<int64_t>(dst.item);
  if (plan.rank == 0) {
    std::memmove(dst.data, src.data, dst.item);
    return;
  }
  const Dim last = plan.dims[plan.rank - 1];
  if (last.dst == item && last.src == item) {
    const int64_t run = last.size * item;
    --plan.rank;
    if (plan.rank == 0) {
      parallel_for(0, run, kGrainBytes, [&](int64_t b, int64_t e) { copy_run(dst.data + b, src.data + b, e - b); });
      return;
    }
    if (run != 2 && run != 4 && run != 8 && run != 16) {
      const Dim rows = plan.dims[plan.rank - 1];
      walk(plan, 1, dst.data, src.data, rows.size, run, [&](uint8_t* to, const uint8_t* from, int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) copy_run(to + i * rows.dst, from + i * rows.src, run);
      });
      return;
    }
    item = run;  // a short run is an element
  }
  switch (item) {
    case 1:
      return copy_items<Bytes1>(plan, dst.data, src.data);
    case 2:
      return copy_items<Bytes2>(plan, dst.data, src.data);
    case 4:
      return copy_items<Bytes4>(plan, dst.data, src.data);
    case 8:
      return copy_items<Bytes8>(plan, dst.data, src.data);
    case 16:
      return copy_items<Bytes16>(plan, dst.data, src.data);
    default:
      return;
  }
}

void fill_view(const View& dst, const void* value) {
  View src = dst;
  uint8_t element[16] = {};
  std::memcpy(element, value, dst.item <= sizeof(element) ? dst.item : sizeof(element));
  src.data = element;
  for (size_t d = 0; d < src.rank; ++d) src.steps[d] = 0;
  copy_view(dst, src);
}

namespace {

// Row-major walk over a view in rows along its last dimension.
struct Cursor {
  const View& v;
  uint8_t* at;
  int64_t index[kViewRank] = {};

  Cursor(const View& view, int64_t position) : v(view), at(view.data) {
    for (size_t d = v.rank; d-- > 0;) {
      index[d] = position % v.sizes[d];
      position /= v.sizes[d];
      at += index[d] * v.steps[d];
    }
  }
  int64_t left() const { return v.rank == 0 ? 1 : v.sizes[v.rank - 1] - index[v.rank - 1]; }
  int64_t step() const { return v.rank == 0 ? 0 : v.steps[v.rank - 1]; }
  void advance(int64_t n) {
    if (v.rank == 0) return;
    index[v.rank - 1] += n;
    at += n * v.steps[v.rank - 1];
    for (size_t d = v.rank; d-- > 0 && index[d] >= v.sizes[d];) {
      at -= v.sizes[d] * v.steps[d];
      index[d] = 0;
      if (d == 0) break;
      ++index[d - 1];
      at += v.steps[d - 1];
    }
  }
};

// Merges neighbours, so that the rows are as long as they can be.
View merged(const View& v) {
  View m;
  m.data = v.data;
  m.item = v.item;
  for (size_t d = 0; d < v.rank; ++d) {
    if (v.sizes[d] == 1) continue;
    if (m.rank > 0 && m.steps[m.rank - 1] == v.steps[d] * v.sizes[d]) {
      m.sizes[m.rank - 1] *= v.sizes[d];
      m.steps[m.rank - 1] = v.steps[d];
    } else {
      m.push(v.sizes[d], v.steps[d]);
    }
  }
  return m;
}

}  // namespace

void copy_elements(const View& dst, int64_t to, const View& src, int64_t from, int64_t count) {
  if (count <= 0) return;
  const View d = merged(dst), s = merged(src);
  Cursor write(d, to), read(s, from);
  while (count > 0) {
    int64_t n = write.left() < read.left() ? write.left() : read.left();
    if (n > count) n = count;
    View row_to, row_from;
    row_to.data = write.at;
    row_from.data = read.at;
    row_to.item = row_from.item = dst.item;
    row_to.push(n, write.step());
    row_from.push(n, read.step());
    copy_view(row_to, row_from);
    count -= n;
    if (count == 0) break;
    write.advance(n);
    read.advance(n);
  }
}

}  // namespace et::ET_KERNELS
