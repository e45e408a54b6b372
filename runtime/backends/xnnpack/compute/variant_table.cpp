// The matrix loops of one variant.
#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT {

extern const MatrixLoops kMatrixLoops;
const MatrixLoops kMatrixLoops = {block_f32,
                                  block_pair_f32,
                                  block_qs8,
                                  block_qd8,
                                  block_q4,
                                  gather_f32,
                                  gather_i8,
                                  widen_rows,
                                  chunk_rows,
                                  pack_f32,
                                  row_f32,
                                  depthwise_row_f32,
                                  depthwise_line_f32,
                                  depthwise_pixel_f32,
                                  grouped_pixel_f32,
                                  depthwise_row_qs8,
                                  depthwise_pixel_qs8,
                                  spread_f32,
                                  spread_qs8,
                                  pair_bytes,
                                  max_pool_f32,
                                  max_pool_s8,
                                  max_pool_u8,
                                  mean_pool_f32,
                                  sum_rows_f32,
                                  transpose_x8,
                                  transpose_x32,
                                  winograd_in,
                                  winograd_out,
                                  et::ET_KERNELS::VectorOf<float>::kLanes,
#if ET_XNN_AVX512
                                  4,
                                  128,
                                  true,
                                  true,
                                  false,
                                  1
#elif defined(ET_XNN_INT8_STEPS)
                                  ET_XNN_INT8_STEPS,
                                  0,
                                  false,
                                  false,
                                  true
#elif defined(__AVX2__)
                                  2,
                                  0,
                                  false,
                                  true,
                                  false,
                                  2
#endif
};

}  // namespace et::xnn::ET_XNN_VARIANT
