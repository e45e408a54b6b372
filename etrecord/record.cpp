#include "etrecord/record.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <set>

#include "base/json.h"
#include "base/printable.h"
#include "etrecord/program_json.h"

namespace et::etrecord {
namespace {

constexpr const char* kMagic = "ETRECORD_V0";
constexpr const char* kExported = "exported_program";
constexpr const char* kEdge = "edge_dialect_exported_program";
constexpr const char* kHandles = "debug_handle_map";
constexpr const char* kDelegates = "delegate_map";
constexpr const char* kOutputs = "instruction_id_to_num_outs_map";
constexpr const char* kGraphId = "export_graph_id";
constexpr const char* kInputs = "representative_inputs";
constexpr const char* kTensorMembers[] = {"reference_outputs", kInputs};
constexpr const char* kCompanions[] = {"_state_dict", "_constants", "_example_inputs"};
constexpr const char* kForward = "forward";

bool is_reserved(const std::string& name) {
  for (const char* r : {kMagic, kHandles, kDelegates, kOutputs, kGraphId}) {
    if (name == r) return true;
  }
  return std::find(std::begin(kTensorMembers), std::end(kTensorMembers), name) != std::end(kTensorMembers);
}

std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<int64_t> decimal(std::string_view text) {
  int64_t value = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  if (r.ec != std::errc() || r.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

// Fills a Record, member by member. What goes wrong in one member does not hurt the others.
class RecordLoader {
 public:
  RecordLoader(const RecordLimits& limits, Record* record) : limits_(limits), r_(*record) {}

  Status load() {
    if (r_.zip_.find(kMagic) == nullptr) {
      return {Error::InvalidExternalData, r_.path_ + ": not an ETRecord: the zip has no member " + kMagic};
    }
    note_ignored();
    load_programs();
    load_maps();
    load_graph_id();
    check_companions();
    note_forms();
    check_whole();
    if (r_.programs_.empty() && !r_.has_debug_handle_map_) {
      std::string why = r_.path_ + ": nothing readable in this ETRecord";
      for (const Problem& p : r_.problems_) {
        if (p.severity == Problem::Error) return {Error::InvalidExternalData, why + ": " + p.message};
      }
      return {Error::InvalidExternalData, why + "; expected at least a program or a debug_handle_map"};
    }
    return {};
  }

 private:
  void problem(Problem::Severity severity, const char* id, std::string message) {
    constexpr size_t kMaxProblems = 1000;
    if (r_.problems_.size() < kMaxProblems) r_.problems_.push_back({severity, id, std::move(message)});
  }

  void note_ignored() {
    for (const auto& i : r_.zip_.ignored()) {
      const bool twice = i.reason == ZipReader::Ignored::Duplicate;
      problem(twice ? Problem::DataLoss : Problem::Error, twice ? "zip-duplicate-member" : "zip-unsafe-member",
              "member " + i.name + " " + i.why + (twice ? "" : ": ignored"));
    }
  }

  // A companion of a program that is there. A method may be called "get_constants", so the ending alone says nothing.
  bool is_companion(const std::string& name) const {
    for (const std::string_view end : kCompanions) {
      if (name.size() > end.size() && std::string_view(name).substr(name.size() - end.size()) == end &&
          r_.zip_.find(name.substr(0, name.size() - end.size())) != nullptr) {
        return true;
      }
    }
    return false;
  }

  Status read_json(const std::string& member, ZipBytes* bytes) const {
    const auto* m = r_.zip_.find(member);
    if (m != nullptr && m->size > limits_.max_json_bytes) {
      return {Error::OutOfResources, member + ": " + std::to_string(m->size) + " bytes of JSON, expected at most " +
                                         std::to_string(limits_.max_json_bytes) + " are read"};
    }
    return r_.zip_.read(member, bytes);
  }

  void load_programs() {
    std::vector<Program> delegated;
    for (const auto& m : r_.zip_.members()) {
      if (is_reserved(m.name) || is_companion(m.name) || m.name.back() == '/') continue;
      ZipBytes bytes;
      if (Status status = read_json(m.name, &bytes); !status.ok()) {
        problem(Problem::Error, "member-unreadable", status.message());
        continue;
      }
      const std::string_view text = text_of(bytes.bytes);
      const size_t first = text.find_first_not_of(" \t\r\n");
      const bool known = m.name == kExported || m.name.compare(0, std::string_view(kEdge).size(), kEdge) == 0;
      if (!known && (first == std::string_view::npos || text[first] != '{')) {
        unknown_.insert("member " + printable(m.name));
        continue;
      }
      load_program(m.name, text, &delegated);
    }
    const auto base = static_cast<int32_t>(r_.programs_.size());
    for (Program& p : delegated) r_.programs_.push_back(std::move(p));
    // parse_program numbered them within their own lists; load_program made that the number within `delegated`.
    for (Program& p : r_.programs_) {
      for (DelegateCall& d : p.delegates) {
        if (d.program >= 0) d.program += base;
      }
    }
  }

  void load_program(const std::string& member, std::string_view text, std::vector<Program>* delegated) {
    std::vector<Program> parsed(1);
    Program& p = parsed[0];
    p.member = member;
    const size_t slash = member.find('/');
    p.graph_name = member.substr(0, slash);
    p.method = slash == std::string::npos ? kForward : member.substr(slash + 1);
    p.kind = member == kExported     ? ProgramKind::Exported
             : p.graph_name == kEdge ? ProgramKind::Edge
                                     : ProgramKind::Extra;
    const ProgramLimits limits{limits_.max_json_depth, limits_.max_delegate_depth};
    if (Status status = parse_program(text, limits, &parsed, &r_.problems_); !status.ok()) {
      problem(Problem::Error, "program-unreadable", status.message());
      return;
    }
    const auto shift = static_cast<int32_t>(delegated->size()) - 1;
    for (Program& q : parsed) {
      for (DelegateCall& d : q.delegates) {
        if (d.program >= 0) d.program += shift;
      }
    }
    r_.programs_.push_back(std::move(parsed[0]));
    std::move(parsed.begin() + 1, parsed.end(), std::back_inserter(*delegated));
  }

  // Calls entry(method, instruction, value) for each entry of a map member; false if the member is not there or not
  // readable.
  template <class Entry>
  bool load_map(const char* member, Entry entry) {
    if (r_.zip_.find(member) == nullptr) return false;
    ZipBytes bytes;
    JsonDocument document;
    Status status = read_json(member, &bytes);
    if (status.ok()) status = document.parse(text_of(bytes.bytes), member, limits_.max_json_depth);
    const auto methods = document.root().object();
    if (status.ok() && !methods) {
      status = {Error::InvalidExternalData, std::string(member) + ": expected an object of methods"};
    }
    if (!status.ok()) {
      problem(Problem::Error, "map-unreadable", status.message());
      return false;
    }
    std::set<std::string_view> seen;
    for (const auto [method, entries] : *methods) {
      if (!seen.insert(method).second) {
        problem(Problem::DataLoss, "map-duplicate-key",
                std::string(member) + ": method " + printable(method) + " occurs twice, the last one is used");
      }
      const auto instructions = entries.object();
      if (!instructions) {
        odd_entry(member, method, "", "an object of instructions");
        continue;
      }
      entry(std::string(method), std::nullopt, entries);
      std::set<int64_t> ids;
      for (const auto [key, value] : *instructions) {
        const auto id = decimal(key);
        if (!id) {
          odd_entry(member, method, key, "a decimal instruction id");
          continue;
        }
        if (!ids.insert(*id).second) {
          problem(Problem::DataLoss, "map-duplicate-key",
                  std::string(member) + ": instruction " + printable(key) + " of " + printable(method) +
                      " occurs twice, the last one is used");
        }
        entry(std::string(method), id, value);
      }
    }
    return true;
  }

  void odd_entry(const char* member, std::string_view method, std::string_view key, const char* expected) {
    problem(Problem::DataLoss, "map-entry-unreadable",
            std::string(member) + "." + printable(method) + (key.empty() ? "" : "." + printable(key)) + ": expected " +
                expected);
  }

  // A handle, or a list of them; lists inside the list are flattened no further.
  static bool handles_of(JsonValue value, std::vector<int64_t>* out) {
    const auto list = value.array();
    if (!list) {
      const auto one = json_int(value);
      if (one) out->push_back(*one);
      return one.has_value();
    }
    bool ok = true;
    for (const JsonValue item : *list) {
      const auto handle = json_int(item);
      if (handle)
        out->push_back(*handle);
      else
        ok = false;
    }
    return ok;
  }

  void load_maps() {
    using Id = std::optional<int64_t>;
    r_.has_debug_handle_map_ = load_map(kHandles, [this](const std::string& method, Id id, JsonValue value) {
      auto& map = r_.debug_handle_map_[method];
      if (!id) return map.clear();
      auto& handles = map[*id];
      handles.clear();
      if (!handles_of(value, &handles)) odd_entry(kHandles, method, std::to_string(*id), "a debug handle or a list");
    });
    r_.has_delegate_map_ = load_map(kDelegates, [this](const std::string& method, Id id, JsonValue value) {
      auto& map = r_.delegate_map_[method];
      if (!id) return map.clear();
      map[*id] = delegate_entry(method, *id, value);
    });
    r_.has_num_outputs_map_ = load_map(kOutputs, [this](const std::string& method, Id id, JsonValue value) {
      auto& map = r_.num_outputs_map_[method];
      if (!id) return map.clear();
      const auto count = json_int(value);
      if (count && *count >= 0)
        map[*id] = *count;
      else
        odd_entry(kOutputs, method, std::to_string(*id), "a number of outputs");
    });
  }

  DelegateEntry delegate_entry(const std::string& method, int64_t id, JsonValue value) {
    DelegateEntry out;
    const auto entry = value.object();
    if (!entry) {
      odd_entry(kDelegates, method, std::to_string(id), "an object with name and delegate_map");
      return out;
    }
    for (const auto [key, v] : *entry) {
      if (key == "name") out.name = json_string(v).value_or("");
      if (key != "delegate_map" || v.is_null()) continue;
      const auto inner = v.object();
      if (!inner) {
        odd_entry(kDelegates, method, std::to_string(id), "an object or null as delegate_map");
        continue;
      }
      out.has_map = true;
      out.map.clear();
      for (const auto [identifier, handles] : *inner) {
        auto& item = out.map.emplace_back(std::string(identifier), std::vector<int64_t>());
        if (!handles_of(handles, &item.second)) odd_entry(kDelegates, method, identifier, "a list of debug handles");
      }
    }
    return out;
  }

  void load_graph_id() {
    if (r_.zip_.find(kGraphId) == nullptr) return;
    ZipBytes bytes;
    JsonDocument document;
    Status status = read_json(kGraphId, &bytes);
    if (status.ok()) status = document.parse(text_of(bytes.bytes), kGraphId, limits_.max_json_depth);
    if (status.ok()) {
      r_.export_graph_id_ = json_int(document.root());
      if (!r_.export_graph_id_) {
        status = {Error::InvalidExternalData, std::string(kGraphId) + ": expected an integer of 64 bits"};
      }
    }
    if (!status.ok()) problem(Problem::DataLoss, "export-graph-id-unreadable", status.message());
  }

  void check_companions() {
    for (const Program& p : r_.programs_) {
      if (p.kind == ProgramKind::Delegated) continue;
      for (const char* end : kCompanions) {
        if (r_.zip_.find(p.member + end) == nullptr) {
          problem(Problem::Info, "companion-missing", "member " + printable(p.member) + end + " is missing");
        }
      }
    }
  }

  // Could the release that wrote it have written this?
  bool may_have(Form form) const {
    const auto writers = releases_of(r_.forms_);
    return !writers || forms()[static_cast<size_t>(form)].first <= writers->last;
  }

  // What a whole ETRecord of its release has and this one lacks.
  void check_whole() {
    const bool edge = std::any_of(r_.programs_.begin(), r_.programs_.end(),
                                  [](const Program& p) { return p.kind == ProgramKind::Edge; });
    if (!edge) {
      problem(Problem::Missing, "edge-program-missing",
              "the ETRecord has no edge dialect program: events cannot be linked to nodes and source lines");
    }
    if (!r_.has_debug_handle_map_) {
      problem(Problem::Missing, "debug-handle-map-missing",
              "the ETRecord has no debug_handle_map: the export failed half-way, as it does when the body of a cond, "
              "map or "
              "scan contains a constant tensor; events cannot be linked to nodes");
    }
    if (!r_.has_delegate_map_ && r_.has_debug_handle_map_) {
      problem(Problem::Info, "delegate-map-missing", "the ETRecord has no delegate_map (older exporter)");
    }
    if (!r_.has_num_outputs_map_ && r_.has_debug_handle_map_ && may_have(Form::NumOutputsMap)) {
      problem(Problem::Info, "num-outputs-map-missing",
              "the ETRecord has no instruction_id_to_num_outs_map (older exporter)");
    }
    if (!r_.export_graph_id_ && r_.exported_program() != nullptr && r_.zip_.find(kGraphId) == nullptr) {
      problem(Problem::Info, "export-graph-id-missing",
              "the ETRecord has no export_graph_id: debug handles may not map back to the exported program");
    }
    for (const std::string& method : edge ? r_.methods() : std::vector<std::string>()) {
      if (r_.edge_program(method) == nullptr) {
        problem(Problem::Missing, "method-without-program",
                "the maps name method " + printable(method) + ", but the ETRecord has no edge dialect program for it");
      }
    }
  }

  // Which forms it has, and what no known release writes.
  void note_forms() {
    FormSet& forms = r_.forms_;
    for (const Program& p : r_.programs_) {
      forms.add(p.forms);
      unknown_.insert(p.unknown.begin(), p.unknown.end());
      if (p.kind == ProgramKind::Edge) forms.add(p.member == kEdge ? Form::EdgeAlone : Form::EdgeByMethod);
      if (p.kind == ProgramKind::Exported) forms.add(Form::ExportedProgram);
    }
    if (r_.zip_.find(kOutputs) != nullptr) forms.add(Form::NumOutputsMap);
    for (const char* name : kTensorMembers) {
      ZipBytes bytes;
      const auto* m = r_.zip_.find(name);
      constexpr uint64_t kMaxInflated = uint64_t{1} << 20;  // exporters store them: nothing is unpacked
      if (m == nullptr || (!m->stored && m->size > kMaxInflated)) continue;
      if (!r_.zip_.read(name, &bytes, false).ok() || bytes.bytes.empty()) continue;
      if (bytes.bytes[0] == 0x80) forms.add(Form::BarePickle);
      if (bytes.bytes[0] == 'P') forms.add(Form::TorchSave);
      if (std::string_view(name) == kInputs) forms.add(Form::RepresentativeInputs);
    }
    if (unknown_.empty()) return;
    std::string list;
    constexpr size_t kMaxNamed = 8;
    size_t named = 0;
    for (const std::string& what : unknown_) {
      if (named++ < kMaxNamed) list += (list.empty() ? "" : ", ") + what;
    }
    if (named > kMaxNamed) list += " and " + std::to_string(named - kMaxNamed) + " more";
    problem(Problem::Info, "newer-release",
            "written by a newer release than " + std::string(release_name(newest_release())) +
                ", or added by hand: " + list + ". The rest is read");
  }

  const RecordLimits& limits_;
  Record& r_;
  std::set<std::string> unknown_;
};

Status Record::open(std::span<const uint8_t> file, const std::string& path, const RecordLimits& limits,
                    Record* out) try {
  *out = Record();
  out->path_ = path;
  if (file.empty()) return {Error::InvalidExternalData, path + ": empty file; expected an ETRecord (zip)"};
  Status status = ZipReader::open(file, path, limits.zip, &out->zip_);
  if (status.ok()) status = RecordLoader(limits, out).load();
  return status;
} catch (const std::exception& e) {
  return {Error::OutOfResources, path + ": " + e.what()};
}

const Program* Record::exported_program() const {
  for (const Program& p : programs_) {
    if (p.kind == ProgramKind::Exported) return &p;
  }
  return nullptr;
}

const Program* Record::edge_program(const std::string& method) const {
  const Program* only = nullptr;
  size_t count = 0;
  for (const Program& p : programs_) {
    if (p.kind != ProgramKind::Edge) continue;
    if (p.method == method) return &p;
    only = &p;
    ++count;
  }
  // Stored as "forward" whatever its name, which only the maps know.
  if (count != 1 || only->method != kForward) return nullptr;
  const auto names = methods();
  return names.size() == 1 && names[0] == method ? only : nullptr;
}

std::vector<std::string> Record::methods() const {
  std::set<std::string> names;
  for (const auto& [method, map] : debug_handle_map_) names.insert(method);
  for (const auto& [method, map] : delegate_map_) names.insert(method);
  for (const auto& [method, map] : num_outputs_map_) names.insert(method);
  if (names.empty()) {
    for (const Program& p : programs_) {
      if (p.kind == ProgramKind::Edge) names.insert(p.method);
    }
  }
  return {names.begin(), names.end()};
}

std::string Record::written_by() const {
  const auto range = releases_of(forms_);
  return range ? range_text(*range) : std::string();
}

bool Record::has_member(const std::string& member) const { return zip_.find(member) != nullptr; }

Status Record::tensors(const std::string& member, TorchArchive* out) const try {
  ZipBytes bytes;
  // The storages inside have their own checksums.
  if (Status status = zip_.read(member, &bytes, false); !status.ok()) return status;
  return TorchArchive::open(bytes.bytes, path_ + ": " + printable(member), out, {}, bytes.owner);
} catch (const std::exception& e) {
  return {Error::OutOfResources, path_ + ": " + e.what()};
}

}  // namespace et::etrecord
