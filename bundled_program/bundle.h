// A bundled program (.bpte) as verified, zero-copy views: the program, and test cases with inputs and expected outputs
// for its methods. The caller's bytes must outlive the views. Layout: specification of the bundled program ("BP08").
#pragma once

#include <cstdint>
#include <string_view>

#include "base/file_error.h"
#include "base/scalar_type.h"
#include "base/span.h"

namespace et::bundled {

namespace bp_fb {
struct BundledProgram;
struct BundledMethodTestSuite;
struct BundledMethodTestCase;
struct Value;
}  // namespace bp_fb

enum class ValueKind : uint8_t { None = 0, Tensor = 1, Int = 2, Bool = 3, Double = 4 };

struct TensorValue {
  ScalarType scalar_type = ScalarType::Byte;
  Span<const int32_t> sizes;
  Span<const uint8_t> dim_order;  // as long as sizes
  Span<const uint8_t> data;       // exactly the tensor's bytes
};

struct Value {
  ValueKind kind = ValueKind::None;
  int64_t as_int = 0;
  bool as_bool = false;
  double as_double = 0;
  TensorValue tensor;
};

class Case {
 public:
  Case() = default;
  explicit Case(const bp_fb::BundledMethodTestCase* c) : case_(c) {}
  uint32_t input_count() const;
  uint32_t expected_count() const;
  /// A value of kind None outside of the list.
  Value input(uint32_t i) const;
  Value expected(uint32_t i) const;

 private:
  const bp_fb::BundledMethodTestCase* case_ = nullptr;
};

class Suite {
 public:
  Suite() = default;
  explicit Suite(const bp_fb::BundledMethodTestSuite* s) : suite_(s) {}
  std::string_view method() const;
  uint32_t case_count() const;
  Case test_case(uint32_t i) const;

 private:
  const bp_fb::BundledMethodTestSuite* suite_ = nullptr;
};

class Bundle {
 public:
  /// True when the bytes begin as a bundle does; a plain program does not.
  static bool is_bundle(Span<const uint8_t> file);
  /// Verifies the whole bundle but not the program inside. The buffer must start at a multiple of 16 bytes
  /// (InvalidArgument); anything else that is wrong is InvalidProgram.
  static et::FileError open(Span<const uint8_t> file, Bundle* out);
  /// A bundle whose length nobody knows any more: only its identifier is looked at, so the bytes must be trusted.
  /// False: they begin in another way.
  static bool of_trusted(const void* begin, Bundle* out);

  uint32_t version() const;
  /// The program's bytes, a whole .pte file.
  Span<const uint8_t> program() const;
  uint32_t suite_count() const;
  Suite suite(uint32_t i) const;
  Span<const uint8_t> file() const { return file_; }

 private:
  Span<const uint8_t> file_;
  const bp_fb::BundledProgram* root_ = nullptr;
};

}  // namespace et::bundled
