#include "tests/support/trace_chunks.h"

#include <algorithm>
#include <stdexcept>

namespace et::test {

namespace {

class File {
 public:
  explicit File(const std::string& path) : file_(std::fopen(path.c_str(), "wb"), &std::fclose), path_(path) {
    if (!file_) throw std::runtime_error("cannot write " + path);
  }
  void write(const std::vector<uint8_t>& bytes) {
    if (bytes.empty()) return;
    written_ += bytes.size();
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
      throw std::runtime_error("cannot write " + path_);
  }
  uint64_t written() const { return written_; }
  void close() {
    if (std::fclose(file_.release()) != 0) throw std::runtime_error("cannot write " + path_);
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string path_;
  uint64_t written_ = 0;
};

}  // namespace

Chunk::Chunk(const std::string& name, size_t events) {
  std::vector<size_t> at;
  layout.table({{0, 4}, {3, 4}}, &at);
  layout.string(at[0], name);
  layout.align(4);
  layout.point_here(at[1]);
  layout.put(static_cast<uint32_t>(events));
  for (size_t i = 0; i < events; ++i) slots.push_back(layout.put<uint32_t>(0));
}

void Chunk::event(const EventSpec& e) {
  std::vector<size_t> at;
  layout.table({{0, 4}}, &at);
  const size_t outer = at[0];
  const size_t slot = slots[times.size()];
  layout.set<uint32_t>(slot, static_cast<uint32_t>(outer - 4 - slot));

  std::vector<Layout::Field> fields = {{6, 8}, {7, 8}};
  // Place of the field in `fields`, or 0 for one that is left out.
  auto want = [&](bool wanted, unsigned id) {
    if (wanted) fields.push_back({id, 4});
    return wanted ? fields.size() - 1 : size_t{0};
  };
  const size_t chain = want(e.chain != 0, 1);
  const size_t instruction = want(true, 2);
  const size_t delegate_int = want(e.delegate_int != -1, 3);
  const size_t name = want(e.name.has_value(), 0);
  const size_t delegate_str = want(e.delegate_str.has_value(), 4);
  const size_t metadata = want(e.metadata.has_value(), 5);
  const size_t profile = layout.table(fields, &at);
  layout.set(outer, static_cast<uint32_t>(profile - outer));
  times.push_back({at[0], at[1]});
  if (chain != 0) layout.set(at[chain], static_cast<int32_t>(e.chain));
  layout.set(at[instruction], e.instruction);
  if (delegate_int != 0) layout.set(at[delegate_int], e.delegate_int);
  if (name != 0) layout.string(at[name], *e.name);
  if (delegate_str != 0) layout.string(at[delegate_str], *e.delegate_str);
  if (metadata != 0) layout.string(at[metadata], std::string(e.metadata->begin(), e.metadata->end()), false);
}

void RepeatedDump::write(const std::string& path) {
  const uint64_t runs = once.size() + repeats;
  const size_t prefix = size_prefixed ? 4 : 0;
  if (!trailer.empty() && prefix == 0) throw std::runtime_error("a trailer needs a size-prefixed dump");

  Layout head;
  std::vector<size_t> at;
  if (prefix != 0) head.put<uint32_t>(0);
  const size_t root_slot = head.put<uint32_t>(0);
  for (const char c : {'E', 'D', '0', '0'}) head.put(c);
  const size_t root = head.table({{1, 4}}, &at);
  head.set(root_slot, static_cast<uint32_t>(root - root_slot));
  head.point_here(at[0]);
  head.put(static_cast<uint32_t>(runs));
  const size_t slots = head.size();

  const uint64_t body = (slots + 4 * runs + 7) / 8 * 8;
  uint64_t total = body;
  std::vector<uint64_t> once_at;
  for (const Chunk& c : once) {
    once_at.push_back(total);
    total += c.layout.size();
  }
  const uint64_t each_at = total;
  total += repeats * each.layout.size();
  if (total > 0x7fffffff) throw std::runtime_error("the trace would pass 2 GB, the limit of the format");
  if (prefix != 0) head.set(0, static_cast<uint32_t>(total - prefix));

  File file(path);
  file.write(head.bytes());
  std::vector<uint8_t> block;
  for (uint64_t r = 0; r < runs; ++r) {
    const uint64_t chunk = r < once.size() ? once_at[r] : each_at + (r - once.size()) * each.layout.size();
    const uint32_t step = static_cast<uint32_t>(chunk + Chunk::kRunVtable - (slots + 4 * r));
    const uint8_t* raw = reinterpret_cast<const uint8_t*>(&step);
    block.insert(block.end(), raw, raw + sizeof step);
    if (block.size() >= 1 << 16 || r + 1 == runs) {
      file.write(block);
      block.clear();
    }
  }
  file.write(std::vector<uint8_t>(body - file.written(), 0));
  for (Chunk& c : once) file.write(c.layout.bytes());
  for (uint64_t i = 0; i < repeats; ++i) {
    set_times(i, &each);
    file.write(each.layout.bytes());
  }
  if (!trailer.empty()) {
    file.write(std::vector<uint8_t>((16 - file.written() % 16) % 16, 0));
    file.write(trailer);
  }
  file.close();
}

}  // namespace et::test
