// ExecuTorch's custom operators for language models, called as functions.
#include <executorch/extension/llm/custom_ops/op_fallback.h>
#include <executorch/extension/llm/custom_ops/op_fast_hadamard_transform.h>
#include <executorch/extension/llm/custom_ops/op_moe.h>
#include <executorch/extension/llm/custom_ops/op_sdpa.h>
#include <executorch/extension/llm/custom_ops/op_tile_crop.h>
#include <executorch/extension/llm/custom_ops/op_update_cache.h>
#include <executorch/extension/llm/custom_ops/spinquant/fast_hadamard_transform.h>
#include <executorch/extension/llm/sampler/util.h>
#include <executorch/extension/threadpool/cpuinfo_utils.h>
#include <executorch/kernels/portable/cpu/util/arange_util.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using executorch::aten::optional;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::testing::TensorFactory;
namespace native = torch::executor::native;

namespace {

const optional<Tensor> kNone;

TEST(FacadeLlm, AttentionOverAllKeys) {
  TensorFactory<ScalarType::Float> tf;
  // One head of two channels, one query, three keys: the scores are 1, 0 and 1 before the scale.
  const Tensor query = tf.make({1, 1, 1, 2}, {1, 0});
  const Tensor key = tf.make({1, 1, 3, 2}, {1, 0, 0, 1, 1, 5});
  const Tensor value = tf.make({1, 1, 3, 2}, {1, 10, 2, 20, 4, 40});
  Tensor out = tf.zeros({1, 1, 1, 2});
  KernelRuntimeContext context;
  native::flash_attention_kernel_out(context, query, key, value, kNone, 0.0, false, optional<double>(2.0), out);
  ASSERT_EQ(context.failure_state(), Error::Ok);
  const double high = std::exp(2.0), sum = 2 * high + 1, first = (high * 5 + 2) / sum;
  EXPECT_TENSOR_CLOSE(out, tf.make({1, 1, 1, 2}, {static_cast<float>(first), static_cast<float>(first * 10)}));
  // A mask that leaves the second key alone.
  const float hidden = -INFINITY;
  const Tensor mask = tf.make({1, 3}, {hidden, 0, hidden});
  native::flash_attention_kernel_out(context, query, key, value, mask, 0.0, false, optional<double>(), out);
  EXPECT_TENSOR_CLOSE(out, tf.make({1, 1, 1, 2}, {2, 20}));
  // Causal: of as many keys as queries, the first.
  native::flash_attention_kernel_out(context, query, key, value, kNone, 0.0, true, optional<double>(), out);
  EXPECT_TENSOR_CLOSE(out, tf.make({1, 1, 1, 2}, {1, 10}));
}

TEST(FacadeLlm, AttentionWithACache) {
  TensorFactory<ScalarType::Float> tf;
  Tensor keys = tf.zeros({1, 4, 1, 2}), values = tf.zeros({1, 4, 1, 2}), out = tf.zeros({1, 1, 1, 2});
  KernelRuntimeContext context;
  for (int64_t position = 0; position < 2; ++position) {
    const auto x = static_cast<float>(position + 1);
    const Tensor one = tf.make({1, 1, 1, 2}, {0, 0}), value = tf.make({1, 1, 1, 2}, {x, 10 * x});
    native::sdpa_with_kv_cache_out(context, one, one, value, keys, values, position, 1, kNone, 0.0, true,
                                   optional<double>(), out);
    ASSERT_EQ(context.failure_state(), Error::Ok);
  }
  EXPECT_TENSOR_CLOSE(out, tf.make({1, 1, 1, 2}, {1.5f, 15}));
  Tensor again = tf.zeros({1, 1, 1, 2});
  native::custom_sdpa_out(context, tf.zeros({1, 1, 1, 2}), keys, values, 1, kNone, 0.0, true, optional<double>(),
                          again);
  EXPECT_TENSOR_CLOSE(again, out);
  Tensor unused = tf.zeros({1});
  native::update_cache_out(context, tf.full({1, 1, 1, 2}, 7), values, 3, unused);
  EXPECT_EQ(values.const_data_ptr<float>()[7], 7.0f);
  TensorFactory<ScalarType::Long> longs;
  native::update_cache_with_indices_out(context, tf.full({1, 1, 1, 2}, 9), values, 0, longs.make({1, 1}, {2}), unused);
  EXPECT_EQ(values.const_data_ptr<float>()[4], 9.0f);
  ASSERT_EQ(context.failure_state(), Error::Ok);
  native::update_cache_out(context, tf.full({1, 1, 1, 2}, 7), values, 4, unused);
  EXPECT_EQ(context.failure_state(), Error::InvalidArgument);
}

TEST(FacadeLlm, TheGatedDeltaRule) {
  TensorFactory<ScalarType::Float> tf;
  // One channel: the state fades to 0.5 * 4 = 2, misses 10 - 3 * 2 = 4, and moves by a half of that times the key.
  const Tensor key = tf.make({1, 1, 1, 1}, {3}), query = tf.make({1, 1, 1, 1}, {2});
  Tensor out = tf.zeros({1, 1, 1, 1}), state = tf.zeros({1, 1, 1, 1});
  KernelRuntimeContext context;
  native::gated_delta_rule_out(context, query, key, tf.make({1, 1, 1, 1}, {10}), tf.make({1, 1, 1}, {0.5f}),
                               tf.make({1, 1, 1}, {0.5f}), tf.make({1, 1, 1, 1}, {4}), out, state);
  ASSERT_EQ(context.failure_state(), Error::Ok);
  EXPECT_TENSOR_EQ(state, tf.make({1, 1, 1, 1}, {8}));
  EXPECT_TENSOR_EQ(out, tf.make({1, 1, 1, 1}, {16}));
}

TEST(FacadeLlm, HadamardTransforms) {
  std::vector<float> data = {1, 2, 3, 4};
  executorch::fast_hadamard_transform(data.data(), 2);
  EXPECT_EQ(data, (std::vector<float>{5, -1, -2, 0}));
  TensorFactory<ScalarType::Float> tf;
  Tensor out = tf.zeros({4}), wide = tf.zeros({56});
  KernelRuntimeContext context;
  native::fast_hadamard_transform_out(context, tf.make({4}, {1, 2, 3, 4}), out);
  EXPECT_TENSOR_EQ(out, tf.make({4}, {5, -1, -2, 0}));
  // Rows of a Hadamard matrix are orthogonal: the squares add up to 28 times as much.
  std::vector<float> numbers(56);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 5) - 1.5f;
  native::fast_hadamard_transform_out(context, tf.make({56}, numbers), wide);
  ASSERT_EQ(context.failure_state(), Error::Ok);
  std::vector<float> same = numbers;
  executorch::fast_hadamard_transform_28N(same.data(), 1);
  double before = 0, after = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_NEAR(same[i], wide.const_data_ptr<float>()[i], 1e-4);
    before += numbers[i] * numbers[i];
    after += same[i] * same[i];
  }
  EXPECT_NEAR(after / before, 28, 1e-3);
  std::vector<int16_t> quantised = {100, -200, 300, 32767};
  executorch::fast_hadamard_transform_symmetric_quantized_s16(quantised.data(), 2);
  EXPECT_EQ(quantised, (std::vector<int16_t>{16484, -16084, -16584, 16384}));
  std::vector<int16_t> many(28, 32767);
  executorch::fast_hadamard_transform_symmetric_quantized_s16_28N(many.data(), 0);
  for (const int16_t x : many) EXPECT_TRUE(x == 32767 || x == -32768 || x % 32767 == 0) << x;
  native::fast_hadamard_transform_out(context, tf.zeros({3}), wide);
  EXPECT_NE(context.failure_state(), Error::Ok);
}

