// Test cases that are put together in memory, and views that leave out or exchange what another source has.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bundled_program/cases/case_source.h"

namespace et::bundled {

class MemoryCases : public CaseSource {
 public:
  /// A suite for each method, in the order in which they come first. `place` is for messages.
  void add(const std::string& method, LoadedCase test, std::string place);
  /// The suite of a method that may stay without cases.
  void add_suite(const std::string& method);

  size_t suite_count() const override { return suites_.size(); }
  std::string_view method(size_t suite) const override;
  size_t case_count(size_t suite) const override;
  std::string place(size_t suite, size_t index) const override;
  Status load(size_t suite, size_t index, LoadedCase* out) const override;

 private:
  struct Entry {
    LoadedCase test;
    std::string place;
  };
  struct Suite {
    std::string method;
    std::vector<Entry> cases;
  };
  std::vector<Suite> suites_;
};

/// All of `base` but the suites of these methods. `base` must outlive the view.
std::unique_ptr<CaseSource> cases_without(const CaseSource& base, std::span<const std::string> methods);

/// New expectations by (suite, case).
using Expectations = std::map<std::pair<size_t, size_t>, LoadedCase>;
/// `base` with the expected outputs of `renewed` where it has some. Both must outlive the view.
std::unique_ptr<CaseSource> cases_with_expectations(const CaseSource& base, const Expectations& renewed);

}  // namespace et::bundled
