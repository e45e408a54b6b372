// What is to be known of a font file before it is drawn with: TrueType, OpenType or a collection of them.
#pragma once

#include <string_view>

namespace et::gui {

struct FontFace {
  int number = 0;    ///< in a collection
  float height = 0;  ///< from ascender to descender, in ems; 0: the file does not say
};

/// The face of a collection whose name has this word ("SC": characters as they are written in Simplified Chinese), else
/// the first. Reads no further than the file is long.
FontFace choose_face(std::string_view file, std::string_view word);

}  // namespace et::gui
