// Which font of a system is taken for Chinese, Japanese and Korean text, and which text needs one.
#include "gui/core/wide_font.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

TEST(WideFont, TakesTheBestThatIsThere) {
  const TemporaryFolder folder;
  EXPECT_EQ(find_wide_font({folder.path(), "/no/such/folder"}), "");
  std::filesystem::create_directories(folder / "truetype/deep");
  const auto put = [&](const std::string& name) { std::ofstream(folder / name) << "font"; };
  put("truetype/DejaVuSans.ttf");
  EXPECT_EQ(find_wide_font({folder.path()}), "");
  put("truetype/deep/DroidSansFallbackFull.ttf");
  EXPECT_EQ(find_wide_font({folder.path()}), folder / "truetype/deep/DroidSansFallbackFull.ttf");
  put("NotoSansCJK-Bold.ttc");
  EXPECT_EQ(find_wide_font({folder.path()}), folder / "NotoSansCJK-Bold.ttc");
  put("NotoSansCJK-Regular.ttc");
  put("NotoSansCJK-Regular.txt");
  EXPECT_EQ(find_wide_font({folder.path()}), folder / "NotoSansCJK-Regular.ttc");
}

TEST(WideFont, KnowsTextThatNeedsIt) {
  for (const char* wide : {"模型", "モデル", "모델", "layer.注意", "ＡＢＣ", "⻆"})
    EXPECT_TRUE(has_wide_text(wide)) << wide;
  for (const char* own : {"", "layer", "Größe µs", "модель", "…–→", "a", "ab", "\xE6", "\xE6\xA8"})
    EXPECT_FALSE(has_wide_text(own)) << own;
}

}  // namespace
}  // namespace et::gui::test
