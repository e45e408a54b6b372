// Runs an IndexPlan: positions are read and checked a few hundred at a time and become byte offsets; for each of them
// the elements that no position addresses are moved as rows, or one by one where they do not lie together.
#include "runtime/kernels/indexing/index_walk.h"

#include <cstring>

#include "runtime/kernels/common/dtype.h"
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/copy_run.h"
#include "runtime/kernels/movement/transpose.h"

namespace et::ET_KERNELS {
namespace {

constexpr int64_t kChunk = 256;
constexpr size_t kLanes = kTensorDimensionLimit + 1;  // one for each column, the last for the plain tensor

// Goes through the true elements of a mask in row-major order.
struct MaskCursor {
  const uint8_t* data = nullptr;
  int64_t numel = 0;
  size_t rank = 0;
  bool together = false;
  int64_t sizes[kTensorDimensionLimit];
  int64_t steps[kTensorDimensionLimit];
  int64_t ordinal = -1;
  int64_t flat = -1;

  void start(const Tensor& mask) {
    const View v = view_of(mask);
    data = v.data;
    numel = mask.numel();
    rank = v.rank;
    together = is_contiguous(mask);
    for (size_t d = 0; d < rank; ++d) {
      sizes[d] = v.sizes[d];
      steps[d] = v.steps[d];
    }
  }
  bool at(int64_t position) const {
    if (together) return data[position] != 0;
    const uint8_t* p = data;
    for (size_t d = rank; d-- > 0;) {
      p += position % sizes[d] * steps[d];
      position /= sizes[d];
    }
    return *p != 0;
  }
  // The flat position of true element `wanted`; they are asked for in order, again and again.
  int64_t find(int64_t wanted) {
    if (wanted < ordinal) ordinal = flat = -1;
    while (ordinal < wanted && flat + 1 < numel) {
      if (at(++flat)) ++ordinal;
    }
    return flat;
  }
  int64_t coordinate(int64_t position, size_t dim) const {
    for (size_t d = rank; d-- > dim + 1;) position /= sizes[d];
    return position % sizes[dim];
  }
};

// The positions' dimensions with the steps of all lanes, neighbours merged.
struct Positions {
  size_t rank = 0;
  int64_t sizes[kTensorDimensionLimit];
  int64_t steps[kTensorDimensionLimit][kLanes];
};

void push_merged(Positions* p, int64_t size, const int64_t* steps, size_t lanes) {
  if (size == 1) return;
  if (p->rank > 0) {
    int64_t* outer = p->steps[p->rank - 1];
    bool fits = true;
    for (size_t k = 0; k < lanes; ++k) fits = fits && outer[k] == steps[k] * size;
    if (fits) {
      p->sizes[p->rank - 1] *= size;
      for (size_t k = 0; k < lanes; ++k) outer[k] = steps[k];
      return;
    }
  }
  p->sizes[p->rank] = size;
  for (size_t k = 0; k < lanes; ++k) p->steps[p->rank][k] = steps[k];
  ++p->rank;
}

// The dimensions that no position addresses.
struct Box {
  size_t rank = 0;
  struct Dim {
    int64_t size, indexed, plain;
  } dims[kTensorDimensionLimit];

