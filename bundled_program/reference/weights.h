// The tensors of an ETRecord that go with a graph: parameters, buffers and constants by their fully qualified names.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "bundled_program/reference/scope.h"
#include "etrecord/record.h"

namespace et::reference {

class Weights {
 public:
  /// Those of a program of the ETRecord: its companions in the zip, or what its delegate call has. An ETRecord without
  /// them (or without readable ones) is an error once a tensor is asked for.
  static std::unique_ptr<Weights> of_member(const etrecord::Record& record, const std::string& member);
  static std::unique_ptr<Weights> of_delegate(const etrecord::DelegateCall& call);

  /// The tensor in the dim order of the graph, read only. Kept unless `keep` is false. Errors: NotFound (no such
  /// tensor, no data), InvalidExternalData (it does not fit the graph), OutOfResources.
  Status load(const std::string& name, const etrecord::TensorMeta* meta, RunState& state, bool keep, TensorHandle* out);

 private:
  Status find(const std::string& name, const etrecord::TorchTensor** out) const;

  std::vector<etrecord::TorchArchive> archives_;
  std::string problem_;
  std::unordered_map<std::string, TensorHandle> loaded_;
};

}  // namespace et::reference
