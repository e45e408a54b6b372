#include "etrecord/torch_archive.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>

#include "base/printable.h"
#include "base/zip_reader.h"
#include "etrecord/pickle_machine.h"

namespace et::etrecord {

struct TorchArchive::Impl {
  std::shared_ptr<const void> owner;
  std::vector<ZipBytes> buffers;
  std::deque<PickleValue> arena;
  const PickleValue* root = nullptr;
};

namespace {

constexpr uint8_t kPickleProtocol = static_cast<uint8_t>(PickleOp::Protocol);  // begins every pickle, no zip

Status open_zip(std::span<const uint8_t> bytes, const std::string& name, const TorchLimits& limits, ZipReader* zip) {
  if (bytes.empty()) return {Error::InvalidArgument, name + ": empty; expected a torch.save archive"};
  ZipLimits zip_limits;
  zip_limits.max_inflated_total = limits.max_inflated;
  return ZipReader::open(bytes, name, zip_limits, zip);
}

// "archive/" of "archive/data.pkl"; the shortest if there are several.
const ZipReader::Member* find_pickle(const ZipReader& zip) {
  const ZipReader::Member* found = nullptr;
  for (const auto& m : zip.members()) {
    const std::string_view name = m.name;
    constexpr std::string_view kEnd = "data.pkl";
    if (name.size() < kEnd.size() || name.substr(name.size() - kEnd.size()) != kEnd) continue;
    if (name.size() > kEnd.size() && name[name.size() - kEnd.size() - 1] != '/') continue;
    if (found == nullptr || name.size() < found->name.size()) found = &m;
  }
  return found;
}

void collect(const PickleValue& v, const std::string& path,
             std::vector<std::pair<std::string, const TorchTensor*>>* out) {
  if (v.kind == PickleValue::Kind::Tensor) out->emplace_back(path, v.tensor.get());
  for (size_t i = 0; i < v.items.size(); ++i) collect(*v.items[i], path + "[" + std::to_string(i) + "]", out);
  for (const auto& [key, value] : v.entries) {
    std::string name = key->kind == PickleValue::Kind::String ? key->text : "[" + std::to_string(key->integer) + "]";
    collect(*value, path.empty() ? name : path + "." + name, out);
  }
}

}  // namespace

// What pickle.dumps wrote of tensors: their storages are inside, as bytes.
Status TorchArchive::open_pickle(std::span<const uint8_t> bytes, const std::string& name, TorchArchive* out,
                                 const TorchLimits& limits) {
  if (bytes.size() > limits.max_bare_pickle_bytes) {
    return {Error::OutOfResources, name + ": a pickle of " + std::to_string(bytes.size()) +
                                       " bytes, expected at most " + std::to_string(limits.max_bare_pickle_bytes) +
                                       " are read"};
  }
  auto impl = std::make_shared<Impl>();
  const auto no_storages = [](const std::string&, std::span<const uint8_t>*) {
    return Status(Error::InvalidExternalData, "a pickle without an archive has none");
  };
  PickleMachine machine(bytes, limits, no_storages, &impl->arena);
  if (Status status = machine.run(&impl->root); !status.ok()) return {status.code(), name + ": " + status.message()};
  out->impl_ = std::move(impl);
  return {};
}

Status TorchArchive::open(std::span<const uint8_t> bytes, const std::string& name, TorchArchive* out,
                          const TorchLimits& limits, std::shared_ptr<const void> owner) try {
  out->impl_ = nullptr;
  if (!bytes.empty() && bytes[0] == kPickleProtocol) return open_pickle(bytes, name, out, limits);
  ZipReader zip;
  if (Status status = open_zip(bytes, name, limits, &zip); !status.ok()) return status;
  const ZipReader::Member* pickle = find_pickle(zip);
  if (pickle == nullptr) return {Error::InvalidExternalData, name + ": no data.pkl; expected a torch.save archive"};
  if (pickle->size > limits.max_pickle_bytes) {
    return {Error::OutOfResources, name + ": data.pkl has " + std::to_string(pickle->size) +
                                       " bytes, expected at most " + std::to_string(limits.max_pickle_bytes) +
                                       " are read"};
  }
  const std::string prefix = pickle->name.substr(0, pickle->name.size() - std::strlen("data.pkl"));

  auto impl = std::make_shared<Impl>();
  impl->owner = std::move(owner);
  const auto read = [&](const std::string& member, std::span<const uint8_t>* data) {
    ZipBytes content;
    Status status = zip.read(member, &content);
    if (!status.ok()) return status;
    *data = content.bytes;
    if (content.owner != nullptr) impl->buffers.push_back(std::move(content));
    return Status();
  };

  std::span<const uint8_t> order;
  if (zip.find(prefix + "byteorder") != nullptr) {
    if (Status status = read(prefix + "byteorder", &order); !status.ok()) return status;
    const std::string text(order.begin(),
                           order.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(order.size(), 16)));
    if (text != "little") {
      return {Error::NotSupported, name + ": byte order " + printable(text) + "; expected little"};
    }
  }
  std::span<const uint8_t> program;
  if (Status status = read(pickle->name, &program); !status.ok()) return status;
  PickleMachine machine(
      program, limits,
      [&](const std::string& key, std::span<const uint8_t>* data) { return read(prefix + "data/" + key, data); },
      &impl->arena);
  if (Status status = machine.run(&impl->root); !status.ok()) {
    return {status.code(), name + ": " + status.message()};
  }
  out->impl_ = std::move(impl);
  return {};
} catch (const std::exception& e) {
  return {Error::OutOfResources, name + ": " + e.what()};
}

