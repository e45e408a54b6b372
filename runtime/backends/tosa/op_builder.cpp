#include "runtime/backends/tosa/op_builder.h"

#include <cstdio>

namespace et::tosa {
namespace {

const char* type_name(Type t) { return format::tosa_dtype_name(static_cast<uint32_t>(t)); }

/// For "%.*s"; a name of the file may be long.
int length(std::string_view name) { return static_cast<int>(name.size() < 60 ? name.size() : 60); }

int64_t element(const Value& v, size_t i) {
  switch (v.type) {
    case Type::Bool:
      return v.constant[i];
    case Type::Int16:
      return reinterpret_cast<const int16_t*>(v.constant)[i];
    case Type::Int32:
      return reinterpret_cast<const int32_t*>(v.constant)[i];
    case Type::Int48:
    case Type::Shape:
      return reinterpret_cast<const int64_t*>(v.constant)[i];
    default:
      return reinterpret_cast<const int8_t*>(v.constant)[i];
  }
}

}  // namespace

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t d : shape) text += (text.size() == 1 ? "" : ", ") + std::to_string(d);
  return text + "]";
}

void OpBuilder::record(const char* format, va_list arguments) {
  if (!cause_.empty()) return;
  char text[256];
  std::vsnprintf(text, sizeof(text), format, arguments);
  cause_ = text;
}

bool OpBuilder::fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record(format, arguments);
  va_end(arguments);
  return false;
}

bool OpBuilder::refuse(const char* format, ...) {
  unsupported_ = unsupported_ || cause_.empty();
  va_list arguments;
  va_start(arguments, format);
  record(format, arguments);
  va_end(arguments);
  return false;
}

bool OpBuilder::is_type(const Value& v, Type wanted) {
  return v.type == wanted ||
         fail("%.*s: expected type %s, got %s", length(v.name), v.name.data(), type_name(wanted), type_name(v.type));
}

bool OpBuilder::same_type(const Value& a, const Value& b) { return is_type(b, a.type); }

bool OpBuilder::has_rank(const Value& v, size_t rank) {
  return v.shape.size() == rank || fail("%.*s: expected %zu dimensions, got shape %s", length(v.name), v.name.data(),
                                        rank, shape_text(v.shape).c_str());
}

bool OpBuilder::has_shape(const Value& v, const std::vector<int64_t>& shape) {
  return v.shape == shape || fail("%.*s: expected shape %s, got %s", length(v.name), v.name.data(),
                                  shape_text(shape).c_str(), shape_text(v.shape).c_str());
}

bool OpBuilder::broadcasts(std::initializer_list<const Value*> operands, const Value& out) {
  std::vector<int64_t> shape(out.shape.size(), 1);
  for (const Value* v : operands) {
    if (!has_rank(*v, shape.size())) return false;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (v->shape[d] == 1) continue;
      if (shape[d] != 1 && shape[d] != v->shape[d]) {
        return fail("%.*s of shape %s does not broadcast to %s", length(v->name), v->name.data(),
                    shape_text(v->shape).c_str(), shape_text(shape).c_str());
      }
      shape[d] = v->shape[d];
    }
  }
  return has_shape(out, shape);
}

bool OpBuilder::constant(size_t input, std::vector<int64_t>* numbers) {
  const Value& v = in(input);
  if (is_float(v.type)) return fail("%.*s: expected an integer type", length(v.name), v.name.data());
  if (v.constant == nullptr) return refuse("%.*s: expected a constant", length(v.name), v.name.data());
  numbers->resize(static_cast<size_t>(v.count));
  for (size_t i = 0; i < numbers->size(); ++i) (*numbers)[i] = element(v, i);
  return true;
}

bool OpBuilder::zero_point(size_t input, Type type, bool allowed, int64_t* out) {
  const Value& v = in(input);
  *out = 0;
  if (!is_type(v, type)) return false;
  if (v.count != 1)
    return fail("zero point %.*s: expected 1 element, got %lld", length(v.name), v.name.data(),
                static_cast<long long>(v.count));
  if (is_float(type)) return true;  // must be 0, and 0 is what is used
  std::vector<int64_t> numbers;
  if (!constant(input, &numbers)) return false;
  *out = numbers[0];
  return allowed || *out == 0 ||
         fail("zero point %.*s: expected 0 for type %s, got %lld", length(v.name), v.name.data(), type_name(type),
              static_cast<long long>(*out));
}

int64_t OpBuilder::number(const char* name) {
  format::TosaAttribute a;
  if (!op_.find_attribute(name, &a)) fail("attribute %s is missing", name);
  return a.number;
}

bool OpBuilder::numbers(const char* name, size_t count, int64_t min, std::vector<int64_t>* out) {
  format::TosaAttribute a;
  if (!op_.find_attribute(name, &a)) return fail("attribute %s is missing", name);
  if (a.ints.size() != count) return fail("attribute %s: expected %zu numbers, got %zu", name, count, a.ints.size());
  out->assign(a.ints.begin(), a.ints.end());
  for (const int64_t x : *out) {
    if (x < min)
      return fail("attribute %s: expected at least %lld, got %lld", name, static_cast<long long>(min),
                  static_cast<long long>(x));
  }
  return true;
}

bool OpBuilder::axis(size_t rank, size_t* out) {
  const int64_t axis = number("axis");
  *out = static_cast<size_t>(axis);
  return (axis >= 0 && axis < static_cast<int64_t>(rank)) ||
         fail("axis %lld is out of range for %zu dimensions", static_cast<long long>(axis), rank);
}

std::span<const uint8_t> OpBuilder::bytes(const char* name) {
  format::TosaAttribute a;
  if (!op_.find_attribute(name, &a)) fail("attribute %s is missing", name);
  return a.bytes;
}

std::string_view OpBuilder::text(const char* name) {
  format::TosaAttribute a;
  if (!op_.find_attribute(name, &a)) fail("attribute %s is missing", name);
  return a.text;
}

bool OpBuilder::work(int64_t a, int64_t b, int64_t c) {
  uint64_t more = 0;
  const bool overflow = __builtin_mul_overflow(static_cast<uint64_t>(a), static_cast<uint64_t>(b), &more) ||
                        __builtin_mul_overflow(more, static_cast<uint64_t>(c), &more) ||
                        __builtin_add_overflow(budget_.work, more, &budget_.work);
  return (!overflow && budget_.work <= budget_.limits.work) ||
         refuse("the graph exceeds the limit of %llu steps", static_cast<unsigned long long>(budget_.limits.work));
}

bool OpBuilder::memory(uint64_t bytes) {
  return budget_.memory(bytes) ||
         refuse("the graph exceeds the limit of %llu bytes", static_cast<unsigned long long>(budget_.limits.bytes));
}

}  // namespace et::tosa
