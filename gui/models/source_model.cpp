#include "gui/models/source_model.h"

#include <algorithm>
#include <map>
#include <utility>

#include "inspector/analysis/ops/op_count.h"
#include "inspector/report/source_text.h"
#include "inspector/text/format.h"
#include "inspector/text/table.h"

namespace et::gui {
namespace {

constexpr int kTab = 8;  // columns, as Python counts

std::string_view trimmed(std::string_view s) {
  const size_t begin = s.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(" \t\r") - begin + 1);
}

std::string_view first_line(std::string_view s) { return s.substr(0, s.find('\n')); }

std::string shown_text(std::string_view line) {
  std::string spaced;
  for (const char c : line) {
    if (c == '\t') {
      spaced.append(kTab - spaced.size() % kTab, ' ');
    } else {
      spaced += c;
    }
  }
  return inspector::printable(spaced);
}

bool by_time(const LineOp& a, const LineOp& b) { return a.time != b.time ? a.time > b.time : a.op < b.op; }

using OpsOfLine = std::map<int32_t, LineOp>;

void add_op(OpsOfLine* ops, int32_t op, double time, double confidence) {
  LineOp& row = ops->try_emplace(op, LineOp{op, 0, 0}).first->second;
  row.time += time;
  row.confidence = std::max(row.confidence, confidence);
}

std::vector<LineOp> costliest_first(const OpsOfLine& ops) {
  std::vector<LineOp> out;
  for (const auto& [op, row] : ops) out.push_back(row);
  std::stable_sort(out.begin(), out.end(), by_time);
  return out;
}

}  // namespace

int64_t SourceListing::row_of(int64_t line) const {
  const auto after =
      std::upper_bound(rows.begin(), rows.end(), line, [](int64_t l, const SourceRow& row) { return l < row.line; });
  return static_cast<int64_t>(after - rows.begin()) - (after == rows.begin() && !rows.empty() ? 0 : 1);
}

SourceListing make_source_listing(const inspector::SourceFileCost& cost, const inspector::PathMaps& maps) {
  SourceListing out;
  out.file = cost.file;
  const auto text = inspector::find_source(cost, maps);
  if (text) {
    out.found = text->path;
    out.changed = text->changed;
    for (size_t i = 0; i < text->lines.size(); ++i) {
      SourceRow row;
      row.line = static_cast<int64_t>(i) + 1;
      row.text = shown_text(text->lines[i]);
      out.rows.push_back(std::move(row));
    }
  }
  for (size_t i = 0; i < cost.lines.size(); ++i) {
    const inspector::SourceLine& line = cost.lines[i];
    const bool there = text && line.line >= 1 && static_cast<size_t>(line.line) <= text->lines.size();
    if (!there) {  // the file is shorter now, or missing: the ETRecord's text
      SourceRow row;
      row.line = line.line;
      row.text = shown_text(first_line(line.code));
      row.gap_before = !out.rows.empty() && out.rows.back().line + 1 != line.line;
      row.changed = text.has_value();
      row.cost = static_cast<int32_t>(i);
      // Line 0 stands for "somewhere in this file" and comes first.
      const auto place = line.line < 1 ? out.rows.begin() : out.rows.end();
      out.rows.insert(place, std::move(row));
      continue;
    }
    const size_t at = static_cast<size_t>(line.line - 1) + (out.rows.front().line < 1 ? 1 : 0);
    SourceRow& row = out.rows[at];
    row.cost = static_cast<int32_t>(i);
    row.changed = !line.code.empty() &&
                  trimmed(text->lines[static_cast<size_t>(line.line - 1)]) != trimmed(first_line(line.code));
  }
  std::vector<std::string> lines;
  std::vector<bool> gaps;
  for (const SourceRow& row : out.rows) {
    lines.push_back(row.text);
    gaps.push_back(row.gap_before);
    out.longest = std::max<int64_t>(out.longest, inspector::text_width(row.text));
  }
  std::vector<std::vector<PythonSpan>> spans = python_tokens(lines, gaps);
  for (size_t i = 0; i < spans.size(); ++i) out.rows[i].spans = std::move(spans[i]);
  return out;
}

