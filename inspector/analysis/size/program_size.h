// Where the bytes of a program (.pte, .bpte) are. Every byte of the file belongs to exactly one entry, so the entries
// add up to the file's size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Where an instruction takes a constant, as the SizeEntry has it of the first.
struct SizeUse {
  std::string method, used_by;
  int64_t instruction = -1, argument = -1, place = 0;
};

struct SizeEntry {
  std::string group;      ///< "constants", "weights of XnnpackBackend", "instructions", "padding" …
  std::string name;       ///< of the tensor, key of named data, or what it is
  std::string stored_as;  ///< what the file calls it, where name_entries() has given it the model's name
  std::string dtype;      ///< of a tensor, else ""
  std::string shape;      ///< "[64, 3, 7, 7]", else ""
  std::string used_by;    ///< "aten::convolution.out", "Conv2d"; "" when nothing inside of the program uses it
  std::string leads_to;   ///< "aten::addmm.out": what reads it in the end, where `used_by` only moves or converts it
  std::string
      operator_name;        ///< "aten.linear", as other reports call it; name_entries() fills it where the graph tells
  std::string module;       ///< of the graph node that uses it; name_entries() fills it
  std::string same_as;      ///< name of an earlier entry with the same bytes
  std::string shared_with;  ///< "aten.linear in lm_head": who else uses these bytes, or a copy; name_entries() fills it
  std::string method;       ///< "" for what belongs to the whole program
  int64_t instruction = -1;          ///< first one that uses it
  int64_t delegate = -1;             ///< of weights and payloads: index in the method
  int64_t payload_node = -1;         ///< first node of the payload that uses it
  int64_t argument = -1;             ///< which argument of that instruction, or input of that payload node
  int64_t place = 0;                 ///< among the constants there that have its extents
  int64_t uses = 0;                  ///< instructions or payload nodes
  std::vector<SizeUse> others = {};  ///< of instructions those behind the first
  int64_t bytes = 0;

  /// What to call that which uses it: "aten.addmm", also where a copy stands between both.
  std::string user() const;
};

struct ProgramSize {
  std::string path;
  int64_t file_bytes = 0;
  std::vector<SizeEntry> entries;  ///< largest first
  int64_t duplicate_bytes = 0;     ///< of entries with same_as
};

/// Errors: those of opening the file, InvalidProgram.
Status program_size(const std::string& path, ProgramSize* out);

/// Fills SizeEntry::module from the graph that a store has for the program's ETRecord, and names tensors as the model
/// does. Errors: InvalidExternalData (damaged store).
Status name_entries(const Store& store, int64_t trace_id, ProgramSize* size);

}  // namespace et::inspector
