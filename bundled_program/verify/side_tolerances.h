// Tolerances that stand in files beside bundled programs, because the format has no place for them: an index.json of a
// folder of bundles ({"files": [{"file", "rtol", "atol"}]}), or reference/tolerance.json of a single one
// ({"tolerance": {method: {case: {output: {"rtol", "atol"}}}}}).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/status.h"
#include "bundled_program/compare.h"

namespace et::bundled {

class SideTolerances {
 public:
  struct Found {
    Tolerance tolerance;
    std::string from;  // name of the file
  };
  /// The tolerance of one output, if a file beside `bundle` gives one. Files are read once.
  std::optional<Found> find(const std::string& bundle, const std::string& method, size_t test_case, size_t output);
  /// The first file that could not be read.
  const Status& status() const { return status_; }

 private:
  using Table = std::map<std::string, Tolerance>;
  /// The tables that speak of a bundle `name`: of its folder and the one above.
  struct Tables {
    std::string folder, name;
    const Table* indices[2] = {};
    const Table* reference = nullptr;
  };
  const Tables& tables_of(const std::string& bundle);
  const Table& index_of(const std::string& folder);
  const Table& reference_of(const std::string& folder);

  std::map<std::string, Table> indices_;     // by folder: file name → tolerance
  std::map<std::string, Table> references_;  // by folder: "method/case/output" → tolerance
  Tables last_;                              // many outputs of one folder are asked for in a row
  Status status_;
};

}  // namespace et::bundled
