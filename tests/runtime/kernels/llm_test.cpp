// The operators of language models against plain references written from their definitions (double precision, no
// blocks), and their refusals. The conformance corpus has no cases of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/core/kernel_registry.h"

namespace et {
namespace {

/// A contiguous tensor that owns what it describes.
class Owned {
 public:
  Owned(ScalarType type, std::vector<int32_t> sizes) : sizes_(std::move(sizes)), strides_(sizes_.size()) {
    size_t count = 1;
    for (size_t d = sizes_.size(); d-- > 0;) {
      order_.insert(order_.begin(), static_cast<uint8_t>(d));
      count *= static_cast<size_t>(sizes_[d]);
    }
    data_.resize(count * element_size(type) + 8);
    dim_order_to_strides(sizes_, order_, strides_.data());
    impl_ =
        std::make_unique<TensorImpl>(type, sizes_.size(), sizes_.data(), data_.data(), order_.data(), strides_.data());
  }
  Tensor tensor() const { return Tensor(impl_.get()); }
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(const_cast<uint8_t*>(data_.data()));
  }
  size_t count() const { return static_cast<size_t>(impl_->numel()); }

 private:
  std::vector<int32_t> sizes_, strides_;
  std::vector<uint8_t> order_;
  std::vector<uint8_t> data_;
  std::unique_ptr<TensorImpl> impl_;
};

std::mt19937 g_random(1);
Owned floats(std::vector<int32_t> sizes, float low = -1, float high = 1) {
  Owned t(ScalarType::Float, std::move(sizes));
  std::uniform_real_distribution<float> values(low, high);
  for (size_t i = 0; i < t.count(); ++i) t.data<float>()[i] = values(g_random);
  return t;
}
Owned filled(std::vector<int32_t> sizes, float value) {
  Owned t(ScalarType::Float, std::move(sizes));
  std::fill_n(t.data<float>(), t.count(), value);
  return t;
}
Owned bytes(std::vector<int32_t> sizes, int low, int high) {
  Owned t(ScalarType::Char, std::move(sizes));
  std::uniform_int_distribution<int> values(low, high);
  for (size_t i = 0; i < t.count(); ++i) t.data<int8_t>()[i] = static_cast<int8_t>(values(g_random));
  return t;
}

/// Runs the operator and gives the context's error.
Error call(const char* name, std::vector<EValue> values) {
  PlatformMemoryAllocator temp;
  KernelRuntimeContext context(nullptr, &temp);
  std::vector<EValue*> args;
  for (EValue& v : values) args.push_back(&v);
  const Result<const Kernel*> kernel = get_kernel(name);
  if (!kernel.ok()) return kernel.error();
  kernel.get()->function(context, args);
  return context.failure_state();
}

void expect_near(const Owned& got, const std::vector<double>& want, double tolerance) {
  ASSERT_EQ(got.count(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(got.data<float>()[i]), want[i], tolerance) << "at " << i;
  }
}

struct AttentionSizes {
  int batch, queries, query_heads, heads, width, positions, start;
};

/// softmax(scale * q k^T + mask) v, keys of position 0 to start + queries (causal: to start + own position).
template <class Q, class K, class V>
std::vector<double> attention(const AttentionSizes& s, bool causal, const float* mask, int keys, const Q& q, const K& k,
                              const V& v) {
  std::vector<double> out(static_cast<size_t>(s.batch * s.queries * s.query_heads * s.width));
  for (int b = 0; b < s.batch; ++b) {
    for (int h = 0; h < s.query_heads; ++h) {
      const int kv = h / (s.query_heads / s.heads);
      for (int i = 0; i < s.queries; ++i) {
        const int reach = causal ? s.start + i + 1 : keys;
        std::vector<double> p(static_cast<size_t>(reach));
        double most = -1e300, total = 0;
        for (int j = 0; j < reach; ++j) {
          double score = 0;
          for (int d = 0; d < s.width; ++d) score += q(b, i, h, d) * k(b, j, kv, d);
          score /= std::sqrt(s.width);
          if (mask != nullptr) score += static_cast<double>(mask[i * keys + j]);
          p[static_cast<size_t>(j)] = score;
          most = std::max(most, score);
        }
        for (double& x : p) total += x = std::exp(x - most);
        for (int d = 0; d < s.width; ++d) {
          double sum = 0;
          for (int j = 0; j < reach; ++j) sum += p[static_cast<size_t>(j)] * v(b, j, kv, d);
          out[static_cast<size_t>(((b * s.queries + i) * s.query_heads + h) * s.width + d)] = sum / total;
        }
      }
    }
  }
  return out;
}

/// Reads a [B, S, H, D] tensor.
struct Reader {
  const Owned& t;
  int length, heads, width;
  double operator()(int b, int s, int h, int d) const {
    return static_cast<double>(t.data<float>()[((b * length + s) * heads + h) * width + d]);
  }
};

// One token after a prompt, a prompt, grouped heads, more keys than a block, several blocks of queries, odd widths.
const AttentionSizes kAttention[] = {{1, 1, 4, 4, 8, 16, 9},
                                     {2, 5, 6, 2, 16, 12, 3},
                                     {1, 70, 2, 1, 24, 80, 0},
                                     {1, 3, 2, 2, 7, 1200, 1100},
                                     {1, 130, 1, 1, 64, 700, 520}};

TEST(Attention, CacheIsFilledAndAttendedTo) {
  for (const AttentionSizes& s : kAttention) {
    for (bool causal : {true, false}) {
      const Owned q = floats({s.batch, s.queries, s.query_heads, s.width}, -3, 3);
      const Owned k = floats({s.batch, s.queries, s.heads, s.width}, -3, 3);
      const Owned v = floats({s.batch, s.queries, s.heads, s.width});
      const Owned k_cache = floats({s.batch, s.positions, s.heads, s.width}, -3, 3);
      const Owned v_cache = floats({s.batch, s.positions, s.heads, s.width});
      const Owned out = filled({s.batch, s.queries, s.query_heads, s.width}, NAN);
      ASSERT_EQ(call("llama::sdpa_with_kv_cache.out",
                     {q.tensor(), k.tensor(), v.tensor(), k_cache.tensor(), v_cache.tensor(), int64_t{s.start},
                      int64_t{s.queries}, EValue(), 0.0, causal, EValue(), out.tensor(), out.tensor()}),
                Error::Ok);
      for (int b = 0; b < s.batch; ++b) {
        const int row = s.heads * s.width;
        for (int i = 0; i < s.queries * row; ++i) {
          const int at = (b * s.positions + s.start) * row + i;
          ASSERT_EQ(k_cache.data<float>()[at], k.data<float>()[b * s.queries * row + i]);
          ASSERT_EQ(v_cache.data<float>()[at], v.data<float>()[b * s.queries * row + i]);
        }
      }
      expect_near(
          out,
          attention(s, causal, nullptr, s.start + s.queries, Reader{q, s.queries, s.query_heads, s.width},
                    Reader{k_cache, s.positions, s.heads, s.width}, Reader{v_cache, s.positions, s.heads, s.width}),
          2e-6);
    }
  }
}

TEST(Attention, MaskIsAddedOverAllKeys) {
  for (const AttentionSizes& s : kAttention) {
    const Owned q = floats({s.batch, s.queries, s.query_heads, s.width}, -3, 3);
    const Owned k = floats({s.batch, s.positions, s.heads, s.width}, -3, 3);
    const Owned v = floats({s.batch, s.positions, s.heads, s.width});
    const Owned mask = floats({s.queries, s.positions}, -4, 1);
    for (size_t i = 0; i < mask.count(); i += 3) mask.data<float>()[i] = -INFINITY;
    const Owned out = filled({s.batch, s.queries, s.query_heads, s.width}, NAN);
    ASSERT_EQ(call("llama::custom_sdpa.out", {q.tensor(), k.tensor(), v.tensor(), int64_t{0}, mask.tensor(), 0.0, false,
                                              EValue(), out.tensor(), out.tensor()}),
              Error::Ok);
    expect_near(out,
                attention(s, false, mask.data<float>(), s.positions, Reader{q, s.queries, s.query_heads, s.width},
                          Reader{k, s.positions, s.heads, s.width}, Reader{v, s.positions, s.heads, s.width}),
                2e-6);
  }
}

TEST(Attention, QuantisedRowsHaveTheirOwnScales) {
  for (bool second : {false, true}) {
    for (const AttentionSizes& s : kAttention) {
      const auto shape = [&](int length, int heads, int width) {
        return second ? std::vector<int32_t>{s.batch, heads, length, width}
                      : std::vector<int32_t>{s.batch, length, heads, width};
      };
      struct Quantised {
        Owned numbers, scales, zeros;
        int length, heads, width;
        bool second;
        double operator()(int b, int p, int h, int d) const {
          const int row = second ? (b * heads + h) * length + p : (b * length + p) * heads + h;
          return (numbers.data<int8_t>()[row * width + d] - zeros.data<int8_t>()[row]) *
                 static_cast<double>(scales.data<float>()[row]);
        }
      };
      const auto make = [&](int length, int heads) {
        return Quantised{bytes(shape(length, heads, s.width), -128, 127),
                         floats(shape(length, heads, 1), .005f, .02f),
                         bytes(shape(length, heads, 1), -20, 20),
                         length,
                         heads,
                         s.width,
                         second};
      };
      const Quantised q = make(s.queries, s.query_heads), k = make(s.positions, s.heads),
                      v = make(s.positions, s.heads);
      const Owned out = filled(shape(s.queries, s.query_heads, s.width), NAN);
      ASSERT_EQ(call("llama::custom_quantized_sdpa.out",
                     {q.numbers.tensor(), k.numbers.tensor(), v.numbers.tensor(), int64_t{s.start}, EValue(), 0.0, true,
                      EValue(), q.zeros.tensor(), q.scales.tensor(), k.zeros.tensor(), k.scales.tensor(),
                      v.zeros.tensor(), v.scales.tensor(), second, out.tensor(), out.tensor()}),
                Error::Ok);
      const std::vector<double> want = attention(s, true, nullptr, 0, q, k, v);
      for (int b = 0; b < s.batch; ++b) {
        for (int i = 0; i < s.queries; ++i) {
          for (int h = 0; h < s.query_heads; ++h) {
            const int got = second ? (b * s.query_heads + h) * s.queries + i : (b * s.queries + i) * s.query_heads + h;
            const int ref = (b * s.queries + i) * s.query_heads + h;
            for (int d = 0; d < s.width; ++d) {
              ASSERT_NEAR(static_cast<double>(out.data<float>()[got * s.width + d]),
                          want[static_cast<size_t>(ref * s.width + d)], 3e-6);
            }
          }
        }
      }
    }
  }
}

TEST(Attention, RefusesWhatLiesBeyondTheCache) {
  const Owned q = floats({1, 4, 2, 8}), k = floats({1, 4, 2, 8}), cache = floats({1, 10, 2, 8});
  const Owned out = filled({1, 4, 2, 8}, 7);
  const Owned mask = floats({4, 9});
  const auto run = [&](int64_t start, int64_t length, EValue m, bool causal) {
    return call("llama::sdpa_with_kv_cache.out", {q.tensor(), k.tensor(), k.tensor(), cache.tensor(), cache.tensor(),
                                                  start, length, m, 0.0, causal, EValue(), out.tensor(), out.tensor()});
  };
  for (int64_t start : {int64_t{-1}, int64_t{7}, int64_t{10}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(run(start, 4, EValue(), true), Error::InvalidArgument) << start;
    EXPECT_EQ(call("llama::update_cache.out", {k.tensor(), cache.tensor(), start, out.tensor(), out.tensor()}),
              Error::InvalidArgument);
    EXPECT_EQ(call("llama::custom_sdpa.out", {q.tensor(), cache.tensor(), cache.tensor(), start, EValue(), 0.0, true,
                                              EValue(), out.tensor(), out.tensor()}),
              Error::InvalidArgument);
  }
  EXPECT_EQ(run(0, 5, EValue(), true), Error::InvalidArgument);        // seq_len is not the query's
  EXPECT_EQ(run(0, 4, mask.tensor(), false), Error::InvalidArgument);  // mask of 9 keys
  EXPECT_EQ(run(0, 4, mask.tensor(), true), Error::InvalidArgument);   // mask and causal
  EXPECT_EQ(run(6, 4, EValue(), true), Error::Ok);
}

TEST(UpdateCache, TokensGoWhereTheIndicesSay) {
  const Owned value = floats({2, 2, 1, 3}), out = floats({1});
  const Owned cache = filled({2, 4, 1, 3}, 0);
  Owned indices(ScalarType::Long, {2, 2});
  const int64_t positions[] = {3, 0, 2, 1};
  std::copy_n(positions, 4, indices.data<int64_t>());
  const auto run = [&] {
    return call("llama::update_cache_with_indices.out",
                {value.tensor(), cache.tensor(), int64_t{0}, indices.tensor(), out.tensor(), out.tensor()});
  };
  ASSERT_EQ(run(), Error::Ok);
  for (int token = 0; token < 4; ++token) {
    for (int d = 0; d < 3; ++d) {
      EXPECT_EQ(cache.data<float>()[(token / 2 * 4 + positions[token]) * 3 + d], value.data<float>()[token * 3 + d]);
    }
  }
  const std::vector<float> before(cache.data<float>(), cache.data<float>() + cache.count());
  value.data<float>()[0] = 42;
  for (int64_t bad : {int64_t{4}, int64_t{-1}}) {
    indices.data<int64_t>()[3] = bad;
    EXPECT_EQ(run(), Error::InvalidArgument);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), cache.data<float>()));  // nothing of it was written
  }
}