  void push(int64_t size, int64_t indexed, int64_t plain) {
    if (size == 1) return;
    if (rank > 0 && dims[rank - 1].indexed == indexed * size && dims[rank - 1].plain == plain * size) {
      dims[rank - 1] = {dims[rank - 1].size * size, indexed, plain};
    } else {
      dims[rank++] = {size, indexed, plain};
    }
  }
  // Calls f(indexed_offset, plain_offset) for all but the last `inner` dimensions.
  template <class F>
  void walk(size_t inner, const F& f) const {
    int64_t index[kTensorDimensionLimit] = {};
    int64_t a = 0, b = 0;
    for (;;) {
      f(a, b);
      size_t d = rank - inner;
      for (;;) {
        if (d == 0) return;
        --d;
        a += dims[d].indexed;
        b += dims[d].plain;
        if (++index[d] < dims[d].size) break;
        a -= dims[d].indexed * dims[d].size;
        b -= dims[d].plain * dims[d].size;
        index[d] = 0;
      }
    }
  }
};

template <class T>
void move_elements(bool get, uint8_t* indexed, const int64_t* offsets, uint8_t* plain, int64_t step, int64_t n) {
  if (get && step == static_cast<int64_t>(sizeof(T))) {
    for (int64_t i = 0; i < n; ++i)
      reinterpret_cast<T*>(plain)[i].v = reinterpret_cast<const T*>(indexed + offsets[i])->v;
  } else if (get) {
    for (int64_t i = 0; i < n; ++i)
      reinterpret_cast<T*>(plain + i * step)->v = reinterpret_cast<const T*>(indexed + offsets[i])->v;
  } else {
    for (int64_t i = 0; i < n; ++i)
      reinterpret_cast<T*>(indexed + offsets[i])->v = reinterpret_cast<const T*>(plain + i * step)->v;
  }
}
using MoveElements = void (*)(bool, uint8_t*, const int64_t*, uint8_t*, int64_t, int64_t);

MoveElements find_mover(size_t item) {
  switch (item) {
    case 1:
      return &move_elements<Bytes1>;
    case 2:
      return &move_elements<Bytes2>;
    case 4:
      return &move_elements<Bytes4>;
    case 8:
      return &move_elements<Bytes8>;
    default:
      return &move_elements<Bytes16>;
  }
}

template <class T>
void add_row(uint8_t* to, int64_t to_step, const uint8_t* from, int64_t from_step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    add_to<T>(*reinterpret_cast<T*>(to + i * to_step), *reinterpret_cast<const T*>(from + i * from_step));
  }
}

struct FindAdder {
  AddRow result = nullptr;
  template <class T>
  void operator()() {
    result = &add_row<Addend<T>>;
  }
};

// One chunk of positions: `offsets` into the indexed tensor, `step` from one to the next in the plain one.
struct Chunk {
  uint8_t* indexed;
  const int64_t* offsets;
  uint8_t* plain;
  int64_t step, n;
};

void move_chunk(const Chunk& c, IndexMode mode, const Box& box, int64_t item, MoveElements move, AddRow add) {
  const bool rows = box.rank > 0 && box.dims[box.rank - 1].indexed == item && box.dims[box.rank - 1].plain == item;
  if (mode == IndexMode::Add) {
    const Box::Dim row = box.rank > 0 ? box.dims[box.rank - 1] : Box::Dim{1, 0, 0};
    for (int64_t i = 0; i < c.n; ++i) {
      box.walk(box.rank > 0 ? 1 : 0, [&](int64_t a, int64_t b) {
        add(c.indexed + c.offsets[i] + a, row.indexed, c.plain + i * c.step + b, row.plain, row.size);
      });
    }
  } else if (rows) {
    const int64_t bytes = box.dims[box.rank - 1].size * item;
    box.walk(1, [&](int64_t a, int64_t b) {
      for (int64_t i = 0; i < c.n; ++i) {
        uint8_t* x = c.indexed + c.offsets[i] + a;
        uint8_t* y = c.plain + i * c.step + b;
        if (mode == IndexMode::Get) {
          copy_run(y, x, bytes);
        } else {
          copy_run(x, y, bytes);
        }
      }
    });
  } else {
    box.walk(0, [&](int64_t a, int64_t b) {
      move(mode == IndexMode::Get, c.indexed + a, c.offsets, c.plain + b, c.step, c.n);
    });
  }
}

// Adds positions times step to the offsets; −1, or the first position that is outside.
template <class I>
int64_t add_offsets(const uint8_t* index, int64_t index_step, int64_t n, int64_t size, int64_t step, bool wraps,
                    int64_t* offsets, int64_t* bad) {
  const int64_t low = wraps ? -size : 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = *reinterpret_cast<const I*>(index + i * index_step);
    if (at < low || at >= size) [[unlikely]] {
      *bad = at;
      return i;
    }
    if (at < 0) at += size;
    offsets[i] += at * step;
  }
  return -1;
}

/// The dimensions that no index addresses.
Box rest_of(const IndexPlan& plan, const View& indexed, const View& plain) {
  Box box;
  size_t at = 0;
  for (size_t d = 0; d < indexed.rank; ++d) {
    if (plan.addressed[d]) continue;
    if (at == plan.positions_at) at += plan.positions.rank;
    box.push(indexed.sizes[d], indexed.steps[d], plain.steps[at++]);
  }
  return box;
}

/// The walk over all positions, and where the columns' data is: a lane of `positions` for each column, one for `plain`.
struct ColumnWalk {
  MaskCursor masks[kTensorDimensionLimit];
  const uint8_t* data[kTensorDimensionLimit] = {};
  Positions positions;

