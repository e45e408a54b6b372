#include "bundled_program/cases/input_value.h"

#include <cstring>

namespace et::bundled {

EValue input_value(const Value& value, const EValue& target, std::vector<std::unique_ptr<HostTensor>>* memory) {
  switch (value.kind) {
    case ValueKind::Int:
      return EValue(value.as_int);
    case ValueKind::Bool:
      return EValue(value.as_bool);
    case ValueKind::Double:
      return EValue(value.as_double);
    case ValueKind::None:
      return {};
    case ValueKind::Tensor:
      break;
  }
  const TensorValue& t = value.tensor;
  auto own = std::make_unique<HostTensor>(t.scalar_type, t.sizes, t.dim_order);
  if (!t.data.empty()) std::memcpy(own->data(), t.data.data(), t.data.size());
  if (target.isTensor() && target.toTensor().dim() == own->tensor().dim()) {
    own = own->with_dim_order(target.toTensor().dim_order());
  }
  memory->push_back(std::move(own));
  return EValue(memory->back()->tensor());
}

}  // namespace et::bundled
