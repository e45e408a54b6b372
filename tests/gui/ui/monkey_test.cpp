// Ten thousand random inputs: no crash, no sanitizer's report, no memory that grows with them.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <random>

#include "tests/gui/ui/harness.h"

#if defined(__SANITIZE_ADDRESS__)
// Of sanitizer/allocator_interface.h, which GCC 12 does not install.
extern "C" size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace et::gui::test {
namespace {

size_t allocated_bytes() {
#if defined(__SANITIZE_ADDRESS__)
  return __sanitizer_get_current_allocated_bytes();
#else
  return mallinfo2().uordblks;
#endif
}

class Monkey : public UiTest, public testing::WithParamInterface<const char*> {
 protected:
  bool wants_drawing() const override { return false; }

  void one_input(std::mt19937& random) {
    ImGuiIO& io = ImGui::GetIO();
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    if (pick(60) == 0)
      app().show_panel(all_panels()[static_cast<size_t>(pick(static_cast<int>(all_panels().size())))]->id);
    switch (pick(12)) {
      case 0:
      case 1:
      case 2:
        io.AddMousePosEvent(static_cast<float>(pick(picture_size().width)),
                            static_cast<float>(pick(picture_size().height)));
        break;
      case 3:
      case 4:
      case 5: {
        const int button = pick(8) == 0 ? 1 : 0;
        io.AddMouseButtonEvent(button, true);
        frame_untouched();
        if (pick(4) == 0) {
          io.AddMousePosEvent(static_cast<float>(pick(picture_size().width)),
                              static_cast<float>(pick(picture_size().height)));
          frame_untouched();
        }
        io.AddMouseButtonEvent(button, false);
        break;
      }
      case 6:
      case 7:
        io.AddMouseWheelEvent(0, static_cast<float>(pick(7) - 3));
        break;
      case 8:
        io.AddInputCharacter(static_cast<unsigned>(32 + pick(95)));
        break;
      default: {
        static constexpr std::array<ImGuiKey, 24> kKeys = {
            ImGuiKey_Enter,     ImGuiKey_Escape, ImGuiKey_Tab,      ImGuiKey_UpArrow,   ImGuiKey_DownArrow,
            ImGuiKey_LeftArrow, ImGuiKey_Delete, ImGuiKey_PageDown, ImGuiKey_Backspace, ImGuiKey_Home,
            ImGuiKey_F,         ImGuiKey_P,      ImGuiKey_W,        ImGuiKey_S,         ImGuiKey_A,
            ImGuiKey_D,         ImGuiKey_1,      ImGuiKey_3,        ImGuiKey_5,         ImGuiKey_8,
            ImGuiKey_F5,        ImGuiKey_T,      ImGuiKey_Equal,    ImGuiKey_Minus};
        const ImGuiKey key = kKeys[static_cast<size_t>(pick(static_cast<int>(kKeys.size())))];
        const bool ctrl = pick(3) == 0, alt = pick(8) == 0;
        io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
        io.AddKeyEvent(ImGuiMod_Alt, alt);
        io.AddKeyEvent(key, true);
        frame_untouched();
        io.AddKeyEvent(key, false);
        io.AddKeyEvent(ImGuiMod_Ctrl, false);
        io.AddKeyEvent(ImGuiMod_Alt, false);
      }
    }
    frame_untouched();
  }
};

TEST_P(Monkey, SurvivesRandomInputs) {
  constexpr int kInputs = 5000, kRounds = 5;
  open(GetParam());
  std::mt19937 random(20260905);
  std::vector<size_t> bytes;
  for (int round = 0; round < kRounds; ++round) {
    // A round ends where it began, so that what is held then can be compared.
    for (int i = 0; i < kInputs / kRounds; ++i) one_input(random);
    app().reset_layout();
    settle();
    bytes.push_back(allocated_bytes());
  }
  const size_t early = *std::min_element(bytes.begin() + 1, bytes.begin() + 3);
  EXPECT_LT(static_cast<double>(bytes.back()), static_cast<double>(early) * 1.25 + 8e6)
      << "bytes after each round: " << testing::PrintToString(bytes);
}
INSTANTIATE_TEST_SUITE_P(Ui, Monkey, testing::Values("partial_delegation", "nanogpt_xnnpack_qd4"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace et::gui::test
