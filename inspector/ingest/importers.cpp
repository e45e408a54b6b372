#include "inspector/ingest/importers.h"

#include <algorithm>

#include "inspector/ingest/import.h"

namespace et::inspector {

const std::string& input_file(const IngestInputs& inputs, std::string_view option) {
  static const std::string kNone;
  const auto it = inputs.more.find(option);
  return it == inputs.more.end() ? kNone : it->second;
}

const std::string& input_file(const IngestInputs& inputs, const Importer& importer) {
  return importer.member != nullptr ? inputs.*importer.member : input_file(inputs, importer.option);
}

std::string& input_file(IngestInputs& inputs, const Importer& importer) {
  return importer.member != nullptr ? inputs.*importer.member : inputs.more[importer.option];
}

const Importer* importer_of(FileKind kind, std::span<const Importer> importers) {
  const auto it = std::find_if(importers.begin(), importers.end(), [&](const Importer& i) { return i.takes(kind); });
  return it == importers.end() ? nullptr : &*it;
}

// The stages of the rows.

Status load_dump(Import& in) { return open_dump(in.context, &in.dump); }
Status load_debug_buffer(Import& in) { return open_debug_buffer(in.context.inputs, &in.dump); }

Status load_record(Import& in) { return in.record.load(in.context); }
void write_record(Import& in) {
  in.record.write(in.context, in.method_rows);
  in.record.write_tensors(in.context);
  // Without a program its maps are all that is known of instructions.
  if (!in.program.loaded()) in.record.write_instructions(in.context, in.method_rows);
}

Status load_program(Import& in) { return in.program.load(in.context); }
void write_program(Import& in) {
  in.program.write(in.context, in.method_rows, in.record);
  in.program.write_payload_nodes(in.context, in.record);
}

}  // namespace et::inspector
