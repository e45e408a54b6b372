#include "inspector/analysis/sensitivity/sensitivity.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

#include "base/scratch_folder.h"
#include "inspector/analysis/gap/tensor_files.h"

namespace et::inspector {
namespace {

constexpr std::string_view kWeights = "weights:", kActivations = "activations:";

/// Figures of two tensors as if they were one.
void merge(const GapFigures& more, GapFigures* all) {
  if (all->worst < 0 || more.max_abs > all->max_abs) {
    all->worst = more.worst;
    all->got = more.got;
    all->want = more.want;
  }
  for (const auto field :
       {&GapFigures::noise, &GapFigures::signal, &GapFigures::got_signal, &GapFigures::product, &GapFigures::sum_abs}) {
    all->*field += more.*field;
  }
  for (const auto field :
       {&GapFigures::elements, &GapFigures::finite, &GapFigures::equal, &GapFigures::nan_got, &GapFigures::nan_want,
        &GapFigures::nan_mismatch, &GapFigures::inf_got, &GapFigures::inf_want, &GapFigures::inf_mismatch}) {
    all->*field += more.*field;
  }
  for (size_t i = 0; i < more.decades.size(); ++i) all->decades[i] += more.decades[i];
  all->max_abs = std::max(all->max_abs, more.max_abs);
  all->largest = std::max(all->largest, more.largest);
}

/// Outputs of one run: values of the archive, by number of the output.
using Outputs = std::map<int64_t, size_t>;

class Archive {
 public:
  Status open(const std::string& path) {
    Status status = open_tensor_files(path, {}, &side_);
    for (size_t i = 0; status.ok() && i < side_.values.size(); ++i) {
      const LoggedValue& v = side_.values[i];
      if (!runs_.contains(v.node)) order_.push_back(v.node);
      runs_[v.node][v.node_output] = i;
    }
    return status;
  }
  const std::vector<std::string>& order() const { return order_; }

  /// Whether two runs gave the same outputs, to the bit.
  bool same(const std::string& a, const std::string& b) {
    const Outputs &one = runs_[a], &two = runs_[b];
    return one.size() == two.size() &&
           std::equal(one.begin(), one.end(), two.begin(), [&](const auto& x, const auto& y) {
             std::string got, want;
             ScalarType type{};
             return x.first == y.first && read(x.second, &got, &type).ok() && read(y.second, &want, &type).ok() &&
                    got == want;
           });
  }

  /// Of a run against the floats. Integers, such as the place of the largest, count only where there is nothing else.
  Status compare(const std::string& run, GapFigures* out, size_t* outputs) {
    const Outputs &got = runs_[run], &want = runs_["float"];
    bool any_floats = false;
    for (const auto& [output, value] : want) any_floats = any_floats || is_float(value);
    for (const auto& [output, value] : want) {
      const auto other = got.find(output);
      if (other == got.end() || (any_floats && !is_float(value))) continue;
      std::string one, two;
      ScalarType got_type{}, want_type{};
      if (Status s = read(other->second, &one, &got_type); !s.ok()) return s;
      if (Status s = read(value, &two, &want_type); !s.ok()) return s;
      GapFigures figures;
      const auto bytes = [](const std::string& text) {
        return std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(text.data()), text.size());
      };
      if (one.size() != two.size() || !measure_gap(got_type, bytes(one), want_type, bytes(two), &figures)) continue;
      merge(figures, out);
      ++*outputs;
    }
    return {};
  }

 private:
  bool is_float(size_t value) const { return side_.values[value].dtype.find("float") != std::string::npos; }
  Status read(size_t value, std::string* out, ScalarType* type) const {
    std::span<const uint8_t> bytes;
    const Status status = side_.read(value, &bytes);
    out->assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    (void)scalar_type_of(side_.values[value].dtype, type);
    return status;
  }

