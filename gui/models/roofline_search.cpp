// Which rows of the roofline have the words of a search.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/text.h"
#include "gui/models/roofline_model.h"
#include "inspector/analysis/diff/op_groups.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {

void RooflineModel::search(const std::string& text) {
  query_ = text;
  const bool all = text.find_first_not_of(' ') == std::string::npos;
  if (all && found_.empty()) return;
  std::vector<bool> found;
  for (size_t i = 0; !all && i < roofline_.rows.size(); ++i) {
    const inspector::RooflineRow& row = roofline_.rows[i];
    std::string words = row.title + " " + row.module + " " + row.place + " " + row.method + " " + row.backend;
    words += std::string(" ") + inspector::bound_name(row.bound);
    if (data_ != nullptr) {
      for (const uint32_t op : row.ops) {
        // What a call takes outside of its ops is the work of none of its nodes.
        if (!inspector::has_work(data_->shown.ops[op])) continue;
        for (const inspector::OpNode* const n : data_->shown.own_nodes(data_->shown.ops[op]))
          words += " " + n->node->name;
      }
    }
    found.push_back(has_all_words(words, text));
  }
  found_ = std::move(found);
  add_labels();
  add_groups();
  add_findings();
}

double RooflineModel::found_ns() const {
  double out = 0;
  for (size_t i = 0; i < found_.size(); ++i) out += found_[i] ? roofline_.rows[i].ns : 0;
  return out;
}

std::string RooflineModel::found_text() const {
  std::string out = inspector::format_count(found()) + " of " + inspector::plural(std::ssize(roofline_.rows), "op") +
                    ", " + inspector::format_duration_with_unit(found_ns(), "ns");
  if (const double win = found_win(); win > 0) out += ", could win " + inspector::format_duration_with_unit(win, "ns");
  return out;
}

double RooflineModel::found_win() const {
  double out = 0;
  for (size_t i = 0; i < found_.size(); ++i) out += found_[i] ? win(i).value_or(0) : 0;
  return out;
}

}  // namespace et::gui
