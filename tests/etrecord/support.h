// What the ETRecord tests share: finding artefacts, building zips, pickles and torch archives byte by byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "etrecord/record.h"

namespace et::etrecord::test {

using Bytes = std::vector<uint8_t>;

inline Bytes bytes_of(std::string_view s) { return {s.begin(), s.end()}; }

inline Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The big corpus, empty if it is not there.
inline std::filesystem::path corpus() {
  const char* env = std::getenv("ET_SHARED_ARTIFACTS");
  std::filesystem::path path = env != nullptr ? std::filesystem::path(env)
                                              : std::filesystem::path(ET_SOURCE_DIR) / ".." / "shared" / "artifacts";
  return std::filesystem::is_directory(path) ? path : std::filesystem::path();
}

/// A file of a case, from the big corpus or the repository's fixtures (two of which have no weights); empty path if
/// neither has it.
inline std::filesystem::path artifact(const std::string& name, const std::string& file) {
  const auto big = corpus();
  if (!big.empty() && std::filesystem::exists(big / name / file)) return big / name / file;
  const auto own = std::filesystem::path(ET_FIXTURES) / "artifacts" / name / file;
  return std::filesystem::exists(own) ? own : std::filesystem::path();
}

/// All cases with an ETRecord that can be found.
inline std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& root : {std::filesystem::path(ET_FIXTURES) / "artifacts", corpus()}) {
    if (root.empty() || !std::filesystem::is_directory(root)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
      const std::string name = entry.path().filename().string();
      if (!std::filesystem::exists(entry.path() / "etrecord.bin")) continue;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// CRC-32, bit by bit: independent of the reader's.
inline uint32_t crc_of(const Bytes& bytes) {
  uint32_t crc = 0xFFFFFFFFu;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

/// A zip of stored members, names as given (bad ones too).
class ZipBuilder {
 public:
  struct Entry {
    std::string name;
    uint32_t crc, size, packed, offset;
    uint16_t method, flags;
  };
  ZipBuilder& add(const std::string& name, const Bytes& data, uint16_t flags = 0) {
    return add_raw(name, data, static_cast<uint32_t>(data.size()), crc_of(data), 0, flags);
  }
  ZipBuilder& add(const std::string& name, std::string_view data) { return add(name, bytes_of(data)); }
  ZipBuilder& add_raw(const std::string& name, const Bytes& packed, uint32_t size, uint32_t crc, uint16_t method,
                      uint16_t flags = 0) {
    const Entry e{name,   crc,  size, static_cast<uint32_t>(packed.size()), static_cast<uint32_t>(out_.size()),
                  method, flags};
    entries_.push_back(e);
    u32(0x04034b50);
    common(e);
    u16(static_cast<uint16_t>(name.size()));
    u16(0);
    append(bytes_of(name));
    append(packed);
    return *this;
  }
  Bytes finish() {
    const auto start = static_cast<uint32_t>(out_.size());
    for (const Entry& e : entries_) {
      u32(0x02014b50);
      u16(20);
      common(e);
      u16(static_cast<uint16_t>(e.name.size()));
      for (int i = 0; i < 4; ++i) u16(0);
      u32(0);
      u32(e.offset);
      append(bytes_of(e.name));
    }
    const auto size = static_cast<uint32_t>(out_.size()) - start;
    u32(0x06054b50);
    u32(0);
    u16(static_cast<uint16_t>(entries_.size()));
    u16(static_cast<uint16_t>(entries_.size()));
    u32(size);
    u32(start);
    u16(0);
    return out_;
  }

 private:
  void common(const Entry& e) {
    u16(20);
    u16(e.flags);
    u16(e.method);
    u32(0);
    u32(e.crc);
    u32(e.packed);
    u32(e.size);
  }
  void u16(uint16_t v) { append({static_cast<uint8_t>(v), static_cast<uint8_t>(v >> 8)}); }
  void u32(uint32_t v) {
    u16(static_cast<uint16_t>(v));
    u16(static_cast<uint16_t>(v >> 16));
  }
  void append(const Bytes& b) { out_.insert(out_.end(), b.begin(), b.end()); }

  Bytes out_;
  std::vector<Entry> entries_;
};

/// Opcodes of pickle protocol 2, as text.
class PickleBuilder {
 public:
  PickleBuilder() { raw("\x80\x02"); }
  PickleBuilder& raw(std::string_view s) {
    out_ += s;
    return *this;
  }
  PickleBuilder& global(const std::string& module, const std::string& name) {
    return raw("c" + module + "\n" + name + "\n");
  }
  PickleBuilder& text(const std::string& s) { return raw("X" + le(s.size(), 4) + s); }
  PickleBuilder& number(int64_t v) { return raw(std::string("\x8a\x08", 2) + le(static_cast<uint64_t>(v), 8)); }
  PickleBuilder& put(int i) { return raw("q" + le(static_cast<uint64_t>(i), 1)); }
  PickleBuilder& get(int i) { return raw("h" + le(static_cast<uint64_t>(i), 1)); }
  PickleBuilder& storage(const std::string& cls, const std::string& key, int64_t count) {
    return raw("(").text("storage").global("torch", cls).text(key).text("cpu").number(count).raw("tQ");
  }
  PickleBuilder& tuple(const std::vector<int64_t>& values) {
    raw("(");
    for (const int64_t v : values) number(v);
    return raw("t");
  }
  PickleBuilder& tensor(const std::string& cls, const std::string& key, int64_t count, int64_t offset,
                        const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
    global("torch._utils", "_rebuild_tensor_v2").raw("(").storage(cls, key, count).number(offset);
    tuple(sizes).tuple(strides).raw("\x89");
    return global("collections", "OrderedDict").raw(")RtR");
  }
  std::string stop() const { return out_ + "."; }

 private:
  static std::string le(uint64_t v, int n) {
    std::string s;
    for (int i = 0; i < n; ++i) s += static_cast<char>(v >> (8 * i));
    return s;
  }
  std::string out_;
};

/// What PyTorch pickles a storage of its own as: the argument of torch.storage._load_from_bytes.
inline std::string storage_bytes(const std::string& cls, const std::string& key, int64_t count,
                                 const std::string& data) {
  const std::string magic("\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.", 15);
  PickleBuilder version, system, storage, keys;
  version.number(1001);
  system.raw("}(").text("protocol_version").number(1001).text("little_endian").raw("\x88u");
  storage.raw("(").text("storage").global("torch", cls).text(key).text("cpu").number(count).raw("NtQ");
  keys.raw("]").text(key).raw("a");
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>(static_cast<uint64_t>(count) >> (8 * i));
  return magic + version.stop() + system.stop() + storage.stop() + keys.stop() + length + data;
}

/// A bare pickle of a tensor over such a storage.
inline std::string bare_tensor(const std::string& storage, const std::vector<int64_t>& sizes,
                               const std::vector<int64_t>& strides) {
  std::string length;
  for (int i = 0; i < 4; ++i) length += static_cast<char>(storage.size() >> (8 * i));
  return PickleBuilder()
      .global("torch._utils", "_rebuild_tensor_v2")
      .raw("(")
      .global("torch.storage", "_load_from_bytes")
      .raw("B" + length + storage)
      .raw("\x85R")
      .number(0)
      .tuple(sizes)
      .tuple(strides)
      .raw("\x89")
      .global("collections", "OrderedDict")
      .raw(")RtR")
      .stop();
}

inline Bytes torch_zip(const std::string& pickle, const std::vector<std::pair<std::string, Bytes>>& storages = {},
                       const std::string& order = "little") {
  ZipBuilder zip;
  zip.add("archive/data.pkl", pickle).add("archive/byteorder", order);
  for (const auto& [key, data] : storages) zip.add("archive/data/" + key, data);
  return zip.add("archive/version", "3\n").finish();
}

/// A program with the given nodes (JSON text of the list) and tensor values.
inline std::string program_text(const std::string& nodes, const std::string& more_graph = "") {
  return R"({"graph_module": {"graph": {"inputs": [], "outputs": [], "nodes": )" + nodes + more_graph +
         R"(}, "signature": {"input_specs": [], "output_specs": []}}, "schema_version": {"major": 5, "minor": 4},)"
         R"( "verifiers": ["EDGE"]})";
}

inline std::string node_text(const std::string& name, const std::string& target, const std::string& inputs = "[]",
                             const std::string& metadata = "{}") {
  return R"({"name": ")" + name + R"(", "target": ")" + target + R"(", "inputs": )" + inputs +
         R"(, "outputs": [{"as_tensor": {"name": ")" + name + R"("}}], "metadata": )" + metadata + "}";
}

/// Record with one edge program of one add node with handle 1.
inline ZipBuilder small_record() {
  ZipBuilder zip;
  zip.add("ETRECORD_V0", "");
  zip.add("edge_dialect_exported_program/forward",
          program_text(
              "[" +
              node_text("add", "executorch.exir.dialects.edge.ops.aten.add.Tensor", "[]", R"({"debug_handle": "1"})") +
              "]"));
  for (const char* end : {"_state_dict", "_constants", "_example_inputs"}) {
    zip.add(std::string("edge_dialect_exported_program/forward") + end, "");
  }
  zip.add("debug_handle_map", R"({"forward": {"0": 1}})");
  zip.add("delegate_map", R"({"forward": {}})");
  return zip.add("instruction_id_to_num_outs_map", R"({"forward": {}})");
}

inline bool has_problem(const Record& r, const std::string& id) {
  return std::any_of(r.problems().begin(), r.problems().end(), [&](const Problem& p) { return p.id == id; });
}

}  // namespace et::etrecord::test
