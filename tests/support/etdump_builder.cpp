// Serialises the specifications with the generated schema.
#include "tests/support/etdump_builder.h"

#include <flatbuffers/flatbuffers.h>

#include <stdexcept>

#include "etdump_generated.h"
#include "trailer_generated.h"

namespace et::test {

namespace {

namespace fb = et::etdump::fb;
namespace ext = et::etdump::ext;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr size_t kTrailerAlignment = 16;

Offset<flatbuffers::String> text(FlatBufferBuilder& b, const std::optional<std::string>& s) {
  return s ? b.CreateString(*s) : Offset<flatbuffers::String>();
}
Offset<flatbuffers::String> shared(FlatBufferBuilder& b, const std::string& s) {
  return s.empty() ? Offset<flatbuffers::String>() : b.CreateSharedString(s);
}

template <class T, class Spec, class F>
Offset<flatbuffers::Vector<Offset<T>>> list(FlatBufferBuilder& b, const std::vector<Spec>& specs, F&& make) {
  if (specs.empty()) return {};
  std::vector<Offset<T>> made;
  made.reserve(specs.size());
  for (const Spec& spec : specs) made.push_back(make(spec));
  return b.CreateVector(made);
}

Offset<fb::Tensor> tensor(FlatBufferBuilder& b, const TensorSpec& t) {
  const auto sizes = b.CreateVector(t.sizes);
  const auto strides = b.CreateVector(t.strides);
  return fb::CreateTensor(b, static_cast<fb::ScalarType>(t.dtype), sizes, strides, t.offset);
}

Offset<fb::Value> value(FlatBufferBuilder& b, const ValueSpec& v) {
  Offset<fb::Tensor> one;
  Offset<fb::TensorList> many;
  Offset<fb::Int> i;
  Offset<fb::Float> f;
  Offset<fb::Double> d;
  Offset<fb::Bool> boolean;
  Offset<fb::Bool> output;
  if (v.kind == 1) i = fb::CreateInt(b, v.int_value);
  if (v.kind == 2) boolean = fb::CreateBool(b, v.bool_value);
  if (v.kind == 3) f = fb::CreateFloat(b, static_cast<float>(v.double_value));
  if (v.kind == 4) d = fb::CreateDouble(b, v.double_value);
  if (v.kind == 5 && !v.tensors.empty()) one = tensor(b, v.tensors[0]);
  if (v.kind == 6) {
    std::vector<Offset<fb::Tensor>> made;
    for (const TensorSpec& t : v.tensors) made.push_back(tensor(b, t));
    many = fb::CreateTensorList(b, b.CreateVector(made));
  }
  if (v.output) output = fb::CreateBool(b, true);
  return fb::CreateValue(b, static_cast<fb::ValueType>(v.kind), one, many, i, f, d, boolean, output);
}

Offset<fb::Event> event(FlatBufferBuilder& b, const EventSpec& e) {
  if (e.kind == EventSpec::Nothing) return fb::CreateEvent(b);
  if (e.kind == EventSpec::Allocation)
    return fb::CreateEvent(b, 0, fb::CreateAllocationEvent(b, e.allocator, e.bytes), 0);
  const auto name = text(b, e.name);
  const auto id = text(b, e.delegate_str);
  if (e.kind == EventSpec::Debug) {
    const auto entry = value(b, e.value);
    return fb::CreateEvent(
        b, 0, 0,
        fb::CreateDebugEvent(b, static_cast<uint64_t>(e.chain), e.instruction, entry, e.delegate_int, id, name));
  }
  Offset<flatbuffers::Vector<uint8_t>> metadata;
  if (e.metadata) metadata = b.CreateVector(*e.metadata);
  return fb::CreateEvent(b, fb::CreateProfileEvent(b, name, static_cast<int32_t>(e.chain), e.instruction,
                                                   e.delegate_int, id, metadata, e.start, e.end));
}

Offset<fb::RunData> run_data(FlatBufferBuilder& b, const RunSpec& r) {
  const auto events = list<fb::Event>(b, r.events, [&](const EventSpec& e) { return event(b, e); });
  const auto allocators = list<fb::Allocator>(
      b, r.allocators, [&](const std::string& n) { return fb::CreateAllocator(b, b.CreateString(n)); });
  return fb::CreateRunData(b, text(b, r.name), r.bundled_input_index, allocators, events);
}

Offset<ext::Run> trailer_run(FlatBufferBuilder& b, const TrailerRunSpec& r) {
  const auto events = list<ext::EventExt>(b, r.events, [&](const EventExtSpec& e) {
    const auto counters = list<ext::Counter>(
        b, e.counters, [&](const CounterSpec& c) { return ext::CreateCounter(b, shared(b, c.name), c.value); });
    Offset<flatbuffers::Vector<int64_t>> sizes;
    if (!e.output_sizes.empty()) sizes = b.CreateVector(e.output_sizes);
    return ext::CreateEventExt(b, e.event, counters, sizes, e.bytes_temp, e.thread);
  });
  const auto allocations = list<ext::Allocation>(b, r.allocations, [&](const AllocationSpec& a) {
    return ext::CreateAllocation(b, a.event, shared(b, a.allocator), a.bytes, a.offset);
  });
  const auto arenas = list<ext::Arena>(b, r.arenas, [&](const ArenaSpec& a) {
    return ext::CreateArena(b, shared(b, a.name), a.capacity, a.high_water);
  });
  return ext::CreateRun(b, shared(b, r.method), shared(b, r.kind), r.execution, events, allocations, arenas,
                        r.lost_events, r.error, shared(b, r.phase));
}

std::vector<uint8_t> taken(const FlatBufferBuilder& b) {
  return {b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize()};
}

EventSpec delegate_event(int32_t instruction, uint64_t start, uint64_t end, std::vector<uint8_t> metadata,
                         int64_t chain) {
  EventSpec e;
  e.chain = chain;
  e.instruction = instruction;
  e.start = start;
  e.end = end;
  e.metadata = std::move(metadata);
  return e;
}

}  // namespace

RunSpec& RunSpec::profile(std::string event, int64_t chain, int32_t instruction, uint64_t start, uint64_t end) {
  EventSpec e;
  e.name = std::move(event);
  e.chain = chain;
  e.instruction = instruction;
  e.start = start;
  e.end = end;
  events.push_back(std::move(e));
  return *this;
}

RunSpec& RunSpec::delegate(std::string id, int32_t instruction, uint64_t start, uint64_t end,
                           std::vector<uint8_t> metadata, int64_t chain) {
  events.push_back(delegate_event(instruction, start, end, std::move(metadata), chain));
  events.back().delegate_str = std::move(id);
  return *this;
}

RunSpec& RunSpec::delegate(int32_t id, int32_t instruction, uint64_t start, uint64_t end, std::vector<uint8_t> metadata,
                           int64_t chain) {
  events.push_back(delegate_event(instruction, start, end, std::move(metadata), chain));
  events.back().delegate_int = id;
  return *this;
}

RunSpec& RunSpec::debug(ValueSpec v, int32_t instruction, int64_t chain) {
  EventSpec e;
  e.kind = EventSpec::Debug;
  e.value = std::move(v);
  e.instruction = instruction;
  e.chain = chain;
  events.push_back(std::move(e));
  return *this;
}

RunSpec& RunSpec::output(ValueSpec v) {
  v.output = true;
  return debug(std::move(v), 0, -1);
}

RunSpec& RunSpec::allocation(int32_t allocator, uint64_t bytes) {
  EventSpec e;
  e.kind = EventSpec::Allocation;
  e.allocator = allocator;
  e.bytes = bytes;
  events.push_back(std::move(e));
  return *this;
}

std::vector<uint8_t> TrailerSpec::bytes() const {
  FlatBufferBuilder b(1 << 12);
  Offset<ext::Host> host_at;
  Offset<ext::Clock> clock_at;
  Offset<ext::ProgramId> program_at;
  if (host) {
    host_at = ext::CreateHost(b, shared(b, host->name), shared(b, host->cpu), host->cores, shared(b, host->os),
                              host->threads_used, shared(b, host->build), shared(b, host->kernels));
  }
  if (clock) {
    clock_at = ext::CreateClock(b, shared(b, clock->name), clock->numerator, clock->denominator, clock->utc_at_zero_ns);
  }
  if (program) {
    const auto sha = b.CreateVector(program->sha256);
    const auto data_sha = b.CreateVector(program->data_sha256);
    program_at = ext::CreateProgramId(b, sha, program->bytes, shared(b, program->path), data_sha);
  }
  const auto runs_at = list<ext::Run>(b, runs, [&](const TrailerRunSpec& r) { return trailer_run(b, r); });
  const auto labels_at = list<ext::KeyValue>(b, labels, [&](const std::pair<std::string, std::string>& l) {
    return ext::CreateKeyValue(b, shared(b, l.first), shared(b, l.second));
  });
  b.FinishSizePrefixed(ext::CreateTrailer(b, version, shared(b, producer), host_at, clock_at, program_at, runs_at,
                                          lost_events, shared(b, policy), overhead_ns, labels_at),
                       ext::TrailerIdentifier());
  return taken(b);
}

RunSpec& EtdumpBuilder::run(std::string name, int32_t bundled_input_index) {
  RunSpec& r = runs.emplace_back();
  r.name = std::move(name);
  r.bundled_input_index = bundled_input_index;
  return r;
}

std::vector<uint8_t> EtdumpBuilder::bytes() const {
  if (trailer && !size_prefixed) throw std::runtime_error("a trailer needs a size-prefixed dump");
  FlatBufferBuilder b(1 << 12);
  std::vector<Offset<fb::RunData>> made;
  for (const RunSpec& r : runs) made.push_back(run_data(b, r));
  const auto root = fb::CreateETDump(b, version, b.CreateVector(made));
  size_prefixed ? b.FinishSizePrefixed(root, fb::ETDumpIdentifier()) : b.Finish(root, fb::ETDumpIdentifier());
  std::vector<uint8_t> out = taken(b);
  if (trailer) {
    out.resize((out.size() + kTrailerAlignment - 1) / kTrailerAlignment * kTrailerAlignment);
    const std::vector<uint8_t> behind = trailer->bytes();
    out.insert(out.end(), behind.begin(), behind.end());
  }
  return out;
}

}  // namespace et::test
