#include "runtime/backends/tosa/loader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "runtime/backends/tosa/operators.h"

namespace et::tosa {
namespace {

constexpr size_t kMaxRank = 16;
constexpr int64_t kMaxCount = INT32_MAX;  // elements of a tensor
constexpr size_t kAlignment = 64;

std::string quoted(std::string_view name) { return "'" + std::string(name.substr(0, 80)) + "'"; }

/// Sign-extends packed numbers of 4 bits (the lower one first) or 6 bytes.
void unpack_int4(const uint8_t* from, int64_t count, uint8_t* to) {
  for (int64_t i = 0; i < count; ++i) {
    const int nibble = from[i / 2] >> (i % 2 * 4) & 15;
    to[i] = static_cast<uint8_t>(nibble >= 8 ? nibble - 16 : nibble);
  }
}
void unpack_int48(const uint8_t* from, int64_t count, uint8_t* to) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t x = 0;
    for (int b = 0; b < 6; ++b) x |= uint64_t{from[i * 6 + b]} << (8 * b + 16);
    const int64_t value = static_cast<int64_t>(x) >> 16;
    std::memcpy(to + i * 8, &value, 8);
  }
}

/// "2 to 3 inputs"
std::string count_text(const char* what, size_t min, size_t max) {
  return std::to_string(min) + (min == max ? " " : " to " + std::to_string(max) + " ") + what + (max == 1 ? "" : "s");
}

size_t stored_bytes(Type type, int64_t count) {
  const auto n = static_cast<size_t>(count);
  if (type == Type::Int4) return (n + 1) / 2;
  if (type == Type::Int48) return n * 6;
  return n * element_size(type);
}

}  // namespace

bool Loader::fail(Error code, std::string text) {
  if (error_->empty()) {
    *error_ = std::move(text);
    code_ = code;
  }
  return false;
}

std::string Loader::place(const Reading& r, uint32_t index, const char* name) const {
  const std::string text = "operator " + std::to_string(index) + " (" + name + ")";
  return r.block.name == "main" || r.block.name.empty() ? text : text + " of " + quoted(r.block.name);
}

uint8_t* Loader::own(size_t bytes) {
  if (!budget_.memory(bytes)) {
    fail(Error::MemoryAllocationFailed,
         "the graph exceeds the limit of " + std::to_string(budget_.limits.bytes) + " bytes");
    return nullptr;
  }
  // Zeros that cost nothing before they are touched: a file may ask for much and fail for something else.
  auto* base = static_cast<uint8_t*>(std::calloc(1, bytes + kAlignment));
  if (base == nullptr) {
    fail(Error::MemoryAllocationFailed, "out of memory: " + std::to_string(bytes) + " bytes");
    return nullptr;
  }
  graph_.owned_.emplace_back(base);
  return base + (kAlignment - reinterpret_cast<uintptr_t>(base) % kAlignment);
}

void Graph::Free::operator()(uint8_t* p) const { std::free(p); }

Error Loader::load() {
  const format::TosaVersion v = payload_.version();
  if (v.major != 1 && !(v.major == 0 && v.minor >= 90)) {
    fail(Error::DelegateInvalidCompatibility,
         "expected TOSA version 1.x, got " + std::to_string(v.major) + "." + std::to_string(v.minor));
    return code_;
  }
  const format::TosaBlock main = payload_.main_block();
  if (!main.valid()) {
    fail(Error::InvalidProgram, "the payload has no block");
    return code_;
  }
  graph_.blocks_.push_back(std::make_unique<Block>());
  Block& block = *graph_.blocks_.back();
  block.name = "main";
  return read(main, block) ? Error::Ok : code_;
}

bool Loader::read(const format::TosaBlock& file, Block& block) {
  Reading r{file, block, {}, {}};
  if (!tensors(r) || !shapes(r) || !ends(r, file.inputs(), true, &block.inputs) || !operators(r) ||
      !ends(r, file.outputs(), false, &block.outputs)) {
    return false;
  }
  block.ready = plan(block);
  return block.ready;
}

bool Loader::add_value(Reading& r, Value value) {
  const auto id = static_cast<uint32_t>(r.block.values.size());
  if (!r.names.emplace(value.name, id).second) {
    return fail(Error::InvalidProgram, "tensor " + quoted(value.name) + " is declared twice");
  }
  r.defined.push_back(value.constant != nullptr || value.variable ? 1 : 0);
  r.block.values.push_back(std::move(value));
  r.block.data.push_back(const_cast<uint8_t*>(r.block.values.back().constant));
  return true;
}

