// Names inside a side-car, a zip of .npy arrays (numpy.load reads it) with the test cases of one program:
//
//   meta.json                        {"format": "et-cases/1", "program_sha256": "…", …}
//   METHOD/CASE/input_I.npy          a tensor
//   METHOD/CASE/input_I.KIND.npy     KIND int, bool, double: a number (int64, bool, float64 of no dimensions);
//                                    or the tensor's dtype, where NumPy has none for it: float8_e4m3fn, qint8, …
//   METHOD/CASE/expected_I…          likewise
//
// METHOD has %XX for every byte but letters, digits, '_', '-' and '.', and for a leading '.'. CASE and I count from 0.
// Optional members of meta.json: "cases", an object of counts by METHOD, for methods and cases without values;
// "dim_order", an object of lists by a member's name without ".npy", for tensors that are not row-major: the array's
// elements are in the usual place all the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bundled_program/bundle.h"

namespace et::bundled {

inline constexpr std::string_view kSidecarFormat = "et-cases/1";
inline constexpr std::string_view kSidecarMeta = "meta.json";

/// Max index of a case in a method and of a value in a case.
inline constexpr uint32_t kMaxIndex = 999'999;

struct MemberName {
  std::string method;  // as the program has it
  uint32_t test_case = 0;
  bool expected = false;
  uint32_t index = 0;
  ValueKind kind = ValueKind::Tensor;
  std::optional<ScalarType> type;  // told by the name
};

/// "forward/0/input_1.npy".
std::string member_name(const MemberName& name);
/// Nothing for a name that is none of a value.
std::optional<MemberName> parse_member_name(std::string_view text);

std::string encode_method(std::string_view method);

/// 64 hexadecimal digits: the SHA-256 by which a side-car names its program.
std::string program_digest(std::span<const uint8_t> program);
/// A digest in hexadecimal, lower case.
std::string digest_text(std::span<const uint8_t> digest);

}  // namespace et::bundled