  GapSide side_;
  std::vector<std::string> order_;
  std::map<std::string, Outputs> runs_;
};

struct NodeRow {
  std::string op, file, code, module;
  int64_t line = 0;
  std::string input;                 ///< the value that it reads first
  std::vector<std::string> readers;  ///< nodes, in the order of the graph
};

struct GraphRows {
  std::map<std::string, NodeRow> nodes;
  std::map<std::string, std::string> makers;  ///< of values, where they have a name of their own
};

/// The name behind "input=" of a node's arguments.
std::string first_argument(const std::string& arguments) {
  constexpr std::string_view kInput = "input=";
  if (!arguments.starts_with(kInput)) return {};
  return arguments.substr(kInput.size(), arguments.find(',') - kInput.size());
}

GraphRows load_graph(const Store& store, int64_t trace_id) {
  GraphRows out;
  Statement s = store.query(
      "SELECT name, op, coalesce(file, ''), coalesce(line, 0), coalesce(code, ''), coalesce(module_path, ''), "
      "coalesce(arguments, '') FROM nodes WHERE trace_id = ? AND graph = 'edge'");
  s.bind_all(trace_id);
  while (s.step())
    out.nodes[s.str(0)] = {s.str(1), s.str(2), s.str(4), s.str(5), s.integer(3), first_argument(s.str(6)), {}};
  Statement e = store.query(
      "SELECT p.name, c.name, e.value FROM edges e JOIN nodes p ON p.node_id = e.producer_node_id JOIN nodes c ON "
      "c.node_id = e.consumer_node_id WHERE e.trace_id = ? AND p.graph = 'edge' ORDER BY c.ordinal");
  e.bind_all(trace_id);
  while (e.step()) {
    const std::string producer = e.str(0), value = e.str(2);
    out.nodes[producer].readers.push_back(e.str(1));
    if (value != producer) out.makers[value] = producer;
  }
  return out;
}

/// The first node that reads it and does more than moving elements about or changing how they are stored.
std::string reader_of(const GraphRows& graph, std::string node) {
  constexpr int kMostHops = 8;
  for (int hops = 0; hops < kMostHops; ++hops) {
    const auto row = graph.nodes.find(node);
    if (row == graph.nodes.end() || row->second.readers.empty()) return {};
    node = row->second.readers.front();
    const auto next = graph.nodes.find(node);
    if (next == graph.nodes.end()) return node;
    const std::string& op = next->second.op;
    const auto is = [&](const char* part) { return op.find(part) != std::string::npos; };
    if (!is("permute") && !is("view") && !is("transpose") && !is(".t_copy") && !is("quantize_")) return node;
  }
  return {};
}

void describe(const GraphRows& graph, QuantisedLayer* layer) {
  const auto own = graph.nodes.find(layer->node);
  if (own == graph.nodes.end()) return;
  layer->reader = reader_of(graph, layer->node);
  layer->layer = layer->weights ? layer->reader : own->second.input;
  if (const auto maker = graph.makers.find(layer->layer); maker != graph.makers.end()) layer->layer = maker->second;
  const auto of = graph.nodes.find(layer->layer);
  const NodeRow& row = of != graph.nodes.end() ? of->second : own->second;
  if (of != graph.nodes.end()) layer->op = row.op;
  layer->file = row.file;
  layer->line = row.line;
  layer->code = row.code;
  layer->module = row.module;
}

/// Whether what `from` quantises is what `to` quantises again, behind its dequantise and one operator.
bool leads_to(const GraphRows& graph, const std::string& from, const std::string& to) {
  constexpr int kHops = 3;
  std::vector<std::string> at = {from};
  for (int hop = 0; hop < kHops; ++hop) {
    std::vector<std::string> next;
    for (const std::string& node : at) {
      const auto row = graph.nodes.find(node);
      if (row != graph.nodes.end()) next.insert(next.end(), row->second.readers.begin(), row->second.readers.end());
    }
    if (std::find(next.begin(), next.end(), to) != next.end()) return true;
    at = std::move(next);
  }
  return false;
}

}  // namespace

double Sensitivity::activation_noise() const {
  return std::accumulate(layers.begin(), layers.end(), 0.0,
                         [](double sum, const QuantisedLayer& l) { return sum + (l.weights ? 0 : l.figures.noise); });
}

std::vector<size_t> Sensitivity::ranked() const {
  std::vector<size_t> out(layers.size());
  std::iota(out.begin(), out.end(), size_t{0});
  const auto broken = [&](size_t i) { return layers[i].figures.nan_mismatch + layers[i].figures.inf_mismatch > 0; };
  std::stable_sort(out.begin(), out.end(), [&](size_t a, size_t b) {
    if (broken(a) != broken(b)) return broken(a);
    return layers[a].figures.noise > layers[b].figures.noise;
  });
  return out;
}

Status measure_sensitivity(const Store& store, int64_t trace_id, const std::string& record, const std::string& method,
                           const GraphInputs& inputs, const std::function<bool()>& cancelled, Sensitivity* out) {
  ScratchFolder folder;
  if (Status s = folder.make(); !s.ok()) return s;
  const std::string path = folder.path() + "/alone.npz";
  std::vector<std::string> words = {"sensitivity", record, "--output", path};
  if (!method.empty()) words.insert(words.end(), {"--method", method});
  const std::vector<std::string> given = inputs.words();
  words.insert(words.end(), given.begin(), given.end());
  if (inputs.test_case) words.insert(words.end(), {"--case", std::to_string(*inputs.test_case)});
  if (Status s = run_check(std::move(words), cancelled); !s.ok()) return s;
  Archive archive;
  if (Status s = archive.open(path); !s.ok()) return s;
  out->record = record;
  out->method = method;
  const GraphRows graph = load_graph(store, trace_id);
  std::vector<std::string> runs;  // of the layers
  for (const std::string& run : archive.order()) {
    GapFigures figures;
    size_t outputs = 0;
    if (run == "float") continue;
    if (Status s = archive.compare(run, &figures, &outputs); !s.ok()) return s;
    if (run == "quantised") {
      out->whole = figures;
      out->outputs = outputs;
      continue;
    }
    QuantisedLayer layer;
    layer.weights = run.starts_with(kWeights);
    layer.node = run.substr(layer.weights ? kWeights.size() : kActivations.size());
    layer.figures = figures;
    describe(graph, &layer);
    const auto first = std::find_if(out->layers.begin(), out->layers.end(), [&](const QuantisedLayer& l) {
      return !layer.weights && !l.weights &&
             leads_to(graph, l.repeated.empty() ? l.node : l.repeated.back(), layer.node) &&
             archive.same(run, runs[static_cast<size_t>(&l - out->layers.data())]);
    });
    if (first == out->layers.end()) {
      runs.push_back(run);
      out->layers.push_back(std::move(layer));
      continue;
    }
    first->repeated.push_back(layer.node);
    if (!layer.op.empty() && !first->op.empty()) first->op += " + " + layer.op;
  }
  return {};
}

}  // namespace et::inspector
