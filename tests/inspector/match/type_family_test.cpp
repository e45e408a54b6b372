// One type has one name and one family, whoever names it.
#include "inspector/match/type_family.h"

#include <gtest/gtest.h>

namespace et::inspector::test {
namespace {

TEST(TypeFamily, GraphKernelAndBackendNameTheSameType) {
  for (const char* name : {"aten.addmm.default", "aten.addmm", "native_call_addmm.out", "addmm.out", "aten::addmm.out"})
    EXPECT_EQ(type_key(name), "addmm") << name;
  EXPECT_EQ(type_key("aten._softmax.default"), type_key("Softmax (F32, 1x4x24x24) node 8"));
  EXPECT_EQ(type_key("dim_order_ops._to_dim_order_copy.default"), "to_dim_order_copy");
  EXPECT_EQ(type_key("native_call__to_dim_order_copy.out"), "to_dim_order_copy");
  EXPECT_EQ(type_key("quantized_decomposed.quantize_per_tensor"), "quantize_per_tensor");
  EXPECT_EQ(type_key("where.self_out"), "where");
  EXPECT_EQ(type_key("my_ops.fancy.default"), "fancy");
  EXPECT_EQ(short_type("Convolution (NHWC, F32) IGEMM #3"), "Convolution");
  EXPECT_EQ(short_type("aten.native_layer_norm.default"), "layer_norm");
}

TEST(TypeFamily, KindsOfWorkAreTheSameOverBackends) {
  for (const char* name : {"aten.mm.default", "aten.linear.default", "Fully Connected (F32, 24x128->128) node 0",
                           "Batch Matrix Multiply (F32, 4x24x24, 4x24x32->4x24x32) node 2", "native_call_bmm.out"})
    EXPECT_EQ(type_family(name), TypeFamily::Matmul) << name;
  for (const char* name : {"aten.convolution.default", "Convolution (NHWC, F32) DWConv #2", "aten.conv2d"})
    EXPECT_EQ(type_family(name), TypeFamily::Convolution) << name;
  for (const char* name : {"native_call_permute_copy.out", "Static Reshape (X32, 4x24x32) node 3", "aten.cat.default",
                           "Transpose + StaticTranspose (ND, X32, 1x4x24x32) node 5+4", "aten.view_copy.default"})
    EXPECT_EQ(type_family(name), TypeFamily::Movement) << name;
  for (const char* name : {"Multiply + Multiply (F32, 1) node 2+3", "aten.add.Tensor", "native_call_logical_not.out"})
    EXPECT_EQ(type_family(name), TypeFamily::Arithmetic) << name;
  EXPECT_EQ(type_family("quantized_decomposed.dequantize_per_channel.default"), TypeFamily::Quantisation);
  EXPECT_EQ(type_family("llama.custom_sdpa.default"), TypeFamily::Softmax);
  EXPECT_EQ(type_family("aten.native_layer_norm.default"), TypeFamily::Normalisation);
  EXPECT_EQ(type_family("aten.native_batch_norm_add_relu"), TypeFamily::Normalisation) << "the first family has it";
  EXPECT_EQ(type_family("aten.expand_copy.default"), TypeFamily::Movement) << "no exp";
  EXPECT_EQ(type_family("demo.frobnicate.default"), TypeFamily::Other);
  EXPECT_EQ(type_family(""), TypeFamily::Other);
}

}  // namespace
}  // namespace et::inspector::test
