#include "bundled_program/reference/elements.h"

#include "runtime/kernels/common/dtype.h"

namespace et::reference {
namespace {

Status no_numbers() { return {Error::InvalidProgram, "a tensor of a dtype without numbers"}; }

}  // namespace

Status read_numbers(const Tensor& t, RunState& state, std::vector<double>* out) {
  TensorHandle rows;
  if (Status s = state.make_tensor(t.scalar_type(), t.sizes(), {}, &rows); !s.ok()) return s;
  copy_elements(t, rows->tensor());
  out->resize(static_cast<size_t>(t.numel()));
  const bool known = kernels::dispatch<kernels::kRealHB>(t.scalar_type(), [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>) {
      const uint8_t* from = rows->data();
      for (double& v : *out) v = *from++ != 0 ? 1 : 0;
    } else {
      const T* from = rows->tensor().const_data_ptr<T>();
      for (double& v : *out) v = static_cast<double>(static_cast<kernels::opmath_t<T>>(*from++));
    }
  });
  return known ? Status() : no_numbers();
}

Status write_numbers(const std::vector<double>& values, RunState& state, const TensorHandle& out) {
  const Tensor t = out->tensor();
  if (values.size() != static_cast<size_t>(t.numel())) {
    return {Error::InvalidProgram,
            std::to_string(values.size()) + " elements for an output of " + std::to_string(t.numel())};
  }
  TensorHandle rows;
  if (Status s = state.make_tensor(t.scalar_type(), t.sizes(), {}, &rows); !s.ok()) return s;
  bool in_range = true;
  const bool known = kernels::dispatch<kernels::kRealHB>(t.scalar_type(), [&]<class T>() {
    T* to = rows->tensor().mutable_data_ptr<T>();
    for (const double v : values) {
      if constexpr (std::is_same_v<T, bool>) {
        *to++ = v != 0;
      } else if constexpr (std::is_integral_v<T>) {
        const bool fits = v >= -9.2e18 && v <= 9.2e18;
        in_range = in_range && fits;
        *to++ = static_cast<T>(fits ? static_cast<int64_t>(v) : 0);
      } else {
        *to++ = static_cast<T>(static_cast<kernels::opmath_t<T>>(v));
      }
    }
  });
  if (!known) return no_numbers();
  if (!in_range) return {Error::InvalidProgram, "a result that does not fit its dtype"};
  copy_elements(rows->tensor(), t);
  return {};
}

}  // namespace et::reference
