// The .pte's part of a trace: instructions, delegates with their payload nodes, and the memory plan go into the store;
// what method inference and the links need stays here as plain data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "inspector/ingest/import_context.h"
#include "inspector/ingest/program_facts.h"
#include "inspector/ingest/record_import.h"
#include "runtime/format/program.h"

namespace et::inspector {

class ProgramImport {
 public:
  /// Reads the program, or the one in a bundle. Errors: the file cannot be opened, or is not a valid program.
  Status load(ImportContext& context);
  /// Writes everything but payload nodes; the ETRecord adds handles to the instructions.
  void write(ImportContext& context, const std::map<std::string, int64_t>& method_rows, const RecordImport& record);
  /// Rows of payload nodes are written last, when the links know what was aligned.
  void write_payload_nodes(ImportContext& context, const RecordImport& record) const;

  bool loaded() const { return loaded_; }
  /// The program's bytes, without the bundle around them.
  std::span<const uint8_t> file() const { return bytes_; }
  const std::vector<MethodFacts>& methods() const { return methods_; }
  std::vector<MethodFacts>& methods() { return methods_; }
  MethodFacts* method(const std::string& name);
  const MethodFacts* method(const std::string& name) const;

 private:
  void write_memory_plan(ImportContext& context, const format::Method& method, int64_t method_row) const;
  void write_segments(ImportContext& context) const;

  bool loaded_ = false;
  MappedFile file_;
  std::span<const uint8_t> bytes_;
  format::Program program_;
  std::vector<MethodFacts> methods_;
};

}  // namespace et::inspector
