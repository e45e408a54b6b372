// Graphs for tests of what links payloads with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspector/ingest/method_graph.h"

namespace et::inspector::test {

/// A graph made by hand: operator, what it reads, sizes of what it makes.
class GraphBuilder {
 public:
  GraphBuilder() { program_.graphs.resize(1); }

  void parameter(const std::string& name) {
    program_.graphs[0].inputs.push_back(name);
    program_.signature.inputs.push_back({etrecord::InputKind::Parameter, name, "weights." + name, true, {}});
  }
  int32_t node(const std::string& op, const std::vector<std::string>& reads, const std::vector<int64_t>& sizes) {
    etrecord::Node n;
    n.name = "n" + std::to_string(program_.nodes.size());
    n.op = n.qualified_op = op;
    for (const std::string& value : reads) {
      etrecord::Argument a;
      a.kind = etrecord::ArgumentKind::Tensor;
      a.strings = {value};
      n.inputs.push_back(a);
    }
    n.outputs = {n.name};
    etrecord::TensorMeta meta;
    for (const int64_t s : sizes) {
      meta.sizes.push_back(s < 0 ? etrecord::Dim{std::nullopt, "s0"} : etrecord::Dim{s, ""});
    }
    program_.graphs[0].tensors.emplace(n.name, meta);
    program_.graphs[0].nodes.push_back(static_cast<int32_t>(program_.nodes.size()));
    program_.nodes.push_back(n);
    return static_cast<int32_t>(program_.nodes.size()) - 1;
  }
  /// Valid as long as the builder, which takes no more nodes.
  MethodGraph graph() const {
    MethodGraph out;
    out.use(program_);
    return out;
  }
  size_t nodes() const { return program_.nodes.size(); }

 private:
  etrecord::Program program_;
};

}  // namespace et::inspector::test
