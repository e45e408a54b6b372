// rand, randn, native_dropout. The generator is counter based (the finaliser of SplitMix64 over seed and position:
// Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
#include "runtime/kernels/common/random.h"

#include <cmath>

#include "runtime/kernels/common/convert.h"
#include "runtime/kernels/elementwise/engine.h"
#include "runtime/kernels/elementwise/factory.h"

namespace et::ET_KERNELS {
namespace {

constexpr int64_t kChunk = 512;

class Generator {
 public:
  /// Takes `count` places of the sequence.
  explicit Generator(int64_t count)
      : seed_(mixed(g_random_state.seed() + 0x9e3779b97f4a7c15u)),
        first_(g_random_state.next.fetch_add(static_cast<size_t>(count), std::memory_order_relaxed)) {}
  uint64_t bits(int64_t i) const { return mixed(seed_ + (first_ + static_cast<uint64_t>(i)) * 0x9e3779b97f4a7c15u); }
  /// In [0, 1), a multiple of 2^-digits.
  double uniform(int64_t i, int digits) const {
    return static_cast<double>(static_cast<int64_t>(bits(i) >> (64 - digits))) /
           static_cast<double>(int64_t{1} << digits);
  }

 private:
  static uint64_t mixed(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  uint64_t seed_, first_;
};

/// Significant bits of the dtype, so that rounding never gives 1.
int digits_of(ScalarType t) {
  if (t == ScalarType::Half) return 11;
  if (t == ScalarType::BFloat16) return 8;
  return t == ScalarType::Float ? 24 : 53;
}

/// dtype of the numbers that the elements consist of, and how many each has.
struct Parts {
  explicit Parts(const Tensor& t) : dtype(t.scalar_type()), count(t.numel()) {
    if (!is_complex(dtype)) return;
    count *= 2;
    dtype = dtype == ScalarType::ComplexDouble  ? ScalarType::Double
            : dtype == ScalarType::ComplexFloat ? ScalarType::Float
                                                : ScalarType::Half;
  }
  ScalarType dtype;
  int64_t count;
};

/// Fills the output with value(i) in its memory order.
template <class F>
void generate(const Tensor& out, const Parts& parts, const F& value) {
  const Converter converter(ScalarType::Double, parts.dtype);
  const auto size = static_cast<int64_t>(element_size(parts.dtype));
  double buffer[kChunk];
  for (int64_t done = 0; done < parts.count; done += kChunk) {
    const int64_t m = parts.count - done < kChunk ? parts.count - done : kChunk;
    for (int64_t k = 0; k < m; ++k) buffer[k] = value(done + k);
    converter.run(out.mutable_data_ptr<std::byte>() + done * size, 1, buffer, 1, m);
  }
}

bool ready(KernelRuntimeContext& ctx, const char* name, ArrayRef<int64_t> size, const Tensor& out) {
  const ScalarType t = out.scalar_type();
  ET_KERNEL_CHECK_MSG(ctx, is_floating(t) || is_complex(t), InvalidArgument, false, "%s: expected floating out, got %s",
                      name, scalar_type_name(t));
  return make_shape(ctx, name, size, out);
}

Tensor& rand_out(KernelRuntimeContext& ctx, ArrayRef<int64_t> size, Tensor& out) {
  if (!ready(ctx, "aten::rand", size, out)) return out;
  const Parts parts(out);
  const Generator generator(parts.count);
  const int digits = digits_of(parts.dtype);
  generate(out, parts, [&](int64_t i) { return generator.uniform(i, digits); });
  return out;
}

Tensor& randn_out(KernelRuntimeContext& ctx, ArrayRef<int64_t> size, Tensor& out) {
  if (!ready(ctx, "aten::randn", size, out)) return out;
  const Parts parts(out);
  const Generator generator(2 * parts.count);
  // Box and Muller: one of the two normal numbers of each pair. A complex number has variance 1 in all.
  const double scale = is_complex(out.scalar_type()) ? -1.0 : -2.0;
  generate(out, parts, [&](int64_t i) {
    const double radius = std::sqrt(scale * std::log(1.0 - generator.uniform(2 * i, 53)));
    return radius * std::cos(6.283185307179586 * generator.uniform(2 * i + 1, 53));
  });
  return out;
}

struct Keep {
  template <class T>
  T operator()(T x, T mask) const {
    return x * mask * static_cast<T>(scale);
  }
  double scale;
};

void native_dropout_out(KernelRuntimeContext& ctx, const Tensor& in, double p, const optional<bool>& train, Tensor& out,
                        Tensor& mask) {
  ET_KERNEL_CHECK_MSG(ctx, p >= 0 && p <= 1, InvalidArgument, , "aten::native_dropout: p is %g, not in [0, 1]", p);
  ET_KERNEL_CHECK_MSG(ctx, is_floating(in.scalar_type()), InvalidArgument, ,
                      "aten::native_dropout: expected floating input, got %s", scalar_type_name(in.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, mask.scalar_type() == ScalarType::Bool, InvalidArgument, ,
                      "aten::native_dropout: expected a bool mask, got %s", scalar_type_name(mask.scalar_type()));
  if (!resize_out(ctx, out, in.sizes(), "aten::native_dropout") ||
      !resize_out(ctx, mask, in.sizes(), "aten::native_dropout")) {
    return;
  }
  ET_KERNEL_CHECK_MSG(ctx, mask.numel() == 0 || mask.const_data_ptr() != nullptr, InvalidArgument, ,
                      "aten::native_dropout: the mask has no data");
  const bool training = train.value_or(true) && p > 0;
  const Generator generator(training ? mask.numel() : 0);
  generate(mask, Parts(mask), [&](int64_t i) { return !training || generator.uniform(i, 53) >= p ? 1.0 : 0.0; });
  const Keep f{training && p < 1 ? 1.0 / (1.0 - p) : 1.0};
  const Operand operands[] = {Operand(in), Operand(mask)};
  run_elementwise_into(ctx, make_work<kBitF | kBitD, 2>("aten::native_dropout", f, in.scalar_type()), operands, out);
}

}  // namespace

ET_KERNEL(rand_out)
ET_KERNEL(randn_out)
ET_KERNEL(native_dropout_out)

}  // namespace et::ET_KERNELS
