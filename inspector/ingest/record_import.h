// The ETRecord's part of a trace: graph nodes, frames, modules and edges go into the store; what the links need stays
// here as plain data.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "etrecord/record.h"
#include "inspector/ingest/import_context.h"
#include "inspector/ingest/method_graph.h"
#include "inspector/match/file_owners.h"

namespace et::inspector {

class RecordImport {
 public:
  /// Reads the ETRecord. One that cannot be read is a diagnostic, not an error: the trace is worth having alone.
  /// Only what the user named wrongly (no file, directory, no permission) is an error.
  Status load(ImportContext& context);
  /// Writes nodes of all programs. `method_rows` gives the row of a method by name.
  void write(ImportContext& context, const std::map<std::string, int64_t>& method_rows);
  /// Writes reference outputs and representative inputs.
  void write_tensors(ImportContext& context) const;

  /// Without a program: what the ETRecord's maps say of instructions and delegates.
  void write_instructions(ImportContext& context, const std::map<std::string, int64_t>& method_rows) const;

  bool loaded() const { return loaded_; }
  std::vector<std::string> methods() const { return loaded_ ? record_.methods() : std::vector<std::string>(); }
  /// Null when the ETRecord has no graph of that method.
  const MethodGraph* graph(const std::string& method) const;

  /// Handles of an instruction in the ETRecord's order; null when the map has no entry.
  const std::vector<int64_t>* handles(const std::string& method, int64_t instruction) const;
  /// The same as a JSON list; no value without an entry.
  std::optional<std::string> handles_json(const std::string& method, int64_t instruction) const;
  const etrecord::DelegateEntry* delegate(const std::string& method, int64_t instruction) const;
  std::optional<int64_t> num_outputs(const std::string& method, int64_t instruction) const;
  const etrecord::Record& record() const { return record_; }

 private:
  bool loaded_ = false;
  MappedFile file_;
  etrecord::Record record_;
  std::map<std::string, MethodGraph> graphs_;
};

/// The frame that a user would call "my line"; where that says too little, write_line_rule() changes it. Null without
/// frames.
const etrecord::Frame* user_frame(const std::vector<etrecord::Frame>& frames, const FileOwners& owners);

}  // namespace et::inspector
