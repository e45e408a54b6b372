#include "runtime/core/evalue.h"

#include "runtime/platform/log.h"

namespace et {

const char* tag_name(Tag tag) {
  switch (tag) {
    case Tag::None:
      return "None";
    case Tag::Int:
      return "Int";
    case Tag::Bool:
      return "Bool";
    case Tag::Double:
      return "Double";
    case Tag::Tensor:
      return "Tensor";
    case Tag::String:
      return "String";
    case Tag::ListInt:
      return "ListInt";
    case Tag::ListDouble:
      return "ListDouble";
    case Tag::ListBool:
      return "ListBool";
    case Tag::ListTensor:
      return "ListTensor";
    case Tag::ListOptionalTensor:
      return "ListOptionalTensor";
  }
  return "unknown";
}

EValue::EValue(Scalar s) : EValue() {
  if (s.isBoolean()) {
    *this = EValue(s.to<bool>());
  } else if (s.isFloatingPoint()) {
    *this = EValue(s.to<double>());
  } else {
    *this = EValue(s.to<int64_t>());
  }
}

Scalar EValue::toScalar() const {
  if (isBool()) return payload.copyable_union.as_bool;
  if (isDouble()) return payload.copyable_union.as_double;
  expect(Tag::Int);
  return payload.copyable_union.as_int;
}

void EValue::wrong_tag(Tag wanted) const {
  ET_LOG(Fatal, "EValue of type %s was read as %s", tag_name(tag), tag_name(wanted));
  log_internal::fail();
}

void EValue::null_list() {
  ET_LOG(Fatal, "EValue: expected a string or a list, got null");
  log_internal::fail();
}

}  // namespace et