TEST(Hadamard, IsOrthogonalAndSylvesters) {
  for (int length : {1, 2, 8, 64, 28, 56, 448}) {
    const Owned x = floats({3, length});
    const Owned y = filled({3, length}, NAN);
    ASSERT_EQ(call("llama::fast_hadamard_transform.out", {x.tensor(), y.tensor(), y.tensor()}), Error::Ok);
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        double before = 0, after = 0;
        for (int i = 0; i < length; ++i) {
          before += static_cast<double>(x.data<float>()[a * length + i]) *
                    static_cast<double>(x.data<float>()[b * length + i]);
          after += static_cast<double>(y.data<float>()[a * length + i]) *
                   static_cast<double>(y.data<float>()[b * length + i]);
        }
        // The matrix of order 28 is not normalised.
        EXPECT_NEAR(before, length % 28 == 0 ? after / 28 : after, 1e-4) << length;
      }
    }
    if (length % 28 == 0) continue;
    std::vector<double> want;
    for (int row = 0; row < 3; ++row) {
      for (int i = 0; i < length; ++i) {
        double sum = 0;
        for (int j = 0; j < length; ++j) {
          sum += (__builtin_popcount(static_cast<unsigned>(i & j)) % 2 ? -1 : 1) *
                 static_cast<double>(x.data<float>()[row * length + j]);
        }
        want.push_back(sum / std::sqrt(length));
      }
    }
    expect_near(y, want, 1e-5);
  }
  // Entries of order 28 are +-1/sqrt(28): the first row of its matrix is that of the published one.
  const Owned x = filled({28}, 0), y = filled({28}, 0);
  std::string first, last;
  for (int c = 0; c < 28; ++c) {
    std::fill_n(x.data<float>(), 28, 0.0f);
    x.data<float>()[c] = 1;
    ASSERT_EQ(call("llama::fast_hadamard_transform.out", {x.tensor(), y.tensor(), y.tensor()}), Error::Ok);
    first += y.data<float>()[0] > 0 ? '+' : '-';
    last += y.data<float>()[27] > 0 ? '+' : '-';
  }
  EXPECT_EQ(first, "+------++----++-+--+-+--++--");
  EXPECT_EQ(last, "++--++-+-++-+-+----++------+");
  const Owned odd = floats({2, 24});
  EXPECT_EQ(call("llama::fast_hadamard_transform.out", {odd.tensor(), odd.tensor(), odd.tensor()}),
            Error::InvalidArgument);
}

