// Tests that run once with the project's own GEMM and convolutions, and once with each provider of the build.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "runtime/kernels/matrix/provider.h"
#ifdef ET_TEST_ONEDNN
#include "runtime/kernels/matrix/onednn_provider.h"
#endif

namespace et::test {

/// Calls that a selected provider was given, and those that it did not decline.
struct ProviderCalls {
  const matrix::Provider* provider = nullptr;
  int asked = 0, taken = 0;

  bool count(bool took) {
    ++asked;
    taken += took ? 1 : 0;
    return took;
  }
};
inline ProviderCalls g_provider_calls;

/// The parameter is the provider, null for our own code.
class ProviderTest : public testing::TestWithParam<const matrix::Provider*> {
 protected:
  void SetUp() override {
    g_provider_calls = {GetParam()};
    if (GetParam() != nullptr) matrix::select_provider(&kCounting);
  }
  void TearDown() override { matrix::select_provider(nullptr); }

 private:
  static bool gemm(const matrix::Gemm<float>& job) {
    return g_provider_calls.count(g_provider_calls.provider->gemm(job));
  }
  static bool convolution(const matrix::Convolution& job) {
    return g_provider_calls.count(g_provider_calls.provider->convolution(job));
  }
  static constexpr matrix::Provider kCounting{"counting", &gemm, &convolution};
};

inline auto providers() {
#ifdef ET_TEST_ONEDNN
  return testing::Values(nullptr, matrix::onednn_provider());
#else
  return testing::Values(nullptr);
#endif
}
inline std::string provider_name(const testing::TestParamInfo<const matrix::Provider*>& info) {
  return info.param == nullptr ? "own" : info.param->name;
}

}  // namespace et::test
