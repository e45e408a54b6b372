// _fft_r2c and _fft_c2r over any dimensions: one pass of lines for each of them, in double, through one complex copy of
// the tensor; rounded to the output's dtype at the end.
#include <cmath>
#include <complex>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/matrix/fft.h"

namespace et::ET_KERNELS {
namespace {

/// The transformed dimensions, checked: in range, none twice, at least one.
bool read_dims(KernelRuntimeContext& context, const Tensor& self, ArrayRef<int64_t> dims, size_t* out,
               const char* name) {
  ET_KERNEL_CHECK_MSG(context, !dims.empty() && dims.size() <= self.sizes().size(), InvalidArgument, false,
                      "%s: dim has %zu numbers for %zd dimensions", name, dims.size(), self.dim());
  uint32_t seen = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t d = dims[i];
    ET_KERNEL_CHECK_MSG(context, normalize_dim(&d, self.dim()) && (seen >> d & 1u) == 0, InvalidArgument, false,
                        "%s: dim has %lld, which is out of range or there twice", name,
                        static_cast<long long>(dims[i]));
    seen |= 1u << d;
    out[i] = static_cast<size_t>(d);
  }
  return true;
}

/// What results are multiplied with; `points` is the product of the transformed sizes.
bool read_scale(KernelRuntimeContext& context, int64_t normalization, double points, double* scale, const char* name) {
  ET_KERNEL_CHECK_MSG(context, normalization >= 0 && normalization <= 2, InvalidArgument, false,
                      "%s: expected normalization 0, 1 or 2, got %lld", name, static_cast<long long>(normalization));
  *scale = normalization == 0 ? 1 : normalization == 1 ? 1 / std::sqrt(points) : 1 / points;
  return true;
}

bool check_memory(KernelRuntimeContext& context, const Tensor& self, const Tensor& out, const char* name) {
  ET_KERNEL_CHECK_MSG(
      context,
      (self.numel() == 0 || self.const_data_ptr() != nullptr) && (out.numel() == 0 || out.const_data_ptr() != nullptr),
      InvalidArgument, false, "%s: self or out has no memory", name);
  return true;
}

/// A row-major complex tensor in temporary memory, and a line of it before and after a transform.
struct Work {
  Complex* data = nullptr;
  Complex* line = nullptr;
  Complex* result = nullptr;
  int64_t strides[kTensorDimensionLimit] = {};
  Shape shape;

