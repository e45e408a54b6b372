// How the functional operators of a graph become calls of kernels: schemas.def as data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace et::reference {

enum class ArgumentType : uint8_t {
  Tensor,
  Scalar,
  Int,
  Float,
  Bool,
  Text,
  ScalarType,
  Layout,
  Device,
  MemoryFormat,
};

struct SchemaArgument {
  std::string_view name;
  ArgumentType type = ArgumentType::Tensor;
  bool list = false;
  bool optional = false;       ///< may be None
  bool item_optional = false;  ///< of a list: items may be None
  bool written = false;        ///< updated in place
  bool has_default = false;
  std::string_view default_text;  ///< "None", "true", "1", "0.5", "[0,0]", a text
};

struct OperatorSchema {
  std::string_view kernel;  ///< "aten::add.out"
  std::vector<SchemaArgument> arguments;
  size_t results = 1;
  bool list_result = false;  ///< one result, a list of tensors
};

/// "aten.add.Tensor" → its kernel. A view has the schema of its copying form ("aten.permute.default" →
/// permute_copy). Null: not in the table.
const OperatorSchema* find_schema(std::string_view op);

/// The overload with a number in place of a tensor ("aten.add.Tensor" → "aten.add.Scalar"), null if there is none.
const OperatorSchema* find_scalar_overload(std::string_view op);

}  // namespace et::reference
