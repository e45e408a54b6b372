#include "cli/check/compare_values.h"

#include <cmath>
#include <cstring>
#include <numeric>

#include "inspector/analysis/ops/value_layout.h"
#include "runtime/module/host_tensor.h"

namespace et::cli {
namespace {

using inspector::LoggedValue;

bool is_complex_type(ScalarType t) {
  return t == ScalarType::ComplexHalf || t == ScalarType::ComplexFloat || t == ScalarType::ComplexDouble;
}

std::optional<bundled::Comparison> compare_rows(const LoggedValue& got, ScalarType type, const std::string& want,
                                                const bundled::Tolerance& tolerance) {
  HostTensor tensor(type, got.shape);
  if (tensor.size() != got.data.size() || got.data.size() != want.size()) return std::nullopt;
  if (!got.data.empty()) std::memcpy(tensor.data(), got.data.data(), got.data.size());
  std::vector<uint8_t> dim_order(got.shape.size());
  std::iota(dim_order.begin(), dim_order.end(), uint8_t{0});
  const bundled::TensorValue expected{
      type, got.shape, dim_order, {reinterpret_cast<const uint8_t*>(want.data()), want.size()}};
  const bool rounds = inspector::is_floating_name(got.dtype) || is_complex_type(type);
  return bundled::compare(tensor.tensor(), expected, rounds ? tolerance : bundled::Tolerance{});
}

}  // namespace

std::optional<bundled::Comparison> compare_values(const LoggedValue& got, const LoggedValue& want,
                                                  const bundled::Tolerance& tolerance) {
  ScalarType type{};
  if (!scalar_type_of(got.dtype, &type) || got.shape.size() > kTensorDimensionLimit) return std::nullopt;
  std::optional<bundled::Comparison> best;
  for (const std::string& rows : arrangements(want, got.dtype, got.shape)) {
    const std::optional<bundled::Comparison> c = compare_rows(got, type, rows, tolerance);
    if (c && (!best || c->noise < best->noise || std::isnan(best->noise))) best = c;
    if (best && best->passed()) break;
  }
  return best;
}

}  // namespace et::cli
