// The table of importers: one row for each kind of file that a trace is made of. The command's options, the sorting of
// files that are dropped on the window, and the stages of ingest() follow from it (CONTRIBUTING.md, "Add an importer").
#pragma once

#include <span>
#include <string>

#include "base/status.h"
#include "inspector/ingest/ingest.h"
#include "inspector/ingest/payloads/payload_kinds.h"
#include "inspector/store/file_kind.h"

namespace et::inspector {

struct Import;

struct Importer {
  const char* option;     // long name without dashes; the ETDump is the positional TRACE
  char short_name = 0;    // 0: none
  const char* help = "";  // one sentence, without a full stop
  const char* expected;   // for messages: "an ETRecord"
  const char* plural;     // and of several: "ETRecords"

  FileKind kind = FileKind::Unknown;  // Unknown: no magic number tells it
  FileKind also = FileKind::Unknown;  // another kind that it takes: a bundle contains a program
  bool alone = false;                 // enough for a trace, without any other file
  bool folder = false;                // a folder of such files will do
  bool beside = true;                 // taken where it stands beside the others, unasked

  /// Where IngestInputs has the path. Null: IngestInputs::more[option].
  std::string IngestInputs::*member = nullptr;

  // The stages, in the order of the rows. Each finds its path with input_file().
  /// Reads the file; the store is not touched yet, so an error here leaves nothing behind.
  Status (*load)(Import& in) = nullptr;
  /// Writes its rows: methods have theirs, links are known.
  void (*write)(Import& in) = nullptr;

  bool takes(FileKind k) const { return k == kind || (k == also && also != FileKind::Unknown); }
};

Status load_dump(Import& in);
Status load_debug_buffer(Import& in);
Status load_record(Import& in);
void write_record(Import& in);
Status load_program(Import& in);
void write_program(Import& in);
// inspector/ingest/npu
Status load_tosa_twins(Import& in);
Status load_vela(Import& in);
Status load_npu_trace(Import& in);
void write_compiled_operators(Import& in);

/// The importers of et-inspect.
inline constexpr Importer kImporters[] = {
    {.option = "trace",
     .expected = "an ETDump",
     .plural = "ETDumps",
     .kind = FileKind::ETDump,
     .alone = true,
     .member = &IngestInputs::dump,
     .load = load_dump},
    {.option = "etrecord",
     .short_name = 'e',
     .help = "ETRecord of the export: graph nodes, Python lines, modules",
     .expected = "an ETRecord",
     .plural = "ETRecords",
     .kind = FileKind::ETRecord,
     .alone = true,
     .member = &IngestInputs::record,
     .load = load_record,
     .write = write_record},
    {.option = "pte",
     .short_name = 'p',
     .help = "the program (.pte): operators, memory plan, nodes inside delegates",
     .expected = "a program (.pte)",
     .plural = "programs",
     .kind = FileKind::Program,
     .also = FileKind::BundledProgram,
     .alone = true,
     .member = &IngestInputs::program,
     .load = load_program,
     .write = write_program},
    {.option = "debug-buffer",
     .short_name = 'b',
     .help = "debug buffer of the ETDump: the logged tensors",
     .expected = "the debug buffer of an ETDump",
     .plural = "debug buffers",
     .member = &IngestInputs::debug_buffer,
     .load = load_debug_buffer},
    {.option = "tosa",
     .help =
         "the TOSA graph that an Ethos-U's payload was compiled from, or a folder of them: operators and their lines",
     .expected = "a TOSA graph",
     .plural = "TOSA graphs",
     .kind = FileKind::TosaGraph,
     .folder = true,
     .load = load_tosa_twins},
    {.option = "vela",
     .help = "Vela's debug database (*_debug.xml) or table of operators (*_per-layer.csv): estimated cycles",
     .expected = "output of Vela",
     .plural = "outputs of Vela",
     .kind = FileKind::VelaEstimates,
     .load = load_vela,
     .write = write_compiled_operators},
    {.option = "npu-trace",
     .help = "PMU trace of an Ethos-U (JSON or gzip of it): measured cycles; needs --vela with the debug database",
     .expected = "a PMU trace of an Ethos-U",
     .plural = "PMU traces",
     .kind = FileKind::Gzip,
     .also = FileKind::Json,
     .beside = false,
     .load = load_npu_trace},
};

/// Path of an importer's file, "" for none.
const std::string& input_file(const IngestInputs& inputs, const Importer& importer);
std::string& input_file(IngestInputs& inputs, const Importer& importer);
/// By option: for rows that have no member.
const std::string& input_file(const IngestInputs& inputs, std::string_view option);

/// The importer that takes files of this kind; null for none. Unknown files go to the first row without a magic number.
const Importer* importer_of(FileKind kind, std::span<const Importer> importers = kImporters);

/// The tables that an import goes by; tests pass their own.
struct IngestTables {
  std::span<const Importer> importers = kImporters;
  std::span<const PayloadKind> payload_kinds = inspector::payload_kinds();
};
Status ingest(Store& store, const IngestInputs& inputs, const Progress& progress, IngestResult* result,
              const IngestTables& tables);

}  // namespace et::inspector
