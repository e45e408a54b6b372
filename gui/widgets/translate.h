// Texts of the window in the chosen language. Models and panels say everything in English; what draws a text looks it
// up here (translated_imgui.h does it for ImGui's widgets). Names of operators, files and modules have no entry in the
// catalogue and stay as they are.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace et::gui {

/// The text as the window shows it: an entry of the catalogue's context "window", with what stands in its holes; else
/// its sentences and clauses one by one; else itself. Valid until trim_translations() or another language;
/// null-terminated when `text` is.
std::string_view tr(std::string_view text);
/// An error, line by line: as a text of the window, else as the commands say it in that language.
std::string tr_message(std::string_view message);
/// A widget's label "Text##id": its text in the chosen language, its id in all languages "###Text##id".
const char* tr_label(const char* label);
/// As long as it lives texts are shown as they are: what a query of the user's gives.
class Verbatim {
 public:
  Verbatim();
  ~Verbatim();
  Verbatim(const Verbatim&) = delete;
  Verbatim& operator=(const Verbatim&) = delete;
};
/// Once a frame, before any text: forgets what was looked up long ago, so that scrolling costs no memory.
void trim_translations();
/// The language of the window, as languages() has it.
void choose_window_language(std::string_view language);

/// For tests: collects what had no translation from now on; nullptr: no longer.
void collect_untranslated(std::set<std::string>* texts);

}  // namespace et::gui
