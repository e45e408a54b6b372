#include "runtime/kernels/elementwise/engine.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/kernels/common/convert.h"
#include "runtime/kernels/movement/view.h"
#include "runtime/platform/platform.h"

namespace et::ET_KERNELS {
namespace {

constexpr size_t kSlots = kMaxOperands + 1;  // the output is the first
constexpr int64_t kBufferBytes = 4096;       // of each slot, on the stack
constexpr int64_t kGrain = 32768;            // elements

using Walk = StridedWalk<kSlots>;
using Offsets = std::array<int64_t, kSlots>;

struct Slot {
  std::byte* data = nullptr;
  int64_t size = 1;      // bytes of an element in memory
  int64_t wide = 1;      // bytes of an element of the loop
  bool same = false;     // memory holds what the loop works on
  bool aligned = false;  // the same strides as the output: its rows follow each other as the output's do
  Converter into;        // memory to loop, for the output loop to memory
};

class Runner {
 public:
  Runner(const Work& work, ArrayRef<Slot> slots, const Walk& walk)
      : work_(work), slots_(slots), walk_(walk), strides_(walk.inner_strides()) {
    int64_t widest = 1;
    straight_ = true;
    for (size_t k = 0; k < slots.size(); ++k) {
      widest = slots[k].wide > widest ? slots[k].wide : widest;
      straight_ = straight_ && direct(k);
    }
    chunk_ = kBufferBytes / widest;
  }

  void run() const {
    const int64_t length = walk_.row_length();
    if (walk_.rows() == 1) {
      parallel_for(0, length, kGrain, [&](int64_t from, int64_t to) {
        Offsets start;
        for (size_t k = 0; k < kSlots; ++k) start[k] = from * strides_[k];
        row(start, to - from);
      });
      return;
    }
    // Short rows are gathered until a buffer is full.
    const bool short_rows = length < 64 && !straight_;
    parallel_for(0, walk_.rows(), kGrain / length + 1, [&](int64_t from, int64_t to) {
      if (short_rows) {
        gather_rows(from, to, length);
      } else {
        walk_.run(from, to, [&](const Offsets& offsets, int64_t n, const Offsets&) { row(offsets, n); });
      }
    });
  }

 private:
  bool direct(size_t k) const { return slots_[k].same && strides_[k] == 1; }
  std::byte* at(size_t k, int64_t offset) const { return slots_[k].data + offset * slots_[k].size; }

  void row(const Offsets& offsets, int64_t n) const {
    const void* in[kMaxOperands] = {};
    if (straight_) {
      for (size_t k = 1; k < slots_.size(); ++k) in[k - 1] = at(k, offsets[k]);
      work_.loop(at(0, offsets[0]), in, n, work_.functor);
      return;
    }
    alignas(32) std::byte buffers[kSlots][kBufferBytes];
    // A stretched operand fills its buffer once.
    for (size_t k = 1; k < slots_.size(); ++k) {
      if (strides_[k] != 0) continue;
      slots_[k].into.run(buffers[k], 1, at(k, offsets[k]), 0, n < chunk_ ? n : chunk_);
      in[k - 1] = buffers[k];
    }
    for (int64_t done = 0; done < n; done += chunk_) {
      const int64_t m = n - done < chunk_ ? n - done : chunk_;
      for (size_t k = 1; k < slots_.size(); ++k) {
        if (strides_[k] == 0) continue;
        const std::byte* from = at(k, offsets[k] + done * strides_[k]);
        if (!direct(k)) slots_[k].into.run(buffers[k], 1, from, strides_[k], m);
        in[k - 1] = direct(k) ? from : buffers[k];
      }
      std::byte* to = at(0, offsets[0] + done * strides_[0]);
      work_.loop(direct(0) ? to : buffers[0], in, m, work_.functor);
      if (!direct(0)) slots_[0].into.run(to, strides_[0], buffers[0], 1, m);
    }
  }

  void gather_rows(int64_t first, int64_t last, int64_t length) const {
    alignas(32) std::byte buffers[kSlots][kBufferBytes];
    const void* in[kMaxOperands] = {buffers[1], buffers[2], buffers[3]};
    const int64_t rows = chunk_ / length;
    bool in_place[kSlots];
    for (size_t k = 0; k < slots_.size(); ++k) in_place[k] = direct(k) && slots_[k].aligned;
    for (int64_t row = first; row < last; row += rows) {
      const int64_t end = row + rows < last ? row + rows : last;
      Offsets start{};
      int64_t filled = 0;
      walk_.run(row, end, [&](const Offsets& offsets, int64_t n, const Offsets& strides) {
        if (filled == 0) start = offsets;
        for (size_t k = 1; k < slots_.size(); ++k) {
          if (in_place[k]) continue;
          slots_[k].into.run(buffers[k] + filled * slots_[k].wide, 1, at(k, offsets[k]), strides[k], n);
        }
        filled += n;
      });
      for (size_t k = 1; k < slots_.size(); ++k) {
        if (in_place[k]) in[k - 1] = at(k, start[k]);
      }
      work_.loop(in_place[0] ? at(0, start[0]) : buffers[0], in, filled, work_.functor);
      if (in_place[0]) continue;
      // The output's own memory has no gaps.
      slots_[0].into.run(at(0, start[0]), 1, buffers[0], 1, filled);
    }
  }