bool Loader::tensors(Reading& r) {
  for (uint32_t i = 0; i < r.file.tensor_count(); ++i) {
    if (!tensor(r, r.file.tensor(i))) return false;
  }
  return true;
}

bool Loader::tensor(Reading& r, const format::TosaTensor& t) {
  Value value;
  value.name = t.name();
  if (t.dtype() > static_cast<uint32_t>(Type::Bf16) || t.dtype() == 0) {
    return fail(Error::NotSupported, "tensor " + quoted(t.name()) + ": type " + t.dtype_name() + " is not supported");
  }
  value.type = static_cast<Type>(t.dtype());
  if (t.is_unranked() || t.shape().size() > kMaxRank) {
    return fail(Error::NotSupported, "tensor " + quoted(t.name()) + ": expected a fixed number of dimensions up to 16");
  }
  for (const int32_t d : t.shape()) {
    if (d <= 0 || d > kMaxCount / value.count) {
      return fail(d < 0 ? Error::NotSupported : Error::InvalidProgram,
                  "tensor " + quoted(t.name()) + ": size " + std::to_string(d) + " is not fixed or too large");
    }
    value.shape.push_back(d);
    value.count *= d;
  }
  if (t.is_variable()) {
    value.variable = true;
    if (!variable(t, &value)) return false;
    uint8_t* at = graph_.variables_.find(t.variable_name())->second.data;
    if (!add_value(r, std::move(value))) return false;
    r.block.data.back() = at;
    return true;
  }
  return add_value(r, std::move(value));
}

// A variable is one piece of memory for all blocks that name it.
bool Loader::variable(const format::TosaTensor& t, Value* value) {
  const auto known = graph_.variables_.find(t.variable_name());
  if (known != graph_.variables_.end()) {
    return known->second.bytes == value->bytes() ||
           fail(Error::InvalidProgram, "variable " + quoted(t.variable_name()) + " is declared with different sizes");
  }
  uint8_t* at = own(value->bytes());
  if (at == nullptr) return false;
  if (!t.data().empty()) {
    const uint8_t* initial = constant_bytes(t, *value);
    if (initial == nullptr) return false;
    std::memcpy(at, initial, value->bytes());
  }
  graph_.variables_.emplace(std::string(t.variable_name()), Graph::Variable{at, value->bytes()});
  return true;
}

bool Loader::shapes(Reading& r) {
  for (uint32_t i = 0; i < r.file.shape_count(); ++i) {
    const format::TosaShape s = r.file.shape(i);
    Value value;
    value.name = s.name();
    value.type = Type::Shape;
    value.count = s.rank();
    value.shape = {value.count};
    // A file may store an empty shape with a placeholder behind it.
    if (s.dim_count() < s.rank() || s.rank() > 4096) {
      return fail(Error::NotSupported, "shape " + quoted(s.name()) + ": expected known dimensions");
    }
    uint8_t* at = own(value.bytes());
    if (at == nullptr) return false;
    for (uint32_t d = 0; d < s.rank(); ++d) {
      const int64_t x = s.dim(d);
      std::memcpy(at + size_t{d} * 8, &x, 8);
    }
    value.constant = at;
    if (!add_value(r, std::move(value))) return false;
  }
  return true;
}

bool Loader::ends(Reading& r, const format::TosaNames& names, bool inputs, std::vector<uint32_t>* out) {
  const char* kind = inputs ? "input" : "output";
  for (uint32_t i = 0; i < names.size(); ++i) {
    const auto found = r.names.find(names[i]);
    const std::string what =
        "block " + quoted(r.block.name) + ": " + kind + " " + std::to_string(i) + " " + quoted(names[i]);
    if (found == r.names.end()) return fail(Error::InvalidProgram, what + " is not a tensor of the block");
    const uint32_t id = found->second;
    if (r.block.values[id].type == Type::Shape) return fail(Error::InvalidProgram, what + " is a shape");
    if (inputs == (r.defined[id] != 0)) {
      return fail(Error::InvalidProgram, what + (inputs ? " is listed twice" : " is never computed"));
    }
    r.defined[id] = 1;
    out->push_back(id);
  }
  return true;
}

bool Loader::operators(Reading& r) {
  for (uint32_t i = 0; i < r.file.operator_count(); ++i) {
    const format::TosaOperator op = r.file.op(i);
    const std::string_view name = op.op_name();
    if (name == "CONST_SHAPE") continue;
    if (name == "CONST" ? !constant(r, op, i) : !operation(r, op, i)) return false;
  }
  return true;
}

