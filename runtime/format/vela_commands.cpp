// Reads the driver's command stream: registers that keep their value until they are set again, and commands that make
// the device work with them. Source of the numbers: register lists of Ethos-U55, U65 and U85.
#include <cstring>
#include <iterator>

#include "runtime/format/flat.h"
#include "runtime/format/vela_payload.h"

namespace et::format {
namespace {

// Actions of the driver's payload.
enum Action : uint32_t { kConfig = 1, kCommandStream = 2, kNop = 5 };

// Commands without a second word that make the device do something; every other one sets state.
enum Command : uint32_t {
  kStop = 0,
  kIrq = 1,
  kConv = 2,
  kDepthwise = 3,
  kPool = 5,
  kElementwise = 6,
  kDmaStart = 16,
  kDmaWait = 17,
  kKernelWait = 18,
};

// Registers that are set by a command without a second word; the value is the command's upper half.
enum Register : uint32_t {
  kIfmDepthLess1 = 0x104,
  kOfmWidthLess1 = 0x111,
  kOfmHeightLess1 = 0x112,
  kOfmDepthLess1 = 0x113,
  kOfmPrecision = 0x114,
  kKernelWidthLess1 = 0x120,
  kKernelHeightLess1 = 0x121,
  kDmaSourceRegion = 0x130,
  kDmaTargetRegion = 0x131,
};
// And those with a second word, which is the value.
enum LongRegister : uint32_t { kWeightLength = 0x021, kDmaLength = 0x032, kWeight1Length = 0x091 };

constexpr uint32_t kLong = 0xC000;  // any of these bits: a second word follows
constexpr uint32_t kNumber = 0x3FF;

struct Registers {
  VelaOperation op;
  uint32_t weights = 0, weights1 = 0;  // of the two cores
};

void set_long(uint32_t number, uint32_t value, Registers* r) {
  switch (number) {
    case kWeightLength:
      r->weights = value;
      break;
    case kWeight1Length:
      r->weights1 = value;
      break;
    case kDmaLength:
      r->op.dma_bytes = value;
      break;
    default:
      break;
  }
}

void set(uint32_t number, uint32_t value, Registers* r) {
  VelaOperation& op = r->op;
  switch (number) {
    case kIfmDepthLess1:
      op.input_depth = value + 1;
      break;
    case kOfmWidthLess1:
      op.width = value + 1;
      break;
    case kOfmHeightLess1:
      op.height = value + 1;
      break;
    case kOfmDepthLess1:
      op.depth = value + 1;
      break;
    case kOfmPrecision:
      op.is_signed = (value & 1) != 0;
      op.bits = 8u << (value >> 1 & 3);
      break;
    case kKernelWidthLess1:
      op.kernel_width = value + 1;
      break;
    case kKernelHeightLess1:
      op.kernel_height = value + 1;
      break;
    case kDmaSourceRegion:
      op.source_region = value & 7;
      break;
    case kDmaTargetRegion:
      op.target_region = value & 7;
      break;
    default:
      break;
  }
}

/// The counter of a command that makes the device work, with what it does; null for others.
uint32_t* operation_of(uint32_t number, VelaCommands* counts, VelaOperation::Kind* kind) {
  switch (number) {
    case kConv:
      *kind = VelaOperation::Kind::Conv;
      return &counts->conv;
    case kDepthwise:
      *kind = VelaOperation::Kind::Depthwise;
      return &counts->depthwise;
    case kPool:
      *kind = VelaOperation::Kind::Pool;
      return &counts->pool;
    case kElementwise:
      *kind = VelaOperation::Kind::Elementwise;
      return &counts->elementwise;
    case kDmaStart:
      *kind = VelaOperation::Kind::Dma;
      return &counts->dma;
    default:
      return nullptr;
  }
}

struct Place {
  uint64_t at = 0, in_stream = 0;  // as in VelaOperation
};

void execute(Place place, uint32_t word, uint32_t second, Registers* r, VelaCommands* counts, VelaVisitor visit,
             void* context) {
  ++counts->commands;
  const uint32_t number = word & kNumber;
  if ((word & kLong) != 0) {
    ++counts->settings;
    set_long(number, second, r);
    return;
  }
  VelaOperation op = r->op;
  if (uint32_t* count = operation_of(number, counts, &op.kind); count != nullptr) {
    ++*count;
    op.at = place.at;
    op.in_stream = place.in_stream;
    op.mode = word >> 16;
    const bool weighted = op.kind == VelaOperation::Kind::Conv || op.kind == VelaOperation::Kind::Depthwise;
    op.weight_bytes = weighted ? uint64_t{r->weights} + r->weights1 : 0;
    if (op.kind != VelaOperation::Kind::Dma) op.dma_bytes = 0;
    const uint64_t macs = op.macs();
    counts->macs = macs > UINT64_MAX - counts->macs ? UINT64_MAX : counts->macs + macs;
    counts->dma_bytes += op.dma_bytes;
    if (visit != nullptr) visit(op, context);
  } else if (number == kStop || number == kIrq) {
    ++counts->stops;
  } else if (number == kDmaWait || number == kKernelWait) {
    ++counts->waits;
  } else {
    ++counts->settings;
    set(number, word >> 16, r);
  }
}

}  // namespace

uint64_t VelaOperation::macs() const {
  if (kind != Kind::Conv && kind != Kind::Depthwise) return 0;
  // Registers have 16 bits: five of them are at most 2^80, so the product is checked for overflow.
  uint64_t out = uint64_t{height} * width;
  for (const uint64_t factor : {uint64_t{depth}, uint64_t{kernel_height}, uint64_t{kernel_width},
                                uint64_t{kind == Kind::Conv ? input_depth : 1}}) {
    if (factor != 0 && out > UINT64_MAX / factor) return UINT64_MAX;
    out *= factor;
  }
  return out;
}

const char* VelaOperation::name() const {
  static constexpr const char* kPools[] = {"POOL MAX",  "POOL AVERAGE", "POOL REDUCE_SUM", "POOL SUM",
                                           "POOL NONE", "POOL MIN",     "POOL ARGMAX_X",   "POOL ARGMAX_Y"};
  static constexpr const char* kElementwises[] = {
      "ELEMENTWISE MUL",   "ELEMENTWISE ADD", "ELEMENTWISE SUB", "ELEMENTWISE MIN", "ELEMENTWISE MAX",
      "ELEMENTWISE LRELU", "ELEMENTWISE ABS", "ELEMENTWISE CLZ", "ELEMENTWISE SHR", "ELEMENTWISE SHL"};
  switch (kind) {
    case Kind::Conv:
      return "CONV";
    case Kind::Depthwise:
      return "DEPTHWISE";
    case Kind::Pool:
      return mode < std::size(kPools) ? kPools[mode] : "POOL";
    case Kind::Elementwise:
      return mode < 10 ? kElementwises[mode] : "ELEMENTWISE";
    case Kind::Dma:
      break;
  }
  return "DMA";
}

const char* VelaCommands::product_name() const {
  static constexpr const char* kNames[] = {"Ethos-U55", "Ethos-U65", "Ethos-U85"};
  return product() < std::size(kNames) ? kNames[product()] : "Ethos-U";
}

const char* vela_region_name(uint32_t region) {
  static constexpr const char* kNames[] = {"weights", "scratch", "fast scratch"};
  return region < 3 ? kNames[region] : "other";
}

FileError VelaPayload::commands(VelaCommands* out, VelaVisitor visit, void* context) const {
  *out = {};
  VelaBlock b;
  if (!find("cmd_data", &b)) return failure(Error::NotFound, 0, "Vela block cmd_data", "a command stream");
  if (b.external) return failure(Error::NotFound, b.offset, "Vela block cmd_data", "a command stream in the payload");
  const uint64_t words = b.bytes.size() / 4;
  auto word = [&](uint64_t i) { return read<uint32_t>(b.bytes, 4 * i); };
  auto at = [&](uint64_t i) { return b.offset + 4 * i; };
  if (words == 0 || (std::memcmp(b.bytes.data(), "COP1", 4) != 0 && std::memcmp(b.bytes.data(), "COP2", 4) != 0)) {
    return invalid_payload(at(0), "Vela command stream", "COP1 or COP2");
  }
  Registers registers;
  uint64_t i = 1;
  while (i < words) {
    const uint32_t action = word(i);
    switch (action & 0xFF) {
      case kConfig:
        if (!inside(i, 3, words)) return invalid_payload(at(i), "Vela driver action", "a configuration of two words");
        out->config_word = word(i + 1);
        out->id_word = word(i + 2);
        i += 3;
        break;
      case kNop:
        ++i;
        break;
      case kCommandStream: {
        const uint64_t length = uint64_t{action >> 8 & 0xFF} << 16 | action >> 16;
        ++i;
        if (!inside(i, length, words))
          return invalid_payload(at(i - 1), "Vela driver action", "a stream inside the block");
        const uint64_t first = i, end = i + length;
        while (i < end) {
          const uint32_t command = word(i);
          const uint64_t size = (command & kLong) != 0 ? 2 : 1;
          if (!inside(i, size, end)) return invalid_payload(at(i), "Vela command", "a second word inside the stream");
          execute({at(i), 4 * (i - first)}, command, size == 2 ? word(i + 1) : 0, &registers, out, visit, context);
          out->words += static_cast<uint32_t>(size);
          i += size;
        }
        break;
      }
      default:
        return invalid_payload(at(i), "Vela driver action", "1 (configuration), 2 (stream) or 5 (nothing)");
    }
  }
  return FileError::none();
}

}  // namespace et::format