  const Work& work_;
  ArrayRef<Slot> slots_;
  const Walk& walk_;
  Offsets strides_;
  int64_t chunk_ = 0;
  bool straight_ = false;
};

/// Strides of the operand over the output's dimensions; false: it does not broadcast to them.
bool stretch(const Operand& operand, ArrayRef<int32_t> shape, int64_t* strides) {
  if (operand.rank > shape.size()) return false;
  const size_t lead = shape.size() - operand.rank;
  for (size_t d = 0; d < lead; ++d) strides[d] = 0;
  for (size_t d = 0; d < operand.rank; ++d) {
    if (operand.sizes[d] != 1 && operand.sizes[d] != shape[lead + d]) return false;
    strides[lead + d] = operand.sizes[d] == 1 ? 0 : operand.strides[d];
  }
  return true;
}

bool same_strides(const Shape& shape, const int64_t* a, const int64_t* b) {
  for (size_t d = 0; d < shape.rank; ++d) {
    if (shape.sizes[d] != 1 && a[d] != b[d]) return false;
  }
  return true;
}

/// An operand of the output's sizes but of another layout is brought into the output's, if there is memory for it: that
/// is a transpose, much faster than to fetch the elements one by one.
void relayout(KernelRuntimeContext& context, const Shape& shape, const int64_t* out_strides, int64_t* strides,
              Slot* slot) {
  if (slot->aligned) return;
  int64_t count = 1;
  int64_t nearest = 0;  // stride of the innermost dimension
  for (size_t d = 0; d < shape.rank; ++d) {
    if (shape.sizes[d] == 1) continue;
    if (strides[d] == 0) return;
    count *= shape.sizes[d];
    nearest = strides[d];
  }
  if (nearest == 1 || count < 256) return;
  Result<void*> memory = context.allocate_temp(static_cast<size_t>(count * slot->size));
  if (!memory.ok()) return;
  View from;
  View to;
  from.data = reinterpret_cast<uint8_t*>(slot->data);
  to.data = static_cast<uint8_t*>(*memory);
  from.item = to.item = static_cast<size_t>(slot->size);
  for (size_t d = 0; d < shape.rank; ++d) {
    from.push(shape.sizes[d], strides[d] * slot->size);
    to.push(shape.sizes[d], out_strides[d] * slot->size);
    strides[d] = out_strides[d];
  }
  copy_view(to, from);
  slot->data = static_cast<std::byte*>(*memory);
  slot->aligned = true;
}

bool lies_like(const Operand& operand, const Tensor& out) {
  const size_t rank = out.sizes().size();
  if (operand.rank != rank || operand.data == nullptr || operand.is_number) return false;
  for (size_t d = 0; d < rank; ++d) {
    if (operand.sizes[d] != out.sizes()[d] || operand.strides[d] != out.strides()[d]) return false;
  }
  return true;
}

/// The usual case, and for small tensors all of the cost: operands and output of one shape and layout in the dtypes
/// that the loop takes are one run, which needs no plan. False: not that case, nothing was done.
template <size_t N>
bool run_plain(const Work& work, const Operand* const (&operands)[N], const Tensor& out) {
  if (work.loop == nullptr || out.scalar_type() != work.out || !can_cast(work.logical, work.out)) return false;
  auto* to = static_cast<std::byte*>(out.mutable_data_ptr());
  if (to == nullptr) return false;
  const std::byte* from[N];
  for (size_t k = 0; k < N; ++k) {
    if (operands[k]->dtype != work.in[k] || !lies_like(*operands[k], out)) return false;
    from[k] = static_cast<const std::byte*>(operands[k]->data);
  }
  const auto to_size = static_cast<int64_t>(out.element_size());
  const auto from_size = static_cast<int64_t>(element_size(work.in[0]));  // a loop's operands are all of one dtype
  parallel_for(0, out.numel(), kGrain, [&](int64_t begin, int64_t end) {
    const void* in[kMaxOperands] = {};
    for (size_t k = 0; k < N; ++k) in[k] = from[k] + begin * from_size;
    work.loop(to + begin * to_size, in, end - begin, work.functor);
  });
  return true;
}

}  // namespace

ScalarType common_type(const Tensor& a, const Tensor& b) { return promote_types(a.scalar_type(), b.scalar_type()); }
ScalarType common_type(const Tensor& a, const Scalar& b) { return promote_with_scalar(a.scalar_type(), b); }

Operand::Operand(const Tensor& t) : data(t.const_data_ptr()), dtype(t.scalar_type()), rank(t.sizes().size()) {
  for (size_t d = 0; d < rank; ++d) {
    sizes[d] = t.sizes()[d];
    strides[d] = t.strides()[d];
  }
}

Operand::Operand(const Scalar& s, ScalarType as) : dtype(as), is_number(true) {
  const double real = s.to<double>();
  const int64_t integer = s.to<int64_t>();
  const bool whole = !s.isFloatingPoint();
  const Converter converter(whole ? ScalarType::Long : ScalarType::Double, as);
  if (!converter.valid()) return;
  converter.run(number, 1, whole ? static_cast<const void*>(&integer) : &real, 1, 1);
}

namespace elementwise {

Work make_work(const char* name, const Loops& loops, const void* functor, Types types) {
  const ScalarType compute = types.compute;
  const Loops::Row& row = compute == ScalarType::Long     ? loops.integer
                          : compute == ScalarType::Float  ? loops.single
                          : compute == ScalarType::Double ? loops.real
                          : compute == ScalarType::Bool   ? loops.boolean
                                                          : loops.complex;
  return {name, types.logical, row.loop, functor, {compute, compute, compute}, row.out};
}

void map1(KernelRuntimeContext& context, const char* name, const Loops& loops, const void* functor, Types types,
          const Tensor& in, const Tensor& out) {
  const Operand operands[] = {Operand(in)};
  const Work work = make_work(name, loops, functor, types);
  const Operand* const plain[] = {&operands[0]};
  if (!run_plain(work, plain, out)) run_elementwise(context, work, operands, out);
}

void map2(KernelRuntimeContext& context, const char* name, const Loops& loops, const void* functor, Types types,
          const Operand& a, const Operand& b, const Tensor& out) {
  const Work work = make_work(name, loops, functor, types);
  const Operand* const plain[] = {&a, &b};
  if (run_plain(work, plain, out)) return;
  const Operand operands[] = {a, b};
  run_elementwise(context, work, operands, out);
}

}  // namespace elementwise

namespace {

/// Integers: the output is wider than the dtype of the result, and the loop than both: the result is rounded to its
/// dtype before it is widened, as torch's loops do (uint8 200 + 100 is 44 in an int32 output, too).
bool run_rounded(KernelRuntimeContext& context, const Work& work, ArrayRef<Operand> operands, const Tensor& out) {
  const size_t bytes = static_cast<size_t>(out.numel()) * element_size(work.logical);
  Result<void*> given = context.allocate_temp(bytes, 16);
  // A kernel that is called outside of a method may have no temporary memory.
  const bool heap = given.error() == Error::NotFound && platform().allocate != nullptr;
  void* memory = given.ok() ? *given : heap ? platform().allocate(bytes) : nullptr;
  ET_KERNEL_CHECK_MSG(context, memory != nullptr, MemoryAllocationFailed, false, "%s: no temporary memory", work.name);
  const struct Release {
    void* block;
    ~Release() {
      if (block != nullptr) platform().free(block);
    }
  } release{heap ? memory : nullptr};
  TensorImpl rounded(work.logical, out.sizes().size(), const_cast<int32_t*>(out.sizes().data()), memory,
                     const_cast<uint8_t*>(out.dim_order().data()), const_cast<int32_t*>(out.strides().data()));
  if (!run_elementwise_into(context, work, operands, Tensor(&rounded))) return false;
  const Converter widen(work.logical, out.scalar_type());
  ET_KERNEL_CHECK_MSG(context, widen.valid(), InvalidArgument, false, "%s: out has dtype %s, which is not supported",
                      work.name, scalar_type_name(out.scalar_type()));
  widen.run(out.mutable_data_ptr(), 1, memory, 1, out.numel());
  return true;
}

}  // namespace

bool run_elementwise(KernelRuntimeContext& context, const Work& work, ArrayRef<Operand> operands, const Tensor& out) {
  Shape shape;
  for (const Operand& operand : operands) {
    const Shape before = shape;
    ET_KERNEL_CHECK_MSG(context, broadcast_shapes(before.view(), operand.shape(), &shape), InvalidArgument, false,
                        "%s: the shapes of the arguments do not broadcast", work.name);
  }
  if (!resize_out(context, out, shape.view(), work.name)) return false;
  return run_elementwise_into(context, work, operands, out);
}

bool run_elementwise_into(KernelRuntimeContext& context, const Work& work, ArrayRef<Operand> operands,
                          const Tensor& out) {
  ET_KERNEL_CHECK_MSG(context, work.loop != nullptr, InvalidArgument, false, "%s: dtype %s is not supported", work.name,
                      scalar_type_name(work.logical));
  ET_KERNEL_CHECK_MSG(context, can_cast(work.logical, out.scalar_type()), InvalidArgument, false,
                      "%s: out has dtype %s, which cannot hold a result of dtype %s", work.name,
                      scalar_type_name(out.scalar_type()), scalar_type_name(work.logical));
  if (out.numel() == 0) return true;
  if (out.scalar_type() != work.logical && work.out != work.logical && is_integral(work.logical, true))
    return run_rounded(context, work, operands, out);

  // Dimensions in the order of the output's memory, so that operands of the same layout are one run.
  const size_t rank = out.sizes().size();
  Shape shape;
  int64_t strides[kSlots][kTensorDimensionLimit];
  int64_t given[kTensorDimensionLimit];
  for (size_t d = 0; d < rank; ++d) {
    const size_t from = out.dim_order()[d];
    shape.push(out.sizes()[from]);
    for (auto& row : strides) row[d] = out.strides()[from];
  }
  const auto size_of = [](ScalarType t) { return static_cast<int64_t>(element_size(t)); };
  Slot slots[kSlots];
  slots[0] = {static_cast<std::byte*>(out.mutable_data_ptr()),
              size_of(out.scalar_type()),
              size_of(work.out),
              work.out == out.scalar_type(),
              true,
              Converter(work.out, out.scalar_type())};
  for (size_t k = 0; k < operands.size(); ++k) {
    const Operand& operand = operands[k];
    ET_KERNEL_CHECK_MSG(context, stretch(operand, out.sizes(), given), InvalidArgument, false,
                        "%s: argument %zu does not broadcast to the output", work.name, k);
    for (size_t d = 0; d < rank; ++d) strides[k + 1][d] = given[out.dim_order()[d]];
    slots[k + 1] = {static_cast<std::byte*>(const_cast<void*>(operand.address())),
                    size_of(operand.dtype),
                    size_of(work.in[k]),
                    operand.dtype == work.in[k],
                    same_strides(shape, strides[k + 1], strides[0]),
                    Converter(operand.dtype, work.in[k])};
    ET_KERNEL_CHECK_MSG(context, slots[k + 1].into.valid(), InvalidArgument, false,
                        "%s: argument %zu has dtype %s, which is not supported", work.name, k,
                        scalar_type_name(operand.dtype));
  }
  ET_KERNEL_CHECK_MSG(context, slots[0].into.valid(), InvalidArgument, false,
                      "%s: out has dtype %s, which is not supported", work.name, scalar_type_name(out.scalar_type()));
  for (size_t k = 0; k <= operands.size(); ++k) {
    ET_KERNEL_CHECK_MSG(context, slots[k].data != nullptr, InvalidArgument, false, "%s: argument %zu has no data",
                        work.name, k == 0 ? operands.size() : k - 1);
  }
  for (size_t k = 1; k <= operands.size(); ++k) relayout(context, shape, strides[0], strides[k], &slots[k]);
  const Walk walk(shape.view(), {strides[0], strides[1], strides[2], strides[3]});
  const Runner runner(work, ArrayRef<Slot>(slots, operands.size() + 1), walk);
  runner.run();
  return true;
}

bool fits(const Scalar& s, ScalarType t) {
  if (is_integral(t)) {
    if (s.isFloatingPoint() && !(s.to<double>() > -9.3e18 && s.to<double>() < 1.9e19)) return false;
    const int64_t v = s.to<int64_t>();
    const auto bits = static_cast<int>(element_size(t) * 8);
    if (bits == 64) return true;
    const bool is_unsigned = t == ScalarType::Byte || in_set(t, kUnsigned);
    // As torch: a negative number is taken for an unsigned one as far as its width allows.
    const int64_t limit = int64_t{1} << (is_unsigned ? bits : bits - 1);
    return v < limit && v >= -limit;
  }
  if (!s.isFloatingPoint()) return true;
  const double v = s.to<double>();
  if (!std::isfinite(v)) return true;
  const double a = std::fabs(v);
  if (t == ScalarType::Half) return a <= 65504.0;
  if (t == ScalarType::BFloat16) return a <= 3.3895313892515355e38;
  if (t == ScalarType::Float || t == ScalarType::ComplexFloat) return a <= std::numeric_limits<float>::max();
  return true;
}

}  // namespace et::ET_KERNELS