TEST(GatedDeltaRule, FollowsTheRecurrence) {
  constexpr int kBatch = 2, kQueryHeads = 4, kHeads = 2, kTokens = 5, kKey = 6, kValue = 3;
  for (bool by_channel : {false, true}) {
    const Owned q = floats({kBatch, kQueryHeads, kTokens, kKey}), k = floats({kBatch, kHeads, kTokens, kKey});
    const Owned v = floats({kBatch, kHeads, kTokens, kValue}), beta = floats({kBatch, kHeads, kTokens}, 0, 1);
    const Owned decay =
        by_channel ? floats({kBatch, kHeads, kTokens, kKey}, 0, 1) : floats({kBatch, kHeads, kTokens}, 0, 1);
    const Owned state = floats({kBatch, kHeads, kKey, kValue});
    const Owned out = filled({kBatch, kQueryHeads, kTokens, kValue}, NAN);
    const Owned final_state = filled({kBatch, kHeads, kKey, kValue}, NAN);
    ASSERT_EQ(call(by_channel ? "llama::channelwise_gated_delta_rule.out" : "llama::gated_delta_rule.out",
                   {q.tensor(), k.tensor(), v.tensor(), decay.tensor(), beta.tensor(), state.tensor(), out.tensor(),
                    final_state.tensor(), EValue()}),
              Error::Ok);
    std::vector<double> want(out.count()), s(state.data<float>(), state.data<float>() + state.count());
    for (int item = 0; item < kBatch * kHeads; ++item) {
      double* S = s.data() + item * kKey * kValue;
      for (int t = 0; t < kTokens; ++t) {
        const float* key = k.data<float>() + (item * kTokens + t) * kKey;
        double error[kValue];
        for (int i = 0; i < kKey; ++i) {
          for (int j = 0; j < kValue; ++j) {
            S[i * kValue + j] *= static_cast<double>(by_channel ? decay.data<float>()[(item * kTokens + t) * kKey + i]
                                                                : decay.data<float>()[item * kTokens + t]);
          }
        }
        for (int j = 0; j < kValue; ++j) {
          error[j] = static_cast<double>(v.data<float>()[(item * kTokens + t) * kValue + j]);
          for (int i = 0; i < kKey; ++i) error[j] -= S[i * kValue + j] * static_cast<double>(key[i]);
        }
        for (int i = 0; i < kKey; ++i) {
          for (int j = 0; j < kValue; ++j) {
            S[i * kValue + j] +=
                static_cast<double>(beta.data<float>()[item * kTokens + t]) * static_cast<double>(key[i]) * error[j];
          }
        }
        for (int g = 0; g < kQueryHeads / kHeads; ++g) {
          const int head = item * (kQueryHeads / kHeads) + g;
          for (int j = 0; j < kValue; ++j) {
            double sum = 0;
            for (int i = 0; i < kKey; ++i) {
              sum += S[i * kValue + j] * static_cast<double>(q.data<float>()[(head * kTokens + t) * kKey + i]);
            }
            want[static_cast<size_t>((head * kTokens + t) * kValue + j)] = sum;
          }
        }
      }
    }
    expect_near(out, want, 1e-5);
    expect_near(final_state, s, 1e-5);
    EXPECT_EQ(call("llama::gated_delta_rule.out", {q.tensor(), k.tensor(), v.tensor(), decay.tensor(), beta.tensor(),
                                                   state.tensor(), out.tensor(), state.tensor(), EValue()}),
              Error::InvalidArgument);  // the state would be overwritten while it is read
  }
}

