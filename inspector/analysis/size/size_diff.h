// What makes one program larger than another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspector/analysis/size/program_size.h"

namespace et::inspector {

/// Something that both or one of them has. Bytes are 0 where it is not.
struct SizeChange {
  std::string group, name, module, used_by, dtype, shape, operator_name;
  int64_t before = 0, after = 0;
  int64_t change() const { return after - before; }
};

struct SizeDiff {
  int64_t before = 0, after = 0;    ///< bytes of the files
  std::vector<SizeChange> groups;   ///< by group; add up to the files
  std::vector<SizeChange> modules;  ///< by module, when any is known; "" is what belongs to none
  std::vector<SizeChange> entries;  ///< those that differ
};

/// Tensors are the same when module, user, and place among those of the same user are, or their names where the file
/// keeps them: numbers of values change with every export. Each list is sorted by the size of the change.
SizeDiff diff_sizes(const ProgramSize& before, const ProgramSize& after);

}  // namespace et::inspector
