// Read-only SQL over a store: what `et-inspect sql` runs, from an argument, a script or the prompt.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "inspector/store/sql_guard.h"
#include "inspector/store/store.h"
#include "inspector/text/table.h"

namespace et::cli {

class SqlSession {
 public:
  /// Takes away every right but reading. `trace_id` is bound to the parameter :trace, 0 for none.
  SqlSession(inspector::Store& store, int64_t trace_id);
  SqlSession(const SqlSession&) = delete;
  SqlSession& operator=(const SqlSession&) = delete;

  /// Runs all statements of `sql` and writes each result with its rows to `out`; results stand apart by an empty line.
  /// csv, tsv and json are written as the rows come, so memory does not grow with them.
  /// Errors: InvalidArgument for SQL that SQLite refuses, with line, column and the place marked; InvalidExternalData
  /// for a damaged store.
  Status run(std::string_view sql, const inspector::TableOptions& options, std::ostream& out);

  /// From now on Ctrl-C ends the statement that runs, not the program: for a prompt.
  void keep_on_interruption() { at_prompt_ = true; }
  /// Called as rows come, with their number; also once before the first.
  void set_progress(std::function<void(uint64_t rows)> progress) { progress_ = std::move(progress); }

  int64_t trace_id() const { return trace_id_; }

 private:
  Status bind_parameters(inspector::Statement& st) const;
  Status write_result(inspector::Statement& st, const inspector::TableOptions& options, std::ostream& out);
  Status explain(std::string_view sql, size_t statement_at) const;

  inspector::Store& store_;
  int64_t trace_id_;
  inspector::SqlGuard guard_;
  bool first_result_ = true;
  bool at_prompt_ = false;
  std::function<void(uint64_t)> progress_ = [](uint64_t) {};
};

}  // namespace et::cli
