#include "inspector/ingest/record_import.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "etrecord/inline_delegates.h"
#include "inspector/text/json_list.h"

namespace et::inspector {
namespace {

std::string shape_text(const etrecord::TensorMeta& meta) {
  std::string out = "[";
  for (size_t i = 0; i < meta.sizes.size(); ++i) {
    if (i != 0) out += ", ";
    const etrecord::Dim& d = meta.sizes[i];
    out += d.fixed() ? std::to_string(d.value.value_or(0)) : d.expr;
  }
  return out + "]";
}

std::optional<std::string> dtype_text(const etrecord::TensorMeta* meta) {
  if (meta == nullptr || !meta->dtype_known) return std::nullopt;
  return scalar_type_name(meta->dtype);
}

// "true_graph_0", or "outer/inner" for bodies inside bodies; "" for the top graph.
std::string subgraph_path(const etrecord::Program& program, int32_t graph) {
  std::string path;
  for (int32_t g = graph, depth = 0; g > 0 && depth < 64; ++depth) {
    const etrecord::Graph& at = program.graphs[static_cast<size_t>(g)];
    path = path.empty() ? at.name : at.name + "/" + path;
    g = at.parent_graph;
  }
  return path;
}

std::string arguments_text(const etrecord::Node& node) {
  std::string out;
  for (const etrecord::Argument& a : node.inputs) {
    if (!out.empty()) out += ", ";
    if (!a.name.empty()) out += a.name + "=";
    out += a.text();
  }
  return out;
}

// In the order of the enumerations of etrecord/graph.h.
constexpr const char* kInputKinds[] = {"user_input", "parameter", "buffer",         "tensor_constant",
                                       "custom_obj", "token",     "constant_input", "unknown"};
constexpr const char* kOutputKinds[] = {
    "user_output", "buffer_mutation",       "parameter_mutation",     "user_input_mutation",
    "loss_output", "gradient_to_parameter", "gradient_to_user_input", "token",
    "unknown"};

/// Writes the nodes of one program and their edges.
class NodeWriter {
 public:
  NodeWriter(ImportContext& context, const FileOwners& owners)
      : context_(context),
        owners_(owners),
        ids_(context.store, "raw_node"),
        node_(context.store.query(
            "INSERT INTO raw_node VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21)")),
        frame_(context.store.query("INSERT INTO raw_frame VALUES(?1,?2,?3,?4,?5,?6)")),
        module_(context.store.query("INSERT INTO raw_module VALUES(?1,?2,?3,?4,?5)")),
        edge_(context.store.query("INSERT INTO raw_edge VALUES(?1,?2,?3,?4,?5,?6)")),
        value_(context.store.query("INSERT INTO raw_graph_value VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)")) {}

  std::vector<int64_t> write(const etrecord::Program& program, const etrecord::GraphWalk& walk,
                             const std::string& graph_name, std::optional<int64_t> method) {
    std::vector<int64_t> rows;
    rows.reserve(program.nodes.size());
    for (size_t i = 0; i < program.nodes.size(); ++i) {
      rows.push_back(ids_.next());
      write_node(program, program.nodes[i], rows.back(), static_cast<int64_t>(i), graph_name, method);
    }
    for (size_t i = 0; i < program.nodes.size(); ++i) {
      const etrecord::Node& n = program.nodes[i];
      for (const std::string& value : n.outputs) {
        const etrecord::TensorMeta* meta = program.tensor(n.graph, value);
        std::optional<std::string> shape;
        if (meta != nullptr) shape = shape_text(*meta);
        for (const int32_t user : walk.consumers(n.graph, value)) {
          edge_.run(context_.trace, rows[i], rows[static_cast<size_t>(user)], value, dtype_text(meta), shape);
        }
      }
    }
    for (size_t g = 0; g < program.graphs.size(); ++g)
      write_values(program, static_cast<int32_t>(g), rows, graph_name, method);
    return rows;
  }

