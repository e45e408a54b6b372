// The panel Numerics: how far each logged tensor of an execution is from that of a reference, as rows of a table and
// points of a plot, and the tensor that is looked at.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/core/document.h"
#include "gui/models/numerics_session.h"

namespace et::gui {

enum class NumericsMetric : uint8_t { Error, MaxAbs, Mse, L1, Snr, Cosine };
inline constexpr size_t kNumericsMetrics = 6;
/// For people, and as settings have it.
const char* metric_title(NumericsMetric metric);
const char* metric_name(NumericsMetric metric);
const char* metric_help(NumericsMetric metric);
/// Whether its axis has powers of ten; SNR is in dB already.
inline bool is_logarithmic(NumericsMetric metric) { return metric != NumericsMetric::Snr; }

enum class NumericsColumn : uint8_t {
  Order,
  Op,
  Node,
  Error,
  MaxAbs,
  Mse,
  L1,
  Snr,
  Cosine,
  Own,
  Role,
  Special,
  Tensor,
  Delegate,
  Line,
  Module
};
inline constexpr size_t kNumericsColumns = 16;
const char* column_title(NumericsColumn column);
const char* column_help(NumericsColumn column);
bool is_number(NumericsColumn column);

/// A row in the plot.
struct NumericsPoint {
  enum class Kind : uint8_t {
    Number,
    Exact,   ///< no error: below all others, of SNR above
    Broken,  ///< NaN or an infinity on one side only, or nothing to divide by
  };
  size_t row = 0;
  Kind kind = Kind::Exact;
  double value = 0;           ///< of a number
  std::optional<double> own;  ///< the same against what it should have made of its own inputs, where that is a number
};

/// What the first value beyond the tolerance means.
enum class NumericsVerdict : uint8_t {
  Clean,        ///< there is none
  NoFault,      ///< every op is right for what it was fed: rounding that grew
  Quantised,    ///< the run is and the reference is not: what differs may be the price of that alone
  OtherInputs,  ///< the reference was fed other inputs, or probably was: what differs, differs for that
  Undecided,    ///< no op is known to add error, and of some it is not known
  Faulty,       ///< an op adds error, or nobody asked which
};
NumericsVerdict verdict_of(const inspector::Gap& gap);
/// How far off the rows beyond their tolerances are: of integers in steps, "within 2 quantisation steps of int8", of
/// others as a share of the largest value.
std::string off_by_text(const inspector::Gap& gap, const std::vector<inspector::LoggedValue>& values);

class NumericsModel {
 public:
  enum class State : uint8_t {
    NoTrace,
    NoDump,
    Reading,
    NoValues,     ///< explanation() says why
    NoReference,  ///< explanation() says why
    Working,
    Cancelled,
    Failed,  ///< explanation() is the error
    Ready,
  };

  /// Looks at another trace when there is one, and compares it with the reference that is known: that of the ETRecord's
  /// graph, or the one that was asked for before.
  void refresh(Document& document);
  State state() const { return state_; }
  const std::string& explanation() const { return explanation_; }
  /// NoValues, though tensors were logged: they are in a file that was not opened.
  bool lacks_buffer() const;
  /// Command lines that help against NoValues.
  std::vector<std::string> commands() const;
  /// What is done now: "Comparing tensors, 12 s".
  std::string stage() const;

  /// What measure() compares; set by the panel.
  NumericsRequest request;
  void measure(Document& document);
  /// These are the reference from now on: of the open run, or of the next one that has logged tensors.
  void compare_with_files(Document& document, std::vector<std::string> files);
  void cancel();

  const std::vector<inspector::GapExecution>& executions() const { return executions_; }
  /// The execution that is compared, an index of executions(); -1 without.
  int64_t execution() const;
  bool has_graph() const { return has_graph_; }
  /// .npy files in the folder of the ETDump, by name: perhaps what the run was fed. Looked for when a trace is opened.
  const std::vector<std::string>& arrays_beside() const { return arrays_; }
  const TraceData* data() const { return data_.get(); }

