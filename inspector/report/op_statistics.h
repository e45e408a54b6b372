// How the statistics of an op (inspector/store/op_columns.def) become JSON members and columns of full tables.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "inspector/store/op_columns.h"
#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"

namespace et::inspector {

/// Members of the object that is open: times are named after their unit, p90_ns or p90_cycles.
template <class Statistics>
void write_statistics(JsonWriter* json, std::string_view unit, const Statistics& statistics) {
  const std::string suffix = unit == "ns" ? "_ns" : "_cycles";
  Statistics::visit(statistics, [&](const OpStatistic& s, const auto& value) {
    json->member(s.kind == OpColumnKind::Time ? s.name + suffix : std::string(s.name), value);
  });
}

/// The columns of full tables in their order, `unit` for times.
template <class Statistics = OpStatistics>
std::vector<Column> statistic_columns(const TimeUnit& unit) {
  std::vector<Column> out;
  for (const OpStatistic* s : statistics_by<Statistics>([](const OpStatistic& c) { return c.places.csv; })) {
    switch (s->kind) {
      case OpColumnKind::Count:
        out.push_back({.title = s->name, .kind = CellKind::Integer});
        break;
      case OpColumnKind::Time:
        out.push_back({.title = s->name, .kind = CellKind::Duration, .unit = unit});
        break;
      case OpColumnKind::Share:
        out.push_back({.title = s->name, .kind = CellKind::Share});
        break;
    }
  }
  return out;
}

/// An op's cells of them; times are multiplied by `factor`.
template <class Statistics>
std::vector<Cell> statistic_cells(const Statistics& statistics, double factor) {
  static const std::vector<const OpStatistic*> order =
      statistics_by<Statistics>([](const OpStatistic& c) { return c.places.csv; });
  std::vector<Cell> by_column(Statistics::kColumns.size());
  size_t i = 0;
  Statistics::visit(statistics, [&](const OpStatistic& s, const auto& value) {
    Cell& cell = by_column[i++];
    const bool scaled = s.kind == OpColumnKind::Time && factor > 1;
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, int64_t>) {
      cell = scaled ? Cell(static_cast<double>(value) * factor) : Cell(value);
    } else if (value) {
      cell = scaled ? Cell(static_cast<double>(*value) * factor) : Cell(*value);
    }
  });
  std::vector<Cell> out;
  out.reserve(order.size());
  for (const OpStatistic* s : order)
    out.push_back(std::move(by_column[static_cast<size_t>(s - Statistics::kColumns.data())]));
  return out;
}

}  // namespace et::inspector
