// What views are made of, and the checks that every kernel of the movement families begins with.
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {

void View::insert(size_t dim, int64_t size, int64_t step) {
  for (size_t d = rank; d > dim; --d) {
    sizes[d] = sizes[d - 1];
    steps[d] = steps[d - 1];
  }
  sizes[dim] = size;
  steps[dim] = step;
  ++rank;
}

void View::remove(size_t dim) {
  for (size_t d = dim; d + 1 < rank; ++d) {
    sizes[d] = sizes[d + 1];
    steps[d] = steps[d + 1];
  }
  --rank;
}

View view_of(const Tensor& t) {
  View v;
  v.data = t.mutable_data_ptr<uint8_t>();
  v.item = t.element_size();
  v.rank = static_cast<size_t>(t.dim());
  int64_t step = static_cast<int64_t>(v.item);
  for (size_t i = v.rank; i-- > 0;) {
    const size_t d = t.dim_order()[i];
    v.sizes[d] = t.sizes()[d];
    v.steps[d] = step;
    if (v.sizes[d] > 1) step *= v.sizes[d];
  }
  return v;
}

bool has_data(KernelRuntimeContext& context, const Tensor& t, const char* operator_name, const char* argument) {
  if (t.numel() == 0 || t.const_data_ptr() != nullptr) return true;
  ET_LOG(Error, "%s: %s has no data", operator_name, argument);
  context.fail(Error::InvalidArgument);
  return false;
}

bool resize_result(KernelRuntimeContext& context, const Tensor& out, const Sizes& sizes, const char* operator_name) {
  if (!sizes.fits) {
    ET_LOG(Error, "%s: the result has more than %zu dimensions", operator_name, kTensorDimensionLimit);
    context.fail(Error::InvalidArgument);
    return false;
  }
  Shape shape;
  for (size_t d = 0; d < sizes.rank; ++d) {
    if (sizes.v[d] < 0 || sizes.v[d] > INT32_MAX) {
      ET_LOG(Error, "%s: size %lld of dimension %zu of the result", operator_name, static_cast<long long>(sizes.v[d]),
             d);
      context.fail(Error::InvalidArgument);
      return false;
    }
    shape.push(sizes.v[d]);
  }
  return resize_out(context, out, shape.view(), operator_name) && has_data(context, out, operator_name, "out");
}

bool wrap_dim(KernelRuntimeContext& context, int64_t* dim, int64_t rank, const char* operator_name) {
  const int64_t given = *dim;
  if (normalize_dim(dim, rank)) return true;
  ET_LOG(Error, "%s: dim %lld of a tensor of rank %lld", operator_name, static_cast<long long>(given),
         static_cast<long long>(rank));
  context.fail(Error::InvalidArgument);
  return false;
}

bool check_source(KernelRuntimeContext& context, const Tensor& t, const Tensor& out, const char* operator_name) {
  if (t.scalar_type() != out.scalar_type()) {
    ET_LOG(Error, "%s: expected out of the input's dtype %s, got %s", operator_name, scalar_type_name(t.scalar_type()),
           scalar_type_name(out.scalar_type()));
    context.fail(Error::InvalidArgument);
    return false;
  }
  return has_data(context, t, operator_name, "the input");
}

}  // namespace et::ET_KERNELS
