// VARIABLE, VARIABLE_WRITE and VARIABLE_READ: state that lives from one execution to the next. The loader gives a
// tensor that is a variable the variable's memory, so that writing and reading are copies.
#include <cstring>

#include "runtime/backends/tosa/operators.h"

namespace et::tosa {
namespace {

Kernel copy(OpBuilder& builder, const Value& from, uint32_t from_id, const Value& to, uint32_t to_id) {
  if (!builder.same_type(from, to) || !builder.same_shape(from, to) || !builder.work(from.count)) return {};
  return [from_id, to_id, bytes = from.bytes()](Frame& f) {
    std::memmove(f.at<uint8_t>(to_id), f.at<uint8_t>(from_id), bytes);
    return true;
  };
}

}  // namespace

Kernel prepare_variable(OpBuilder& builder) {
  for (size_t i = 0; i < builder.out_count(); ++i) {
    if (!builder.out(i).variable) builder.fail("expected a tensor that is a variable");
  }
  return [](Frame&) { return true; };
}

Kernel prepare_variable_write(OpBuilder& builder) {
  const bool by_output = builder.out_count() == 1;
  if (!by_output && builder.in_count() != 2) {
    builder.fail("missing variable");
    return {};
  }
  const Value& to = by_output ? builder.out() : builder.in(1);
  if (!to.variable) {
    builder.fail("expected a tensor that is a variable");
    return {};
  }
  return copy(builder, builder.in(0), builder.in_id(0), to, by_output ? builder.out_id() : builder.in_id(1));
}

Kernel prepare_variable_read(OpBuilder& builder) {
  if (builder.in_count() != 1 || !builder.in(0).variable) {
    builder.fail("expected a tensor that is a variable");
    return {};
  }
  return copy(builder, builder.in(0), builder.in_id(0), builder.out(), builder.out_id());
}

}  // namespace et::tosa
