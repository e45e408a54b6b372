#include "bundled_program/reference/weights.h"

#include <cstring>
#include <numeric>

namespace et::reference {

using etrecord::TorchArchive;
using etrecord::TorchTensor;

std::unique_ptr<Weights> Weights::of_member(const etrecord::Record& record, const std::string& member) {
  auto weights = std::make_unique<Weights>();
  for (const char* suffix : {"_state_dict", "_constants"}) {
    TorchArchive archive;
    if (Status s = record.tensors(member + suffix, &archive); !s.ok()) {
      weights->problem_ += (weights->problem_.empty() ? "" : "; ") + s.message();
    } else {
      weights->archives_.push_back(std::move(archive));
    }
  }
  return weights;
}

std::unique_ptr<Weights> Weights::of_delegate(const etrecord::DelegateCall& call) {
  auto weights = std::make_unique<Weights>();
  for (const std::vector<uint8_t>* bytes : {&call.state_dict, &call.constants}) {
    if (bytes->empty()) continue;
    TorchArchive archive;
    if (Status s = TorchArchive::open(*bytes, call.name, &archive); !s.ok()) {
      weights->problem_ += (weights->problem_.empty() ? "" : "; ") + s.message();
    } else {
      weights->archives_.push_back(std::move(archive));
    }
  }
  return weights;
}

Status Weights::find(const std::string& name, const TorchTensor** out) const {
  for (const TorchArchive& archive : archives_) {
    const etrecord::PickleValue* value = archive.root().find(name);
    if (value == nullptr || value->tensor == nullptr) continue;
    *out = value->tensor.get();
    if (!(*out)->fake) return {};
    return {Error::NotFound, "the ETRecord has the shape of " + name + ", but no data"};
  }
  return {Error::NotFound, "the ETRecord has no tensor " + name + (problem_.empty() ? "" : " (" + problem_ + ")")};
}

Status Weights::load(const std::string& name, const etrecord::TensorMeta* meta, RunState& state, bool keep,
                     TensorHandle* out) {
  if (const auto it = loaded_.find(name); it != loaded_.end()) {
    *out = it->second;
    return {};
  }
  const TorchTensor* stored = nullptr;
  if (Status s = find(name, &stored); !s.ok()) return s;
  std::vector<int32_t> sizes;
  for (int64_t n : stored->sizes) {
    if (n < 0 || n > INT32_MAX)
      return {Error::InvalidExternalData, "tensor " + name + " has a size of " + std::to_string(n)};
    sizes.push_back(static_cast<int32_t>(n));
  }
  TensorHandle plain;
  if (Status s = state.make_tensor(stored->dtype, sizes, {}, &plain); !s.ok())
    return {s.code(), name + ": " + s.message()};
  std::vector<uint8_t> bytes;
  if (Status s = stored->contiguous(&bytes, state.limits.max_tensor_bytes); !s.ok()) {
    return {s.code(), name + ": " + s.message()};
  }
  if (bytes.size() != plain->size()) return {Error::InvalidExternalData, "tensor " + name + " has too few bytes"};
  if (!bytes.empty()) std::memcpy(plain->data(), bytes.data(), bytes.size());
  *out = plain;
  if (meta != nullptr) {
    const std::vector<uint8_t> order = dim_order_of(Symbols(), *meta);
    if (order.size() == sizes.size() && !std::equal(order.begin(), order.end(), plain->tensor().dim_order().begin())) {
      if (Status s = state.make_tensor(stored->dtype, sizes, order, out); !s.ok()) return s;
      copy_elements(plain->tensor(), (*out)->tensor());
    }
  }
  if (keep) {
    (*out)->set_read_only(true);
    loaded_[name] = *out;
  }
  return {};
}

}  // namespace et::reference
