// `et-inspect gap`: how far the logged values of a run are from those of a good one.
#pragma once

#include <string>

#include "base/status.h"
#include "inspector/analysis/gap/gap.h"

namespace et::inspector {

struct GapReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv or markdown; csv, tsv and json have all rows
  GapOrder order = GapOrder::Execution;
  int64_t top = 20;  ///< rows that people see; negative: all
  bool color = false;
  int width = 0;  ///< of the terminal; 0 = do not cut
};

/// Errors: InvalidArgument (unknown format).
Status write_gap(const Gap& gap, const GapSide& run, const GapSide& reference, const GapReportOptions& options,
                 std::string* out);

/// Three digits, "NaN", "inf".
std::string figure_text(double value);
/// In dB with a digit, "exact" without an error, "" where the reference is all 0.
std::string db_text(const GapFigures& figures);
/// It is not known whether the op adds error, for its inputs were not logged.
bool is_unknown_for_its_inputs(const GapRow& row);
/// ", of 3 it is not known (inputs not recorded: own error unknown)"; "" without any.
std::string unknown_text(size_t unknown, size_t no_inputs);
/// "2 ops add error, 5 only pass it on"; where none is known to add any, that.
std::string role_counts_text(size_t adds, size_t passes, size_t unknown);
/// "The model's own inputs differ from the reference's: x is another one", without a full stop; "" where they are
/// alike.
std::string other_inputs_text(const Gap& gap);
/// What was not compared, and why, in lines; "" when all was.
std::string missing_text(const Gap& gap, const GapSide& run);
/// The node's name with its output and its trip where there are several: "aten_topk_default.1@2". "~" before one that
/// was found by its values.
std::string node_text(const LoggedValue& got, const LoggedValue& want, const GapRow& row);
/// NaN and infinities of both sides, "" without any: "NaN 3 instead of 0".
std::string special_text(const GapFigures& figures);
/// "[0, 3, 1]": where in a tensor of that shape the element stands.
std::string element_place(const std::vector<int32_t>& shape, int64_t element);

}  // namespace et::inspector
