// Big synthetic traces, written front to back. Every execution has the same bytes but for its times, so one chunk is
// laid out once and written again and again with other times; its offsets are relative and stay right.
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>

#include "tests/support/etdump_builder.h"

namespace et::test {

namespace {

// Lays a flatbuffer out forwards: who refers comes before what is referred to, vtables before their first table.
class Layout {
 public:
  struct Field {
    unsigned id;
    size_t size;
  };

  size_t size() const { return bytes_.size(); }
  std::vector<uint8_t>& bytes() { return bytes_; }

  void align(size_t to, size_t remainder = 0) {
    while (bytes_.size() % to != remainder) bytes_.push_back(0);
  }
  template <class T>
  size_t put(T value) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return at;
  }
  template <class T>
  void set(size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  /// Lets the offset at `slot` point to the end of what is written so far.
  void point_here(size_t slot) { set<uint32_t>(slot, static_cast<uint32_t>(bytes_.size() - slot)); }

  /// A table with these fields (8-byte ones first). Returns where it is; `at[k]` is where field k is.
  size_t table(const std::vector<Field>& fields, std::vector<size_t>* at) {
    unsigned ids = 0;
    bool wide = false;
    uint16_t place = 4;
    for (const Field& f : fields) ids = f.id + 1 > ids ? f.id + 1 : ids;
    std::vector<uint16_t> vtable(ids + 2);
    vtable[0] = static_cast<uint16_t>(2 * vtable.size());
    for (const Field& f : fields) {
      wide |= f.size == 8;
      vtable[f.id + 2] = place;
      place = static_cast<uint16_t>(place + f.size);
    }
    vtable[1] = place;
    auto [known, fresh] = vtables_.try_emplace(vtable, 0);
    if (fresh) {
      align(2);
      known->second = bytes_.size();
      for (const uint16_t v : vtable) put(v);
    }
    align(wide ? 8 : 4, wide ? 4 : 0);
    const size_t start = put(static_cast<int32_t>(bytes_.size() - known->second));
    at->clear();
    for (const Field& f : fields) at->push_back(start + vtable[f.id + 2]);
    bytes_.resize(start + place);
    return start;
  }

  /// A string (or, with `text` false, a byte vector) that the offset at `slot` points to.
  void string(size_t slot, const std::string& s, bool text = true) {
    align(4);
    point_here(slot);
    put(static_cast<uint32_t>(s.size()));
    bytes_.insert(bytes_.end(), s.begin(), s.end());
    if (text) bytes_.push_back(0);
  }

 private:
  std::vector<uint8_t> bytes_;
  std::map<std::vector<uint16_t>, size_t> vtables_;
};

struct Times {
  size_t start, end;  // where they are in the chunk
};

struct Chunk {
  Layout layout;
  std::vector<Times> times;  // of the events in file order
  std::vector<size_t> slots;

  explicit Chunk(const std::string& name, size_t events) {
    std::vector<size_t> at;
    layout.table({{0, 4}, {3, 4}}, &at);
    layout.string(at[0], name);
    layout.align(4);
    layout.point_here(at[1]);
    layout.put(static_cast<uint32_t>(events));
    for (size_t i = 0; i < events; ++i) slots.push_back(layout.put<uint32_t>(0));
  }

  void event(const std::string& name, const std::string& delegate_id, int32_t chain, int32_t instruction) {
    std::vector<size_t> outer;
    std::vector<size_t> at;
    const size_t event_at = layout.table({{0, 4}}, &outer);
    const size_t slot = slots[times.size()];
    layout.set<uint32_t>(slot, static_cast<uint32_t>(event_at - slot));
    size_t profile = 0;
    size_t instruction_at = 0;
    size_t strings = 0;
    if (!delegate_id.empty()) {
      profile = layout.table({{6, 8}, {7, 8}, {2, 4}, {4, 4}, {5, 4}}, &at);
      instruction_at = at[2];
      strings = 3;
    } else if (chain != 0) {
      profile = layout.table({{6, 8}, {7, 8}, {1, 4}, {2, 4}, {0, 4}}, &at);
      layout.set(at[2], chain);
      instruction_at = at[3];
      strings = 4;
    } else {
      profile = layout.table({{6, 8}, {7, 8}, {2, 4}, {0, 4}}, &at);
      instruction_at = at[2];
      strings = 3;
    }
    layout.set(outer[0], static_cast<uint32_t>(profile - outer[0]));
    layout.set(instruction_at, instruction);
    times.push_back({at[0], at[1]});
    layout.string(at[strings], delegate_id.empty() ? name : delegate_id);
    if (!delegate_id.empty()) layout.string(at[4], "", false);
  }