  bool make(KernelRuntimeContext& context, const Shape& of, int64_t longest, const char* name) {
    shape = of;
    int64_t count = 1;
    for (size_t d = of.rank; d-- > 0;) {
      strides[d] = count;
      count *= of.sizes[d];
    }
    size_t bytes = 0;
    const bool fits = !__builtin_mul_overflow(static_cast<size_t>(count + 2 * longest), sizeof(Complex), &bytes);
    Result<void*> workspace = context.allocate_temp(fits ? bytes : SIZE_MAX);
    ET_KERNEL_CHECK_MSG(context, workspace.ok(), MemoryAllocationFailed, false, "%s: no temporary memory", name);
    data = static_cast<Complex*>(workspace.get());
    line = data + count;
    result = line + longest;
    return true;
  }
};

/// f(offset in a, offset in b) for each line along dimension d.
template <class F>
void for_each_line(const Shape& shape, size_t d, const int64_t* a_strides, const int64_t* b_strides, const F& f) {
  Shape rest = shape;
  rest.sizes[d] = 1;
  const StridedWalk<2> walk(rest.view(), {a_strides, b_strides});
  walk.run([&](const std::array<int64_t, 2>& at, int64_t n, const std::array<int64_t, 2>& step) {
    for (int64_t i = 0; i < n; ++i) f(at[0] + i * step[0], at[1] + i * step[1]);
  });
}

bool transform_dimension(KernelRuntimeContext& context, Work* work, size_t d, bool forward, const char* name) {
  Fft fft;
  const int64_t n = work->shape.sizes[d], step = work->strides[d];
  if (!fft.prepare(context, n, name)) return false;
  for_each_line(work->shape, d, work->strides, work->strides, [&](int64_t at, int64_t) {
    Complex* line = work->data + at;
    for (int64_t i = 0; i < n; ++i) work->line[i] = line[i * step];
    if (forward)
      fft.forward(work->line, work->result);
    else
      fft.backward(work->line, work->result);
    for (int64_t i = 0; i < n; ++i) line[i * step] = work->result[i];
  });
  return true;
}

void copy_strides(const Tensor& t, int64_t* strides) {
  for (size_t d = 0; d < t.strides().size(); ++d) strides[d] = t.strides()[d];
}

int64_t longest_of(const Tensor& t, int64_t at_least) {
  int64_t longest = at_least;
  for (int32_t n : t.sizes()) longest = n > longest ? n : longest;
  return longest;
}

Tensor& fft_r2c_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> dim, int64_t normalization,
                    bool onesided, Tensor& out) {
  constexpr const char* kName = "aten::_fft_r2c";
  const bool is_double = self.scalar_type() == ScalarType::Double;
  ET_KERNEL_CHECK_MSG(ctx, is_double || self.scalar_type() == ScalarType::Float, InvalidArgument, out, "%s: self is %s",
                      kName, scalar_type_name(self.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, out.scalar_type() == (is_double ? ScalarType::ComplexDouble : ScalarType::ComplexFloat),
                      InvalidArgument, out, "%s: out is %s, self %s", kName, scalar_type_name(out.scalar_type()),
                      scalar_type_name(self.scalar_type()));
  size_t dims[kTensorDimensionLimit];
  if (!read_dims(ctx, self, dim, dims, kName)) return out;
  double points = 1, scale = 1;
  for (size_t i = 0; i < dim.size(); ++i) points *= self.sizes()[dims[i]];
  if (!read_scale(ctx, normalization, points, &scale, kName)) return out;
  const size_t last = dims[dim.size() - 1];
  const int64_t n = self.sizes()[last];
  ET_KERNEL_CHECK_MSG(ctx, n > 0, InvalidArgument, out, "%s: dimension %zu is empty", kName, last);
  Shape shape = shape_of(self);
  const int64_t kept = onesided ? n / 2 + 1 : n;
  shape.sizes[last] = static_cast<int32_t>(kept);
  if (!resize_out(ctx, out, shape.view(), kName) || !check_memory(ctx, self, out, kName) || out.numel() == 0) {
    return out;
  }
  Work work;
  Fft fft;
  if (!work.make(ctx, shape, longest_of(self, n), kName) || !fft.prepare(ctx, n, kName)) return out;
  int64_t in_strides[kTensorDimensionLimit], out_strides[kTensorDimensionLimit];
  copy_strides(self, in_strides);
  copy_strides(out, out_strides);
  for_each_line(shape, last, in_strides, work.strides, [&](int64_t from, int64_t to) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = from + i * in_strides[last];
      work.line[i] = {
          is_double ? self.const_data_ptr<double>()[at] : static_cast<double>(self.const_data_ptr<float>()[at]), 0};
    }
    fft.forward(work.line, work.result);
    for (int64_t i = 0; i < kept; ++i) work.data[to + i * work.strides[last]] = work.result[i];
  });
  for (size_t i = 0; i + 1 < dim.size(); ++i) {
    if (!transform_dimension(ctx, &work, dims[i], true, kName)) return out;
  }
  for_each_line(shape, last, work.strides, out_strides, [&](int64_t from, int64_t to) {
    for (int64_t i = 0; i < kept; ++i) {
      const Complex c = work.data[from + i * work.strides[last]];
      const int64_t at = to + i * out_strides[last];
      if (is_double) {
        out.mutable_data_ptr<std::complex<double>>()[at] = {c.re * scale, c.im * scale};
      } else {
        out.mutable_data_ptr<std::complex<float>>()[at] = {static_cast<float>(c.re * scale),
                                                           static_cast<float>(c.im * scale)};
      }
    }
  });
  return out;
}

