#include "gui/models/findings_model.h"

#include "inspector/report/findings_report.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::Advice;

void FindingsModel::set(std::vector<Advice> advice, std::shared_ptr<const TraceData> data) {
  rows_.clear();
  data_ = std::move(data);
  csv_.clear();
  markdown_.clear();
  if (data_ == nullptr) return;
  // The table's formats are valid.
  (void)inspector::write_findings(advice, data_->shown, {.format = "csv"}, &csv_);
  (void)inspector::write_findings(advice, data_->shown, {.format = "markdown"}, &markdown_);
  for (Advice& a : advice) {
    FindingsRow row;
    row.win = inspector::advice_win_text(a, data_->shown);
    row.place = inspector::advice_place_text(a.place, true);
    const double whole = inspector::advice_whole(a, data_->shown);
    row.share = whole > 0 ? a.most_ns / whole : 0;
    row.advice = std::move(a);
    rows_.push_back(std::move(row));
  }
}

Selection FindingsModel::selection_of(const FindingsRow& row) const {
  if (data_ == nullptr) return {};
  const inspector::AdvicePlace& p = row.advice.place;
  Selection s;
  if (!p.node.empty()) s = select_node(*data_, p.node);
  if (s.empty() && p.op_id > 0) s = select_op(*data_, p.op_id);
  if (s.empty() && !p.file.empty()) s = select_line(*data_, p.file, p.line);
  if (s.empty() && !p.module.empty()) s = select_module(*data_, p.module);
  return s;
}

}  // namespace et::gui
