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

#include "inspector/analysis/ops/unlinked_time.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Of findings about time without a line.
struct FindingTime {
  std::string reason_id;  // inspector/ingest/links/unlinked_reasons.def, "" for one of another version
  double share = 0;       // of all executions
  int64_t ops = 0;
  std::string example;  // the costliest of them
};

struct Finding {
  std::string severity;  // error, data-loss, warning, info or ok
  std::string id;        // stable name
  std::string text;      // what was found, with numbers
  std::string advice;    // what to do; may be empty
  std::optional<FindingTime> time = {};
};

/// What the rules of one trace share: its facts, queries, and the list that they add to.
class FindingContext {
 public:
  FindingContext(const Store& store, int64_t trace) : store_(store), trace_(trace) {}

  /// Reads the trace's facts. False when the store has no such trace.
  bool load();

  const Store& store() const { return store_; }
  int64_t trace() const { return trace_; }
  /// Computed once, when a rule first asks for it.
  const UnlinkedTime& unlinked();
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
  int64_t events_ = 0, executions_ = 0;
  bool has_etdump_ = false, has_etrecord_ = false, has_program_ = false;
  std::string unit_;
  std::vector<Finding> found_;
  std::set<std::string> answered_;
  std::optional<UnlinkedTime> unlinked_;
};

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

}  // namespace et::inspector
