/* Tensors of the C interface: dense, row-major unless said otherwise. */
#ifndef ET_TENSOR_H
#define ET_TENSOR_H

#include "et_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct et_tensor et_tensor;

/* A look at a tensor; the pointers belong to it. Strides are in elements. */
typedef struct et_tensor_view {
  et_dtype dtype;
  size_t rank;
  const int32_t* sizes;
  const int32_t* strides;
  void* data;
  size_t bytes;
} et_tensor_view;

/* Owned memory: a copy of `data`, or zeros when that is null. `bytes` must be what the tensor needs, unless `data`
 * is null. */
ET_API et_status et_tensor_create(et_dtype dtype, const int32_t* sizes, size_t rank, const void* data, size_t bytes,
                                  et_tensor** tensor);
/* Over memory of the caller, which must outlive every program that uses the tensor as an input. */
ET_API et_status et_tensor_wrap(et_dtype dtype, const int32_t* sizes, size_t rank, void* data, size_t bytes,
                                et_tensor** tensor);
/* Null is harmless. A program that has the tensor as an input keeps what it needs. */
ET_API void et_tensor_free(et_tensor* tensor);
ET_API et_status et_tensor_get(const et_tensor* tensor, et_tensor_view* view);

#ifdef __cplusplus
}
#endif

#endif
