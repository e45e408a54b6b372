// What a run was fed, as files, for tests that look for it.
#pragma once

#include <cstddef>
#include <string>

namespace et::test {

/// An array of float32 zeros; `shape` as in the header of .npy: "3, 6".
void write_zeros(const std::string& path, const std::string& shape, size_t elements);

/// The ETRecord as an export writes it that is not told what inputs are like. False: it could not be read or written.
bool write_record_without_inputs(const std::string& from, const std::string& to);

}  // namespace et::test
