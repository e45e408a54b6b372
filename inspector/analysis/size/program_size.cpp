#include "inspector/analysis/size/program_size.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/program_file.h"
#include "inspector/analysis/size/byte_claims.h"
#include "inspector/analysis/size/operator_names.h"
#include "inspector/analysis/size/shared_tensors.h"
#include "inspector/analysis/size/tensor_names.h"
#include "inspector/match/operator_name.h"
#include "inspector/text/json_list.h"
#include "runtime/format/payload.h"
#include "runtime/format/program_extents.h"
#include "runtime/format/xnnpack_payload.h"

namespace et::inspector {
namespace {

/// XNNPACK's names of floats as those of tensors are.
std::string common_name(std::string_view name) {
  if (name == "fp32") return "float32";
  if (name == "fp16") return "float16";
  return std::string(name == "bf16" ? "bfloat16" : name);
}

using format::ExtentKind;

const char* group_of(ExtentKind kind) {
  switch (kind) {
    case ExtentKind::Header:
      return "header";
    case ExtentKind::Tables:
      return "tables of the program";
    case ExtentKind::Values:
      return "values and tensor metadata";
    case ExtentKind::Instructions:
      return "instructions";
    case ExtentKind::StackTraces:
      return "stack traces";
    case ExtentKind::Operators:
      return "operator names";
    case ExtentKind::Delegates:
      return "delegate tables";
    case ExtentKind::Interface:
      return "inputs, outputs and planned buffers";
    case ExtentKind::InlineConstant:
    case ExtentKind::InlinePayload:
      break;
  }
  return "inline data that nothing refers to";
}

class SizeReader {
 public:
  SizeReader(std::span<const uint8_t> file, const format::Program& program, ProgramSize* out)
      : file_(file), program_(program), claims_(file.size()), out_(out) {}

  // The most telling name first: whoever claims a byte first has it.
  void read() {
    for (uint32_t m = 0; m < program_.method_count(); ++m) read_constants(program_.method(m));
    for (uint32_t m = 0; m < program_.method_count(); ++m) read_payloads(program_.method(m));
    read_named_data();
    read_flatbuffer();
    read_rest();
    find_duplicates();
    std::stable_sort(out_->entries.begin(), out_->entries.end(),
                     [](const SizeEntry& a, const SizeEntry& b) { return a.bytes > b.bytes; });
  }

 private:
  uint64_t offset_of(std::span<const uint8_t> bytes) const {
    return static_cast<uint64_t>(bytes.data() - file_.data());
  }

  /// The entry of these bytes, which may be there already; nullptr when there are none.
  SizeEntry* add(std::span<const uint8_t> bytes, SizeEntry entry) {
    if (bytes.empty()) return nullptr;
    const auto [at, fresh] = by_offset_.try_emplace({offset_of(bytes), bytes.size()}, out_->entries.size());
    if (fresh) {
      entry.bytes = static_cast<int64_t>(claims_.claim(offset_of(bytes), bytes.size()));
      out_->entries.push_back(std::move(entry));
      data_.resize(out_->entries.size());
      data_.back() = bytes;
    }
    return &out_->entries[at->second];
  }
  void add_range(uint64_t offset, uint64_t size, const std::string& group, const std::string& name,
                 const std::string& method) {
    const auto bytes = static_cast<int64_t>(claims_.claim(offset, size));
    if (bytes == 0) return;
    const auto [at, fresh] = by_name_.try_emplace({group, name, method}, out_->entries.size());
    if (fresh) {
      SizeEntry entry;
      entry.group = group;
      entry.name = name;
      entry.method = method;
      out_->entries.push_back(std::move(entry));
      data_.resize(out_->entries.size());
    }
    out_->entries[at->second].bytes += bytes;
  }

  struct User {
    int64_t instruction = 0, argument = 0, place = 0;
    std::string name;      // of the operator
    std::string leads_to;  // of the one that reads what it made, where it only moves or converts
  };

  static std::string operator_of(const format::Method& method, const format::Instruction& in) {
    if (in.kind() != format::InstructionKind::KernelCall) return {};
    const format::OperatorName op = method.operator_name(static_cast<uint32_t>(in.op_index()));
    return std::string(op.name) + (op.overload.empty() ? "" : "." + std::string(op.overload));
  }