 private:
  void write_values(const etrecord::Program& program, int32_t g, const std::vector<int64_t>& rows,
                    const std::string& graph_name, std::optional<int64_t> method) {
    const etrecord::Graph& graph = program.graphs[static_cast<size_t>(g)];
    const std::string path = subgraph_path(program, g);
    auto put = [&](const char* role, size_t ordinal, const std::string& name, std::optional<int64_t> node,
                   std::optional<std::string> kind, std::optional<std::string> target) {
      const etrecord::TensorMeta* meta = program.tensor(g, name);
      std::optional<std::string> shape;
      if (meta != nullptr) shape = shape_text(*meta);
      value_.run(context_.trace, method, graph_name, path, role, ordinal, name, node, kind, target, dtype_text(meta),
                 shape);
    };
    auto target_of = [](const std::string& t) { return t.empty() ? std::nullopt : std::optional(t); };
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const bool known = g == 0 && i < program.signature.inputs.size();
      put("input", i, graph.inputs[i], std::nullopt,
          known ? std::optional<std::string>(kInputKinds[static_cast<size_t>(program.signature.inputs[i].kind)])
                : std::nullopt,
          known ? target_of(program.signature.inputs[i].target) : std::nullopt);
    }
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      const bool known = g == 0 && i < program.signature.outputs.size();
      put("output", i, graph.outputs[i], std::nullopt,
          known ? std::optional<std::string>(kOutputKinds[static_cast<size_t>(program.signature.outputs[i].kind)])
                : std::nullopt,
          known ? target_of(program.signature.outputs[i].target) : std::nullopt);
    }
    for (const int32_t n : graph.nodes) {
      const etrecord::Node& node = program.nodes[static_cast<size_t>(n)];
      const bool plain = node.outputs.size() == 1 && node.outputs[0] == node.name;
      for (size_t o = 0; !plain && o < node.outputs.size(); ++o) {
        put("result", o, node.outputs[o], rows[static_cast<size_t>(n)], std::nullopt, std::nullopt);
      }
    }
  }

  std::optional<int64_t> text(std::string_view s) {
    return s.empty() ? std::nullopt : std::optional(context_.store.intern(s));
  }

  void write_node(const etrecord::Program& program, const etrecord::Node& n, int64_t row, int64_t ordinal,
                  const std::string& graph_name, std::optional<int64_t> method) {
    const etrecord::Frame* frame = user_frame(n.frames, owners_);
    const etrecord::TensorMeta* meta = n.outputs.empty() ? nullptr : program.tensor(n.graph, n.outputs[0]);
    std::optional<int64_t> line;
    if (frame != nullptr) line = frame->line;
    std::optional<std::string> shape;
    if (meta != nullptr) shape = shape_text(*meta);
    std::optional<int64_t> module_path, module_type;
    if (!n.modules.empty()) {
      module_path = context_.store.intern(n.modules.back().path);
      module_type = context_.store.intern(n.modules.back().type);
    }
    node_.run(row, context_.trace, method, graph_name, subgraph_path(program, n.graph), ordinal, n.name, n.target, n.op,
              n.debug_handle, text(frame == nullptr ? "" : std::string_view(frame->file)), line,
              text(frame == nullptr ? "" : std::string_view(frame->function)),
              text(frame == nullptr ? "" : std::string_view(frame->code)), text(n.stack_trace), module_path,
              module_type, text(n.nn_module_stack), dtype_text(meta), shape, arguments_text(n));
    for (size_t d = 0; d < n.frames.size(); ++d) {
      const etrecord::Frame& f = n.frames[d];
      frame_.run(row, d, context_.store.intern(f.file), f.line, context_.store.intern(f.function),
                 context_.store.intern(f.code));
    }
    for (size_t d = 0; d < n.modules.size(); ++d) {
      const etrecord::ModuleEntry& m = n.modules[d];
      module_.run(row, d, context_.store.intern(m.key), context_.store.intern(m.path), context_.store.intern(m.type));
    }
  }

  ImportContext& context_;
  const FileOwners& owners_;
  RowIds ids_;
  Statement node_, frame_, module_, edge_, value_;
};