bool Loader::constant(Reading& r, const format::TosaOperator& op, uint32_t index) {
  const auto found = op.outputs().size() == 1 ? r.names.find(op.outputs()[0]) : r.names.end();
  // Tensors are the first values, in the order of the file.
  if (found == r.names.end() || r.defined[found->second] != 0 || found->second >= r.file.tensor_count()) {
    return fail(Error::InvalidProgram,
                place(r, index, "CONST") + ": expected an output tensor that nothing else writes");
  }
  Value& value = r.block.values[found->second];
  value.constant = constant_bytes(r.file.tensor(found->second), value);
  if (value.constant == nullptr) return false;
  r.block.data[found->second] = const_cast<uint8_t*>(value.constant);
  r.defined[found->second] = 1;
  return true;
}

const uint8_t* Loader::constant_bytes(const format::TosaTensor& t, const Value& value) {
  const std::span<const uint8_t> stored = t.data();
  if (t.outside_size() != 0) {
    fail(Error::NotSupported, "constant " + quoted(value.name) + " is stored outside the payload");
    return nullptr;
  }
  const size_t needed = stored_bytes(value.type, value.count);
  if (stored.size() < needed) {
    fail(Error::InvalidProgram, "constant " + quoted(value.name) + ": expected " + std::to_string(needed) +
                                    " bytes, got " + std::to_string(stored.size()));
    return nullptr;
  }
  const bool as_it_is = value.type != Type::Int4 && value.type != Type::Int48 && value.type != Type::Bool &&
                        reinterpret_cast<uintptr_t>(stored.data()) % element_size(value.type) == 0;
  if (as_it_is) return stored.data();
  uint8_t* at = own(value.bytes());
  if (at == nullptr) return nullptr;
  if (value.type == Type::Int4) {
    unpack_int4(stored.data(), value.count, at);
  } else if (value.type == Type::Int48) {
    unpack_int48(stored.data(), value.count, at);
  } else {
    std::memcpy(at, stored.data(), needed);
    if (value.type == Type::Bool) std::for_each(at, at + needed, [](uint8_t& b) { b = b != 0; });
  }
  return at;
}

bool Loader::operands(Reading& r, const format::TosaNames& names, bool outputs, Node* node) {
  const char* kind = outputs ? "output" : "input";
  for (uint32_t i = 0; i < names.size(); ++i) {
    const auto found = r.names.find(names[i]);
    const auto what = [&] {
      return place(r, node->index, node->name) + ": " + kind + " " + std::to_string(i) + " " + quoted(names[i]);
    };
    if (found == r.names.end()) return fail(Error::InvalidProgram, what() + " is not a tensor of the block");
    const uint32_t id = found->second;
    Value& value = r.block.values[id];
    if (!outputs) {
      if (r.defined[id] == 0) return fail(Error::InvalidProgram, what() + " is used before it is computed");
      value.last_use = static_cast<int64_t>(r.block.nodes.size());
      node->in.push_back(id);
      continue;
    }
    if (r.defined[id] != 0 && !value.variable) return fail(Error::InvalidProgram, what() + " is written twice");
    if (!value.variable) value.last_use = static_cast<int64_t>(r.block.nodes.size());
    r.defined[id] = 1;
    node->out.push_back(id);
  }
  return true;
}

bool Loader::operation(Reading& r, const format::TosaOperator& op, uint32_t index) {
  Node node;
  node.index = index;
  node.name = op.op_name();
  node.event = std::string(node.name) + " op " + std::to_string(index);
  if (r.block.name != "main") node.event += " of " + r.block.name;
  const std::string_view name = node.name;
  const bool control = name == "COND_IF" || name == "WHILE_LOOP";
  const OperatorRow* row = find_operator(name);
  if (row == nullptr && !control) {
    const std::string number = name == "UNKNOWN" ? " number " + std::to_string(op.op()) : "";
    return fail(Error::NotSupported, place(r, index, node.name) + number + ": operator not supported");
  }
  if (!operands(r, op.inputs(), false, &node) || !operands(r, op.outputs(), true, &node)) return false;
  if (row != nullptr && (node.in.size() < row->min_in || node.in.size() > row->max_in ||
                         node.out.size() < row->min_out || node.out.size() > row->max_out)) {
    return fail(Error::InvalidProgram, place(r, index, node.name) + ": expected " +
                                           count_text("input", row->min_in, row->max_in) + " and " +
                                           count_text("output", row->min_out, row->max_out) + ", got " +
                                           std::to_string(node.in.size()) + " and " + std::to_string(node.out.size()));
  }
  OpBuilder builder(op, r.block, node, budget_);
  Kernel kernel;
  if (!control) {
    kernel = row->prepare(builder);
  } else {
    kernel = name == "COND_IF" ? prepare_cond_if(builder, *this) : prepare_while_loop(builder, *this, budget_);
  }
  if (!builder.cause().empty() || !kernel) {
    return fail(builder.unsupported() ? Error::NotSupported : Error::InvalidProgram,
                place(r, index, node.name) + ": " + builder.cause());
  }
  node.run = std::move(kernel);
  r.block.nodes.push_back(std::move(node));
  return true;
}

