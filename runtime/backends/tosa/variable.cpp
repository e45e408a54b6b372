// VARIABLE, VARIABLE_WRITE and VARIABLE_READ: state that lives from one execution to the next. The loader gives a
// tensor that is a variable the variable's memory, so that writing and reading are copies.
#include <cstring>

#include "runtime/backends/tosa/operators.h"

namespace et::tosa {
namespace {

Kernel copy(Site& site, const Value& from, uint32_t from_id, const Value& to, uint32_t to_id) {
  if (!site.same_type(from, to) || !site.same_shape(from, to) || !site.work(from.count)) return {};
  return [from_id, to_id, bytes = from.bytes()](Frame& f) {
    std::memmove(f.at<uint8_t>(to_id), f.at<uint8_t>(from_id), bytes);
    return true;
  };
}

}  // namespace

Kernel prepare_variable(Site& site) {
  for (size_t i = 0; i < site.out_count(); ++i) {
    if (!site.out(i).variable) site.fail("its tensor is no variable");
  }
  return [](Frame&) { return true; };
}

Kernel prepare_variable_write(Site& site) {
  const bool by_output = site.out_count() == 1;
  if (!by_output && site.in_count() != 2) {
    site.fail("it names no variable");
    return {};
  }
  const Value& to = by_output ? site.out() : site.in(1);
  if (!to.variable) {
    site.fail("its tensor is no variable");
    return {};
  }
  return copy(site, site.in(0), site.in_id(0), to, by_output ? site.out_id() : site.in_id(1));
}

Kernel prepare_variable_read(Site& site) {
  if (site.in_count() != 1 || !site.in(0).variable) {
    site.fail("its tensor is no variable");
    return {};
  }
  return copy(site, site.in(0), site.in_id(0), site.out(), site.out_id());
}

}  // namespace et::tosa