Tensor& fft_c2r_out(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<int64_t> dim, int64_t normalization,
                    int64_t last_dim_size, Tensor& out) {
  constexpr const char* kName = "aten::_fft_c2r";
  const bool is_double = self.scalar_type() == ScalarType::ComplexDouble;
  ET_KERNEL_CHECK_MSG(ctx, is_double || self.scalar_type() == ScalarType::ComplexFloat, InvalidArgument, out,
                      "%s: self is %s", kName, scalar_type_name(self.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, out.scalar_type() == (is_double ? ScalarType::Double : ScalarType::Float), InvalidArgument,
                      out, "%s: out is %s, self %s", kName, scalar_type_name(out.scalar_type()),
                      scalar_type_name(self.scalar_type()));
  size_t dims[kTensorDimensionLimit];
  if (!read_dims(ctx, self, dim, dims, kName)) return out;
  const size_t last = dims[dim.size() - 1];
  ET_KERNEL_CHECK_MSG(ctx,
                      last_dim_size >= 1 && last_dim_size <= INT32_MAX && self.sizes()[last] >= last_dim_size / 2 + 1,
                      InvalidArgument, out, "%s: last_dim_size is %lld, dimension %zu has %d entries", kName,
                      static_cast<long long>(last_dim_size), last, static_cast<int>(self.sizes()[last]));
  const int64_t n = last_dim_size, used = n / 2 + 1;
  double points = static_cast<double>(n), scale = 1;
  for (size_t i = 0; i + 1 < dim.size(); ++i) points *= self.sizes()[dims[i]];
  if (!read_scale(ctx, normalization, points, &scale, kName)) return out;
  Shape shape = shape_of(self);
  shape.sizes[last] = static_cast<int32_t>(n);
  if (!resize_out(ctx, out, shape.view(), kName) || !check_memory(ctx, self, out, kName) || out.numel() == 0) {
    return out;
  }
  shape.sizes[last] = static_cast<int32_t>(used);
  Work work;
  if (!work.make(ctx, shape, longest_of(self, n), kName)) return out;
  int64_t in_strides[kTensorDimensionLimit], out_strides[kTensorDimensionLimit];
  copy_strides(self, in_strides);
  copy_strides(out, out_strides);
  for_each_line(shape, last, in_strides, work.strides, [&](int64_t from, int64_t to) {
    for (int64_t i = 0; i < used; ++i) {
      const int64_t at = from + i * in_strides[last];
      Complex c;
      if (is_double) {
        const auto z = self.const_data_ptr<std::complex<double>>()[at];
        c = {z.real(), z.imag()};
      } else {
        const auto z = self.const_data_ptr<std::complex<float>>()[at];
        c = {static_cast<double>(z.real()), static_cast<double>(z.imag())};
      }
      work.data[to + i * work.strides[last]] = c;
    }
  });
  for (size_t i = 0; i + 1 < dim.size(); ++i) {
    if (!transform_dimension(ctx, &work, dims[i], false, kName)) return out;
  }
  Fft fft;
  if (!fft.prepare(ctx, n, kName)) return out;
  for_each_line(shape, last, work.strides, out_strides, [&](int64_t from, int64_t to) {
    // The other half is the conjugate; the real part of the result does not see imaginary ends.
    for (int64_t i = 0; i < used; ++i) {
      const Complex c = work.data[from + i * work.strides[last]];
      work.line[i] = c;
      if (i > 0) work.line[n - i] = conj(c);
    }
    if (n % 2 == 0) work.line[n / 2].im = 0;
    work.line[0].im = 0;
    fft.backward(work.line, work.result);
    for (int64_t i = 0; i < n; ++i) {
      const double value = work.result[i].re * scale;
      const int64_t at = to + i * out_strides[last];
      if (is_double)
        out.mutable_data_ptr<double>()[at] = value;
      else
        out.mutable_data_ptr<float>()[at] = static_cast<float>(value);
    }
  });
  return out;
}

}  // namespace

ET_KERNEL(fft_r2c_out)
ET_KERNEL(fft_c2r_out)

}  // namespace et::ET_KERNELS
