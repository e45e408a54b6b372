#include "cli/run/fill_tensor.h"

#include <cstring>

#include "runtime/core/half.h"

namespace et::cli {
namespace {

template <class T>
void put(HostTensor* t, size_t i, double v) {
  const T value = static_cast<T>(static_cast<float>(v));
  std::memcpy(t->data() + i * sizeof(T), &value, sizeof(T));
}

// One number of the given dtype; false for dtypes that have no numbers of their own.
bool put_number(HostTensor* t, size_t i, double v) {
  switch (t->tensor().scalar_type()) {
    case ScalarType::Byte:
    case ScalarType::Bool:
      return put<uint8_t>(t, i, v), true;
    case ScalarType::Char:
      return put<int8_t>(t, i, v), true;
    case ScalarType::Short:
    case ScalarType::UInt16:
      return put<int16_t>(t, i, v), true;
    case ScalarType::Int:
    case ScalarType::UInt32:
      return put<int32_t>(t, i, v), true;
    case ScalarType::Long:
    case ScalarType::UInt64:
      return put<int64_t>(t, i, v), true;
    case ScalarType::Half:
      return put<Half>(t, i, v), true;
    case ScalarType::BFloat16:
      return put<BFloat16>(t, i, v), true;
    case ScalarType::Float:
      return put<float>(t, i, v), true;
    case ScalarType::Double:
      return put<double>(t, i, v), true;
    default:
      return false;
  }
}

}  // namespace

void fill_tensor(HostTensor* t, Fill how, std::mt19937_64* random) {
  const ScalarType type = t->tensor().scalar_type();
  const bool whole = !(type == ScalarType::Half || type == ScalarType::BFloat16 || type == ScalarType::Float ||
                       type == ScalarType::Double);
  for (size_t i = 0; i < static_cast<size_t>(t->tensor().numel()); ++i) {
    double v = how == Fill::Ones ? 1 : 0;
    if (how == Fill::Random) {
      const uint64_t bits = (*random)();
      v = whole ? static_cast<double>(bits >> 63) : static_cast<double>(bits >> 40) / 16777216.0;
    }
    if (!put_number(t, i, v)) return;
  }
}

}  // namespace et::cli
