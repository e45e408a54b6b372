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

namespace {

const char* in_words(Tag tag) {
  switch (tag) {
    case Tag::None:
      return "a None";
    case Tag::Int:
      return "an int";
    case Tag::Bool:
      return "a bool";
    case Tag::Double:
      return "a double";
    case Tag::Tensor:
      return "a tensor";
    case Tag::String:
      return "a string";
    case Tag::ListInt:
      return "an int list";
    case Tag::ListDouble:
      return "a double list";
    case Tag::ListBool:
      return "a bool list";
    case Tag::ListTensor:
      return "a tensor list";
    case Tag::ListOptionalTensor:
      return "a list of optional tensors";
  }
  return "a value of an unknown type";
}

}  // namespace

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
  ET_LOG(Fatal, "EValue is not %s: it is %s", in_words(wanted), in_words(tag));
  log_internal::fail();
}

void EValue::null_list(Tag tag, bool read) {
  const char* what = in_words(tag);
  what += what[1] == 'n' ? 3 : 2;  // without the article
  if (read) {
    ET_LOG(Fatal, "EValue: its %s pointer is null", what);
  } else {
    ET_LOG(Fatal, "EValue: the %s pointer cannot be null", what);
  }
  log_internal::fail();
}

void evalue_internal::bad_list(const char* cause) {
  ET_LOG(Fatal, "BoxedEvalueList: %s", cause);
  log_internal::fail();
}

}  // namespace et