  void set_times(size_t event, uint64_t start, uint64_t end) {
    layout.set(times[event].start, start);
    layout.set(times[event].end, end);
  }
};

constexpr std::array<const char*, 8> kOperators = {
    "add.out", "mul.out", "mean.out", "_softmax.out", "cumsum.out", "view_copy.out", "_to_dim_order_copy.out",
    "bmm.out"};
constexpr std::array<const char*, 6> kDelegateOperators = {"Convolution (NHWC, F32) IGEMM",
                                                           "Fully Connected (NC, F32) GEMM",
                                                           "Transpose (ND, X32)",
                                                           "Clamp (NC, F32)",
                                                           "Add (ND, F32)",
                                                           "Softmax (NC, F32)"};

Chunk default_chunk() {
  Chunk c("Default", 2);
  c.event("Method::init", "", -1, 0);
  c.event("Program::load_method", "", -1, 0);
  c.layout.align(8);
  c.set_times(0, 1'000, 41'000);
  c.set_times(1, 500, 45'000);
  return c;
}

Chunk execute_chunk(const BigTrace& shape) {
  Chunk c("Execute", shape.events_per_execution());
  int32_t instruction = 0;
  for (unsigned i = 0; i < shape.operators; ++i, ++instruction) {
    c.event(std::string("native_call_") + kOperators[i % kOperators.size()], "", 0, instruction);
    c.event("OPERATOR_CALL", "", 0, instruction);
  }
  for (unsigned i = 0; i < shape.delegates; ++i, ++instruction) {
    for (unsigned k = 0; k < shape.delegate_operators; ++k) {
      const size_t kind = k % kDelegateOperators.size();
      c.event("", std::string(kDelegateOperators[kind]) + " #" + std::to_string(k / kDelegateOperators.size() + 1), 0,
              instruction);
    }
    c.event("DELEGATE_CALL", "", 0, instruction);
  }
  c.event("Method::execute", "", -1, 0);
  c.layout.align(8);
  return c;
}

// Gives an execution that begins at `now` its times; returns when it ends.
uint64_t set_execution_times(const BigTrace& shape, uint64_t now, uint64_t* noise, Chunk* c) {
  auto jitter = [&](uint64_t below) {
    *noise = *noise * 6364136223846793005u + 1442695040888963407u;
    return (*noise >> 33) % below;
  };
  size_t e = 0;
  uint64_t t = now + 300;
  for (unsigned i = 0; i < shape.operators; ++i) {
    const uint64_t call = t;
    const uint64_t kernel = call + 60 + jitter(20);
    const uint64_t done = kernel + 1'000 * (i + 1) + jitter(200);
    t = done + 40;
    c->set_times(e++, kernel, done);
    c->set_times(e++, call, t);
    t += 30;
  }
  for (unsigned i = 0; i < shape.delegates; ++i) {
    const uint64_t call = t;
    uint64_t at = call + 900;
    for (unsigned k = 0; k < shape.delegate_operators; ++k) {
      const uint64_t us = 2 * (k + 1) + jitter(3);
      c->set_times(e++, at, at + 1'000 * us);
      at += 1'000 * us;
    }
    t = at + 1'500 + jitter(300);
    c->set_times(e++, call, t);
    t += 30;
  }
  c->set_times(e++, now, t + 100);
  return t + 100;
}

TrailerSpec big_trailer(const BigTrace& shape) {
  TrailerSpec trailer;
  trailer.producer = "et_make_trace 1";
  trailer.policy = "stop";
  trailer.overhead_ns = 35;
  trailer.host = TrailerSpec::Host{"bench", "synthetic cpu", "Linux", "g++ -O2", "portable", 2, 1};
  trailer.clock = TrailerSpec::Clock{"monotonic", 1, 1, 0};
  trailer.labels = {{"kind", "synthetic"}};
  trailer.runs.resize(shape.executions + 1);
  trailer.runs[0].method = "forward";
  trailer.runs[0].kind = "load";
  for (uint64_t i = 0; i < shape.executions; ++i) {
    trailer.runs[i + 1].method = "forward";
    trailer.runs[i + 1].kind = "execute";
    trailer.runs[i + 1].execution = i;
  }
  return trailer;
}

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

void make_big_trace(const std::string& path, const BigTrace& shape) {
  Chunk first = default_chunk();
  Chunk each = execute_chunk(shape);
  const uint64_t runs = shape.executions + 1;
  const size_t prefix = shape.size_prefixed ? 4 : 0;

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
  const uint64_t total = body + first.layout.size() + shape.executions * each.layout.size();
  if (total > 0x7fffffff) throw std::runtime_error("the trace would pass 2 GB, the limit of the format");
  if (prefix != 0) head.set(0, static_cast<uint32_t>(total - prefix));

  // A chunk begins with the vtable of its RunData, 12 bytes; the table follows.
  constexpr uint64_t kRunVtable = 12;
  File file(path);
  file.write(head.bytes());
  std::vector<uint8_t> block;
  for (uint64_t r = 0; r < runs; ++r) {
    const uint64_t chunk = r == 0 ? body : body + first.layout.size() + (r - 1) * each.layout.size();
    const uint32_t step = static_cast<uint32_t>(chunk + kRunVtable - (slots + 4 * r));
    const uint8_t* raw = reinterpret_cast<const uint8_t*>(&step);
    block.insert(block.end(), raw, raw + sizeof step);
    if (block.size() >= 1 << 16 || r + 1 == runs) {
      file.write(block);
      block.clear();
    }
  }
  file.write(std::vector<uint8_t>(body - file.written(), 0));
  file.write(first.layout.bytes());
  uint64_t now = 100'000;
  uint64_t noise = 1;
  for (uint64_t i = 0; i < shape.executions; ++i) {
    now = 5'000 + set_execution_times(shape, now, &noise, &each);
    file.write(each.layout.bytes());
  }
  if (shape.trailer) {
    if (prefix == 0) throw std::runtime_error("a trailer needs a size-prefixed dump");
    file.write(std::vector<uint8_t>((16 - file.written() % 16) % 16, 0));
    file.write(big_trailer(shape).bytes());
  }
  file.close();
}

}  // namespace et::test
