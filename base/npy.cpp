#include "base/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>

#include "base/tensor_bytes.h"

namespace et {
namespace {

struct Descr {
  const char* text;
  ScalarType type;
};
constexpr Descr kDescrs[] = {
    {"|u1", ScalarType::Byte},     {"|i1", ScalarType::Char},         {"<i2", ScalarType::Short},
    {"<i4", ScalarType::Int},      {"<i8", ScalarType::Long},         {"<f2", ScalarType::Half},
    {"<f4", ScalarType::Float},    {"<f8", ScalarType::Double},       {"|b1", ScalarType::Bool},
    {"<V2", ScalarType::BFloat16}, {"<u2", ScalarType::UInt16},       {"<u4", ScalarType::UInt32},
    {"<u8", ScalarType::UInt64},   {"<c8", ScalarType::ComplexFloat}, {"<c16", ScalarType::ComplexDouble},
    {"|V2", ScalarType::BFloat16},
};

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kPreamble = 10;  // magic, version, length of a version 1 header
constexpr size_t kHeaderAlignment = 64;
constexpr uint64_t kMaxArrayBytes = uint64_t{1} << 36;

/// The text behind 'key': in the header, which is a Python dictionary literal.
std::string_view value_of(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return {};
  size_t i = header.find(':', at);
  if (i == std::string_view::npos) return {};
  do ++i;
  while (i < header.size() && header[i] == ' ');
  return header.substr(i);
}

bool parse_shape(std::string_view text, std::vector<int32_t>* sizes) {
  if (text.empty() || text[0] != '(') return false;
  for (size_t i = 1; i < text.size();) {
    if (text[i] == ')') return sizes->size() <= kMaxDimensions;
    if (text[i] == ',' || text[i] == ' ') {
      ++i;
      continue;
    }
    int32_t n = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), n);
    if (error != std::errc() || n < 0) return false;
    sizes->push_back(n);
    i = static_cast<size_t>(end - text.data());
  }
  return false;
}

const Descr* find_descr(std::string_view text) {
  for (const Descr& d : kDescrs) {
    if (text == d.text) return &d;
    // One byte has no order: '<u1' is '|u1'.
    if (d.text[0] == '|' && d.text[1] != 'V' && text.size() == 3 && text.substr(1) == d.text + 1) return &d;
  }
  return nullptr;
}

bool is_void(std::string_view descr, size_t width) {
  return descr.size() > 2 && descr[1] == 'V' && descr.substr(2) == std::to_string(width);
}

}  // namespace

bool npy_knows(ScalarType type) {
  return std::any_of(std::begin(kDescrs), std::end(kDescrs), [&](const Descr& d) { return d.type == type; });
}

Status parse_npy(std::span<const uint8_t> bytes, const std::string& name, std::optional<ScalarType> type,
                 NpyArray* out) {
  *out = {};
  const auto bad = [&](const std::string& what) {
    return Status(Error::InvalidExternalData, name + ": not a NumPy file that can be used: " + what);
  };
  if (bytes.size() < kPreamble || std::memcmp(bytes.data(), kMagic, sizeof(kMagic) - 1) != 0) {
    return bad("it does not begin with \\x93NUMPY");
  }
  size_t start = kPreamble;
  size_t length = bytes[8] | static_cast<size_t>(bytes[9]) << 8;
  if (bytes[6] > 1) {  // versions 2 and 3: four bytes of length
    start = 12;
    if (bytes.size() < start) return bad("it is cut in the header");
    length |= static_cast<size_t>(bytes[10]) << 16 | static_cast<size_t>(bytes[11]) << 24;
  }
  if (length > bytes.size() - start) return bad("it is cut in the header");
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + start, length);

  std::string_view descr = value_of(header, "descr");
  const size_t quote = descr.empty() ? std::string_view::npos : descr.find('\'', 1);
  descr = quote == std::string_view::npos ? std::string_view() : descr.substr(1, quote - 1);
  if (type && is_void(descr, element_size(*type))) {
    out->type = *type;
  } else {
    const Descr* found = find_descr(descr);
    if (found == nullptr) return bad("dtype '" + std::string(descr) + "'");
    if (type && found->type != *type) {
      return bad("dtype '" + std::string(descr) + "', its name says " + scalar_type_name(*type));
    }
    out->type = found->type;
  }
  if (!parse_shape(value_of(header, "shape"), &out->sizes)) return bad("the shape");
  const std::optional<uint64_t> size = tensor_bytes(out->type, out->sizes);
  if (!size || *size > kMaxArrayBytes) return bad("a shape that is too large");
  const std::span<const uint8_t> rest = bytes.subspan(start + length);
  if (rest.size() < *size) {
    return bad(std::to_string(rest.size()) + " bytes of data, the shape needs " + std::to_string(*size));
  }
  out->data = rest.first(static_cast<size_t>(*size));
  out->dim_order.resize(out->sizes.size());
  std::iota(out->dim_order.begin(), out->dim_order.end(), uint8_t{0});
  if (value_of(header, "fortran_order").starts_with("True")) std::reverse(out->dim_order.begin(), out->dim_order.end());
  return {};
}

std::span<const uint8_t> row_major(const NpyArray& array, std::vector<uint8_t>* moved) {
  const size_t rank = array.sizes.size();
  const bool rows = std::is_sorted(array.dim_order.begin(), array.dim_order.end());
  if (rows || array.data.empty()) return array.data;
  // Fortran order: the first dimension's elements are neighbours.
  const size_t width = element_size(array.type), elements = array.data.size() / width;
  std::vector<size_t> steps(rank), at(rank);
  for (size_t d = 0, step = width; d < rank; step *= static_cast<size_t>(array.sizes[d++])) steps[d] = step;
  moved->resize(array.data.size());
  size_t from = 0;
  for (size_t i = 0; i < elements; ++i) {
    std::memcpy(moved->data() + i * width, array.data.data() + from, width);
    for (size_t d = rank; d-- > 0;) {
      from += steps[d];
      if (++at[d] < static_cast<size_t>(array.sizes[d])) break;
      from -= steps[d] * at[d];
      at[d] = 0;
    }
  }
  return *moved;
}

std::string npy_header(ScalarType type, std::span<const int32_t> sizes) {
  const size_t width = element_size(type);
  std::string descr = (width == 1 ? "|V" : "<V") + std::to_string(width);
  const auto* known =
      std::find_if(std::begin(kDescrs), std::end(kDescrs), [&](const Descr& d) { return d.type == type; });
  if (known != std::end(kDescrs)) descr = known->text;
  std::string shape = "(";
  for (int32_t n : sizes) shape += std::to_string(n) + ", ";
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "), }";
  header.append(kHeaderAlignment - (kPreamble + header.size() + 1) % kHeaderAlignment, ' ');
  header += '\n';
  std::string preamble = kMagic;
  preamble += '\1';
  preamble += '\0';
  preamble += static_cast<char>(header.size() & 0xff);
  preamble += static_cast<char>(header.size() >> 8);
  return preamble + header;
}

}  // namespace et
