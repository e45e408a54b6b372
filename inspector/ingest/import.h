// One import on its way: the files that were read, and the trace that they become.
#pragma once

#include <any>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "inspector/ingest/dump/dump_file.h"
#include "inspector/ingest/import_context.h"
#include "inspector/ingest/program_import.h"
#include "inspector/ingest/record_import.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector {

struct Import {
  ImportContext context;
  DumpFile dump = {};
  RecordImport record = {};
  ProgramImport program = {};
  std::map<std::string, int64_t> method_rows = {};  // by name; known before anything is written
  Trace trace = {};
  std::optional<bool> program_hash_agrees = {};  // with the one that the ETDump names, when it names one
  std::map<std::string, std::any> more = {};     // what other importers keep between their stages, by option
};

}  // namespace et::inspector
