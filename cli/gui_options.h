// The options of the window: et-inspect-gui has them, and `et-inspect gui` hands them on.
#pragma once

#include "cli/graph_inputs.h"

namespace et::cli {

inline constexpr OptionSpec kGuiPositionals[] = {
    {.name = "files",
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .many = true,
     .help = "a store (store.db, store.db#3, store.db@latest), or an ETDump, its ETRecord and its program in any "
             "order, or a "
             "folder with them; what is not named is found beside the ETDump; - is standard input"},
};
inline constexpr OptionSpec kGuiInput[] = {
    kEtrecordOption,
    kPteOption,
    kDebugBufferOption,
    kNoNeighboursOption,
    value_option("compare", 0, "FILE",
                 "another trace of the model, before the open one: an ETDump, a folder, a trace of a store; for the "
                 "panels compare and flame",
                 Complete::File),
};
inline constexpr OptionSpec kGuiNumerics[] = {
    kAgainstOption,
};
inline constexpr OptionSpec kGuiWindow[] = {
    value_option("panel", 0, "NAME", "panel to open first; with --screenshot: the only one, or window for all"),
    value_option("size", 0, "WxH", "size of the window or the picture in pixels (default 1440x900)"),
    value_option("scale", 0, "NUMBER",
                 "scale of text and lines, 0.5 to 4; 2 for a HiDPI display (default: as the display says)"),
    choice_option("theme", 0, "NAME", "dark|light", nullptr, "colour theme (default: as last chosen, else dark)"),
    kLinesOption,
    kBasisOption,
    {.name = "no-settings", .help = "neither read nor write settings and layout"},
};
inline constexpr OptionSpec kGuiPicture[] = {
    written(value_option(
        "screenshot", 0, "PATH",
        "write pictures and exit; needs no display. FILE.png: one picture, of --panel or of the whole window; "
        "else a folder, with a picture of each panel",
        Complete::File)),
    {.name = "svg", .help = "with --screenshot: also write the panels' drawings as SVG"},
};
inline constexpr OptionGroup kGuiInputGroup = {"Input", kGuiInput};
inline constexpr OptionGroup kGuiNumericsGroup = {"Numerics", kGuiNumerics};
inline constexpr OptionGroup kGuiWindowGroup = {"Window", kGuiWindow};
inline constexpr OptionGroup kGuiPictureGroup = {"Pictures", kGuiPicture};
inline constexpr const OptionGroup* kGuiGroups[] = {&kGuiInputGroup, &kGuiWindowGroup, &kGuiPictureGroup,
                                                    &kGuiNumericsGroup, &kGraphInputOptions};

}  // namespace et::cli