std::string graph_label(const etrecord::Program& p) {
  switch (p.kind) {
    case etrecord::ProgramKind::Edge:
      return "edge";
    case etrecord::ProgramKind::Exported:
      return "exported";
    case etrecord::ProgramKind::Delegated: {  // "edge:lowered_module_0", and a level more for calls inside it
      const std::string base =
          p.member.starts_with("edge_dialect_exported_program") ? "edge" : p.member.substr(0, p.member.find(':'));
      return base + p.member.substr(std::min(p.member.find(':'), p.member.size()));
    }
    default:
      return p.graph_name.empty() ? p.member : p.graph_name;
  }
}

}  // namespace

const etrecord::Frame* user_frame(const std::vector<etrecord::Frame>& frames, const FileOwners& owners) {
  std::vector<FileOwner> of;
  of.reserve(frames.size());
  for (const etrecord::Frame& f : frames) of.push_back(owners.of(f.file));
  const auto choice = choose_frames(of);
  return choice ? &frames[choice->user] : nullptr;
}

namespace {
const char* diagnostic_of(const etrecord::Problem& p) {
  using etrecord::Problem;
  if (p.id == "newer-release") return "record-newer";
  return p.severity == Problem::DataLoss || p.severity == Problem::Error ? "record-damaged" : "record-incomplete";
}
}  // namespace

Status RecordImport::load(ImportContext& context) {
  const std::string& path = context.inputs.record;
  if (path.empty()) return {};
  if (!context.report("reading the ETRecord", 0, 0)) return {};
  Status status = MappedFile::open(path, &file_);
  if (status.ok()) status = etrecord::Record::open(file_.bytes(), path, &record_);
  if (!status.ok()) return of_bad_file(status);
  for (const etrecord::Problem& p : record_.problems()) {
    context.diagnostics.add(diagnostic_of(p), path + ": " + p.message);
  }
  loaded_ = true;
  for (const std::string& method : record_.methods()) {
    const etrecord::Program* program = record_.edge_program(method);
    if (program == nullptr) continue;
    MethodGraph graph;
    graph.stored = program;
    graph.unpartitioned = etrecord::inline_delegates(record_.programs(), *program);
    graph.use(graph.unpartitioned != nullptr ? *graph.unpartitioned : *program);
    graphs_.emplace(method, std::move(graph));
  }
  return {};
}

void RecordImport::write(ImportContext& context, const std::map<std::string, int64_t>& method_rows) {
  if (!loaded_) return;
  FileOwners owners;
  for (const etrecord::Program& program : record_.programs()) {
    for (const etrecord::Node& n : program.nodes) {
      for (const etrecord::Frame& f : n.frames) owners.learn(f.file);
    }
  }
  NodeWriter writer(context, owners);
  for (const etrecord::Program& program : record_.programs()) {
    MethodGraph* graph = nullptr;
    std::string method = program.method;
    for (auto& [name, g] : graphs_) {
      if (g.stored == &program) {
        graph = &g;
        method = name;
      }
    }
    // An ETRecord of one method stores its graphs under "forward", whatever the method is called.
    if (!method_rows.contains(method) && record_.methods().size() == 1) method = record_.methods().front();
    std::optional<int64_t> row;
    if (const auto it = method_rows.find(method); it != method_rows.end()) row = it->second;
    if (graph != nullptr) {
      if (graph->unpartitioned != nullptr) (void)writer.write(program, etrecord::GraphWalk(program), "lowered", row);
      graph->row_of_node = writer.write(*graph->program, *graph->walk, graph_label(program), row);
    } else {
      (void)writer.write(program, etrecord::GraphWalk(program), graph_label(program), row);
    }
  }
}