  /// A weight that is transposed or dequantised first is one of the product that follows.
  static std::string reader_behind(const format::Method& method, uint32_t i) {
    constexpr int kMostSteps = 6;
    std::string out;
    for (int step = 0; step < kMostSteps; ++step) {
      const format::Instruction in = method.instruction(i);
      const std::string name = operator_of(method, in);
      const bool hands_on = !name.empty() && only_moves_data(name);
      if (step > 0) out = name;
      if (!hands_on || in.args().empty()) break;
      const int32_t made = in.args()[in.args().size() - 1];  // out variants end with what they write
      uint32_t next = i + 1;
      const auto reads = [&](uint32_t n) {
        const auto& args = method.instruction(n).args();
        return std::find(args.begin(), args.end(), made) != args.end();
      };
      while (next < method.instruction_count() && !reads(next)) ++next;
      if (made < 0 || next == method.instruction_count()) break;
      i = next;
    }
    return out;
  }

  using Users = std::unordered_map<uint32_t, std::vector<User>>;

  /// The instructions that take each value, in their order.
  static void find_users(const format::Method& method, Users* users) {
    for (uint32_t i = 0; i < method.instruction_count(); ++i) {
      const format::Instruction in = method.instruction(i);
      std::string name = operator_of(method, in);
      if (name.empty()) name = format::instruction_kind_name(in.kind());
      if (in.kind() == format::InstructionKind::DelegateCall) {
        // Its number says nothing to who reads what uses the bytes.
        const auto index = static_cast<uint32_t>(in.delegate_index());
        const bool known = in.delegate_index() >= 0 && index < method.delegate_count();
        name = known ? std::string(method.delegate(index).id()) : std::string();
        if (name.empty()) name = "delegate " + std::to_string(in.delegate_index());
      }
      int64_t argument = -1;
      std::map<std::vector<int64_t>, int64_t> alike;
      for (const int32_t v : in.args()) {
        ++argument;
        if (v < 0) continue;
        const auto value = static_cast<uint32_t>(v);
        int64_t place = 0;
        if (value < method.value_count() && method.value(value).kind() == format::ValueKind::Tensor) {
          const format::TensorView t = method.value(value).as_tensor();
          if (!t.constant_data().empty()) place = alike[extents_of(t.sizes())]++;
        }
        (*users)[value].push_back({i, argument, place, name, ""});
      }
    }
  }