/// Weights [rows, cols] as torchao packs them (see packed_weights.h), and as they are.
struct Packed {
  std::vector<uint8_t> bytes;
  std::vector<double> values;
};
Packed pack(int rows, int cols, int group, int bits) {
  Packed p;
  const int32_t header[16] = {6712, 1, bits, 0, 0, 8, 16, 2};
  p.bytes.resize(64);
  std::memcpy(p.bytes.data(), header, 64);
  p.values.resize(static_cast<size_t>(rows * cols));
  std::uniform_int_distribution<int> numbers(bits == 4 ? -8 : -128, bits == 4 ? 7 : 127);
  std::uniform_real_distribution<float> scales(.001f, .02f);
  for (int r0 = 0; r0 < rows; r0 += 8) {
    for (int c0 = 0; c0 < cols; c0 += group) {
      std::vector<std::vector<int>> q(8, std::vector<int>(static_cast<size_t>(group)));
      for (auto& row : q)
        for (int& x : row) x = numbers(g_random);
      for (int c = 0; c < group; c += 16) {
        std::vector<int> order;  // two halves of 8 columns, each row by row
        for (int half = 0; half < 2; ++half) {
          for (int r = 0; r < 8; ++r) {
            for (int i = 0; i < 8; ++i)
              order.push_back(q[static_cast<size_t>(r)][static_cast<size_t>(c + half * 8 + i)]);
          }
        }
        if (bits == 8) {
          for (int x : order) p.bytes.push_back(static_cast<uint8_t>(x));
        } else {
          for (size_t i = 0; i < 128; i += 32) {
            for (size_t j = 0; j < 16; ++j)
              p.bytes.push_back(static_cast<uint8_t>((order[i + 16 + j] + 8) << 4 | (order[i + j] + 8)));
          }
        }
      }
      for (int r = 0; r < 8; ++r) {
        const float scale = scales(g_random);
        const auto* raw = reinterpret_cast<const uint8_t*>(&scale);
        p.bytes.insert(p.bytes.end(), raw, raw + 4);
        for (int c = 0; c < group && r0 + r < rows; ++c) {
          p.values[static_cast<size_t>((r0 + r) * cols + c0 + c)] =
              q[static_cast<size_t>(r)][static_cast<size_t>(c)] * static_cast<double>(scale);
        }
      }
      p.bytes.resize(p.bytes.size() + 32);  // sums
    }
  }
  return p;
}

