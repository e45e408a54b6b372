#include "gui/models/findings_model.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "gui/core/text.h"
#include "gui/core/window_words.h"
#include "inspector/report/findings_report.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::Advice;

namespace {

/// Where all that a rule speaks of is to be seen together.
constexpr std::pair<std::string_view, const char*> kPanels[] = {
    {"no-delegate", "delegation"},     {"undelegated-operator", "delegation"},
    {"slow-kernel", "roofline"},       {"below-roof", "roofline"},
    {"slow-bytes", "roofline"},        {"streamed-weights", "roofline"},
    {"constant-work", "graph"},        {"data-movement", "delegation"},
    {"small-delegates", "delegation"}, {"quantize-round-trip", "delegation"},
    {"slow-load", "timeline"},         {"unused-work", "graph"},
    {"peak-tensor", "memory"},         {"arena-waste", "memory"},
    {"dynamic-bounds", "memory"},      {"duplicate-constants", "size"},
    {"float-weights", "size"},         {"safe-softmax", "delegation"},
    {"slow-softmax", "roofline"},      {"delegate-layout", "delegation"},
    {"costly-activation", "roofline"}, {"costly-operator", "roofline"},
    {"delegate-copies", "roofline"},   {"tiny-kernels", "operators"},
};

std::string most_text(const FindingsRow& row, const TraceData& data) {
  if (row.advice.most_ns > 0)
    return "at most " + inspector::format_duration_with_unit(inspector::named_bound(row.advice), data.unit()) +
           (row.share > 0 ? " (" + inspector::format_share(row.share) + ")" : "");
  return row.advice.most_bytes > 0 ? "at most " + inspector::format_bytes(row.advice.most_bytes) : std::string();
}

/// None where it is one line, or the place says it already.
std::vector<FindingsLine> lines_of(const Advice& advice) {
  std::map<std::pair<std::string, int64_t>, FindingsLine> found;
  for (const inspector::AdviceItem& item : advice.items) {
    if (item.place.file.empty() || item.place.line <= 0) continue;
    FindingsLine& line = found[{item.place.file, item.place.line}];
    line.ns += item.ns;
    ++line.ops;
  }
  if (found.size() < 2) return {};
  std::vector<FindingsLine> out;
  for (auto& [at, line] : found) {
    inspector::AdvicePlace place;
    line.file = place.file = at.first;
    line.line = place.line = at.second;
    line.text = inspector::advice_place_text(place, true);
    out.push_back(std::move(line));
  }
  std::stable_sort(out.begin(), out.end(), [](const FindingsLine& a, const FindingsLine& b) { return a.ns > b.ns; });
  return out;
}

}  // namespace

const char* panel_of_rule(std::string_view id) {
  const auto at = std::find_if(std::begin(kPanels), std::end(kPanels), [&](const auto& p) { return p.first == id; });
  return at == std::end(kPanels) ? "" : at->second;
}

void FindingsModel::set(std::vector<Advice> advice, std::shared_ptr<const TraceData> data,
                        inspector::AdviceNotes notes) {
  rows_.clear();
  data_ = std::move(data);
  csv_.clear();
  markdown_.clear();
  left_out_.clear();
  silent_.clear();
  silent_rules_.clear();
  not_looked_.clear();
  measurement_.clear();
  if (data_ == nullptr) return;
  // The table's formats are valid.
  (void)inspector::write_findings(advice, data_->shown, {.format = "csv"}, &csv_);
  (void)inspector::write_findings(advice, data_->shown, {.format = "markdown", .notes = &notes}, &markdown_);
  markdown_ = in_window(markdown_);
  left_out_ = inspector::left_out_text(data_->shown, notes.left_out);
  silent_ = std::move(notes.silent);
  missing_ = notes.missing;
  std::set<std::string> spoke;
  for (const Advice& a : advice) spoke.insert(a.id);
  not_looked_ = inspector::rules_not_looked(missing_, spoke);
  for (const inspector::AdviceRule& rule : inspector::advice_rules()) {
    if ((rule.needs & missing_) == 0 && !spoke.contains(rule.id)) silent_rules_.push_back(&rule);
  }
  for (Advice& a : advice) {
    FindingsRow row;
    row.win = inspector::advice_win_text(a, data_->shown);
    row.roofline = inspector::roofline_bound_text(a, data_->shown);
    row.place = inspector::advice_place_text(a.place, true);
    const double whole = inspector::advice_whole(a, data_->shown);
    row.share = whole > 0 ? inspector::named_bound(a) / whole : 0;
    row.least_share = whole > 0 && inspector::has_two_bounds(a) ? a.likely_ns() / whole : row.share;
    inspector::AdvicePlace line = a.place;
    line.module.clear();
    row.line = inspector::advice_place_text(line, true);
    for (const inspector::AdviceFact& fact : a.facts)
      row.facts.emplace_back(fact.what, inspector::advice_fact_text(fact, data_->shown));
    row.lines = lines_of(a);
    row.panel = panel_of_rule(a.id);
    a.text = in_window(a.text);
    a.what_to_do = in_window(a.what_to_do);
    row.advice = std::move(a);
    row.most = most_text(row, *data_);
    rows_.push_back(std::move(row));
  }
}

