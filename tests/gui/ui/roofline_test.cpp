// Roofline by mouse: rows of one operator open, and choose their ops.
#include "gui/models/roofline_model.h"

#include <imgui_te_utils.h>

#include "tests/gui/ui/cut_text.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct RooflineUiTest : UiTest {
  RooflineModel& roofline() { return model<RooflineModel>("roofline"); }
};

TEST_F(RooflineUiTest, RowsOfOneOperatorAreOneRowThatOpens) {
  open("mobilenet_v2_035_xnnpack_int8");
  solo("roofline");
  const std::vector<size_t> order = roofline().order_of_groups(RooflineColumn::Win, true);
  size_t group = order.size();
  for (size_t i = 0; i < order.size() && i < 6 && group == order.size(); ++i)
    if (roofline().groups()[order[i]].rows.size() > 1) group = order[i];
  ASSERT_LT(group, roofline().groups().size()) << "convolutions are several";
  const std::string row = "**/group/$$" + std::to_string(group) + "/##row";
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Roofline##solo");
    t->ItemClick(row.c_str());
  });
  EXPECT_EQ(document().selection().ops, roofline().selection_of_group(group).ops);
  const size_t inside = roofline().order_in(group, RooflineColumn::Win, true).front();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Roofline##solo");
    t->ItemClick(("**/op/$$" + std::to_string(inside) + "/##row").c_str());
  });
  EXPECT_EQ(document().selection().op, roofline().roofline().rows[inside].op_id);
  for (const CutText& cut : cut_texts())
    ADD_FAILURE() << "text at " << cut.at.x << ", " << cut.at.y << " misses " << cut.missing;
}

}  // namespace
}  // namespace et::gui::test