  // Ready:
  const inspector::Gap& gap() const { return session_->compared().gap(); }
  const inspector::GapSide& run() const { return session_->compared().run(); }
  const inspector::GapSide& reference() const { return session_->compared().reference(); }
  const inspector::GapRow& row(size_t i) const { return gap().rows[i]; }
  const inspector::LoggedValue& value(size_t i) const { return run().values[row(i).value]; }
  /// "118 of 120 tensors compared with the graph of etrecord.bin".
  std::string summary() const;
  /// "First divergence: aten.linear, model.py:12, layers.0.mlp"; "" without one.
  std::string first_text() const;
  /// What was found beside the run and feeds the graph; "" where it was chosen, or is the ETRecord's.
  std::string found_text() const;
  const inspector::GraphInputs& fed() const;  ///< chosen, else found
  /// "2 ops add error, 14 pass it on"; "" when that is not known.
  std::string role_text() const;
  NumericsVerdict verdict() const { return verdict_of(gap()); }
  /// The verdict in words: first_text() and role_text(); of NoFault how far off the values are, in steps where they are
  /// integers: "No op adds error: within 2 quantisation steps of int8; ...".
  std::string verdict_text() const;
  /// Sentences that make the figures doubtful.
  std::vector<std::string> warnings() const;
  std::string missing() const;

  const std::string& title(size_t row) const { return titles_[row]; }
  std::string node(size_t row) const;
  std::string place(size_t row) const;  ///< "model.py:12", "" without
  std::string cell(size_t row, NumericsColumn column) const;
  /// Whether a row has something in that column.
  bool says_something(NumericsColumn column) const { return filled_[static_cast<size_t>(column)]; }
  /// Whether it says the same of nearly all rows that it says something of: it hardly tells one from another.
  bool says_one_thing(NumericsColumn column) const { return one_thing_[static_cast<size_t>(column)]; }
  std::string filter;
  /// Rows that have all words of the filter, by a column; what is not known is last.
  const std::vector<size_t>& shown(NumericsColumn column, bool descending);

  NumericsMetric metric = NumericsMetric::Error;
  const std::vector<NumericsPoint>& points();
  /// Of the numbers in the plot.
  double least() const { return least_; }
  double most() const { return most_; }

  /// Where in the plot a row's value would diverge; none of metrics that do not decide it, and of what has no
  /// tolerance.
  std::optional<double> tolerance_at(size_t row) const;
  /// "1 step of int8", "0.1 % of the largest value"; "" without one.
  std::string tolerance_text(size_t row) const;

  /// The row that is looked at; none: nullopt.
  std::optional<size_t> chosen() const { return chosen_; }
  /// Selects its op everywhere; `panel`: where the user is led to.
  void choose(Document& document, size_t row, const std::string& panel = "");
  bool is_selected(const Document& document, size_t row) const;
  /// Takes over what was selected elsewhere; true when another row is looked at by that.
  bool follow(Document& document);
  /// Of the chosen row; nullptr while they are read.
  const inspector::Distributions* distributions() const { return detail_.has_value() ? &*detail_ : nullptr; }
  const std::string& distribution_problem() const { return detail_problem_; }

  std::string csv() const;
  std::string markdown() const;

 private:
  struct Look {
    std::vector<inspector::GapExecution> executions;
    Status problem;  ///< why there are no values
  };
  void looked(Document& document, Look look);
  void measured(Document& document, const Status& status, std::shared_ptr<NumericsSession> session);
  void look_at(Document& document, size_t row);
  void forget();
  Selection selection_of(size_t row) const;
  std::string searched(size_t row) const;

  std::shared_ptr<const TraceData> data_;
  uint64_t version_ = 0, selection_version_ = 0;
  bool asked_ = false, has_graph_ = false;
  State state_ = State::NoTrace;
  std::string explanation_;
  std::vector<inspector::GapExecution> executions_;
  std::shared_ptr<NumericsSession> session_;
  std::shared_ptr<NumericsStage> stage_;
  std::vector<std::string> titles_, arrays_;
  std::array<bool, kNumericsColumns> filled_{}, one_thing_{};
  std::vector<NumericsPoint> points_;
  std::optional<NumericsMetric> points_metric_;
  double least_ = 0, most_ = 1;
  std::vector<size_t> shown_;
  struct ShownAs {
    NumericsColumn column = NumericsColumn::Order;
    bool descending = false;
    std::string filter;
    bool operator==(const ShownAs&) const = default;
  };
  std::optional<ShownAs> shown_as_;
  std::optional<size_t> chosen_;
  std::optional<inspector::Distributions> detail_;
  std::string detail_problem_;
  JobHandle job_, detail_job_;
};

}  // namespace et::gui