  /// Sorted and without 1: what is left of a shape when its dimensions change places.
  template <class Sizes>
  static std::vector<int64_t> extents_of(const Sizes& sizes) {
    std::vector<int64_t> out;
    for (const auto size : sizes) {
      if (size != 1) out.push_back(static_cast<int64_t>(size));
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  void read_constants(const format::Method& method) {
    Users users;
    find_users(method, &users);
    for (uint32_t v = 0; v < method.value_count(); ++v) {
      if (method.value(v).kind() != format::ValueKind::Tensor) continue;
      const format::TensorView t = method.value(v).as_tensor();
      const std::span<const uint8_t> bytes = t.constant_data();
      if (bytes.empty()) continue;
      SizeEntry entry;
      entry.group =
          t.data() == format::TensorData::PlannedInitialised ? "initial values of mutable buffers" : "constants";
      entry.name = std::string(t.fully_qualified_name());
      if (entry.name.empty()) entry.name = "value " + std::to_string(v);
      entry.method = std::string(method.name());
      entry.dtype = scalar_type_name(t.scalar_type());
      entry.shape = json_list(std::vector<int64_t>(t.sizes().begin(), t.sizes().end()));
      SizeEntry* const at = add(bytes, std::move(entry));
      const auto user = users.find(v);
      if (user == users.end()) continue;
      at->uses += std::ssize(user->second);
      for (const User& use : user->second) {
        if (at->instruction >= 0) {
          at->others.push_back({std::string(method.name()), use.name, use.instruction, use.argument, use.place});
          continue;
        }
        at->instruction = use.instruction;
        at->argument = use.argument;
        at->place = use.place;
        at->used_by = use.name;
        at->leads_to = reader_behind(method, static_cast<uint32_t>(use.instruction));
        at->method = std::string(method.name());
      }
    }
  }

  void read_payloads(const format::Method& method) {
    for (uint32_t d = 0; d < method.delegate_count(); ++d) {
      const format::Delegate delegate = method.delegate(d);
      SizeEntry entry;
      entry.method = std::string(method.name());
      entry.delegate = d;
      const std::string backend(delegate.id());
      format::XnnpackPayload payload;
      if (format::is_xnnpack_payload(delegate.payload()) &&
          format::XnnpackPayload::open(delegate.payload(), &payload).ok()) {
        read_weights(payload, backend, entry);
      }
      entry.group = "payloads of " + backend;
      entry.name = "delegate " + std::to_string(d);
      if (SizeEntry* const at = add(delegate.payload(), std::move(entry)); at != nullptr) ++at->uses;
    }
  }

  void read_weights(const format::XnnpackPayload& payload, const std::string& backend, SizeEntry entry) {
    for (uint32_t n = 0; n < payload.node_count(); ++n) {
      const format::XnnNode node = payload.node(n);
      entry.payload_node = n;
      entry.used_by = node.type_name();
      entry.argument = -1;
      std::map<std::vector<int64_t>, int64_t> alike;
      for (const uint32_t id : node.inputs()) {
        ++entry.argument;
        const format::XnnValue v = payload.value_by_id(id);
        if (!v.valid()) continue;
        entry.place = v.constant().place == format::XnnConstant::Place::None ? 0 : alike[extents_of(v.dims())]++;
        entry.name = "value " + std::to_string(id) + " of delegate " + std::to_string(entry.delegate);
        entry.dtype = common_name(v.datatype_name());
        entry.shape = json_list(std::vector<int64_t>(v.dims().begin(), v.dims().end()));
        add_weight(v.constant(), "weights of " + backend, entry);
        entry.name += ", scales";
        entry.dtype = v.quant_kind() == format::XnnQuantKind::PerChannelGroup ? "bfloat16" : "float32";
        entry.shape = "[" + std::to_string(v.scale_count()) + "]";
        add_weight(v.scale_constant(), "scales of " + backend, entry);
      }
    }
  }

  void add_weight(const format::XnnConstant& constant, std::string group, SizeEntry entry) {
    entry.group = std::move(group);
    if (constant.place == format::XnnConstant::Place::Payload) {
      if (SizeEntry* const at = add(constant.bytes, std::move(entry)); at != nullptr) ++at->uses;
    } else if (constant.place == format::XnnConstant::Place::Named) {
      const auto [at, fresh] = named_users_.try_emplace(std::string(constant.key), std::move(entry));
      ++at->second.uses;
    }
  }

  void read_named_data() {
    for (uint32_t i = 0; i < program_.named_data_count(); ++i) {
      const format::NamedData named = program_.named_data(i);
      const std::string key(named.key);
      const auto user = named_users_.find(key);
      SizeEntry entry;
      if (user != named_users_.end()) {
        entry = user->second;
      } else {
        entry.group = "named data that nothing refers to";
      }
      entry.name = key;
      add(named.bytes, std::move(entry));
    }
  }

  void read_flatbuffer() {
    format::visit_extents(
        program_, [](void* self, const format::Extent& e) { static_cast<SizeReader*>(self)->take(e); }, this);
  }
  void take(const format::Extent& e) {
    const std::string method = e.method < 0 ? "" : std::string(program_.method(static_cast<uint32_t>(e.method)).name());
    const uint64_t base = offset_of(program_.file());
    add_range(base + e.offset, e.size, group_of(e.kind), group_of(e.kind), method);
  }

  void read_rest() {
    const uint64_t base = offset_of(program_.file());
    const format::ProgramHeader& header = program_.header();
    add_range(base, header.program_size, "padding", "alignment inside of the tables", "");
    for (uint32_t s = 0; s < program_.segment_count(); ++s) {
      const format::Segment segment = program_.segment(s);
      const bool constants = static_cast<int64_t>(s) == program_.constant_segment_index();
      add_range(base + segment.file_offset, segment.size, "padding",
                constants ? "alignment between constants" : "rest of segment " + std::to_string(s), "");
    }
    add_range(base, program_.accounting().file - program_.accounting().trailing, "padding", "alignment of segments",
              "");
    add_range(base, program_.file().size(), "padding", "behind the last segment", "");
    add_range(0, file_.size(), "bundle: test cases", "bundle: test cases", "");
  }

  void find_duplicates() {
    constexpr int64_t kLeast = 64;  // bytes; small constants are often equal by chance
    std::map<std::pair<int64_t, size_t>, std::vector<size_t>> alike;
    for (size_t i = 0; i < out_->entries.size(); ++i) {
      if (data_[i].size() < kLeast || out_->entries[i].bytes != static_cast<int64_t>(data_[i].size())) continue;
      const std::string_view text(reinterpret_cast<const char*>(data_[i].data()), data_[i].size());
      alike[{out_->entries[i].bytes, std::hash<std::string_view>()(text)}].push_back(i);
    }
    for (const auto& [key, entries] : alike) {
      for (size_t k = 1; k < entries.size(); ++k) {
        const size_t first = entries.front(), i = entries[k];
        if (std::memcmp(data_[first].data(), data_[i].data(), data_[i].size()) != 0) continue;
        out_->entries[i].same_as = out_->entries[first].name;
        out_->duplicate_bytes += out_->entries[i].bytes;
      }
    }
  }

  using Name = std::tuple<std::string, std::string, std::string>;
  std::span<const uint8_t> file_;
  const format::Program& program_;
  ByteClaims claims_;
  ProgramSize* out_;
  std::map<std::pair<uint64_t, size_t>, size_t> by_offset_;
  std::map<Name, size_t> by_name_;
  std::map<std::string, SizeEntry> named_users_;  // by key
  std::vector<std::span<const uint8_t>> data_;    // by entry
};

}  // namespace

std::string SizeEntry::user() const {
  if (leads_to.empty()) return operator_name.empty() ? used_by : operator_name;
  const size_t space = leads_to.find("::");
  return (space == std::string::npos ? "aten" : leads_to.substr(0, space)) + "." + std::string(operator_base(leads_to));
}

Status program_size(const std::string& path, ProgramSize* out) {
  *out = {};
  ProgramFile file;
  if (Status s = open_program_file(path, &file); !s.ok()) return s;
  out->path = path;
  out->file_bytes = static_cast<int64_t>(file.file.bytes().size());
  SizeReader(file.file.bytes(), file.program, out).read();
  return {};
}

namespace {

/// Paths of the graph's modules, and those around them.
Status module_paths(const Store& store, int64_t trace_id, std::set<std::string>* out) {
  Statement modules;
  Status status = store.prepare(
      "SELECT DISTINCT module_path FROM nodes WHERE trace_id = ?1 AND graph = 'edge' AND module_path IS NOT NULL",
      &modules);
  if (!status.ok()) return status;
  modules.bind_all(trace_id);
  while (modules.step()) {
    const std::string path = modules.str(0);
    for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
      out->insert(path.substr(0, dot));
    if (!path.empty()) out->insert(path);
  }
  return modules.finish("modules");
}

/// A tensor that has the model's name is of the module that it is named in, whichever node uses it: several may, or
/// one of another module.
void take_own_modules(const std::set<std::string>& modules, ProgramSize* size) {
  for (SizeEntry& e : size->entries) {
    if (e.module.empty() || e.shape.empty()) continue;
    const std::string name = e.name.substr(0, e.name.find(','));  // without ", scales"
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos) continue;
    if (const auto own = modules.find(name.substr(0, dot)); own != modules.end()) e.module = *own;
  }
}

}  // namespace

Status name_entries(const Store& store, int64_t trace_id, ProgramSize* size) {
  Statement by_instruction, by_payload;
  Status status = store.prepare(
      "SELECT n.module_path, n.module_type FROM instructions i, json_each(i.debug_handles) h JOIN nodes n ON "
      "n.trace_id = "
      "i.trace_id AND n.method = i.method AND n.graph = 'edge' AND n.debug_handle = h.value WHERE i.trace_id = ?1 AND "
      "i.method = ?2 AND i.instruction_id = ?3 AND n.module_path IS NOT NULL ORDER BY n.ordinal LIMIT 1",
      &by_instruction);
  if (status.ok()) {
    status = store.prepare(
        "SELECT n.module_path, n.module_type FROM delegates d JOIN payload_nodes p ON p.delegate_id = d.delegate_id "
        "JOIN "
        "nodes n ON n.trace_id = d.trace_id AND n.method = d.method AND n.graph = 'edge' AND n.debug_handle = "
        "p.debug_handle WHERE d.trace_id = ?1 AND d.method = ?2 AND d.ordinal = ?3 AND p.ordinal = ?4 AND "
        "n.module_path "
        "IS NOT NULL ORDER BY n.ordinal LIMIT 1",
        &by_payload);
  }
  if (!status.ok()) return status;
  for (SizeEntry& e : size->entries) {
    Statement* st = nullptr;
    if (e.payload_node >= 0) {
      st = &by_payload;
      st->bind_all(trace_id, e.method, e.delegate, e.payload_node);
    } else if (e.instruction >= 0) {
      st = &by_instruction;
      st->bind_all(trace_id, e.method, e.instruction);
    } else {
      continue;
    }
    if (st->step()) e.module = st->str(0).empty() ? "(root)" : st->str(0);
    st->reset();
    if (status = st->finish("modules"); !status.ok()) return status;
  }
  std::vector<std::string> users;
  for (const SizeEntry& e : size->entries) users.push_back(e.module);
  if (status = name_tensors(store, trace_id, size); !status.ok()) return status;
  std::set<std::string> modules;
  status = module_paths(store, trace_id, &modules);
  if (status.ok()) take_own_modules(modules, size);
  if (status.ok()) status = name_operators(store, trace_id, size);
  return status.ok() ? share_tensors(store, trace_id, users, size) : status;
}

}  // namespace et::inspector
