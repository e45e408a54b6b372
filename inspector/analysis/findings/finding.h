// Findings: what is wrong with a trace or worth knowing of it, and what to do. One rule a file, one row a rule
// (findings.def); et-inspect doctor, the window's Overview and the JSON report read the same list.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspector/analysis/ops/execution_notes.h"
#include "inspector/analysis/ops/unlinked_time.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Of findings about time without a line.
struct FindingTime {
  std::string reason_id;  // inspector/ingest/links/unlinked_reasons.def, "" for one of another version
  double share = 0;       // of an execution, on the basis
  Basis basis;
  int64_t ops = 0;
  std::string example;  // the costliest of them
};

struct Finding {
  std::string severity;  // error, data-loss, warning, info or ok
  std::string id;        // stable name
  std::string text;      // what was found, with numbers
  std::string advice;    // what to do; may be empty
  std::optional<FindingTime> time = {};
  bool of_executions = false;  // of all executions, or what stands out among them: read before any time
  int64_t run = 0;             // of one execution: which; 0: of none
};

/// What the rules of one trace share: its facts, queries, and the list that they add to.
class FindingContext {
 public:
  /// `shown`: of load_shown_ops; read on the usual basis, when a rule asks for it, without one.
  FindingContext(const Store& store, int64_t trace, const OpTable* shown = nullptr)
      : store_(store), trace_(trace), shown_(shown) {}

  /// Reads the trace's facts. False when the store has no such trace.
  bool load();

  const Store& store() const { return store_; }
  int64_t trace() const { return trace_; }
  // Each is read once, when a rule first asks for it.
  const UnlinkedTime& unlinked();
  const std::vector<ExecutionNote>& notes();
  int64_t events() const { return events_; }
  int64_t executions() const { return executions_; }
  bool has_etdump() const { return has_etdump_; }
  bool has_etrecord() const { return has_etrecord_; }
  bool has_program() const { return has_program_; }
  const std::string& unit() const { return unit_; }

  /// `sql` with the trace's number as ?1.
  Statement query(std::string_view sql) const;
  /// First column of the first row, 0 without rows.
  int64_t number(std::string_view sql) const;

  /// Did the import meet this problem? Its message, "" when it did not.
  bool diagnosed(const char* id) const;
  std::string message(const char* id) const;

  void add(const char* severity, std::string id, std::string text, std::string advice = "") {
    add({severity, std::move(id), std::move(text), std::move(advice)});
  }
  void add(Finding finding) { found_.push_back(std::move(finding)); }
  /// A rule says more than the import's diagnostic of this id, which is therefore not listed again.
  void answer(const char* diagnostic) { answered_.insert(diagnostic); }
  bool answered(const std::string& diagnostic) const { return answered_.contains(diagnostic); }

  std::vector<Finding> take() { return std::move(found_); }

 private:
  const Store& store_;
  int64_t trace_;
  const OpTable* shown_;
  int64_t events_ = 0, executions_ = 0;
  bool has_etdump_ = false, has_etrecord_ = false, has_program_ = false;
  std::string unit_;
  std::vector<Finding> found_;
  std::set<std::string> answered_;
  std::optional<UnlinkedTime> unlinked_;
  std::optional<std::vector<ExecutionNote>> notes_;
};

/// What a runtime of this build (traces.build) makes of all times, "" where nothing speaks against them.
std::string slow_build_warning(std::string_view build);

struct FindingRule {
  const char* name;
  void (*find)(FindingContext& context);
};

/// The product's rules, in the order in which a person should read what they find when it is equally bad.
std::span<const FindingRule> finding_rules();

/// The worst first; equally bad ones keep their order.
void sort_findings(std::vector<Finding>* findings);

/// What the rules find in a trace, the worst first. Errors: NotFound for a trace that the store does not have.
Status find_findings(const Store& store, int64_t trace_id, std::vector<Finding>* out,
                     std::span<const FindingRule> rules = finding_rules());
/// The same with shares of the table's costs. `notes`, unless null: the execution notes that findings were made of.
Status find_findings(const Store& store, const OpTable& shown, std::vector<Finding>* out,
                     std::vector<ExecutionNote>* notes = nullptr);

}  // namespace et::inspector
