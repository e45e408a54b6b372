#include "gui/shell/fonts.h"

#include <fcntl.h>
#include <imgui.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>
#include <string_view>

#include "gui/core/font_face.h"
#include "gui/core/wide_font.h"
#include "gui/widgets/theme.h"

extern "C" {
extern const char et_font_text[], et_font_text_end[], et_font_bold[], et_font_bold_end[], et_font_mono[],
    et_font_mono_end[];
}

namespace et::gui {
namespace {

constexpr float kFontSize = 15;

/// The file's bytes, mapped for the rest of the process: glyphs are read from it when they are first drawn.
std::span<char> mapped_file(const std::string& path) {
  const int fd = path.empty() ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  struct stat st {};
  void* data = MAP_FAILED;
  if (::fstat(fd, &st) == 0 && st.st_size > 0) {
    data = ::mmap(nullptr, static_cast<size_t>(st.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  }
  ::close(fd);
  if (data == MAP_FAILED) return {};
  // TrueType, OpenType or a collection of them: for anything else the library that reads it would stop the program.
  constexpr std::string_view kStarts[] = {{"\0\1\0\0", 4}, "OTTO", "true", "ttcf"};
  const std::string_view start(static_cast<const char*>(data), std::min<size_t>(4, static_cast<size_t>(st.st_size)));
  if (std::find(std::begin(kStarts), std::end(kStarts), start) == std::end(kStarts)) return {};
  return {static_cast<char*>(data), static_cast<size_t>(st.st_size)};
}

ImFont* add_font(const char* begin, const char* end, const char* name, std::span<char> wide) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  std::snprintf(config.Name, sizeof config.Name, "%s", name);
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  ImFont* font =
      atlas->AddFontFromMemoryTTF(const_cast<char*>(begin), static_cast<int>(end - begin), kFontSize, &config);
  config.MergeMode = true;
  // Arrows and other signs that Roboto does not have.
  if (begin != et_font_mono) {
    std::snprintf(config.Name, sizeof config.Name, "%s signs", name);
    atlas->AddFontFromMemoryTTF(const_cast<char*>(et_font_mono), static_cast<int>(et_font_mono_end - et_font_mono),
                                kFontSize, &config);
  }
  if (wide.empty()) return font;
  std::snprintf(config.Name, sizeof config.Name, "%s wide", name);
  // ImGui scales a font to its lines, which are high in fonts for Chinese: characters as large as their neighbours.
  const FontFace own = choose_face({begin, static_cast<size_t>(end - begin)}, "");
  const FontFace face = choose_face({wide.data(), wide.size()}, "SC");
  const float larger = own.height > 0 && face.height > 0 ? std::clamp(face.height / own.height, 1.0F, 1.3F) : 1.0F;
  config.FontNo = static_cast<unsigned>(face.number);
  atlas->AddFontFromMemoryTTF(wide.data(), static_cast<int>(wide.size()), kFontSize * larger, &config);
  return font;
}

}  // namespace

std::string load_fonts(const std::vector<std::string>& folders) {
  // What does not fit any more is drawn again when it is needed.
  constexpr int kLargestTexture = 4096;
  ImGui::GetIO().Fonts->TexMaxWidth = kLargestTexture;
  ImGui::GetIO().Fonts->TexMaxHeight = kLargestTexture;
  const std::string path = find_wide_font(folders);
  const std::span<char> wide = mapped_file(path);
  fonts().text = add_font(et_font_text, et_font_text_end, "text", wide);
  fonts().bold = add_font(et_font_bold, et_font_bold_end, "bold", wide);
  fonts().mono = add_font(et_font_mono, et_font_mono_end, "mono", wide);
  return wide.empty() ? std::string() : path;
}

}  // namespace et::gui