  ColumnWalk(const IndexPlan& plan, const View& plain) {
    int64_t steps[kTensorDimensionLimit][kLanes] = {};
    const size_t lanes = plan.columns + 1;
    for (size_t c = 0; c < plan.columns; ++c) {
      const IndexColumn& column = plan.column[c];
      if (column.mask) {
        masks[c].start(*column.tensor);
        // Its lane counts true elements.
        if (plan.positions.rank > 0 && column.mask_count != 1) steps[plan.positions.rank - 1][c] = 1;
        continue;
      }
      const View v = view_of(*column.tensor);
      data[c] = v.data;
      for (size_t own = 0; own < v.rank; ++own) {
        if (v.sizes[own] != 1) steps[own + plan.positions.rank - v.rank][c] = v.steps[own];
      }
    }
    for (size_t d = 0; d < plan.positions.rank; ++d) {
      steps[d][plan.columns] = plain.steps[plan.positions_at + d];
      push_merged(&positions, plan.positions.v[d], steps[d], lanes);
    }
    if (positions.rank == 0) {
      positions.rank = 1;
      positions.sizes[0] = 1;
      for (size_t k = 0; k < lanes; ++k) positions.steps[0][k] = 0;
    }
  }
};

}  // namespace

AddRow find_adder(ScalarType type) {
  FindAdder find;
  dispatch<kAddable>(type, find);
  return find.result;
}

void run_index_plan(KernelRuntimeContext& ctx, const IndexPlan& plan, IndexMode mode, const View& indexed,
                    const View& plain, ScalarType type) {
  if (plain.numel() == 0) return;
  const int64_t item = static_cast<int64_t>(indexed.item);
  const AddRow add = mode == IndexMode::Add ? find_adder(type) : nullptr;
  ET_KERNEL_CHECK_MSG(ctx, mode != IndexMode::Add || add != nullptr, InvalidArgument, ,
                      "%s: dtype %s cannot be added up", plan.name, scalar_type_name(type));
  const MoveElements move = find_mover(indexed.item);

  const Box box = rest_of(plan, indexed, plain);
  ColumnWalk walk(plan, plain);
  const Positions& positions = walk.positions;
  const size_t lanes = plan.columns + 1;
  const size_t last = positions.rank - 1;
  const int64_t length = positions.sizes[last];
  int64_t rows = 1;
  for (size_t d = 0; d < last; ++d) rows *= positions.sizes[d];
  int64_t offsets[kChunk];
  for (int64_t row = 0; row < rows; ++row) {
    int64_t base[kLanes] = {};
    int64_t rest = row;
    for (size_t d = last; d-- > 0;) {
      for (size_t k = 0; k < lanes; ++k) base[k] += rest % positions.sizes[d] * positions.steps[d][k];
      rest /= positions.sizes[d];
    }
    for (int64_t i = 0; i < length; i += kChunk) {
      const int64_t n = length - i < kChunk ? length - i : kChunk;
      for (int64_t k = 0; k < n; ++k) offsets[k] = 0;
      for (size_t c = 0; c < plan.columns; ++c) {
        const IndexColumn& column = plan.column[c];
        const int64_t lane_step = positions.steps[last][c];
        const int64_t start = base[c] + i * lane_step;
        const int64_t step = indexed.steps[column.dim];
        if (column.mask) {
          for (int64_t k = 0; k < n; ++k) {
            offsets[k] += walk.masks[c].coordinate(walk.masks[c].find(start + k * lane_step), column.mask_dim) * step;
          }
          continue;
        }
        const int64_t size = indexed.sizes[column.dim];
        const uint8_t* index = walk.data[c] + start;
        int64_t bad = 0;
        const int64_t where =
            column.tensor->scalar_type() == ScalarType::Int
                ? add_offsets<int32_t>(index, lane_step, n, size, step, plan.negative_wraps, offsets, &bad)
                : add_offsets<int64_t>(index, lane_step, n, size, step, plan.negative_wraps, offsets, &bad);
        ET_KERNEL_CHECK_MSG(ctx, where < 0, InvalidArgument, ,
                            "%s: index %zu has %lld at position %lld, dimension %zu has size %lld", plan.name,
                            column.argument, static_cast<long long>(bad),
                            static_cast<long long>(row * length + i + where), column.dim, static_cast<long long>(size));
      }
      const int64_t step = positions.steps[last][plan.columns];
      move_chunk({indexed.data, offsets, plain.data + base[plan.columns] + i * step, step, n}, mode, box, item, move,
                 add);
    }
  }
}

}  // namespace et::ET_KERNELS
