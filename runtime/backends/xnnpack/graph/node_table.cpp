// Node type → factory of its operator. Types without a row are refused when the payload is loaded.
#include "runtime/backends/xnnpack/graph/operator_factories.h"

namespace et::xnn {

OperatorFactory factory_of(format::XnnNodeType type) {
  using Node = format::XnnNodeType;
  struct Row {
    Node type;
    OperatorFactory make;
  };
  static constexpr Row kRows[] = {
      {Node::FullyConnected, make_fully_connected},
      {Node::Conv2d, make_convolution},
      {Node::DepthwiseConv2d, make_convolution},
      {Node::ConvTranspose2d, make_convolution},
      {Node::BatchMatrixMultiply, make_batch_matrix_multiply},
      {Node::Abs, make_unary},
      {Node::Ceiling, make_unary},
      {Node::Clamp, make_unary},
      {Node::Cos, make_unary},
      {Node::ELU, make_unary},
      {Node::Exp, make_unary},
      {Node::Floor, make_unary},
      {Node::Gelu, make_unary},
      {Node::Hardswish, make_unary},
      {Node::LeakyReLU, make_unary},
      {Node::Log, make_unary},
      {Node::Negate, make_unary},
      {Node::ReciprocalSquareRoot, make_unary},
      {Node::Sigmoid, make_unary},
      {Node::Sin, make_unary},
      {Node::Square, make_unary},
      {Node::SquareRoot, make_unary},
      {Node::Tanh, make_unary},
      {Node::Add, make_binary},
      {Node::Subtract, make_binary},
      {Node::Multiply, make_binary},
      {Node::Div, make_binary},
      {Node::Minimum, make_binary},
      {Node::Maximum, make_binary},
      {Node::PReLU, make_binary},
      {Node::Softmax, make_softmax},
      {Node::Convert, make_convert},
      {Node::Copy, make_copy},
      {Node::StaticReshape, make_static_reshape},
      {Node::StaticTranspose, make_static_transpose},
      {Node::StaticSlice, make_static_slice},
      {Node::StaticConstantPad, make_static_constant_pad},
      {Node::Concatenate2, make_concatenate},
      {Node::Concatenate3, make_concatenate},
      {Node::Concatenate4, make_concatenate},
      {Node::Concatenate5, make_concatenate},
      {Node::MaxPooling2d, make_max_pooling},
      {Node::AvgPooling2d, make_average_pooling},
      {Node::GlobalAvgPooling2d, make_global_average_pooling},
      {Node::ArgMaxPooling2d, make_argmax_pooling},
      {Node::StaticResizeBilinear2D, make_resize_bilinear},
  };
  for (const Row& row : kRows) {
    if (row.type == type) return row.make;
  }
  return nullptr;
}

}  // namespace et::xnn