void RecordImport::write_tensors(ImportContext& context) const {
  if (!loaded_) return;
  Statement st = context.store.query("INSERT INTO raw_tensor VALUES(?1,?2,?3,?4,?5,?6,?7,?8)");
  constexpr uint64_t kMaxTensorBytes = uint64_t{64} << 20;
  auto add = [&](const char* source, const std::optional<std::string>& method, int64_t test, int64_t ordinal,
                 const etrecord::PickleValue& value) {
    if (value.kind != etrecord::PickleValue::Kind::Tensor || value.tensor == nullptr) return;
    std::vector<uint8_t> bytes;
    const bool data = value.tensor->contiguous(&bytes, kMaxTensorBytes).ok();
    const std::string shape = json_list(value.tensor->sizes);
    st.bind_all(context.trace, source, method, test, ordinal, scalar_type_name(value.tensor->dtype), shape);
    data ? st.bind(8, std::span<const uint8_t>(bytes)) : st.bind(8, nullptr);
    st.step();
    st.reset();
  };
  auto read = [&](const char* member, etrecord::TorchArchive* archive) {
    if (!record_.has_member(member)) return false;
    const Status status = record_.tensors(member, archive);
    if (!status.ok()) context.diagnostics.add("record-incomplete", status.message());
    return status.ok();
  };
  if (etrecord::TorchArchive archive; read("reference_outputs", &archive)) {
    for (const auto& [key, tests] : archive.root().entries) {
      for (size_t t = 0; t < tests->items.size(); ++t) {
        const auto& outputs = tests->items[t]->items;
        for (size_t o = 0; o < outputs.size(); ++o) {
          add("reference_output", key->text, static_cast<int64_t>(t), static_cast<int64_t>(o), *outputs[o]);
        }
      }
    }
  }
  if (etrecord::TorchArchive archive; read("representative_inputs", &archive)) {
    const auto& inputs = archive.root().items;
    for (size_t i = 0; i < inputs.size(); ++i)
      add("representative_input", std::nullopt, 0, static_cast<int64_t>(i), *inputs[i]);
  }
}

const MethodGraph* RecordImport::graph(const std::string& method) const {
  const auto it = graphs_.find(method);
  return it == graphs_.end() ? nullptr : &it->second;
}

namespace {
template <class Map>
auto find_entry(const Map& map, const std::string& method, int64_t instruction)
    -> decltype(&map.begin()->second.begin()->second) {
  const auto m = map.find(method);
  if (m == map.end()) return nullptr;
  const auto i = m->second.find(instruction);
  return i == m->second.end() ? nullptr : &i->second;
}
}  // namespace

const std::vector<int64_t>* RecordImport::handles(const std::string& method, int64_t instruction) const {
  return find_entry(record_.debug_handle_map(), method, instruction);
}

std::optional<std::string> RecordImport::handles_json(const std::string& method, int64_t instruction) const {
  const std::vector<int64_t>* list = handles(method, instruction);
  return list == nullptr ? std::nullopt : std::optional(json_list(*list));
}

void RecordImport::write_instructions(ImportContext& context, const std::map<std::string, int64_t>& method_rows) const {
  Store& store = context.store;
  RowIds delegate_ids(store, "raw_delegate");
  Statement delegate_st = store.query("INSERT INTO raw_delegate VALUES(?1,?2,?3,?4,?5,NULL,NULL,NULL,NULL,NULL)");
  Statement instruction_st = store.query("INSERT INTO raw_instruction VALUES(NULL,?1,?2,?3,?4,NULL,?5,NULL,?6,?7)");
  for (const std::string& method : methods()) {
    const int64_t row = method_rows.at(method);
    std::map<int64_t, int64_t> delegate_rows;
    if (const auto m = record_.delegate_map().find(method); m != record_.delegate_map().end()) {
      for (const auto& [instruction, entry] : m->second) {
        delegate_st.run(delegate_ids.next(), context.trace, row, delegate_rows.size(), entry.name);
        delegate_rows[instruction] = delegate_ids.last();
      }
    }
    const auto m = record_.debug_handle_map().find(method);
    if (m == record_.debug_handle_map().end()) continue;
    for (const auto& [instruction, handles] : m->second) {
      const auto d = delegate_rows.find(instruction);
      const bool delegated = d != delegate_rows.end();
      instruction_st.run(context.trace, row, instruction, delegated ? "DelegateCall" : "KernelCall",
                         delegated ? std::optional(d->second) : std::nullopt, handles_json(method, instruction),
                         num_outputs(method, instruction));
    }
  }
}

const etrecord::DelegateEntry* RecordImport::delegate(const std::string& method, int64_t instruction) const {
  return find_entry(record_.delegate_map(), method, instruction);
}

std::optional<int64_t> RecordImport::num_outputs(const std::string& method, int64_t instruction) const {
  const int64_t* n = find_entry(record_.num_outputs_map(), method, instruction);
  return n == nullptr ? std::nullopt : std::optional(*n);
}

}  // namespace et::inspector
