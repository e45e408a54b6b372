// The attribute layouts of TOSA's operators and the words for its enumerations.
#include "runtime/format/tosa_tables.h"

#include "tosa_generated.h"

namespace et::format {

namespace {

using Tk = TosaAttribute::Kind;

constexpr TosaField kArgMax[] = {
    {tosa_fb::ArgMaxAttribute::VT_AXIS, "axis", Tk::Int},
    {tosa_fb::ArgMaxAttribute::VT_NAN_MODE, "nan_mode", Tk::NanMode},
};
constexpr TosaField kAvgPool2d[] = {
    {tosa_fb::AvgPool2dAttribute::VT_KERNEL, "kernel", Tk::Ints},
    {tosa_fb::AvgPool2dAttribute::VT_STRIDE, "stride", Tk::Ints},
    {tosa_fb::AvgPool2dAttribute::VT_PAD, "pad", Tk::Ints},
    {tosa_fb::AvgPool2dAttribute::VT_ACC_TYPE, "acc_type", Tk::Dtype},
};
constexpr TosaField kConv2d[] = {
    {tosa_fb::Conv2dAttribute::VT_PAD, "pad", Tk::Ints},
    {tosa_fb::Conv2dAttribute::VT_STRIDE, "stride", Tk::Ints},
    {tosa_fb::Conv2dAttribute::VT_DILATION, "dilation", Tk::Ints},
    {tosa_fb::Conv2dAttribute::VT_LOCAL_BOUND, "local_bound", Tk::Bool},
    {tosa_fb::Conv2dAttribute::VT_ACC_TYPE, "acc_type", Tk::Dtype},
};
constexpr TosaField kConv3d[] = {
    {tosa_fb::Conv3dAttribute::VT_PAD, "pad", Tk::Ints},
    {tosa_fb::Conv3dAttribute::VT_STRIDE, "stride", Tk::Ints},
    {tosa_fb::Conv3dAttribute::VT_DILATION, "dilation", Tk::Ints},
    {tosa_fb::Conv3dAttribute::VT_LOCAL_BOUND, "local_bound", Tk::Bool},
    {tosa_fb::Conv3dAttribute::VT_ACC_TYPE, "acc_type", Tk::Dtype},
};
constexpr TosaField kDepthwiseConv2d[] = {
    {tosa_fb::DepthwiseConv2dAttribute::VT_PAD, "pad", Tk::Ints},
    {tosa_fb::DepthwiseConv2dAttribute::VT_STRIDE, "stride", Tk::Ints},
    {tosa_fb::DepthwiseConv2dAttribute::VT_DILATION, "dilation", Tk::Ints},
    {tosa_fb::DepthwiseConv2dAttribute::VT_LOCAL_BOUND, "local_bound", Tk::Bool},
    {tosa_fb::DepthwiseConv2dAttribute::VT_ACC_TYPE, "acc_type", Tk::Dtype},
};
constexpr TosaField kFFT2d[] = {
    {tosa_fb::FFT2dAttribute::VT_INVERSE, "inverse", Tk::Bool},
    {tosa_fb::FFT2dAttribute::VT_LOCAL_BOUND, "local_bound", Tk::Bool},
};
constexpr TosaField kMaxPool2d[] = {
    {tosa_fb::MaxPool2dAttribute::VT_KERNEL, "kernel", Tk::Ints},
    {tosa_fb::MaxPool2dAttribute::VT_STRIDE, "stride", Tk::Ints},
    {tosa_fb::MaxPool2dAttribute::VT_PAD, "pad", Tk::Ints},
    {tosa_fb::MaxPool2dAttribute::VT_NAN_MODE, "nan_mode", Tk::NanMode},
};
constexpr TosaField kRFFT2d[] = {
    {tosa_fb::RFFT2dAttribute::VT_LOCAL_BOUND, "local_bound", Tk::Bool},
};
constexpr TosaField kTransposeConv2d[] = {
    {tosa_fb::TransposeConv2dAttribute::VT_OUT_PAD, "out_pad", Tk::Ints},
    {tosa_fb::TransposeConv2dAttribute::VT_STRIDE, "stride", Tk::Ints},
    {tosa_fb::TransposeConv2dAttribute::VT_LOCAL_BOUND, "local_bound", Tk::Bool},
    {tosa_fb::TransposeConv2dAttribute::VT_ACC_TYPE, "acc_type", Tk::Dtype},
};
constexpr TosaField kClamp[] = {
    {tosa_fb::ClampAttribute::VT_MIN_VAL, "min_val", Tk::Bytes},
    {tosa_fb::ClampAttribute::VT_MAX_VAL, "max_val", Tk::Bytes},
    {tosa_fb::ClampAttribute::VT_NAN_MODE, "nan_mode", Tk::NanMode},
};
constexpr TosaField kArithmeticRightShift[] = {
    {tosa_fb::ArithmeticRightShiftAttribute::VT_ROUND, "round", Tk::Bool},
};
constexpr TosaField kMaximum[] = {
    {tosa_fb::MaximumAttribute::VT_NAN_MODE, "nan_mode", Tk::NanMode},
};
constexpr TosaField kMinimum[] = {
    {tosa_fb::MinimumAttribute::VT_NAN_MODE, "nan_mode", Tk::NanMode},
};
constexpr TosaField kReduceAll[] = {
    {tosa_fb::ReduceAllAttribute::VT_AXIS, "axis", Tk::Int},
};
constexpr TosaField kReduceAny[] = {
    {tosa_fb::ReduceAnyAttribute::VT_AXIS, "axis", Tk::Int},
};
constexpr TosaField kReduceMax[] = {
    {tosa_fb::ReduceMaxAttribute::VT_AXIS, "axis", Tk::Int},
    {tosa_fb::ReduceMaxAttribute::VT_NAN_MODE, "nan_mode", Tk::NanMode},
};
constexpr TosaField kReduceMin[] = {
    {tosa_fb::ReduceMinAttribute::VT_AXIS, "axis", Tk::Int},
    {tosa_fb::ReduceMinAttribute::VT_NAN_MODE, "nan_mode", Tk::NanMode},
};
constexpr TosaField kReduceProduct[] = {
    {tosa_fb::ReduceProductAttribute::VT_AXIS, "axis", Tk::Int},
};
constexpr TosaField kReduceSum[] = {
    {tosa_fb::ReduceSumAttribute::VT_AXIS, "axis", Tk::Int},
};
constexpr TosaField kConcat[] = {
    {tosa_fb::ConcatAttribute::VT_AXIS, "axis", Tk::Int},
};
constexpr TosaField kReverse[] = {
    {tosa_fb::ReverseAttribute::VT_AXIS, "axis", Tk::Int},
};
constexpr TosaField kTranspose[] = {
    {tosa_fb::TransposeAttribute::VT_PERMS, "perms", Tk::Ints},
};
constexpr TosaField kResize[] = {
    {tosa_fb::ResizeAttribute::VT_MODE, "mode", Tk::ResizeMode},
};
constexpr TosaField kRescale[] = {
    {tosa_fb::RescaleAttribute::VT_SCALE32, "scale32", Tk::Bool},
    {tosa_fb::RescaleAttribute::VT_ROUNDING_MODE, "rounding_mode", Tk::RoundingMode},
    {tosa_fb::RescaleAttribute::VT_PER_CHANNEL, "per_channel", Tk::Bool},
    {tosa_fb::RescaleAttribute::VT_INPUT_UNSIGNED, "input_unsigned", Tk::Bool},
    {tosa_fb::RescaleAttribute::VT_OUTPUT_UNSIGNED, "output_unsigned", Tk::Bool},
};
constexpr TosaField kCustom[] = {
    {tosa_fb::CustomAttribute::VT_OPERATOR_NAME, "operator_name", Tk::String},
    {tosa_fb::CustomAttribute::VT_DOMAIN_NAME, "domain_name", Tk::String},
    {tosa_fb::CustomAttribute::VT_IMPLEMENTATION_ATTRS, "implementation_attrs", Tk::Bytes},
};
constexpr TosaField kCondIf[] = {
    {tosa_fb::CondIfAttribute::VT_THEN_GRAPH, "then_graph", Tk::String},
    {tosa_fb::CondIfAttribute::VT_ELSE_GRAPH, "else_graph", Tk::String},
};
constexpr TosaField kWhileLoop[] = {
    {tosa_fb::WhileLoopAttribute::VT_COND_GRAPH, "cond_graph", Tk::String},
    {tosa_fb::WhileLoopAttribute::VT_BODY_GRAPH, "body_graph", Tk::String},
};

// Operators whose attribute has fields.
struct Layout {
  tosa_fb::Attribute tag;
  Span<const TosaField> fields;
};
constexpr Layout kLayouts[] = {
    {tosa_fb::Attribute::ArgMaxAttribute, kArgMax},
    {tosa_fb::Attribute::AvgPool2dAttribute, kAvgPool2d},
    {tosa_fb::Attribute::Conv2dAttribute, kConv2d},
    {tosa_fb::Attribute::Conv3dAttribute, kConv3d},
    {tosa_fb::Attribute::DepthwiseConv2dAttribute, kDepthwiseConv2d},
    {tosa_fb::Attribute::FFT2dAttribute, kFFT2d},
    {tosa_fb::Attribute::MaxPool2dAttribute, kMaxPool2d},
    {tosa_fb::Attribute::RFFT2dAttribute, kRFFT2d},
    {tosa_fb::Attribute::TransposeConv2dAttribute, kTransposeConv2d},
    {tosa_fb::Attribute::ClampAttribute, kClamp},
    {tosa_fb::Attribute::ArithmeticRightShiftAttribute, kArithmeticRightShift},
    {tosa_fb::Attribute::MaximumAttribute, kMaximum},
    {tosa_fb::Attribute::MinimumAttribute, kMinimum},
    {tosa_fb::Attribute::ReduceAllAttribute, kReduceAll},
    {tosa_fb::Attribute::ReduceAnyAttribute, kReduceAny},
    {tosa_fb::Attribute::ReduceMaxAttribute, kReduceMax},
    {tosa_fb::Attribute::ReduceMinAttribute, kReduceMin},
    {tosa_fb::Attribute::ReduceProductAttribute, kReduceProduct},
    {tosa_fb::Attribute::ReduceSumAttribute, kReduceSum},
    {tosa_fb::Attribute::ConcatAttribute, kConcat},
    {tosa_fb::Attribute::ReverseAttribute, kReverse},
    {tosa_fb::Attribute::TransposeAttribute, kTranspose},
    {tosa_fb::Attribute::ResizeAttribute, kResize},
    {tosa_fb::Attribute::RescaleAttribute, kRescale},
    {tosa_fb::Attribute::CustomAttribute, kCustom},
    {tosa_fb::Attribute::CondIfAttribute, kCondIf},
    {tosa_fb::Attribute::WhileLoopAttribute, kWhileLoop},
};

}  // namespace

Span<const TosaField> tosa_attribute_fields(uint8_t tag) {
  for (const Layout& l : kLayouts) {
    if (static_cast<uint8_t>(l.tag) == tag) return l.fields;
  }
  return {};
}

const char* tosa_op_name(uint32_t op) {
  const auto o = static_cast<tosa_fb::Op>(op);
  return o > tosa_fb::Op::MAX ? "UNKNOWN" : tosa_fb::EnumNameOp(o);
}

const char* tosa_dtype_name(uint32_t dtype) {
  const auto d = static_cast<tosa_fb::DType>(dtype);
  return d > tosa_fb::DType::MAX ? "UNKNOWN" : tosa_fb::EnumNameDType(d);
}

std::string_view TosaAttribute::word() const {
  const auto n = static_cast<uint32_t>(number);
  switch (kind) {
    case Kind::Dtype:
      return tosa_dtype_name(n);
    case Kind::NanMode:
      return tosa_fb::EnumNameNanMode(static_cast<tosa_fb::NanMode>(n));
    case Kind::ResizeMode:
      return tosa_fb::EnumNameResizeMode(static_cast<tosa_fb::ResizeMode>(n));
    case Kind::RoundingMode:
      return tosa_fb::EnumNameRoundingMode(static_cast<tosa_fb::RoundingMode>(n));
    default:
      return {};
  }
}

}  // namespace et::format
