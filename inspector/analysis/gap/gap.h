// How far the values that an execution logged are from those of a good run, node by node: where they part first, which
// operator adds to the error and which only passes it on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/gap/figures.h"
#include "inspector/analysis/ops/logged_values.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// The elements of a value, valid until the next call.
using ValueBytes = std::function<Status(size_t value, std::span<const uint8_t>* out)>;

/// The values of one run. `bytes` empty: they are in the values. A side of a trace reads from its store as long as it
/// lives, one of files from those.
struct GapSide {
  std::string name;  ///< for people: "etdump.etdp", "the graph of etrecord.bin"
  // Of an execution of a trace.
  int64_t run_id = 0;
  std::string record, method;        ///< "" when the trace has none
  std::optional<int64_t> test_case;  ///< of a bundled program
  std::vector<LoggedValue> values;
  ValueBytes bytes;
  /// Nodes of another export that may be others of the same operator, module and line.
  std::set<std::string> unsure;

  std::function<void()> let_go;  ///< see release(); may be empty

  Status read(size_t value, std::span<const uint8_t>* out) const;
  /// Elements that were read are gone: a store is no longer locked against writers.
  void release() const {
    if (let_go) let_go();
  }
};

struct GapOptions {
  /// Error, as a share of the reference's largest value, up to which floating point is rounding; none: 1e-4, of float16
  /// and bfloat16 1e-2. Integers and bool are exact, 8-bit ones up to a step.
  std::optional<double> tolerance;
};

enum class GapRole : uint8_t {
  None,      ///< within the tolerance
  Adds,      ///< wrong for what it was fed, too
  PassesOn,  ///< right for what it was fed
  Unknown,   ///< it could not be run alone, or on inputs that are not this run's
};
const char* gap_role_name(GapRole role);

struct GapRow {
  size_t value = 0;      ///< index in the run
  size_t reference = 0;  ///< in the reference
  int64_t visit = 0;     ///< how often the node's value had been written before (loops)
  std::string module;
  std::vector<int64_t> debug_handles;  ///< of the op, in the graph's order
  GapFigures figures;
  std::optional<GapFigures> own;  ///< against the operator's result for what this run fed it
  double tolerance = 0;           ///< share of the largest value; integers: steps
  double floor = 0;               ///< error that rounding of what the op was fed explains
  bool nearest = false;           ///< the links leave open which node it is: the one that it is nearest to
  bool rearranged = false;        ///< dimensions are in another order, or merged: compared in the nearest one
  bool diverges = false;
  GapRole role = GapRole::None;
  bool knows_inputs = true;  ///< what the op was fed was logged, follows from what was, or was the same
};

/// A value that has no figures, and why.
struct GapMissing {
  size_t value = 0;
  std::optional<size_t> reference;
  std::string why;
};

/// Whether the run was fed what the reference was.
enum class GapInputs : uint8_t {
  Same,      ///< nothing speaks against it
  Doubtful,  ///< what is made from the model's inputs is so far off that no operator that works does it
  Other,     ///< what only hands an input on is off
};

struct Gap {
  std::vector<GapRow> rows;  ///< in the order of execution
  std::vector<GapMissing> missing;
  std::optional<size_t> first;  ///< row that diverges
  std::string matched_by;       ///< "instruction" or "graph node"
  size_t unused = 0;            ///< values of the reference that no row has
  bool has_own = false;
  GapInputs inputs = GapInputs::Same;
  std::string other_input;  ///< the input that is another one, or probably is; "" where that is not known
  /// Inputs are in no file. These may be others than the reference's: no value that is right was made from them.
  std::vector<std::string> unproven_inputs;
  bool inputs_proven = false;  ///< each was the reference's, as what was made from it is right
  /// The run has values of 8 bits and the reference none, and nothing else explains it: what differs may be the price
  /// of that alone.
  bool quantised = false;
  bool other_case = false;  ///< of a bundled program: another test case than the reference's
};

/// For people: where the reference had other inputs, what differs is nobody's.
const char* gap_role_text(const Gap& gap, const GapRow& row);

/// Compares `run`, an execution of the trace, with `reference`. `own`, null when unknown, has the reference's values in
/// the same order, each worked out from what the run fed its operator. Errors: those of reading values.
Status measure_run(const Store& store, int64_t trace_id, const GapSide& run, const GapSide& reference,
                   const GapSide* own, const GapOptions& options, Gap* out);

/// The row with the largest error, as a share of its largest value; the first of equals.
size_t largest_error(const Gap& gap);

/// Whether a value is beyond the tolerance and the floor of its row.
bool beyond(const GapFigures& figures, const std::string& dtype, const GapRow& row);

enum class GapOrder : uint8_t { Execution, Error, Own, MaxAbs, Mse, L1, Snr, Cosine };
/// "order|error|own|max|mse|l1|snr|cosine"
std::optional<GapOrder> parse_gap_order(std::string_view name);
/// Indices of rows, the worst first; in the order of execution where they are alike.
std::vector<size_t> sorted_rows(const Gap& gap, GapOrder order);

/// An execution of a method, in the order of `--execution`.
struct GapExecution {
  int64_t run_id = 0;
  std::string method;  ///< "" when it is not known
  std::optional<int64_t> test_case;
  bool has_values = false;  ///< tensors of operators that can be read
};
std::vector<GapExecution> gap_executions(const Store& store, int64_t trace_id);

/// The logged values of an execution, their elements read from the store when they are needed. `execution` is an index
/// from 0 among those of methods; none: that of the bundled case, else the last. Errors: NotFound (no such execution,
/// no values, and what to do), InvalidExternalData.
Status open_gap_side(const Store& store, int64_t trace_id, std::optional<int64_t> execution,
                     std::optional<int64_t> bundled_case, GapSide* out);

}  // namespace et::inspector
