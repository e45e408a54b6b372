#include "gui/core/wide_font.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "gui/core/text.h"

namespace et::gui {
namespace {

namespace fs = std::filesystem;

// Parts of file names without letters' case, the best first.
constexpr std::array<std::string_view, 22> kWideFonts = {"notosanscjk-regular",
                                                         "notosanscjksc-regular",
                                                         "notosanscjkjp-regular",
                                                         "notosanscjk",
                                                         "sourcehansans-regular",
                                                         "sourcehansans",
                                                         "notosanssc",
                                                         "notosansjp",
                                                         "wqy-microhei",
                                                         "wqy-zenhei",
                                                         "droidsansfallbackfull",
                                                         "droidsansfallback",
                                                         "pingfang",
                                                         "hiragino",
                                                         "msyh",
                                                         "simsun",
                                                         "ipagp",
                                                         "ipaexg",
                                                         "takaogothic",
                                                         "vl-gothic",
                                                         "nanumgothic",
                                                         "uming"};

/// Place in the table, the number of its rows for another font.
size_t rank_of(const std::string& name) {
  size_t rank = 0;
  while (rank < kWideFonts.size() && name.find(kWideFonts[rank]) == std::string::npos) ++rank;
  return rank;
}

}  // namespace

std::vector<std::string> font_folders() {
  std::vector<std::string> out;
  const auto add = [&](const char* variable, const char* below) {
    if (const char* value = std::getenv(variable); value != nullptr && *value == '/')
      out.push_back(std::string(value) + below);
  };
  add("XDG_DATA_HOME", "/fonts");
  add("HOME", "/.local/share/fonts");
  add("HOME", "/.fonts");
  for (const char* folder : {"/usr/local/share/fonts", "/usr/share/fonts", "/System/Library/Fonts"}) {
    out.emplace_back(folder);
  }
  return out;
}

std::string find_wide_font(const std::vector<std::string>& folders) {
  constexpr int kMostFiles = 20'000;
  std::string best;
  size_t best_rank = kWideFonts.size();
  int seen = 0;
  for (const std::string& folder : folders) {
    std::error_code error;
    fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && it != fs::recursive_directory_iterator() && ++seen < kMostFiles; it.increment(error)) {
      const std::string kind = lower(it->path().extension().string());
      if (kind != ".ttf" && kind != ".otf" && kind != ".ttc") continue;
      const size_t rank = rank_of(lower(it->path().filename().string()));
      if (rank >= best_rank) continue;
      best_rank = rank;
      best = it->path().string();
    }
  }
  return best;
}

bool has_wide_text(const std::string& text) {
  // UTF-8 of U+2E80 and above begins with a byte from 0xE2 on; those of U+2000 to U+2E7F are signs that many fonts
  // have.
  for (size_t i = 0; i + 2 < text.size(); ++i) {
    const auto a = static_cast<unsigned char>(text[i]), b = static_cast<unsigned char>(text[i + 1]);
    if (a == 0xE2 && b >= 0xBA) return true;
    if (a >= 0xE3 && a <= 0xED) return true;
    if (a == 0xEF && b >= 0xA4 && b <= 0xBE) return true;  // compatibility and full width forms
    if (a == 0xF0 && b >= 0xA0 && b <= 0xB3) return true;
  }
  return false;
}

}  // namespace et::gui
