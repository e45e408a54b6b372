#include "runtime/backends/ethos_u/twins.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <vector>

#include "runtime/format/tosa_payload.h"
#include "runtime/format/vela_payload.h"
#include "runtime/platform/log.h"

namespace et {
namespace {

using Shapes = std::vector<std::vector<int64_t>>;  // without leading ones

struct Twin {
  std::vector<uint64_t> words;  // the graph, aligned
  size_t size = 0;
  Shapes inputs, outputs;
  std::vector<uint8_t> payload;  // that it stands in for; empty: none yet

  std::span<const uint8_t> bytes() const { return {reinterpret_cast<const uint8_t*>(words.data()), size}; }
};

struct Twins {
  std::mutex mutex;
  std::vector<Twin> all;
};

Twins& twins() {
  static Twins known;
  return known;
}

template <class Sizes>
std::vector<int64_t> without_ones(const Sizes& sizes) {
  std::vector<int64_t> out;
  for (const int32_t size : sizes) {
    if (size != 1 || !out.empty()) out.push_back(size);
  }
  return out;
}

Shapes shapes_of(const format::TosaBlock& block, const format::TosaNames& names) {
  Shapes out(names.size());
  for (uint32_t i = 0; i < names.size(); ++i) {
    for (uint32_t t = 0; t < block.tensor_count(); ++t) {
      if (block.tensor(t).name() == names[i]) out[i] = without_ones(block.tensor(t).shape());
    }
  }
  return out;
}

std::vector<int64_t> counts(const Shapes& shapes) {
  std::vector<int64_t> out;
  for (const auto& sizes : shapes) {
    int64_t count = 1;
    for (const int64_t size : sizes) {
      if (__builtin_mul_overflow(count, size, &count)) count = -1;
    }
    out.push_back(count);
  }
  return out;
}

bool equal(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

Error read_twin(const std::string& path, Twin* out) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) {
    ET_LOG(Error, "%s: cannot open", path.c_str());
    return Error::AccessFailed;
  }
  out->size = static_cast<size_t>(in.tellg());
  out->words.resize(out->size / sizeof(uint64_t) + 1);
  in.seekg(0);
  in.read(reinterpret_cast<char*>(out->words.data()), static_cast<std::streamsize>(out->size));
  format::TosaPayload graph;
  const FileError e =
      in ? format::TosaPayload::open(out->bytes(), &graph) : FileError{Error::AccessFailed, 0, "file", "its bytes"};
  if (!e.ok()) {
    ET_LOG(Error, "%s: %s at byte %llu: expected %s", path.c_str(), e.field, static_cast<unsigned long long>(e.offset),
           e.expected);
    return e.code == Error::AccessFailed ? e.code : Error::InvalidExternalData;
  }
  const format::TosaBlock block = graph.main_block();
  out->inputs = shapes_of(block, block.inputs());
  out->outputs = shapes_of(block, block.outputs());
  return Error::Ok;
}

}  // namespace

Error read_ethos_u_twins(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ec;
  std::vector<std::string> paths;
  const bool folder = fs::is_directory(path, ec);
  if (!folder && !path.empty()) paths.push_back(path);
  for (fs::directory_iterator it(folder ? path : "", ec), end; folder && !ec && it != end; it.increment(ec)) {
    if (it->path().extension() == ".tosa") paths.push_back(it->path().string());
  }
  if (folder && paths.empty()) {
    ET_LOG(Error, "%s: expected .tosa files in this folder, got none", path.c_str());
    return Error::InvalidExternalData;
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Twin> all;
  for (const std::string& file : paths) {
    Twin twin;
    if (const Error e = read_twin(file, &twin); e != Error::Ok) return e;
    // What Vela was given is a copy of what the export wrote under another name.
    const bool copy =
        std::any_of(all.begin(), all.end(), [&](const Twin& t) { return equal(t.bytes(), twin.bytes()); });
    if (!copy) all.push_back(std::move(twin));
  }
  const std::lock_guard<std::mutex> lock(twins().mutex);
  twins().all = std::move(all);
  return Error::Ok;
}

size_t ethos_u_twins() {
  const std::lock_guard<std::mutex> lock(twins().mutex);
  return twins().all.size();
}

std::span<const uint8_t> ethos_u_twin(std::span<const uint8_t> payload) {
  const std::lock_guard<std::mutex> lock(twins().mutex);
  std::vector<Twin>& all = twins().all;
  format::VelaPayload vela;
  if (all.empty() || !format::VelaPayload::open(payload, &vela).ok()) return {};
  Shapes inputs, outputs;
  for (uint32_t i = 0; i < vela.input_count(); ++i) inputs.push_back(without_ones(vela.input(i).shape));
  for (uint32_t i = 0; i < vela.output_count(); ++i) outputs.push_back(without_ones(vela.output(i).shape));
  for (const Twin& t : all) {
    if (!t.payload.empty() && equal(payload, t.payload)) return t.bytes();
  }
  for (const bool shapes : {true, false}) {
    for (Twin& t : all) {
      if (!t.payload.empty()) continue;
      const bool same = shapes ? t.inputs == inputs && t.outputs == outputs
                               : counts(t.inputs) == counts(inputs) && counts(t.outputs) == counts(outputs);
      if (!same) continue;
      t.payload.assign(payload.begin(), payload.end());
      return t.bytes();
    }
  }
  return {};
}

}  // namespace et