TEST(FacadeLlm, TheOthers) {
  TensorFactory<ScalarType::Float> tf;
  Tensor tiles = tf.zeros({4, 1, 1, 1}), copy = tf.zeros({2});
  KernelRuntimeContext context;
  native::tile_crop_out_impl(context, tf.make({1, 2, 2}, {1, 2, 3, 4}), 1, tiles);
  EXPECT_TENSOR_EQ(tiles, tf.make({4, 1, 1, 1}, {1, 2, 3, 4}));
  native::fallback_out(context, tf.make({2}, {5, 6}), copy);
  EXPECT_TENSOR_EQ(copy, tf.make({2}, {5, 6}));
  ASSERT_EQ(context.failure_state(), Error::Ok);
  // Reaches the kernel, which knows two score functions.
  TensorFactory<ScalarType::Byte> bytes;
  Tensor out = tf.zeros({1, 32});
  const Tensor packed = bytes.zeros({1, 1});
  native::quantized_moe_ffn_out(context, tf.zeros({1, 32}), tf.zeros({1, 32}), tf.zeros({0}), packed, packed, 1, 1, 32,
                                32, 32, 4, "tanh", 1.0, out);
  EXPECT_EQ(context.failure_state(), Error::InvalidArgument);
}

TEST(FacadeLlm, LogitsBecomeATokenOfTheLastPosition) {
  TensorFactory<ScalarType::Float> tf;
  EXPECT_EQ(executorch::extension::llm::logits_to_token(tf.make({1, 2, 3}, {9, 0, 0, 0, 0, 5})), 2);
  EXPECT_EQ(executorch::extension::llm::logits_to_token(tf.make({1, 3}, {1, 7, 5})), 1);
  executorch::extension::llm::Sampler sampler(3, 0.0f, 0.9f, 1);
  TensorFactory<ScalarType::Half> halves;
  EXPECT_EQ(executorch::extension::llm::sample_from_logits(halves.make({1, 3}, {1, -7, 5}), sampler), 2);
  TensorFactory<ScalarType::Int> ints;
  EXPECT_DEATH(executorch::extension::llm::logits_to_token(ints.ones({3})), "expected float, half");
}

TEST(FacadeLlm, NumbersInEqualSteps) {
  TensorFactory<ScalarType::Long> tf;
  EXPECT_EQ(native::compute_arange_out_size(1, 2, 0.25), 4);
  EXPECT_EQ(native::compute_arange_out_size(2.5), 3);
  EXPECT_DEATH(static_cast<void>(native::compute_arange_out_size(0, 5, -1)), "no numbers from 0 to 5");
  Tensor out = tf.zeros({4});
  native::arange_out_impl(3, 11, 2, out);
  EXPECT_TENSOR_EQ(out, tf.make({4}, {3, 5, 7, 9}));
  EXPECT_GE(executorch::extension::cpuinfo::get_num_performant_cores(), 1u);
}

}  // namespace
