// NumPy's .npy form of an array, in memory and in files. Source: NumPy's format description (NEP 1), versions 1 to 3;
// little-endian, C and Fortran order. bfloat16, which NumPy does not have, is written as ml_dtypes does: '<V2'. Other
// dtypes that NumPy does not have are bytes of the element's width ('|V1', '<V4'), and the reader is told which.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/scalar_type.h"
#include "base/status.h"

namespace et {

/// An array as it stands in the bytes.
struct NpyArray {
  ScalarType type = ScalarType::Byte;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;  // reversed for Fortran order
  std::span<const uint8_t> data;   // exactly the array's bytes; not aligned
};

/// `type`: what the bytes mean, where NumPy has no dtype for it; a void array of another width is refused. Bytes behind
/// the data are ignored, as NumPy does. `name` is for messages. Errors: InvalidExternalData.
Status parse_npy(std::span<const uint8_t> bytes, const std::string& name, std::optional<ScalarType> type,
                 NpyArray* out);

/// The elements row-major: `data` itself, or `moved`, which they were copied into.
std::span<const uint8_t> row_major(const NpyArray& array, std::vector<uint8_t>* moved);

/// What stands before the data of a row-major array; its length is a multiple of 64.
std::string npy_header(ScalarType type, std::span<const int32_t> sizes);

/// NumPy has a dtype for it, or ml_dtypes' bfloat16.
bool npy_knows(ScalarType type);

}  // namespace et
