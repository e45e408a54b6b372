// An ETRecord file: programs, maps, tensors. Source: ETRecord format page. Programs and maps are parsed when the
// ETRecord is opened; tensors only when asked for, so that weights are never touched otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/zip_reader.h"
#include "etrecord/graph.h"
#include "etrecord/torch_archive.h"

namespace et::etrecord {

/// Something a person should know about the ETRecord. `id` is short-kebab and stable: see problem_ids in README.md.
struct Problem {
  /// Info: an older or newer layout. Missing: the exporter did not write it. DataLoss, Error: damage.
  enum Severity { Info, Missing, DataLoss, Error };
  Severity severity = Info;
  std::string id;
  std::string message;
};

/// What the ETRecord says about one delegate call.
struct DelegateEntry {
  std::string name;      ///< backend id
  bool has_map = false;  ///< false: the backend gave none (null); true with an empty map: it gave an empty one
  std::vector<std::pair<std::string, std::vector<int64_t>>>
      map;  ///< delegate debug id (text) → debug handles, file order
};

using InstructionId = int64_t;
using DebugHandleMap = std::map<std::string, std::map<InstructionId, std::vector<int64_t>>>;
using DelegateMap = std::map<std::string, std::map<InstructionId, DelegateEntry>>;
using NumOutputsMap = std::map<std::string, std::map<InstructionId, int64_t>>;

/// Limits of what an ETRecord may make us do; all can be reached only by a hostile or broken file.
struct RecordLimits {
  ZipLimits zip;
  uint64_t max_json_bytes = uint64_t{256} << 20;
  uint32_t max_json_depth = 4096;
  uint32_t max_delegate_depth = 8;  ///< lowered modules inside lowered modules
};

class Record {
 public:
  /// Reads the ETRecord in `file`, which must outlive it (a MappedFile). `path` is for messages.
  /// Errors: InvalidExternalData (no zip, cut short, not an ETRecord, nothing readable in it). What can be done
  /// without is not an error but in problems().
  static Status open(std::span<const uint8_t> file, const std::string& path, Record* out) {
    return open(file, path, RecordLimits(), out);
  }
  static Status open(std::span<const uint8_t> file, const std::string& path, const RecordLimits& limits, Record* out);

  /// All programs: those of the file in file order, then those found inside delegate calls.
  const std::vector<Program>& programs() const { return programs_; }
  /// The edge program of a method, by its real name; nullptr if the ETRecord has none. An ETRecord with a single edge
  /// program stores it under "forward" whatever the method is called: it answers to the single name of the maps.
  const Program* edge_program(const std::string& method) const;
  /// The torch.export program (method forward only), nullptr if the ETRecord has none.
  const Program* exported_program() const;

  /// Real names of the methods: keys of the maps; of the edge programs where there are no maps.
  std::vector<std::string> methods() const;
  /// Method → instruction id → debug handles of the nodes it came from (order and repeats kept).
  const DebugHandleMap& debug_handle_map() const { return debug_handle_map_; }
  /// Method → instruction id → delegate call.
  const DelegateMap& delegate_map() const { return delegate_map_; }
  /// Method → instruction id → number of outputs (delegate calls only).
  const NumOutputsMap& num_outputs_map() const { return num_outputs_map_; }
  bool has_debug_handle_map() const { return has_debug_handle_map_; }
  bool has_delegate_map() const { return has_delegate_map_; }
  bool has_num_outputs_map() const { return has_num_outputs_map_; }
  /// Id of the exported graph in Node::from chains; no value in older ETRecords.
  std::optional<int64_t> export_graph_id() const { return export_graph_id_; }

  /// How it is written, and the releases of ExecuTorch that write it so ("1.0 to 1.1"); "" if none does.
  const FormSet& forms() const { return forms_; }
  std::string written_by() const;

  const std::vector<Problem>& problems() const { return problems_; }

  /// The torch.save archive in a member: "reference_outputs", "representative_inputs",
  /// "<program member>_state_dict", "_constants", "_example_inputs".
  /// Errors: NotFound (no such member), InvalidArgument (empty member), InvalidExternalData / NotSupported (damaged,
  /// refused).
  Status tensors(const std::string& member, TorchArchive* out) const;
  bool has_member(const std::string& member) const;
  const ZipReader& zip() const { return zip_; }
  const std::string& path() const { return path_; }

 private:
  friend class RecordLoader;

  std::string path_;
  ZipReader zip_;
  std::vector<Program> programs_;
  DebugHandleMap debug_handle_map_;
  DelegateMap delegate_map_;
  NumOutputsMap num_outputs_map_;
  bool has_debug_handle_map_ = false;
  bool has_delegate_map_ = false;
  bool has_num_outputs_map_ = false;
  std::optional<int64_t> export_graph_id_;
  FormSet forms_;
  std::vector<Problem> problems_;
};

}  // namespace et::etrecord
