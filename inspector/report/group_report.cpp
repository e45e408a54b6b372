// The table of --group-by.
#include <algorithm>
#include <cmath>

#include "inspector/analysis/ops/frame_tree.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"
#include "inspector/report/main_report_text.h"

namespace et::inspector {
namespace {

constexpr double kWorthANote = 0.001;  // of the time
constexpr double kWorthARow = 0.5;     // ticks

const char* unexplained_title(const Basis& basis) {
  return basis.kind == BasisKind::Total ? "(explained by no op)" : "(variation)";
}

/// Rows come by their own cost.
void sort_groups(SortKey key, bool frames, GroupTable* groups) {
  const auto by = [&](auto less) { std::stable_sort(groups->rows.begin(), groups->rows.end(), less); };
  if (key == SortKey::Name) by([](const GroupRow& a, const GroupRow& b) { return a.key < b.key; });
  if (key == SortKey::Count) by([](const GroupRow& a, const GroupRow& b) { return a.samples > b.samples; });
  if (key == SortKey::Total && frames) by([](const GroupRow& a, const GroupRow& b) { return a.inner > b.inner; });
}

/// Those that only some groupings have.
struct GroupColumns {
  GroupColumns(GroupBy by, bool for_people)
      : frames(by == GroupBy::Frame),
        function(frames && !for_people),
        inner(frames || by == GroupBy::Module),
        detail(inner || by == GroupBy::Line),
        detail_title(by == GroupBy::Module ? "class" : "code") {}
  bool frames, function, inner, detail;
  const char* detail_title;

  std::vector<Column> list(GroupBy by, const TimeUnit& unit) const {
    std::vector<Column> out = {{.title = "self", .kind = CellKind::Duration, .unit = unit},
                               {.title = "share", .kind = CellKind::ShareBar}};
    if (inner) {
      out.push_back({.title = frames ? "with calls" : "with inner", .kind = CellKind::Duration, .unit = unit});
      out.back().drop = frames ? 0 : 2;
    }
    out.push_back({.title = "ops", .kind = CellKind::Integer, .drop = 1});
    out.push_back({.title = "samples", .kind = CellKind::Integer, .drop = 3});
    out.push_back({.title = group_by_name(by), .min_width = 20});
    if (function) out.push_back({.title = "function"});
    if (frames) out.push_back({.title = "module", .drop = 5, .min_width = 12});
    if (detail) out.push_back({.title = detail_title, .drop = 4, .min_width = 16});
    return out;
  }
};

}  // namespace

Status group_table(const Store& store, const TextReportInput& in, bool for_people, Table* out,
                   std::vector<std::string>* notes) {
  GroupTable groups;
  Status status = load_groups(store, *in.table, *in.group_by, *in.filter, in.options->source_maps, &groups);
  if (!status.ok()) return status;
  TimeUnit unit;
  const double largest = for_people ? (groups.rows.empty() ? 0 : groups.rows[0].self) : 0;
  std::string wish = in.options->units;
  if (!for_people && wish == "auto") wish = in.table->unit;
  status = choose_unit(wish, in.table->unit, largest, &unit);
  if (!status.ok()) return status;
  const GroupColumns columns(*in.group_by, for_people);
  sort_groups(in.sort, columns.frames, &groups);
  *out = Table();
  out->columns = columns.list(*in.group_by, unit);
  const auto row = [&](const GroupRow& g, Cell inner, Cell ops, Cell samples, RowStyle style) {
    const double share = groups.total > 0 ? g.self / groups.total : 0;
    std::vector<Cell> cells = {g.self, share};
    if (columns.inner) cells.push_back(std::move(inner));
    cells.insert(cells.end(), {std::move(ops), std::move(samples), g.key});
    if (columns.function) cells.emplace_back(g.function);
    if (columns.frames) cells.emplace_back(g.module);
    if (columns.detail) cells.emplace_back(g.none && for_people ? std::string() : g.detail);
    out->add(std::move(cells), style, style == RowStyle::Normal ? share : -1);
  };
  const auto sum_row = [&](double self, Cell ops, const std::string& key, RowStyle style) {
    GroupRow g;
    g.self = self;
    g.key = key;
    row(g, Cell(), std::move(ops), Cell(), style);
  };
  const auto ops_cell = [](int64_t ops) { return ops > 0 ? Cell(ops) : Cell(); };
  const size_t shown =
      in.options->top < 0 ? groups.rows.size() : std::min(groups.rows.size(), static_cast<size_t>(in.options->top));
  double rest = 0;
  for (size_t i = 0; i < groups.rows.size(); ++i) {
    GroupRow& g = groups.rows[i];
    if (i >= shown) {
      rest += g.self;
      continue;
    }
    if (columns.frames && g.none && notes != nullptr && g.self > kWorthANote * groups.total)
      notes->push_back(g.key + ", " + format_share(g.share) + ": " + g.detail);
    const bool root = *in.group_by == GroupBy::Module && !g.none && g.key.empty();
    if (root && for_people) g.key = "(root)";
    if (for_people && *in.group_by == GroupBy::Op) g.key = std::string(kernel_name(g.key));
    if (for_people && *in.group_by == GroupBy::Type) g.key = operator_title(g.key);
    row(g, g.none && !columns.frames ? Cell() : Cell(g.inner), for_people ? ops_cell(g.ops) : Cell(g.ops), g.samples,
        g.none && for_people ? RowStyle::Dim : RowStyle::Normal);
  }
  const double unexplained = groups.unexplained();
  const auto unexplained_row = [&] {
    if (std::fabs(unexplained) > kWorthARow)
      sum_row(unexplained, Cell(), unexplained_title(in.table->basis), RowStyle::Dim);
  };
  if (!for_people) {
    if (shown == groups.rows.size()) unexplained_row();
    return {};
  }
  if (shown < groups.rows.size()) {
    sum_row(rest, Cell(), "(" + format_count(static_cast<int64_t>(groups.rows.size() - shown)) + " more rows)",
            RowStyle::Dim);
  }
  if (groups.hides) sum_row(groups.hidden, ops_cell(groups.hidden_ops), "(filtered out)", RowStyle::Dim);
  unexplained_row();
  sum_row(groups.total, Cell(), "total", RowStyle::Total);
  return {};
}

}  // namespace et::inspector
