// What a side-car will hold: its members and its meta.json, before any of them is written.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "bundled_program/cases/case_source.h"

namespace et::bundled {

struct SidecarMember {
  std::string name;
  size_t suite = 0, test_case = 0, index = 0;
  bool expected = false;
  uint64_t size = 0;  // bytes of the array with its header

  const Value& value(const LoadedCase& test) const { return (expected ? test.expected : test.inputs)[index]; }
};

struct SidecarList {
  std::string meta;                    // the text of meta.json
  std::vector<SidecarMember> members;  // those of a case together
};

/// Loads the cases one after another. Errors: those of loading a case, InvalidArgument (a value without kind, an
/// unsound tensor, two suites of one method).
Status list_members(std::span<const uint8_t> program, const CaseSource& cases, SidecarList* out);

/// A member's bytes: the header of the array, then its data in row-major order.
struct ArrayBytes {
  std::string header;
  std::span<const uint8_t> data;
  std::shared_ptr<const void> owner;  // null where the data is the value's

  uint64_t size() const { return header.size() + data.size(); }
};
ArrayBytes array_bytes(const Value& v);

}  // namespace et::bundled
