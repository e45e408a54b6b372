// Colours and sizes of both themes, in one table. Panels name what a colour means, never its value.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gui/widgets/translated_imgui.h"
#include "inspector/analysis/ops/op_table.h"

namespace et::gui {

enum class ThemeKind : uint8_t { Dark, Light };

struct Theme {
  ThemeKind kind = ThemeKind::Dark;
  ImU32 text, muted, faint;                ///< texts: normal, secondary, hints
  ImU32 background, surface, grid;         ///< of the window, of a drawing's ground, its lines
  ImU32 selection, selection_fill, hover;  ///< frame and fill of what is selected, frame of what the mouse is on
  ImU32 good, warning, bad;                ///< verdicts
  ImU32 unattributed, framework, control;  ///< time without an owner, of the runtime itself, of control flow
  ImU32 variation;                         ///< what an execution took beyond the usual times of its ops
  ImU32 kernel;                            ///< operators of the runtime's own kernels
  ImU32 slower, faster;                    ///< of a comparison: apart for people with colour blindness, too
  ImU32 replaced;                          ///< of a comparison: something else, which is neither slower nor faster
  ImU32 cold;                              ///< first executions, apart from what is selected and from verdicts
};

const Theme& theme();
/// Sets the theme's colours and ImGui's and ImPlot's style; `scale`: of the display, 1 for 96 dpi.
void apply_theme(ThemeKind kind, float scale);

/// The one colour of an operator type, in every panel: its hue says what kind of work it is (type_family()), its shade
/// tells the types of a kind apart. The same for a graph's operator, its kernel and a backend's event of that kind.
ImU32 type_color(std::string_view type);
/// The types of the open trace, those that matter first: as far as there are shades, no two have one colour; where a
/// kind has more types than shades, the last of them look like types of no kind. A type keeps the shade of its name
/// where none before it has that.
void set_types(const std::vector<std::string>& types);
/// Stable colour of a name (module, backend), well apart from its neighbours, readable under theme text.
ImU32 name_color(std::string_view name);
/// Stable colour of what stands beside operators and is none: grey with a tint, as hues are the operators'.
ImU32 quiet_color(std::string_view name);
/// As name_color(), apart from the colours of kernels, control flow and the framework, which stand beside it.
ImU32 backend_color(std::string_view backend);
/// Where an op's self time belongs; time of a delegate's call that no event inside explains is unattributed.
ImU32 part_color(const inspector::OpPart& part);
/// From cheap (0) to costly (1).
ImU32 cost_color(double share);
/// Of two opaque colours, as WCAG has it: 1 to 21; texts need 4.5, large ones 3.
float contrast(ImU32 a, ImU32 b);
/// Black or white, with a contrast of 4.5 on any `background`; the same on all shades of a hue that are nearly alike.
ImU32 text_on(ImU32 background);
ImU32 with_alpha(ImU32 color, float alpha);
/// What is seen of a colour with alpha on an opaque ground.
ImU32 blended(ImU32 color, ImU32 ground);
/// Alpha of what steps back behind what was searched for: on all colours of types a muted text can be read then.
inline constexpr float kSteppedBack = 0.2F;
/// A text that steps back on such a colour, as far as it can be read there.
ImU32 quiet_text_on(ImU32 color, ImU32 ground);

/// Fonts of the program: text, bold headings, code and numbers. Set by the shell.
struct Fonts {
  ImFont* text = nullptr;
  ImFont* bold = nullptr;
  ImFont* mono = nullptr;
};
Fonts& fonts();

/// Size of `points` (at 96 dpi) in pixels of this display.
float scaled(float points);

}  // namespace et::gui
