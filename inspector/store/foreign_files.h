// An ETRecord or a program that is another model's: what it names would be the answer to another question.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspector/store/store.h"

namespace et::inspector {

/// Errors as paragraphs to stand above a table or a page of markdown: "ERROR: …"; "" without any.
std::string error_paragraphs(const std::vector<std::string>& errors);

struct ForeignFiles {
  std::string record, program;  // why, with the file's name; "" for one that belongs to the trace
  bool record_linked = false;   // though some executions contradict it, others fit: their links are there
  bool has_program = false;

  /// Nothing of it may be shown as an answer.
  bool hides_record() const { return !record.empty() && !record_linked; }
  bool hides_program() const { return !program.empty(); }
  /// The instructions in the store are the program's, without one those that the ETRecord knows.
  bool hides_instructions() const { return has_program ? hides_program() : hides_record(); }
  /// A sentence for each, to be said before anything else.
  std::vector<std::string> warnings() const;
  std::string head() const { return error_paragraphs(warnings()); }
};

/// Nothing is foreign in a store that cannot be read.
ForeignFiles foreign_files(const Store& store, int64_t trace_id);

}  // namespace et::inspector
