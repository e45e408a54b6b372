#include "gui/panels/roofline_row.h"

#include "gui/widgets/cells.h"
#include "inspector/text/format.h"

namespace et::gui {

ImU32 bound_color(inspector::Bound bound) {
  switch (bound) {
    case inspector::Bound::Compute:
      return theme().kernel;
    case inspector::Bound::Memory:
      return theme().cold;
    case inspector::Bound::Overhead:
      return theme().unattributed;
    case inspector::Bound::Neither:
      return theme().slower;
    case inspector::Bound::Unknown:
      break;
  }
  return theme().muted;
}

ImU32 roofline_color(const RooflineModel& model, size_t row) {
  const inspector::RooflineRow& r = model.roofline().rows[row];
  // What is held against nothing has no colour of a limit.
  if (model.has_roofs() && r.bound == inspector::Bound::Unknown && !(r.roof_ns > 0)) return theme().grid;
  return model.has_roofs() || r.op.empty() ? bound_color(r.bound) : type_color(r.op);
}

void describe_roofline_row(const RooflineModel& model, size_t row) {
  ImGui::TextUnformatted(inspector::printable(model.cell(row, RooflineColumn::Op)).c_str());
  for (const RooflineColumn c :
       {RooflineColumn::Method, RooflineColumn::Module, RooflineColumn::Line, RooflineColumn::Time,
        RooflineColumn::Share, RooflineColumn::Gflops, RooflineColumn::Gbytes, RooflineColumn::Intensity,
        RooflineColumn::Efficiency, RooflineColumn::Reference, RooflineColumn::Bound, RooflineColumn::Win}) {
    if (c == RooflineColumn::Method && !model.has_methods()) continue;
    const std::string value = model.cell(row, c);
    if (!value.empty())
      text_colored(theme().muted,
                   std::string(roofline_column_title(c, model.integers())) + ": " + inspector::printable(value));
  }
  const inspector::RooflineRow& r = model.roofline().rows[row];
  if (r.spares && r.roof_ns > 0)
    text_colored(
        theme().muted,
        "Its roof is that of Winograd's algorithm, which has four ninths of the operations of a 3x3 convolution: "
        "all of them would take longer than it did.");
  if (r.stays)
    text_colored(
        theme().muted,
        "Moving so many bytes would take far longer: the runtime left the data where it is, so there is no roof.");
  if (model.machine() && r.is_above_roof())
    text_colored(theme().warning, "Faster than its roof by " + inspector::format_share(*r.efficiency() - 1) +
                                      ": the machine can do more than was measured, or less is moved than its "
                                      "shapes say.");
}

}  // namespace et::gui