const PickleValue& TorchArchive::root() const {
  static const PickleValue kNone;
  return impl_ == nullptr || impl_->root == nullptr ? kNone : *impl_->root;
}

std::vector<std::pair<std::string, const TorchTensor*>> TorchArchive::tensors() const {
  std::vector<std::pair<std::string, const TorchTensor*>> out;
  collect(root(), "", &out);
  return out;
}

const PickleValue* PickleValue::find(std::string_view key) const {
  const PickleValue* found = nullptr;
  for (const auto& [k, v] : entries) {
    if (k->kind == Kind::String && k->text == key) found = v;
  }
  return found;
}

int64_t TorchTensor::numel() const {
  int64_t n = 1;
  for (const int64_t s : sizes) {
    if (__builtin_mul_overflow(n, s, &n)) return std::numeric_limits<int64_t>::max();
  }
  return n;
}

Status TorchTensor::contiguous(std::vector<uint8_t>* out, uint64_t max_bytes) const try {
  out->clear();
  if (fake) return {Error::NotSupported, "the ETRecord has no data for this tensor"};
  const size_t element = element_size(dtype);
  const int64_t n = numel();
  if (static_cast<uint64_t>(n) > max_bytes / element) {
    return {Error::OutOfResources, "a tensor of " + std::to_string(n) + " elements is larger than the limit of " +
                                       std::to_string(max_bytes) + " bytes"};
  }
  if (n == 0) return {};
  out->resize(static_cast<size_t>(n) * element);

  // Innermost dimensions that are dense already are copied in one go.
  size_t outer = sizes.size();
  int64_t run = 1;
  while (outer > 0 && (sizes[outer - 1] == 1 || strides[outer - 1] == run)) run *= sizes[--outer];
  std::vector<int64_t> index(outer, 0);
  const size_t run_bytes = static_cast<size_t>(run) * element;
  for (size_t to = 0; to < out->size(); to += run_bytes) {
    int64_t from = storage_offset;
    for (size_t d = 0; d < outer; ++d) from += index[d] * strides[d];
    std::memcpy(out->data() + to, storage.data() + static_cast<size_t>(from) * element, run_bytes);
    for (size_t d = outer; d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
  return {};
} catch (const std::exception& e) {
  return {Error::OutOfResources, e.what()};
}

}  // namespace et::etrecord
