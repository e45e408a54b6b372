// Words of the glossary (docs/glossary.md) that a reader meets in the window before knowing them: for tooltips, in one
// sentence or two each.
#pragma once

namespace et::gui::words {

inline constexpr const char* kUsualTime =
    "Usual time: of an op in a warm execution, the mean of the middle half of its samples. P50 is their median: the "
    "two "
    "differ a little.";
inline constexpr const char* kVariation =
    "Variation: what the median execution took beyond the usual times of its ops, such as interrupts that hit another "
    "op "
    "each time. It belongs to no op; below zero, the ops' usual times add up to more.";
inline constexpr const char* kFramework =
    "Framework: time of the runtime in no instruction: Method::execute without what it encloses.";
inline constexpr const char* kUnattributed =
    "Unattributed: time of a delegate's call that the ops inside it do not explain.";
inline constexpr const char* kGraphBreak =
    "Graph break: operators between two delegate calls that run as kernels: execution leaves one delegate and enters "
    "the "
    "next.";
inline constexpr const char* kCrossing =
    "Crossing: bytes of tensors that go from a delegate to operators outside of it, or from these into a delegate.";

}  // namespace et::gui::words
