// The parameter layouts of XNNPACK's nodes (schema: XNodeUnion and its tables) and the names of its enumerations.
#include "runtime/format/xnnpack_tables.h"

#include "xnnpack_generated.h"

namespace et::format {

namespace {

using Xk = XnnParameter::Kind;
using R = XnnParameter::Role;

constexpr XnnField kNode1x1[] = {
    {xnn_fb::Node1x1::VT_INPUT_ID, "input_id", Xk::Uint, R::Input},
    {xnn_fb::Node1x1::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::Node1x1::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kNode2x1[] = {
    {xnn_fb::Node2x1::VT_INPUT1_ID, "input1_id", Xk::Uint, R::Input},
    {xnn_fb::Node2x1::VT_INPUT2_ID, "input2_id", Xk::Uint, R::Input},
    {xnn_fb::Node2x1::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::Node2x1::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kNodeConv[] = {
    {xnn_fb::NodeConv::VT_PADDING_TOP, "padding_top"},
    {xnn_fb::NodeConv::VT_PADDING_RIGHT, "padding_right"},
    {xnn_fb::NodeConv::VT_PADDING_BOTTOM, "padding_bottom"},
    {xnn_fb::NodeConv::VT_PADDING_LEFT, "padding_left"},
    {xnn_fb::NodeConv::VT_KERNEL_HEIGHT, "kernel_height"},
    {xnn_fb::NodeConv::VT_KERNEL_WIDTH, "kernel_width"},
    {xnn_fb::NodeConv::VT_SUBSAMPLING_HEIGHT, "subsampling_height"},
    {xnn_fb::NodeConv::VT_SUBSAMPLING_WIDTH, "subsampling_width"},
    {xnn_fb::NodeConv::VT_DILATION_HEIGHT, "dilation_height"},
    {xnn_fb::NodeConv::VT_DILATION_WIDTH, "dilation_width"},
    {xnn_fb::NodeConv::VT_GROUP_INPUT_CHANNELS, "group_input_channels"},
    {xnn_fb::NodeConv::VT_GROUP_OUTPUT_CHANNELS, "group_output_channels"},
    {xnn_fb::NodeConv::VT_GROUPS, "groups"},
    {xnn_fb::NodeConv::VT_ADJUSTMENT_HEIGHT, "adjustment_height"},
    {xnn_fb::NodeConv::VT_ADJUSTMENT_WIDTH, "adjustment_width"},
    {xnn_fb::NodeConv::VT_INPUT1_ID, "input1_id", Xk::Uint, R::Input},
    {xnn_fb::NodeConv::VT_FILTER_ID, "filter_id", Xk::Uint, R::Input},
    {xnn_fb::NodeConv::VT_BIAS_ID, "bias_id", Xk::Uint, R::Input},
    {xnn_fb::NodeConv::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::NodeConv::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kNodePool[] = {
    {xnn_fb::NodePool::VT_PADDING_TOP, "padding_top"},
    {xnn_fb::NodePool::VT_PADDING_RIGHT, "padding_right"},
    {xnn_fb::NodePool::VT_PADDING_BOTTOM, "padding_bottom"},
    {xnn_fb::NodePool::VT_PADDING_LEFT, "padding_left"},
    {xnn_fb::NodePool::VT_POOLING_HEIGHT, "pooling_height"},
    {xnn_fb::NodePool::VT_POOLING_WIDTH, "pooling_width"},
    {xnn_fb::NodePool::VT_STRIDE_HEIGHT, "stride_height"},
    {xnn_fb::NodePool::VT_STRIDE_WIDTH, "stride_width"},
    {xnn_fb::NodePool::VT_DILATION_HEIGHT, "dilation_height"},
    {xnn_fb::NodePool::VT_DILATION_WIDTH, "dilation_width"},
    {xnn_fb::NodePool::VT_INPUT_ID, "input_id", Xk::Uint, R::Input},
    {xnn_fb::NodePool::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::NodePool::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kFullyConnected[] = {
    {xnn_fb::FullyConnected::VT_INPUT1_ID, "input1_id", Xk::Uint, R::Input},
    {xnn_fb::FullyConnected::VT_FILTER_ID, "filter_id", Xk::Uint, R::Input},
    {xnn_fb::FullyConnected::VT_BIAS_ID, "bias_id", Xk::Uint, R::Input},
    {xnn_fb::FullyConnected::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::FullyConnected::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kStaticTranspose[] = {
    {xnn_fb::StaticTranspose::VT_NUM_DIMS, "num_dims"},
    {xnn_fb::StaticTranspose::VT_PERM, "perm", Xk::UintList},
    {xnn_fb::StaticTranspose::VT_INPUT_ID, "input_id", Xk::Uint, R::Input},
    {xnn_fb::StaticTranspose::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::StaticTranspose::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kStaticResizeBilinear2D[] = {
    {xnn_fb::StaticResizeBilinear2D::VT_NEW_HEIGHT, "new_height"},
    {xnn_fb::StaticResizeBilinear2D::VT_NEW_WIDTH, "new_width"},
    {xnn_fb::StaticResizeBilinear2D::VT_INPUT_ID, "input_id", Xk::Uint, R::Input},
    {xnn_fb::StaticResizeBilinear2D::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::StaticResizeBilinear2D::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kStaticConstantPad[] = {
    {xnn_fb::StaticConstantPad::VT_PRE_PADDINGS, "pre_paddings", Xk::UintList},
    {xnn_fb::StaticConstantPad::VT_POST_PADDINGS, "post_paddings", Xk::UintList},
    {xnn_fb::StaticConstantPad::VT_PADDING_VALUE, "padding_value", Xk::Float},
    {xnn_fb::StaticConstantPad::VT_INPUT_ID, "input_id", Xk::Uint, R::Input},
    {xnn_fb::StaticConstantPad::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::StaticConstantPad::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kStaticReshape[] = {
    {xnn_fb::StaticReshape::VT_NUM_DIMS, "num_dims"},
    {xnn_fb::StaticReshape::VT_NEW_SHAPE, "new_shape", Xk::UintList},
    {xnn_fb::StaticReshape::VT_INPUT_ID, "input_id", Xk::Uint, R::Input},
    {xnn_fb::StaticReshape::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::StaticReshape::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kStaticSlice[] = {
    {xnn_fb::StaticSlice::VT_NUM_DIMS, "num_dims"},
    {xnn_fb::StaticSlice::VT_OFFSETS, "offsets", Xk::UintList},
    {xnn_fb::StaticSlice::VT_SIZES, "sizes", Xk::UintList},
    {xnn_fb::StaticSlice::VT_INPUT_ID, "input_id", Xk::Uint, R::Input},
    {xnn_fb::StaticSlice::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::StaticSlice::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kArgMaxPooling2d[] = {
    {xnn_fb::ArgMaxPooling2d::VT_PADDING_TOP, "padding_top"},
    {xnn_fb::ArgMaxPooling2d::VT_PADDING_RIGHT, "padding_right"},
    {xnn_fb::ArgMaxPooling2d::VT_PADDING_BOTTOM, "padding_bottom"},
    {xnn_fb::ArgMaxPooling2d::VT_PADDING_LEFT, "padding_left"},
    {xnn_fb::ArgMaxPooling2d::VT_POOLING_HEIGHT, "pooling_height"},
    {xnn_fb::ArgMaxPooling2d::VT_POOLING_WIDTH, "pooling_width"},
    {xnn_fb::ArgMaxPooling2d::VT_INPUT_ID, "input_id", Xk::Uint, R::Input},
    {xnn_fb::ArgMaxPooling2d::VT_OUTPUT_VALUE_ID, "output_value_id", Xk::Uint, R::Output},
    {xnn_fb::ArgMaxPooling2d::VT_OUTPUT_INDEX_ID, "output_index_id", Xk::Uint, R::Output},
    {xnn_fb::ArgMaxPooling2d::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kLeakyReLU[] = {
    {xnn_fb::LeakyReLU::VT_NEGATIVE_SLOPE, "negative_slope", Xk::Float},
    {xnn_fb::LeakyReLU::VT_INPUT_ID, "input_id", Xk::Uint, R::Input},
    {xnn_fb::LeakyReLU::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::LeakyReLU::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kELU[] = {
    {xnn_fb::ELU::VT_ALPHA, "alpha", Xk::Float},
    {xnn_fb::ELU::VT_INPUT_ID, "input_id", Xk::Uint, R::Input},
    {xnn_fb::ELU::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::ELU::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kScaledDotProductAttention[] = {
    {xnn_fb::ScaledDotProductAttention::VT_QUERY_ID, "query_id", Xk::Uint, R::Input},
    {xnn_fb::ScaledDotProductAttention::VT_KEY_ID, "key_id", Xk::Uint, R::Input},
    {xnn_fb::ScaledDotProductAttention::VT_VALUE_ID, "value_id", Xk::Uint, R::Input},
    {xnn_fb::ScaledDotProductAttention::VT_SCALE_ID, "scale_id", Xk::Uint, R::Input},
    {xnn_fb::ScaledDotProductAttention::VT_MASK_ID, "mask_id", Xk::Uint, R::Input},
    {xnn_fb::ScaledDotProductAttention::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::ScaledDotProductAttention::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kCat2[] = {
    {xnn_fb::NodeCat::VT_AXIS, "axis"},
    {xnn_fb::NodeCat::VT_INPUT1_ID, "input1_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_INPUT2_ID, "input2_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::NodeCat::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kCat3[] = {
    {xnn_fb::NodeCat::VT_AXIS, "axis"},
    {xnn_fb::NodeCat::VT_INPUT1_ID, "input1_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_INPUT2_ID, "input2_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_INPUT3_ID, "input3_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::NodeCat::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kCat4[] = {
    {xnn_fb::NodeCat::VT_AXIS, "axis"},
    {xnn_fb::NodeCat::VT_INPUT1_ID, "input1_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_INPUT2_ID, "input2_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_INPUT3_ID, "input3_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_INPUT4_ID, "input4_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::NodeCat::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};
constexpr XnnField kCat5[] = {
    {xnn_fb::NodeCat::VT_AXIS, "axis"},
    {xnn_fb::NodeCat::VT_INPUT1_ID, "input1_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_INPUT2_ID, "input2_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_INPUT3_ID, "input3_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_INPUT4_ID, "input4_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_INPUT5_ID, "input5_id", Xk::Uint, R::Input},
    {xnn_fb::NodeCat::VT_OUTPUT_ID, "output_id", Xk::Uint, R::Output},
    {xnn_fb::NodeCat::VT_FLAGS, "flags", Xk::Uint, R::Flags},
};

// Position = union tag.
constexpr XnnNodeInfo kNodes[] = {
    {"Unknown", {}},
    {"Add", kNode2x1},
    {"FullyConnected", kFullyConnected},
    {"Softmax", kNode1x1},
    {"Sigmoid", kNode1x1},
    {"StaticTranspose", kStaticTranspose},
    {"Clamp", kNode1x1},
    {"Conv2d", kNodeConv},
    {"Div", kNode2x1},
    {"StaticResizeBilinear2D", kStaticResizeBilinear2D},
    {"StaticConstantPad", kStaticConstantPad},
    {"AvgPooling2d", kNodePool},
    {"Minimum", kNode2x1},
    {"DepthwiseConv2d", kNodeConv},
    {"MaxPooling2d", kNodePool},
    {"Multiply", kNode2x1},
    {"Subtract", kNode2x1},
    {"Floor", kNode1x1},
    {"Convert", kNode1x1},
    {"GlobalAvgPooling2d", kNode1x1},
    {"StaticReshape", kStaticReshape},
    {"ArgMaxPooling2d", kArgMaxPooling2d},
    {"SquareRoot", kNode1x1},
    {"Ceiling", kNode1x1},
    {"Hardswish", kNode1x1},
    {"LeakyReLU", kLeakyReLU},
    {"Maximum", kNode2x1},
    {"Negate", kNode1x1},
    {"Square", kNode1x1},
    {"ELU", kELU},
    {"Abs", kNode1x1},
    {"PReLU", kNode2x1},
    {"Concatenate2", kCat2},
    {"Concatenate3", kCat3},
    {"Concatenate4", kCat4},
    {"StaticSlice", kStaticSlice},
    {"ScaledDotProductAttention", kScaledDotProductAttention},
    {"BatchMatrixMultiply", kNode2x1},
    {"Concatenate5", kCat5},
    {"ConvTranspose2d", kNodeConv},
    {"ReciprocalSquareRoot", kNode1x1},
    {"Log", kNode1x1},
    {"Gelu", kNode1x1},
    {"Tanh", kNode1x1},
    {"Exp", kNode1x1},
    {"Sin", kNode1x1},
    {"Copy", kNode1x1},
    {"Cos", kNode1x1},
};
static_assert(std::size(kNodes) == static_cast<size_t>(xnn_fb::XNodeUnion::MAX) + 1);
static_assert(static_cast<uint8_t>(XnnNodeType::Cos) == static_cast<uint8_t>(xnn_fb::XNodeUnion::XNNCos));

constexpr const char* kDatatypes[] = {"invalid", "fp32",   "fp16",   "qint8",  "quint8", "qint32", "qcint8", "qcint32",
                                      "qcint4",  "qdint8", "qbint4", "qpint8", "int32",  "pfp32",  "bf16"};

}  // namespace

const XnnNodeInfo& xnn_node_info(uint8_t tag) { return kNodes[tag < std::size(kNodes) ? tag : 0]; }

const char* xnn_node_type_name(XnnNodeType type) { return xnn_node_info(static_cast<uint8_t>(type)).name; }

const char* xnn_datatype_name(XnnDatatype type) {
  const auto i = static_cast<uint16_t>(type);
  return i < std::size(kDatatypes) ? kDatatypes[i] : "unknown";
}

const char* xnn_quant_kind_name(XnnQuantKind kind) {
  switch (kind) {
    case XnnQuantKind::None:
      return "none";
    case XnnQuantKind::PerChannel:
      return "per_channel";
    case XnnQuantKind::PerTensor:
      return "per_tensor";
    case XnnQuantKind::PerTokenDynamic:
      return "per_token_dynamic";
    case XnnQuantKind::PerChannelGroup:
      return "per_channel_group";
  }
  return "unknown";
}

}  // namespace et::format
