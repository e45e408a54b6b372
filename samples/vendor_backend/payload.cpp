// Reads the payload: text lines up to an empty one, then float32 weights.
#include "payload.h"

#include <cstring>
#include <sstream>
#include <string_view>

namespace vendor {
namespace {

constexpr size_t kMostElements = size_t{1} << 24;
constexpr std::string_view kMagic = "VENDOR1\n";

/// Sizes up to the end of the line, or nothing when one is not between 1 and the limit.
bool read_shape(std::istringstream& line, Shape* out) {
  size_t count = 1;
  for (int32_t size = 0; line >> size;) {
    if (size < 1 || static_cast<size_t>(size) > kMostElements || out->sizes.size() == 4) return false;
    count *= static_cast<size_t>(size);
    if (count > kMostElements) return false;
    out->sizes.push_back(size);
  }
  return line.eof() && !out->sizes.empty();
}

class Reader {
 public:
  explicit Reader(Graph* graph) : graph_(*graph) {}

  std::string line(const std::string& text) {
    std::istringstream in(text);
    std::string word;
    in >> word;
    if (word == "in") return input(in);
    if (word == "out") {
      size_t value = 0;
      if (!(in >> value) || value >= graph_.values.size()) return "out: expected a value that was written";
      graph_.outputs.push_back(value);
      return "";
    }
    return node(word, in);
  }

 private:
  std::string input(std::istringstream& in) {
    size_t value = 0;
    Shape shape;
    if (!(in >> value) || value != graph_.values.size() || !read_shape(in, &shape))
      return "in: expected a new value and its shape";
    graph_.inputs.push_back(value);
    graph_.values.push_back(std::move(shape));
    return "";
  }

  /// `count` floats from an offset of the line.
  bool floats(std::istringstream& in, size_t count, std::span<const float>* out) {
    size_t offset = 0;
    if (!(in >> offset) || offset > graph_.data.size() || count > graph_.data.size() - offset) return false;
    *out = std::span(graph_.data).subspan(offset, count);
    return true;
  }

  std::string node(const std::string& word, std::istringstream& in) {
    Node n;
    if (!(in >> n.handle >> n.from >> n.to) || n.from >= graph_.values.size() || n.to != graph_.values.size())
      return word + ": expected a debug handle, a value that was written and a new one";
    const Shape& x = graph_.values[n.from];
    if (std::string fault = arguments(word, in, x, &n); !fault.empty()) return word + ": " + fault;
    std::string arrow;
    Shape shape;
    if (!(in >> arrow) || arrow != "->" || !read_shape(in, &shape))
      return word + ": expected '->' and the shape of the result";
    if (shape.sizes != result(n, x))
      return word + ": the shape of the result is not the one that follows from its operands";
    graph_.values.push_back(std::move(shape));
    graph_.nodes.push_back(std::move(n));
    return "";
  }

  std::string arguments(const std::string& word, std::istringstream& in, const Shape& x, Node* n) {
    if (word == "relu") {
      n->kind = Kind::Relu;
    } else if (word == "round") {
      n->kind = Kind::Round;
      if (!(in >> n->scale >> n->zero) || !(n->scale > 0)) return "expected a scale above 0 and a zero point";
    } else if (word == "conv") {
      n->kind = Kind::Conv;
      n->weight_shape.resize(4);
      size_t count = 1;
      for (int32_t& size : n->weight_shape) {
        if (!(in >> size) || size < 1 || size > 4096) return "expected four sizes of a weight";
        count *= static_cast<size_t>(size);
        if (count > kMostElements) return "weight too large";
      }
      if (!(in >> n->padding) || n->padding < 0 || n->padding > 64) return "expected a padding";
      if (x.sizes.size() != 3 || x.sizes[0] != n->weight_shape[1])
        return "expected an input of [channels, height, width]";
      if (!floats(in, count, &n->weight) || !floats(in, static_cast<size_t>(n->weight_shape[0]), &n->bias))
        return "weights outside of the data";
    } else if (word == "linear") {
      return linear(in, x, n);
    } else {
      return "not an operator of this backend";
    }
    return "";
  }

  std::string linear(std::istringstream& in, const Shape& x, Node* n) {
    n->kind = Kind::Linear;
    size_t weight = 0, bias = 0;
    if (!(in >> weight >> bias) || bias < weight || bias > graph_.data.size()) return "weights outside of the data";
    const auto columns = static_cast<size_t>(x.sizes.back());
    const size_t rows = (bias - weight) / columns;
    if (rows == 0 || rows * columns != bias - weight || rows > graph_.data.size() - bias)
      return "the weight has another width than the input";
    n->weight_shape = {static_cast<int32_t>(rows), x.sizes.back()};
    n->weight = std::span(graph_.data).subspan(weight, bias - weight);
    n->bias = std::span(graph_.data).subspan(bias, rows);
    return "";
  }

  static std::vector<int32_t> result(const Node& n, const Shape& x) {
    std::vector<int32_t> sizes = x.sizes;
    if (n.kind == Kind::Linear) sizes.back() = n.weight_shape[0];
    if (n.kind == Kind::Conv) {
      sizes = {n.weight_shape[0], x.sizes[1] + 2 * n.padding - n.weight_shape[2] + 1,
               x.sizes[2] + 2 * n.padding - n.weight_shape[3] + 1};
    }
    return sizes;
  }

  Graph& graph_;
};

}  // namespace

size_t Shape::count() const {
  size_t n = 1;
  for (const int32_t size : sizes) n *= static_cast<size_t>(size);
  return n;
}

const char* name_of(Kind kind) {
  static constexpr const char* kNames[] = {"conv", "linear", "relu", "round"};
  return kNames[static_cast<size_t>(kind)];
}

std::string read_payload(std::span<const uint8_t> bytes, Graph* out) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) return "expected 'VENDOR1'";
  const size_t end = text.find("\n\n");
  if (end == std::string_view::npos) return "expected an empty line before the weights";
  const size_t data = end + 2;
  out->data.resize((bytes.size() - data) / sizeof(float));
  if (!out->data.empty()) std::memcpy(out->data.data(), bytes.data() + data, out->data.size() * sizeof(float));
  std::istringstream lines(std::string(text.substr(kMagic.size(), end + 1 - kMagic.size())));
  Reader reader(out);
  size_t number = 1;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (std::string fault = reader.line(line); !fault.empty()) return "line " + std::to_string(number) + ": " + fault;
  }
  return out->inputs.empty() || out->outputs.empty() ? "expected an input and an output" : "";
}

}  // namespace vendor
