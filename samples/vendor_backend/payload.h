// The payload that vendor_lowering.py writes, as it was checked: every value is there before it is read, and every
// weight lies within the data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vendor {

struct Shape {
  std::vector<int32_t> sizes;  // without the batch, which is 1
  size_t count() const;
};

enum class Kind { Conv, Linear, Relu, Round };

struct Node {
  Kind kind = Kind::Relu;
  uint32_t handle = 0;  // debug handle of the graph node
  size_t from = 0, to = 0;
  std::vector<int32_t> weight_shape;  // conv: [out, in, height, width]
  int32_t padding = 0;
  std::span<const float> weight, bias;
  float scale = 1;  // round
  float zero = 0;
};

struct Graph {
  std::vector<size_t> inputs, outputs;  // values
  std::vector<Shape> values;
  std::vector<Node> nodes;
  std::vector<float> data;
};

/// "" or what is wrong, with the line of the payload. `bytes` come from a file: nothing of them is trusted.
std::string read_payload(std::span<const uint8_t> bytes, Graph* out);

const char* name_of(Kind kind);

}  // namespace vendor
