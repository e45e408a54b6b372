// Node type → factory of its operator. Types without a row are refused when the payload is loaded.
#include "runtime/backends/xnnpack/graph/operator_factories.h"

namespace et::xnn {

using T = format::XnnNodeType;

OperatorFactory factory_of(T type) {
  struct Row {
    T type;
    OperatorFactory make;
  };
  static constexpr Row kRows[] = {
      {T::FullyConnected, make_fully_connected},
      {T::Conv2d, make_convolution},
      {T::DepthwiseConv2d, make_convolution},
      {T::ConvTranspose2d, make_convolution},
      {T::BatchMatrixMultiply, make_batch_matrix_multiply},
      {T::Abs, make_unary},
      {T::Ceiling, make_unary},
      {T::Clamp, make_unary},
      {T::Cos, make_unary},
      {T::ELU, make_unary},
      {T::Exp, make_unary},
      {T::Floor, make_unary},
      {T::Gelu, make_unary},
      {T::Hardswish, make_unary},
      {T::LeakyReLU, make_unary},
      {T::Log, make_unary},
      {T::Negate, make_unary},
      {T::ReciprocalSquareRoot, make_unary},
      {T::Sigmoid, make_unary},
      {T::Sin, make_unary},
      {T::Square, make_unary},
      {T::SquareRoot, make_unary},
      {T::Tanh, make_unary},
      {T::Add, make_binary},
      {T::Subtract, make_binary},
      {T::Multiply, make_binary},
      {T::Div, make_binary},
      {T::Minimum, make_binary},
      {T::Maximum, make_binary},
      {T::PReLU, make_binary},
      {T::Softmax, make_softmax},
      {T::Convert, make_convert},
      {T::Copy, make_copy},
      {T::StaticReshape, make_static_reshape},
      {T::StaticTranspose, make_static_transpose},
      {T::StaticSlice, make_static_slice},
      {T::StaticConstantPad, make_static_constant_pad},
      {T::Concatenate2, make_concatenate},
      {T::Concatenate3, make_concatenate},
      {T::Concatenate4, make_concatenate},
      {T::Concatenate5, make_concatenate},
      {T::MaxPooling2d, make_max_pooling},
      {T::AvgPooling2d, make_average_pooling},
      {T::GlobalAvgPooling2d, make_global_average_pooling},
      {T::ArgMaxPooling2d, make_argmax_pooling},
      {T::StaticResizeBilinear2D, make_resize_bilinear},
  };
  for (const Row& row : kRows) {
    if (row.type == type) return row.make;
  }
  return nullptr;
}

}  // namespace et::xnn
