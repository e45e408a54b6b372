// OpBuilder: an operator of a payload while it is checked and turned into a function. Questions about operands and
// attributes; the first check that fails is the cause of the error.
#pragma once

#include <cstdarg>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/backends/tosa/graph.h"

namespace et::tosa {

/// What a graph has asked for so far, against its limits.
struct Budget {
  explicit Budget(const Limits& l) : limits(l) {}
  const Limits& limits;
  uint64_t bytes = 0;
  uint64_t work = 0;

  /// False: beyond the limit.
  bool memory(uint64_t more) { return !__builtin_add_overflow(bytes, more, &bytes) && bytes <= limits.bytes; }
};

class OpBuilder {
 public:
  OpBuilder(const format::TosaOperator& op, Block& block, const Node& node, Budget& budget)
      : op_(op), block_(block), node_(node), budget_(budget) {}

  size_t in_count() const { return node_.in.size(); }
  const Value& in(size_t i) const { return block_.values[node_.in[i]]; }
  const Value& out(size_t i = 0) const { return block_.values[node_.out[i]]; }
  uint32_t in_id(size_t i) const { return node_.in[i]; }
  uint32_t out_id(size_t i = 0) const { return node_.out[i]; }
  size_t out_count() const { return node_.out.size(); }

  /// Records the cause, if it is the first, and returns false.
  [[gnu::format(printf, 2, 3)]] bool fail(const char* format, ...);
  /// What the interpreter does not do, rather than what is wrong.
  [[gnu::format(printf, 2, 3)]] bool refuse(const char* format, ...);
  const std::string& cause() const { return cause_; }
  bool unsupported() const { return unsupported_; }

  // Each returns false after recording what is wrong.
  bool is_type(const Value& v, Type wanted);
  bool same_type(const Value& a, const Value& b);
  bool has_rank(const Value& v, size_t rank);
  bool has_shape(const Value& v, const std::vector<int64_t>& shape);
  bool same_shape(const Value& a, const Value& b) { return has_shape(b, a.shape); }
  /// All shapes have the rank of `out`, and 1 where they differ from it; `out` is as small as that allows.
  bool broadcasts(std::initializer_list<const Value*> operands, const Value& out);
  /// An operand known at load: its whole numbers, or the elements of a shape.
  bool constant(size_t input, std::vector<int64_t>* numbers);
  /// One number, known at load; `allowed`: may be other than 0.
  bool zero_point(size_t input, Type type, bool allowed, int64_t* out);

  // Attributes.
  int64_t number(const char* name);
  bool flag(const char* name) { return number(name) != 0; }
  bool numbers(const char* name, size_t count, int64_t min, std::vector<int64_t>* out);
  bool axis(size_t rank, size_t* out);
  /// NaN operands are skipped; false: a NaN wins.
  bool ignores_nan() { return number("nan_mode") == 2; }
  std::span<const uint8_t> bytes(const char* name);
  std::string_view text(const char* name);

  /// Counts what the operator costs, against the limit. `a` × `b` × `c`, which may be huge.
  bool work(int64_t a, int64_t b = 1, int64_t c = 1);
  /// Counts bytes that the operator keeps.
  bool memory(uint64_t bytes);

 private:
  void record(const char* format, va_list arguments);

  const format::TosaOperator& op_;
  Block& block_;
  const Node& node_;
  Budget& budget_;
  std::string cause_;
  bool unsupported_ = false;
};

/// Calls f(std::type_identity<T>) for the T among `T...` that the value is stored as; f returns a Kernel.
template <class... T, class F>
Kernel dispatch(OpBuilder& builder, const Value& value, const F& f) {
  Kernel kernel;
  const bool known = ((value.type == type_of<T>() ? (kernel = f(std::type_identity<T>{}), true) : false) || ...);
  if (!known) {
    builder.fail("%.*s: type %s is not supported by the operator", static_cast<int>(value.name.size()),
                 value.name.data(), format::tosa_dtype_name(static_cast<uint32_t>(value.type)));
  }
  return kernel;
}

/// "[1, 2, 3]"
std::string shape_text(const std::vector<int64_t>& shape);

}  // namespace et::tosa
