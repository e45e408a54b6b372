// Files of small graphs (tests/fixtures/tosa/*.bin), and a graph that runs on given bytes.
#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/backends/tosa/graph.h"

namespace et::tosa::testing {

struct Case {
  std::vector<uint8_t> graph, inputs, answer;
};

/// "<u32 length><bytes>" four times for each case: name, graph, inputs, answer.
inline std::map<std::string, Case> read_cases(const char* file_name) {
  std::ifstream file(std::string(ET_FIXTURES "/tosa/") + file_name, std::ios::binary);
  const std::vector<char> all((std::istreambuf_iterator<char>(file)), {});
  std::map<std::string, Case> cases;
  size_t at = 0;
  const auto next = [&] {
    uint32_t size = 0;
    std::memcpy(&size, all.data() + at, 4);
    at += 4 + size;
    return std::vector<uint8_t>(all.begin() + static_cast<std::ptrdiff_t>(at - size),
                                all.begin() + static_cast<std::ptrdiff_t>(at));
  };
  while (at + 4 <= all.size()) {
    const std::vector<uint8_t> name = next();
    Case& c = cases[std::string(name.begin(), name.end())];
    c.graph = next();
    c.inputs = next();
    c.answer = next();
  }
  return cases;
}

inline std::vector<std::string> names_of(const std::map<std::string, Case>& cases) {
  std::vector<std::string> list;
  for (const auto& [name, c] : cases) list.push_back(name);
  return list;
}

/// A graph with the memory of its ends.
class Execution {
 public:
  Error load(const std::vector<uint8_t>& payload, const Limits& limits = Limits()) {
    graph_.reset();
    payload_.assign((payload.size() + 7) / 8, 0);
    std::memcpy(payload_.data(), payload.data(), payload.size());
    return Graph::load({reinterpret_cast<const uint8_t*>(payload_.data()), payload.size()}, limits, &graph_, &error_);
  }
  /// Inputs one after the other; what is missing is 0.
  bool run(const std::vector<uint8_t>& inputs, EventTracer* tracer = nullptr) {
    Block& main = graph_->main();
    memory_.clear();
    std::vector<const uint8_t*> in;
    std::vector<uint8_t*> out;
    taken_ = 0;
    for (size_t i = 0; i < main.inputs.size(); ++i) {
      const size_t bytes = main.input(i).bytes();
      memory_.emplace_back(bytes / 8 + 1);
      if (taken_ + bytes <= inputs.size()) std::memcpy(memory_.back().data(), inputs.data() + taken_, bytes);
      in.push_back(reinterpret_cast<const uint8_t*>(memory_.back().data()));
      taken_ += bytes;
    }
    for (size_t i = 0; i < main.outputs.size(); ++i) {
      memory_.emplace_back(main.output(i).bytes() / 8 + 1);
      out.push_back(reinterpret_cast<uint8_t*>(memory_.back().data()));
    }
    outputs_ = out;
    tosa::Run run(tracer, graph_->limits());
    const bool ok = run.block(main, in, out);
    error_ = run.error();
    return ok;
  }
  Block& main() { return graph_->main(); }
  const uint8_t* output(size_t i) const { return outputs_[i]; }
  const std::string& error() const { return error_; }
  /// Bytes that the inputs have.
  size_t taken() const { return taken_; }

 private:
  std::vector<uint64_t> payload_;
  std::unique_ptr<Graph> graph_;
  std::vector<std::vector<uint64_t>> memory_;  // aligned for every type
  std::vector<uint8_t*> outputs_;
  std::string error_;
  size_t taken_ = 0;
};

}  // namespace et::tosa::testing