namespace {

std::string searched_place(const inspector::AdvicePlace& p) {
  std::string out;
  for (const std::string* const text : {&p.node, &p.module, &p.file}) out += " " + *text;
  if (p.line > 0) out += ":" + std::to_string(p.line);
  return out;
}

std::string searched_item(const inspector::AdviceItem& item) { return item.title + searched_place(item.place); }

/// Without its places.
std::string searched_head(const Advice& a) { return a.id + " " + a.title + " " + a.method; }

std::string searched_text(const FindingsRow& row) {
  const Advice& a = row.advice;
  std::string out = searched_head(a) + " " + a.text + " " + a.what_to_do + " " + row.place + searched_place(a.place);
  for (const inspector::AdviceItem& item : a.items) out += " " + searched_item(item);
  return out;
}

}  // namespace

void FindingsModel::search(const std::string& text) {
  query_ = text;
  found_.clear();
  if (text.find_first_not_of(' ') == std::string::npos) return;
  for (const FindingsRow& row : rows_) found_.push_back(has_all_words(searched_text(row), text));
  const auto first = std::find(found_.begin(), found_.end(), true);
  if (first != found_.end() && !found_[std::min(chosen, found_.size() - 1)])
    chosen = static_cast<size_t>(first - found_.begin());
}

std::vector<size_t> FindingsModel::items_found(const FindingsRow& row) const {
  const std::vector<inspector::AdviceItem>& items = row.advice.items;
  std::vector<size_t> out;
  const std::string head = searched_head(row.advice) + " ";
  for (size_t i = 0; i < items.size() && !found_.empty(); ++i) {
    if (has_all_words(head + searched_item(items[i]), query_)) out.push_back(i);
  }
  if (!out.empty()) return out;
  out.resize(items.size());
  std::iota(out.begin(), out.end(), size_t{0});
  return out;
}

void FindingsModel::set_measurement(const std::vector<inspector::Finding>& all) {
  measurement_.clear();
  for (const inspector::Finding* const f : inspector::of_measurement(all)) measurement_.push_back(*f);
}

std::string FindingsModel::text_of(const inspector::Consumer& consumer) const {
  return data_ == nullptr ? std::string() : in_window(inspector::consumer_text(consumer, data_->shown));
}

size_t FindingsModel::find(const WantedFinding& wanted) const {
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const FindingsRow& r) {
    return r.advice.id == wanted.id && r.advice.method == wanted.method && r.advice.title == wanted.title;
  });
  return row == rows_.end() ? 0 : static_cast<size_t>(row - rows_.begin());
}

Selection FindingsModel::selection_of(const FindingsRow& row) const {
  std::vector<Selection> all;
  for (const inspector::AdviceItem& item : row.advice.items) all.push_back(selection_of(item.place, row.advice.method));
  if (Selection s = select_several(std::move(all), row.advice.title); !s.empty()) return s;
  return selection_of(row.advice.place, row.advice.method);
}

Selection FindingsModel::selection_of(const inspector::AdvicePlace& p, const std::string& method) const {
  if (data_ == nullptr) return {};
  Selection s;
  if (!p.node.empty()) s = select_node(*data_, p.node, method);
  if (s.empty() && p.instruction >= 0) s = select_part(*data_, method, p.instruction);
  if (s.empty() && p.op_id > 0) s = select_op(*data_, p.op_id);
  if (s.empty() && !p.file.empty()) s = select_line(*data_, p.file, p.line);
  if (s.empty() && !p.module.empty()) s = select_module(*data_, p.module);
  return s;
}

}  // namespace et::gui