TEST(MixtureOfExperts, AddsTheChosenExperts) {
  constexpr int kTokens = 7, kDim = 32, kHidden = 48, kExperts = 5, kChosen = 2, kGroup = 16;
  for (int bits : {4, 8}) {
    for (bool by_sigmoid : {true, false}) {
      std::vector<Packed> w13, w2;
      for (int e = 0; e < kExperts; ++e) {
        w13.push_back(pack(2 * kHidden, kDim, kGroup, bits));
        w2.push_back(pack(kDim, kHidden, kGroup, bits));
      }
      Owned p13(ScalarType::Byte, {kExperts, static_cast<int32_t>(w13[0].bytes.size())});
      Owned p2(ScalarType::Byte, {kExperts, static_cast<int32_t>(w2[0].bytes.size())});
      for (size_t e = 0; e < kExperts; ++e) {
        std::copy(w13[e].bytes.begin(), w13[e].bytes.end(), p13.data<uint8_t>() + e * w13[e].bytes.size());
        std::copy(w2[e].bytes.begin(), w2[e].bytes.end(), p2.data<uint8_t>() + e * w2[e].bytes.size());
      }
      const Owned x = floats({kTokens, kDim}), gate = floats({kExperts, kDim});
      const Owned bias = by_sigmoid ? floats({kExperts}) : floats({0});
      const Owned out = filled({kTokens, kDim}, NAN);
      const auto run = [&](int64_t dim, string_view name) {
        const ArrayRef<char> score(name.data(), name.size());
        return call(
            "llama::quantized_moe_ffn.out",
            {x.tensor(), gate.tensor(), bias.tensor(), p13.tensor(), p2.tensor(), int64_t{kChosen}, int64_t{kExperts},
             int64_t{kHidden}, dim, int64_t{kGroup}, int64_t{bits}, &score, 2.5, out.tensor(), out.tensor()});
      };
      ASSERT_EQ(run(kDim, by_sigmoid ? "sigmoid" : "softmax"), Error::Ok);
      std::vector<double> want(out.count());
      for (size_t t = 0; t < kTokens; ++t) {
        const float* in = x.data<float>() + t * kDim;
        double score[kExperts], rank[kExperts];
        for (size_t e = 0; e < kExperts; ++e) {
          score[e] = 0;
          for (size_t d = 0; d < kDim; ++d)
            score[e] += static_cast<double>(in[d]) * static_cast<double>(gate.data<float>()[e * kDim + d]);
          if (by_sigmoid) score[e] = 1 / (1 + std::exp(-score[e]));
          rank[e] = score[e] + (by_sigmoid ? static_cast<double>(bias.data<float>()[e]) : 0);
        }
        std::vector<size_t> order = {0, 1, 2, 3, 4};
        std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank[a] > rank[b]; });
        double weight[kChosen], total = 0;
        for (size_t i = 0; i < kChosen; ++i)
          total += weight[i] = by_sigmoid ? score[order[i]] : std::exp(score[order[i]]);
        for (size_t i = 0; i < kChosen; ++i) {
          const size_t e = order[i];
          double hidden[kHidden];
          for (size_t f = 0; f < kHidden; ++f) {
            double up = 0, side = 0;
            for (size_t d = 0; d < kDim; ++d) {
              up += static_cast<double>(in[d]) * w13[e].values[f * kDim + d];
              side += static_cast<double>(in[d]) * w13[e].values[(kHidden + f) * kDim + d];
            }
            hidden[f] = up / (1 + std::exp(-up)) * side;
          }
          for (size_t d = 0; d < kDim; ++d) {
            for (size_t f = 0; f < kHidden; ++f) {
              want[t * kDim + d] +=
                  weight[i] / total * (by_sigmoid ? 2.5 : 1) * hidden[f] * w2[e].values[d * kHidden + f];
            }
          }
        }
      }
      expect_near(out, want, bits == 4 ? 1e-5 : 2e-3);
      EXPECT_EQ(run(kDim, "softplus"), Error::InvalidArgument);
      EXPECT_EQ(run(kDim + 16, "softmax"), Error::InvalidArgument);
      p13.data<uint8_t>()[0] ^= 1;  // another format
      for (int e = 1; e < kExperts; ++e) p13.data<uint8_t>()[static_cast<size_t>(e) * w13[0].bytes.size()] ^= 1;
      EXPECT_EQ(run(kDim, by_sigmoid ? "sigmoid" : "softmax"), Error::InvalidArgument);
    }
  }
}

TEST(TileCrop, TilesAreRowsOfTheImage) {
  const Owned image = floats({2, 4, 6});
  const Owned out = filled({6, 2, 2, 2}, NAN);
  ASSERT_EQ(call("preprocess::tile_crop.out", {image.tensor(), int64_t{2}, out.tensor(), out.tensor()}), Error::Ok);
  for (int tile = 0; tile < 6; ++tile) {
    for (int c = 0; c < 2; ++c) {
      for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(out.data<float>()[(tile * 2 + c) * 4 + i],
                  image.data<float>()[(c * 4 + tile / 3 * 2 + i / 2) * 6 + tile % 3 * 2 + i % 2]);
      }
    }
  }
  for (int64_t size : {int64_t{0}, int64_t{-2}, int64_t{4}, INT64_MAX}) {
    EXPECT_EQ(call("preprocess::tile_crop.out", {image.tensor(), size, out.tensor(), out.tensor()}),
              Error::InvalidArgument);
  }
}

}  // namespace
}  // namespace et
