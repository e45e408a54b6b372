#include "cli/run/npy.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "runtime/format/mapped_file.h"

namespace et::cli {
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

constexpr size_t kPreamble = 10;  // magic, version, length of a version 1 header
constexpr int64_t kMostBytes = int64_t{1} << 36;

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
    if (text[i] == ')') return sizes->size() <= kTensorDimensionLimit;
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

Status bad(const std::string& path, const std::string& what) {
  return {Error::InvalidExternalData, path + ": not a NumPy file that can be used: " + what};
}

}  // namespace

Status read_npy(const std::string& path, std::unique_ptr<HostTensor>* out) {
  format::MappedFile file;
  if (Status s = format::MappedFile::open(path, &file); !s.ok()) return s;
  const auto bytes = file.bytes();
  if (bytes.size() < kPreamble || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0) {
    return bad(path, "it does not begin with \\x93NUMPY");
  }
  const bool wide = bytes[6] > 1;
  size_t start = kPreamble;
  size_t length = bytes[8] | static_cast<size_t>(bytes[9]) << 8;
  if (wide) {
    start = 12;
    if (bytes.size() < start) return bad(path, "it is cut in the header");
    length |= static_cast<size_t>(bytes[10]) << 16 | static_cast<size_t>(bytes[11]) << 24;
  }
  if (length > bytes.size() - start) return bad(path, "it is cut in the header");
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + start, length);

  std::string_view descr = value_of(header, "descr");
  const size_t quote = descr.empty() ? std::string_view::npos : descr.find('\'', 1);
  descr = quote == std::string_view::npos ? std::string_view() : descr.substr(1, quote - 1);
  const Descr* found = nullptr;
  for (const Descr& d : kDescrs) {
    if (descr == d.text ||
        (d.text[0] == '|' && descr.size() == 3 && descr.substr(1) == d.text + 1 && d.text[1] != 'V')) {
      found = &d;
      break;
    }
  }
  if (found == nullptr) return bad(path, "dtype '" + std::string(descr) + "'");
  std::vector<int32_t> sizes;
  if (!parse_shape(value_of(header, "shape"), &sizes)) return bad(path, "the shape");
  int64_t count = static_cast<int64_t>(element_size(found->type));
  for (int32_t n : sizes) {
    if (__builtin_mul_overflow(count, static_cast<int64_t>(n), &count) || count > kMostBytes) {
      return bad(path, "a shape that is too large");
    }
  }
  const size_t data = start + length;
  if (bytes.size() - data < static_cast<size_t>(count)) {
    return bad(path, std::to_string(bytes.size() - data) + " bytes of data, the shape needs " + std::to_string(count));
  }
  std::vector<uint8_t> dim_order(sizes.size());
  std::iota(dim_order.begin(), dim_order.end(), uint8_t{0});
  const bool fortran = value_of(header, "fortran_order").starts_with("True");
  if (fortran) std::reverse(dim_order.begin(), dim_order.end());
  *out = std::make_unique<HostTensor>(found->type, sizes, dim_order);
  if (count > 0) std::memcpy((*out)->data(), bytes.data() + data, static_cast<size_t>(count));
  if (fortran) *out = (*out)->with_dim_order({});
  return {};
}

Status write_npy(const std::string& path, const Tensor& tensor) {
  const char* descr = nullptr;
  for (const Descr& d : kDescrs) {
    if (descr == nullptr && d.type == tensor.scalar_type()) descr = d.text;
  }
  if (descr == nullptr) {
    return {Error::NotSupported, path + ": NumPy has no dtype for " + scalar_type_name(tensor.scalar_type())};
  }
  std::string shape = "(";
  for (int32_t n : tensor.sizes()) shape += std::to_string(n) + ", ";
  shape += ")";
  std::string header = std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  constexpr size_t kAlign = 64;
  header.append(kAlign - (kPreamble + header.size() + 1) % kAlign, ' ');
  header += '\n';
  HostTensor source(tensor.scalar_type(), tensor.sizes(), tensor.dim_order());
  if (tensor.nbytes() > 0) std::memcpy(source.data(), tensor.const_data_ptr(), tensor.nbytes());
  const auto rows = source.with_dim_order({});

  std::FILE* f = std::fopen(path.c_str(), "wb");
  if (f == nullptr) return {Error::AccessFailed, path + ": cannot be written: " + std::strerror(errno)};
  const char preamble[kPreamble] = {'\x93',
                                    'N',
                                    'U',
                                    'M',
                                    'P',
                                    'Y',
                                    1,
                                    0,
                                    static_cast<char>(header.size() & 0xff),
                                    static_cast<char>(header.size() >> 8)};
  bool good = std::fwrite(preamble, 1, kPreamble, f) == kPreamble &&
              std::fwrite(header.data(), 1, header.size(), f) == header.size() &&
              std::fwrite(rows->data(), 1, rows->size(), f) == rows->size();
  good = std::fclose(f) == 0 && good;
  if (!good) return {Error::AccessFailed, path + ": cannot be written: " + std::strerror(errno)};
  return {};
}

}  // namespace et::cli