Status LineOps::load(const TraceData& data, LineOps* out) {
  LineOps ops;
  OpsOfLine without_line;
  std::map<std::string, std::map<int64_t, OpsOfLine>, std::less<>> lines;
  const auto take = [&](const inspector::LineCharge& charge) {
    // A call and its kernel are one.
    const auto shown = data.shown.find_own(charge.op_id);
    if (!shown) return;
    const auto event = static_cast<uint32_t>(*shown);
    const uint32_t counted = inspector::counted_op(data.shown, event).value_or(event);
    const int32_t op = data.index_of(data.shown.ops[counted]);
    if (op < 0) return;
    if (charge.file.empty()) return add_op(&without_line, op, charge.ns, charge.confidence);
    auto file = lines.find(charge.file);
    if (file == lines.end()) file = lines.try_emplace(std::string(charge.file)).first;
    add_op(&file->second[charge.line], op, charge.ns, charge.confidence);
  };
  inspector::for_each_line_charge(data.shown, take);
  for (auto& [file, by_line] : lines) {
    for (auto& [line, charged] : by_line) ops.lines_.emplace(std::pair(file, line), costliest_first(charged));
  }
  ops.without_line_ = costliest_first(without_line);
  *out = std::move(ops);
  return {};
}

const std::vector<LineOp>& LineOps::at(const std::string& file, int64_t line) const {
  static const std::vector<LineOp> none;
  const auto found = lines_.find({file, line});
  return found == lines_.end() ? none : found->second;
}

std::vector<int64_t> hot_lines(const inspector::SourceFileCost& cost, double total, double least) {
  std::vector<int64_t> hot, any;
  for (const inspector::SourceLine& line : cost.lines) {
    if (!(line.ns > 0)) continue;
    any.push_back(line.line);
    if (line.ns >= least * total) hot.push_back(line.line);
  }
  return hot.empty() ? any : hot;
}

int64_t next_hot_line(const std::vector<int64_t>& hot, int64_t line, bool back) {
  if (hot.empty()) return 0;
  if (back) {
    const auto at = std::lower_bound(hot.begin(), hot.end(), line);
    return at == hot.begin() ? hot.back() : *(at - 1);
  }
  const auto at = std::upper_bound(hot.begin(), hot.end(), line);
  return at == hot.end() ? hot.front() : *at;
}

std::vector<HotLine> hottest_lines(const inspector::SourceCost& sources, double least) {
  std::vector<std::pair<double, HotLine>> timed;
  for (size_t f = 0; f < sources.files.size(); ++f) {
    for (const inspector::SourceLine& line : sources.files[f].lines) {
      if (line.ns > 0 && line.ns >= least * sources.base_ns)
        timed.push_back({line.ns, {static_cast<int>(f), line.line}});
    }
  }
  std::stable_sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<HotLine> out;
  for (const auto& [time, line] : timed) out.push_back(line);
  return out;
}

int64_t SourceModel::rank_of(int64_t line) const {
  const auto at = std::find(hottest_.begin(), hottest_.end(), HotLine{file_, line});
  return at == hottest_.end() ? -1 : at - hottest_.begin();
}

void SourceModel::refresh(const Document& document, Jobs& jobs) {
  if (document.data() == nullptr) {
    *this = SourceModel();
    return;
  }
  const bool new_trace = version_ != document.version();
  if (new_trace) {
    const std::string before = cost() == nullptr ? std::string() : cost()->file;
    version_ = document.version();
    data_ = document.shared_data();
    used_ = nullptr;
    if (file_ == kNoLine) file_ = -1;
    take_costs(before);
    ops_ = {};
    ops_job_ = jobs.query<LineOps>(
        data_->path,
        [data = data_](const inspector::Store&, const Cancel&, LineOps* ops) { return LineOps::load(*data, ops); },
        [this](const Status&, LineOps ops) { ops_ = std::move(ops); });
  }
  const std::string other = file_ == kOther && other_ != nullptr ? other_->file : std::string();
  if (!std::exchange(read_again_, false) && asked_file_ == file_ && asked_other_ == other &&
      asked_maps_ == document.path_maps())
    return;
  asked_file_ = file_;
  asked_other_ = other;
  asked_maps_ = document.path_maps();
  if (cost() == nullptr) {
    listing_ = {};
    hot_.clear();
    reading_ = false;
    listing_job_.reset();
    return;
  }
  reading_ = true;
  hot_ = hot_lines(*cost(), sources().base_ns);
  if (listing_.file != cost()->file) listing_ = {};
  listing_job_ =
      jobs.submit<SourceListing>([file = std::make_shared<const inspector::SourceFileCost>(*cost()),
                                  maps = asked_maps_](const Cancel&) { return make_source_listing(*file, maps); },
                                 [this](SourceListing listing) {
                                   listing_ = std::move(listing);
                                   reading_ = false;
                                 });
}

