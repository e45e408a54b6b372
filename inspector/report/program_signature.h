// What write_program_report() says, as plain data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace et::inspector {

/// An input or output of a method.
struct SignatureValue {
  std::string role;  // "input", "output"
  int64_t index = 0;
  std::string kind;            // "Tensor", "Int" …
  std::string dtype;           // of a tensor
  std::vector<int64_t> sizes;  // upper bounds where it is dynamic
  std::string dynamism;        // of a tensor: "static", "bounded", "unbounded"
  std::optional<int64_t> bytes;
  std::string value;  // that the program was exported with, of numbers and texts
};

struct SignatureDelegate {
  std::string backend;
  int64_t payload_bytes = 0;
};

struct SignatureBuffer {
  int64_t bytes = 0;
  std::string device;  // "cpu", "cuda:0"
};

struct MethodSignature {
  std::string name;
  int64_t instructions = 0;
  int64_t cases = 0;  // of a bundle
  std::vector<SignatureValue> values;
  std::vector<SignatureDelegate> delegates;
  std::vector<SignatureBuffer> planned;
  std::map<std::string, int64_t> operators;  // calls of each
};

struct ProgramSignature {
  std::string path;
  bool bundled = false;
  int64_t file_bytes = 0, program_bytes = 0;
  int64_t constants = 0, constant_bytes = 0;     // tensors inside the file
  int64_t named_data = 0, named_data_bytes = 0;  // weights of delegates inside the file
  std::vector<std::string> external;             // tensors in a .ptd
  std::vector<MethodSignature> methods;
};

Status read_signature(const std::string& path, ProgramSignature* out);

}  // namespace et::inspector
