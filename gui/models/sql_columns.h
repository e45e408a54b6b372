// What a column of a query's result holds, as far as its name and its first rows tell: how cells, headings and axes of
// charts show it, and how its rows are sorted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "inspector/analysis/sql_result.h"

namespace et::gui {

/// What a column has, as far as its first rows tell: what decides how wide it is and where its texts are cut.
enum class SqlContent : uint8_t {
  Mixed,
  Nothing,  ///< NULL alone
  Paths,    ///< of files: their ends tell them apart
};
SqlContent sql_content(const inspector::SqlResult& result, const std::vector<uint32_t>& order, size_t column);

/// What numbers of a column are, by its name.
enum class SqlMeasure : uint8_t { Other, Key, Time, Share, Bytes };
/// `unit` of the trace, "" to show all numbers as they are.
SqlMeasure sql_measure(const std::string& column, const std::string& unit);

/// Keys and lines are names, not amounts: no separators.
bool is_sql_key(const std::string& column);
/// A number by the name of its column: a time of nanoseconds with its unit, a share in percent, bytes; "" as it is.
std::string sql_figure(const std::string& column, double value, const std::string& unit);
/// The same of any cell, as it is where nothing else is to be said of it.
std::string sql_cell_text(const std::string& column, const inspector::SqlCell& cell, const std::string& unit);
/// The heading of a column of such figures: usual_ns holds times of any unit, so it is called usual.
std::string sql_heading(const inspector::SqlColumn& column, const std::string& unit);

/// A tick of an axis with its unit, the same for all: "20 µs" of an axis up to `largest`, "40%", "2 KiB".
std::string sql_tick(SqlMeasure measure, double value, double largest);
/// Where an axis of bytes has its ticks: multiples of a power of two, at most `most` of them.
std::vector<double> sql_byte_ticks(double low, double high, int most);
struct SqlRange {
  double low = 0, high = 1;
};
/// From where to where an axis goes, with a margin. `amounts`: bars and lines that are not below zero stand on it.
SqlRange sql_range(std::span<const double> values, bool amounts);

/// The order of rows by a column: numbers by size, texts as people count them ("#9" before "#10", capitals or not), and
/// NULL last in both directions.
bool sql_before(const inspector::SqlCell& a, const inspector::SqlCell& b, bool descending);

}  // namespace et::gui