void SourceModel::use(std::shared_ptr<const inspector::SourceCost> costs) {
  if (used_ == costs) return;
  const std::string before = data_ == nullptr || cost() == nullptr ? std::string() : cost()->file;
  used_ = std::move(costs);
  if (data_ != nullptr) take_costs(before);
}

/// `file`: the one that was looked at, which is kept where the costs have it.
void SourceModel::take_costs(const std::string& file) {
  hottest_ = hottest_lines(sources());
  double longest = 0;
  for (const inspector::SourceFileCost& f : sources().files) {
    for (const inspector::SourceLine& line : f.lines) longest = std::max({longest, line.ns, line.inclusive_ns});
  }
  longest_share_ = sources().base_ns > 0 ? longest / sources().base_ns : 0;
  read_again_ = true;
  if (file_ == kNoLine && file.empty()) return;
  other_ = nullptr;
  file_ = file.empty() ? -1 : find_file(file);
  if (file_ < 0) file_ = sources().files.empty() ? -1 : 0;
}

void SourceModel::choose(inspector::SourceFileCost other) {
  other_ = std::make_shared<const inspector::SourceFileCost>(std::move(other));
  file_ = kOther;
}

const inspector::SourceFileCost* SourceModel::cost() const {
  if (data_ != nullptr && file_ == kOther) return other_.get();
  if (data_ == nullptr || file_ < 0 || static_cast<size_t>(file_) >= sources().files.size()) return nullptr;
  return &sources().files[static_cast<size_t>(file_)];
}

int SourceModel::find_file(const std::string& file) const {
  if (data_ == nullptr) return -1;
  const auto& files = sources().files;
  const auto at = std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.file == file; });
  return at == files.end() ? -1 : static_cast<int>(at - files.begin());
}

std::string SourceModel::csv() const {
  using inspector::Cell;
  using inspector::CellKind;
  if (data_ == nullptr) return {};
  const inspector::SourceCost& sources = data_->sources;
  inspector::TimeUnit ticks;
  (void)inspector::choose_unit(sources.unit, sources.unit, 0, &ticks);
  inspector::Table out;
  out.columns = {{.title = "file"},
                 {.title = "line", .kind = CellKind::Integer},
                 {.title = "function"},
                 {.title = "share", .kind = CellKind::Share},
                 {.title = "time", .kind = CellKind::Duration, .key = "time", .unit = ticks},
                 {.title = "inclusive", .kind = CellKind::Duration, .key = "inclusive", .unit = ticks},
                 {.title = "ops", .kind = CellKind::Integer},
                 {.title = "code"}};
  const auto share = [&](double ns) { return sources.base_ns > 0 ? ns / sources.base_ns : 0.0; };
  for (const inspector::SourceFileCost& file : sources.files) {
    for (const inspector::SourceLine& l : file.lines)
      out.add({file.file, l.line, l.function, share(l.ns), l.ns, l.inclusive_ns, l.ops, l.code});
  }
  out.add({Cell(), Cell(), std::string("no Python line"), share(sources.no_line_ns), sources.no_line_ns,
           sources.no_line_ns, Cell(), Cell()});
  std::string text;
  if (const Status status = out.write({.format = "csv"}, &text); !status.ok()) return {};
  return text;
}

}  // namespace et::gui
