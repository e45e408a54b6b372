// Pictures of a few panels beside those that were looked at and found good (tests/gui/pictures). Fonts and drivers may
// draw an edge differently; a missing column, a wrong colour or a text that runs out of its box are more than that.
// ET_UPDATE_PICTURES=1 writes them again.
#include <png.h>

#include <cstdlib>
#include <filesystem>

#include "tests/gui/support/tokens_trace.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

Picture read_png(const std::string& path) {
  Picture picture;
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return picture;
  image.format = PNG_FORMAT_RGBA;
  picture.width = static_cast<int>(image.width);
  picture.height = static_cast<int>(image.height);
  picture.pixels.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr) == 0) return {};
  return picture;
}

/// Share of pixels that differ clearly, each compared with the mean of its neighbourhood, so that a shift by a pixel or
/// another smoothing of edges does not count.
double difference(const Picture& a, const Picture& b) {
  constexpr int kCell = 8;
  constexpr double kClear = 24;
  if (a.width != b.width || a.height != b.height) return 1;
  int cells = 0, differing = 0;
  for (int y = 0; y + kCell <= a.height; y += kCell) {
    for (int x = 0; x + kCell <= a.width; x += kCell) {
      double worst = 0;
      for (int channel = 0; channel < 3; ++channel) {
        double sum = 0;
        for (int dy = 0; dy < kCell; ++dy) {
          for (int dx = 0; dx < kCell; ++dx) {
            const auto at = static_cast<size_t>(((y + dy) * a.width + x + dx) * 4 + channel);
            sum += static_cast<double>(a.pixels[at]) - static_cast<double>(b.pixels[at]);
          }
        }
        worst = std::max(worst, std::abs(sum) / (kCell * kCell));
      }
      ++cells;
      if (worst > kClear) ++differing;
    }
  }
  return static_cast<double>(differing) / cells;
}

struct Shot {
  const char* artifact;
  const char* panel;
  const char* theme;
};

class Pictures : public UiTest, public testing::WithParamInterface<Shot> {};

TEST_P(Pictures, LooksAsItDid) {
  if (!is_drawn()) GTEST_SKIP() << "nothing is drawn";
  const Shot shot = GetParam();
  app().set_theme(shot.theme);
  if (std::string_view(shot.artifact) == "tokens") {
    write_tokens_trace(folder / "tokens.etdp");
    app().open_files({folder / "tokens.etdp"});
    app().jobs().finish();
    settle();
  } else {
    open(shot.artifact);
  }
  solo(shot.panel);
  const Picture now = picture();
  const std::string name = std::string(shot.panel) + "." + shot.artifact + "." + shot.theme + ".png";
  const std::string path = std::string(ET_SOURCE_DIR) + "/tests/gui/pictures/" + name;
  const char* update = std::getenv("ET_UPDATE_PICTURES");
  if (update != nullptr && *update == '1') {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    const Status written = write_png(now, path);
    ASSERT_TRUE(written.ok()) << written.message();
    return;
  }
  const Picture before = read_png(path);
  ASSERT_FALSE(before.pixels.empty()) << path << " is missing; ET_UPDATE_PICTURES=1 makes it";
  EXPECT_LT(difference(now, before), 0.02) << path;
}

INSTANTIATE_TEST_SUITE_P(Ui, Pictures,
                         testing::Values(Shot{"partial_delegation", "operators", "dark"},
                                         Shot{"partial_delegation", "timeline", "dark"},
                                         Shot{"mobilenet_v2_035_xnnpack_int8", "flame", "light"},
                                         Shot{"partial_delegation", "delegation", "light"},
                                         Shot{"tokens", "llm", "dark"}),
                         [](const auto& each) { return std::string(each.param.panel) + "_" + each.param.theme; });

}  // namespace
}  // namespace et::gui::test
