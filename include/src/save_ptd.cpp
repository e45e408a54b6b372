// Tensor files: the flatbuffer with its header put behind the identifier, then one segment a tensor.
#include <cstring>
#include <fstream>
#include <ostream>
#include <vector>

#include "executorch/extension/flat_tensor/serialize/flat_tensor_generated.h"
#include "executorch/extension/flat_tensor/serialize/flat_tensor_header.h"
#include "executorch/extension/flat_tensor/serialize/serialize.h"
#include "executorch/runtime/platform/log.h"

namespace executorch::extension::flat_tensor {
namespace {

using ::et::Error;
using ::executorch::aten::Tensor;

constexpr size_t kHeadBytes = FlatTensorHeader::kHeaderOffset;  // root offset and identifier
constexpr size_t kFlatbufferAlignment = 16;

size_t aligned(size_t n, size_t alignment) { return (n + alignment - 1) / alignment * alignment; }

void put(std::vector<char>& to, uint64_t v, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to.push_back(static_cast<char>(v >> (8 * i) & 0xff));
}

}  // namespace

Error save_ptd(std::ostream& out, const std::map<std::string, Tensor>& tensor_map, size_t tensor_alignment) {
  ET_CHECK_OR_RETURN_ERROR(tensor_alignment != 0 && (tensor_alignment & (tensor_alignment - 1)) == 0, InvalidArgument,
                           "save_ptd: alignment %zu is not a power of two", tensor_alignment);
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<flat_tensor_flatbuffer::NamedData>> names;
  std::vector<flatbuffers::Offset<flat_tensor_flatbuffer::DataSegment>> segments;
  size_t end = 0;  // of the segments so far
  for (const auto& [name, tensor] : tensor_map) {
    ET_CHECK_OR_RETURN_ERROR(tensor.nbytes() == 0 || tensor.const_data_ptr() != nullptr, InvalidArgument,
                             "save_ptd: tensor %s has no data", name.c_str());
    const auto key = builder.CreateString(name);
    const auto sizes = builder.CreateVector(tensor.sizes().data(), tensor.sizes().size());
    const auto order = builder.CreateVector(tensor.dim_order().data(), tensor.dim_order().size());
    const auto type = static_cast<executorch_flatbuffer::ScalarType>(tensor.scalar_type());
    const auto layout = flat_tensor_flatbuffer::CreateTensorLayout(builder, type, sizes, order);
    names.push_back(
        flat_tensor_flatbuffer::CreateNamedData(builder, key, static_cast<uint32_t>(segments.size()), layout));
    const size_t begin = aligned(end, tensor_alignment);
    segments.push_back(flat_tensor_flatbuffer::CreateDataSegment(builder, begin, tensor.nbytes()));
    end = begin + tensor.nbytes();
  }
  const auto segment_list = builder.CreateVector(segments);
  const auto name_list = builder.CreateVector(names);
  builder.Finish(flat_tensor_flatbuffer::CreateFlatTensor(builder, kSchemaVersion, segment_list, name_list),
                 flat_tensor_flatbuffer::FlatTensorIdentifier());

  const uint8_t* table = builder.GetBufferPointer();
  const size_t size = builder.GetSize();
  const size_t flat_offset = aligned(kHeadBytes + FlatTensorHeader::kHeaderExpectedLength, kFlatbufferAlignment);
  const size_t base =
      aligned(flat_offset + size, tensor_alignment > kFlatbufferAlignment ? tensor_alignment : kFlatbufferAlignment);
  std::vector<char> head;
  put(head, flatbuffers::ReadScalar<uint32_t>(table) + flat_offset - kHeadBytes, 4);
  head.insert(head.end(), table + 4, table + kHeadBytes);
  head.insert(head.end(), FlatTensorHeader::kMagic, FlatTensorHeader::kMagic + FlatTensorHeader::kMagicSize);
  put(head, FlatTensorHeader::kHeaderExpectedLength, 4);
  for (const size_t field : {flat_offset, size, base, end}) put(head, field, 8);
  head.resize(flat_offset);
  head.insert(head.end(), table + kHeadBytes, table + size);
  head.resize(base);
  out.write(head.data(), static_cast<std::streamsize>(head.size()));

  size_t at = 0;
  for (const auto& [name, tensor] : tensor_map) {
    const std::vector<char> padding(aligned(at, tensor_alignment) - at);
    out.write(padding.data(), static_cast<std::streamsize>(padding.size()));
    if (tensor.nbytes() > 0) {
      out.write(static_cast<const char*>(tensor.const_data_ptr()), static_cast<std::streamsize>(tensor.nbytes()));
    }
    at += padding.size() + tensor.nbytes();
  }
  ET_CHECK_OR_RETURN_ERROR(out.good(), AccessFailed, "save_ptd: the file cannot be written");
  return Error::Ok;
}

Error save_ptd(const std::string& path, const std::map<std::string, Tensor>& tensor_map, size_t tensor_alignment) {
  std::ofstream file(path, std::ios::binary);
  ET_CHECK_OR_RETURN_ERROR(file.is_open(), AccessFailed, "save_ptd: %s cannot be written", path.c_str());
  const Error error = save_ptd(file, tensor_map, tensor_alignment);
  file.close();
  ET_CHECK_OR_RETURN_ERROR(error != Error::Ok || !file.fail(), AccessFailed, "save_ptd: %s cannot be written",
                           path.c_str());
  return error;
}

}  // namespace executorch::extension::flat_tensor
