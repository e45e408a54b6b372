#include "etrecord/pickle_globals.h"

#include <string_view>

namespace et::etrecord {
namespace {

struct TypeName {
  const char* name;
  ScalarType type;
};

constexpr TypeName kStorageClasses[] = {
    {"torch.FloatStorage", ScalarType::Float},
    {"torch.DoubleStorage", ScalarType::Double},
    {"torch.HalfStorage", ScalarType::Half},
    {"torch.BFloat16Storage", ScalarType::BFloat16},
    {"torch.LongStorage", ScalarType::Long},
    {"torch.IntStorage", ScalarType::Int},
    {"torch.ShortStorage", ScalarType::Short},
    {"torch.CharStorage", ScalarType::Char},
    {"torch.ByteStorage", ScalarType::Byte},
    {"torch.BoolStorage", ScalarType::Bool},
    {"torch.ComplexFloatStorage", ScalarType::ComplexFloat},
    {"torch.ComplexDoubleStorage", ScalarType::ComplexDouble},
};

constexpr TypeName kDtypes[] = {
    {"torch.uint8", ScalarType::Byte},
    {"torch.int8", ScalarType::Char},
    {"torch.int16", ScalarType::Short},
    {"torch.int32", ScalarType::Int},
    {"torch.int64", ScalarType::Long},
    {"torch.float16", ScalarType::Half},
    {"torch.float32", ScalarType::Float},
    {"torch.float64", ScalarType::Double},
    {"torch.complex32", ScalarType::ComplexHalf},
    {"torch.complex64", ScalarType::ComplexFloat},
    {"torch.complex128", ScalarType::ComplexDouble},
    {"torch.bool", ScalarType::Bool},
    {"torch.bfloat16", ScalarType::BFloat16},
    {"torch.uint16", ScalarType::UInt16},
    {"torch.uint32", ScalarType::UInt32},
    {"torch.uint64", ScalarType::UInt64},
    {"torch.float8_e5m2", ScalarType::Float8_e5m2},
    {"torch.float8_e4m3fn", ScalarType::Float8_e4m3fn},
    {"torch.float8_e5m2fnuz", ScalarType::Float8_e5m2fnuz},
    {"torch.float8_e4m3fnuz", ScalarType::Float8_e4m3fnuz},
};

template <size_t N>
std::optional<ScalarType> find_type(const TypeName (&table)[N], const std::string& name) {
  for (const TypeName& t : table) {
    if (name == t.name) return t.type;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ScalarType> storage_class_type(const std::string& name) { return find_type(kStorageClasses, name); }
std::optional<ScalarType> dtype_object_type(const std::string& name) { return find_type(kDtypes, name); }

bool is_tensor_class(const std::string& name) {
  return name == "torch.Tensor" || name == "torch.nn.parameter.Parameter" || name == "torch.nn.parameter.Buffer";
}

bool is_data_name(const std::string& name) {
  if (dtype_object_type(name) || is_tensor_class(name)) return true;
  std::string_view n = name;
  if (n.substr(0, 8) == "torchao.") return true;
  for (const std::string_view prefix : {std::string_view("torch.int"), std::string_view("torch.uint")}) {
    if (n.size() == prefix.size() + 1 && n.substr(0, prefix.size()) == prefix && n.back() >= '1' && n.back() <= '7') {
      return true;
    }
  }
  return false;
}

bool is_known_global(const std::string& name) {
  for (const char* known : {kRebuildV2, kRebuildV3, kParameter, kParameterWithState, kOrderedDict, kFake, kEncode,
                            kFromType, kWrapper, kLayout, kDevice, kSize, kLoadStorage, kUntyped}) {
    if (name == known) return true;
  }
  return storage_class_type(name) || is_data_name(name);
}

}  // namespace et::etrecord
