// The text of source files that a record names: where to look for them, and which of their lines to show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspector/analysis/ops/source_lines.h"
#include "inspector/report/exporters.h"

namespace et::inspector {

struct SourceText {
  std::string path;                ///< where it was found
  std::vector<std::string> lines;  ///< [0] is line 1
  int64_t changed = 0;             ///< lines with cost whose text is not what the record has
};

/// Looks for the mapped path, the path as it is, and the path below the working directory, in this order. Takes regular
/// files of at most 16 MiB. nullopt when there is none.
std::optional<SourceText> find_source(const SourceFileCost& cost, const PathMaps& maps);

/// One line to show. `cost` is null for context; a gap stands where lines are left out.
struct ShownLine {
  int64_t line = 0;
  std::string text;
  const SourceLine* cost = nullptr;
  bool gap_before = false;
};
/// Lines with cost, `context` lines around them and the heads of the functions they are in. Without a text, the lines
/// that the record knows.
std::vector<ShownLine> lines_to_show(const SourceFileCost& cost, const std::optional<SourceText>& text, int context);

}  // namespace et::inspector
