// The columns of ops: one table of rows (op_columns.def), and what follows from it for the store. What is shown where
// follows from OpStatistics::kColumns in report/ and in the window.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "inspector/match/statistics.h"
#include "inspector/store/statement.h"
#include "inspector/text/compact.h"

namespace et::inspector {

class Store;

enum class OpColumnKind : uint8_t { Count, Time, Share };

/// Where a statistic shows; an order of 0 leaves it out.
struct OpColumnPlaces {
  struct Html {
    int column = 0, fact = 0;  // order among the columns of the table, and among an op's facts
    const char* title = "";
  };
  struct Window {
    int order = 0;
    const char* title = "";
    const char* help = "";
    bool shown = false;    // at first
    bool per_call = true;  // shares its unit with single calls, else with sums
    const char* id = "";   // in settings and CSV; "": the column's name
  };
  int csv = 0;
  Html html = {};
  Window window = {};
};

struct OpStatistic {
  const char* name;  // of the column, and of the JSON member without its unit
  int column;        // in raw_op
  OpColumnKind kind;
  OpColumnPlaces places;
};

struct TableColumn {
  const char* name;
  const char* sql;
};
struct ViewColumn {
  const char* expression;
  const char* description;
};

#define ET_OP_COLUMNS_DEF "inspector/store/op_columns.def"
#include "inspector/store/op_columns.inc"
#undef ET_OP_COLUMNS_DEF

/// The schema with the columns of ops put where its text says `@op_columns`.
std::string schema_with_op_columns(std::string_view text, std::span<const TableColumn> table,
                                   std::span<const ViewColumn> view, std::span<const OpStatistic> measured);
/// INSERT of a whole row; parameter n is the n-th column.
std::string insert_sql(const char* table, std::span<const TableColumn> columns);
/// INSERT of a row of raw_merged_op: the key and the statistics.
std::string insert_merged_sql();
/// SELECT of all columns, up to and including FROM.
std::string select_sql(const char* table, std::span<const TableColumn> columns);
/// SELECT of raw_op; what a store of an older version lacks is NULL.
std::string select_ops_sql(const Store& store);
/// Adds the statistics that a store of an older version lacks; inside of a transaction.
Status add_missing_op_columns(Store& store);

template <class Statistics>
void bind_statistics(Statement* st, const Statistics& statistics) {
  Statistics::visit(statistics, [st](const OpStatistic& s, const auto& value) { st->bind(s.column + 1, value); });
}
/// Of raw_merged_op: the key, then the statistics alone.
template <class Statistics>
void bind_merged_statistics(Statement* st, const Statistics& statistics) {
  int parameter = 2;
  Statistics::visit(statistics, [&](const OpStatistic&, const auto& value) { st->bind(parameter++, value); });
}

template <class Value>
void read_statistic(const Statement& st, int column, Value& value) {
  if constexpr (std::is_same_v<Value, int64_t>) {
    value = st.integer(column);
  } else if constexpr (std::is_same_v<Value, Maybe<int64_t>>) {
    value = st.maybe_integer(column);
  } else {
    value = st.maybe_real(column);
  }
}
template <class Statistics>
void read_statistics(const Statement& st, Statistics* out) {
  Statistics::visit(*out, [&st](const OpStatistic& s, auto& value) { read_statistic(st, s.column, value); });
}
/// Of raw_merged_op.
template <class Statistics>
void read_merged_statistics(const Statement& st, Statistics* out) {
  int column = 1;
  Statistics::visit(*out, [&](const OpStatistic&, auto& value) { read_statistic(st, column++, value); });
}

/// Statistics in the order of `order(statistic)`, without those where it is 0.
template <class Statistics = OpStatistics, class Order>
std::vector<const OpStatistic*> statistics_by(const Order& order) {
  std::vector<const OpStatistic*> out;
  for (const OpStatistic& s : Statistics::kColumns) {
    if (order(s) != 0) out.push_back(&s);
  }
  std::stable_sort(out.begin(), out.end(),
                   [&](const OpStatistic* a, const OpStatistic* b) { return order(*a) < order(*b); });
  return out;
}

}  // namespace et::inspector