Block* Loader::region(OpBuilder& builder, std::string_view name) {
  for (const std::unique_ptr<Block>& block : graph_.blocks_) {
    if (block->name != name) continue;
    if (!block->ready) builder.fail("region %.40s contains itself", block->name.c_str());
    return block->ready ? block.get() : nullptr;
  }
  if (depth_ >= budget_.limits.depth) {
    builder.refuse("regions nested more than %d deep", budget_.limits.depth);
    return nullptr;
  }
  for (uint32_t i = 0; i < payload_.region_count(); ++i) {
    const format::TosaRegion region = payload_.region(i);
    if (region.name() != name || !region.block(0).valid()) continue;
    graph_.blocks_.push_back(std::make_unique<Block>());
    Block& block = *graph_.blocks_.back();
    block.name = name;
    ++depth_;
    const bool ok = read(region.block(0), block);
    --depth_;
    if (!ok) builder.fail("one of its regions is invalid");
    return ok ? &block : nullptr;
  }
  builder.fail("no region %.*s", static_cast<int>(name.size() < 60 ? name.size() : 60), name.data());
  return nullptr;
}

// Values that are computed share an arena: each takes the first gap that is large enough, from the node that computes
// it to the last one that reads it.
bool Loader::plan(Block& block) {
  for (const uint32_t id : block.outputs) block.values[id].last_use = static_cast<int64_t>(block.nodes.size());
  std::map<size_t, size_t> gaps;  // offset -> size
  std::vector<std::vector<uint32_t>> dying(block.nodes.size() + 1);
  size_t end = 0;
  const auto size_of = [&](uint32_t id) {
    return (block.values[id].bytes() + kAlignment - 1) / kAlignment * kAlignment;
  };
  for (size_t n = 0; n < block.nodes.size(); ++n) {
    for (const uint32_t id : block.nodes[n].out) {
      Value& value = block.values[id];
      if (value.variable) continue;
      const size_t size = size_of(id);
      auto gap = std::find_if(gaps.begin(), gaps.end(), [&](const auto& g) { return g.second >= size; });
      if (gap == gaps.end() && !gaps.empty() && gaps.rbegin()->first + gaps.rbegin()->second == end) {
        gap = std::prev(gaps.end());
        end = gap->first + size;
        gap->second = size;
      }
      if (gap == gaps.end()) {
        value.offset = end;
        end += size;
      } else {
        value.offset = gap->first;
        const size_t left = gap->second - size;
        gaps.erase(gap);
        if (left != 0) gaps.emplace(value.offset + size, left);
      }
      dying[static_cast<size_t>(value.last_use)].push_back(id);
    }
    for (const uint32_t id : dying[n]) {
      auto at = gaps.emplace(block.values[id].offset, size_of(id)).first;
      if (const auto next = std::next(at); next != gaps.end() && at->first + at->second == next->first) {
        at->second += next->second;
        gaps.erase(next);
      }
      if (at != gaps.begin()) {
        const auto before = std::prev(at);
        if (before->first + before->second == at->first) {
          before->second += at->second;
          gaps.erase(at);
        }
      }
    }
  }
  uint8_t* arena = own(end);
  if (arena == nullptr) return false;
  for (const Node& node : block.nodes) {
    for (const uint32_t id : node.out) {
      if (!block.values[id].variable) block.data[id] = arena + block.values[id].offset;
    }
  }
  return true;
}

Error Graph::load(std::span<const uint8_t> bytes, const Limits& limits, std::unique_ptr<Graph>* out,
                  std::string* error) {
  format::TosaPayload payload;
  if (const FileError e = format::TosaPayload::open(bytes, &payload); !e.ok()) {
    *error = std::string(e.field) + " at byte " + std::to_string(e.offset) + ": expected " + e.expected;
    return e.code;
  }
  auto graph = std::make_unique<Graph>();
  graph->limits_ = limits;
  Loader loader(*graph, payload, error);
  const Error result = loader.load();
  if (result == Error::Ok) *out = std::move(graph);
  return result;
}

}  // namespace et::tosa
