// Faces of a font file: which one, and how high its lines are.
#include "gui/core/font_face.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace et::gui::test {
namespace {

std::string number(uint32_t value, int bytes) {
  std::string out;
  while (bytes-- > 0) out += static_cast<char>(value >> (8 * bytes) & 255);
  return out;
}

/// A face with no more than is looked at, to stand at `at` of its file.
std::string face(size_t at, const std::string& name, int ascender, int descender) {
  const std::string head = std::string(18, '\0') + number(1000, 2);
  const std::string hhea = std::string(4, '\0') + number(static_cast<uint32_t>(ascender) & 0xFFFF, 2) +
                           number(static_cast<uint32_t>(descender) & 0xFFFF, 2);
  std::string utf16;
  for (const char c : name) utf16 += std::string(1, '\0') + c;
  const std::string names = number(0, 2) + number(1, 2) + number(18, 2) + number(3, 2) + number(1, 2) +
                            number(0x409, 2) + number(4, 2) + number(static_cast<uint32_t>(utf16.size()), 2) +
                            number(0, 2) + utf16;
  std::string out = number(0x00010000, 4) + number(3, 2) + std::string(6, '\0'), tables;
  const auto begin = static_cast<uint32_t>(at + 12 + 3 * 16);
  const auto add = [&](const char* tag, const std::string& table) {
    out += tag + number(0, 4) + number(begin + static_cast<uint32_t>(tables.size()), 4) +
           number(static_cast<uint32_t>(table.size()), 4);
    tables += table;
  };
  add("head", head), add("hhea", hhea), add("name", names);
  return out + tables;
}

std::string collection() {
  constexpr size_t kFirst = 20;
  const std::string one = face(kFirst, "Some Sans CJK JP", 1160, -288);
  const std::string two = face(kFirst + one.size(), "Some Sans CJK SC", 900, -100);
  return "ttcf" + number(0x00020000, 4) + number(2, 4) + number(kFirst, 4) +
         number(static_cast<uint32_t>(kFirst + one.size()), 4) + one + two;
}

TEST(FontFace, OfACollectionIsTheOneOfTheLanguage) {
  const std::string file = collection();
  EXPECT_EQ(choose_face(file, "SC").number, 1);
  EXPECT_FLOAT_EQ(choose_face(file, "SC").height, 1.0F);
  EXPECT_EQ(choose_face(file, "KR").number, 0) << "the first where there is none";
  EXPECT_FLOAT_EQ(choose_face(file, "KR").height, 1.448F);
  const std::string alone = face(0, "Some Sans", 927, -244);
  EXPECT_EQ(choose_face(alone, "SC").number, 0);
  EXPECT_FLOAT_EQ(choose_face(alone, "SC").height, 1.171F);
}

TEST(FontFace, OfAFileThatIsCutOrNoneIsTheFirst) {
  const std::string file = collection();
  for (size_t size = 0; size < file.size(); ++size) {
    const FontFace cut = choose_face(std::string_view(file).substr(0, size), "SC");
    EXPECT_GE(cut.number, 0);
    EXPECT_LT(cut.number, 2);
  }
  EXPECT_FLOAT_EQ(choose_face("no font at all", "SC").height, 0);
  EXPECT_FLOAT_EQ(choose_face("ttcf" + std::string(200, '\xFF'), "SC").height, 0);
}

}  // namespace
}  // namespace et::gui::test
