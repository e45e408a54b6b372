// Ethos-U delegate payload as Vela writes it: a sequence of named blocks, with the driver's command stream counted by
// kind of command. Works on unaligned bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/file_error.h"
#include "base/span.h"

namespace et::format {

struct VelaBlock {
  std::string_view name;      // "cmd_data", "weight_data", ...
  uint64_t offset = 0;        // bytes from the payload's start to the data
  bool external = false;      // true: `bytes` are the key of the data in the program's named data
  Span<const uint8_t> bytes;  // without padding
};

/// An input or output of the network.
struct VelaTensor {
  int32_t shape[6] = {};  // padded with leading ones; as the caller sees it
  int32_t elem_size = 0;  // bytes
  int32_t offset = 0;     // bytes from the start of the region
  int32_t region = 0;     // 0 weights, 1 scratch, 2 fast scratch
};

/// Words and commands of the command stream by kind (command numbers of the Ethos-U architecture).
struct VelaCommands {
  uint32_t words = 0;  // of the register stream
  uint32_t commands = 0;
  uint32_t conv = 0;
  uint32_t depthwise = 0;
  uint32_t pool = 0;
  uint32_t elementwise = 0;
  uint32_t dma = 0;          // transfers started
  uint32_t waits = 0;        // for transfers or kernels
  uint32_t stops = 0;        // STOP and IRQ
  uint32_t settings = 0;     // commands that only set state
  uint64_t macs = 0;         // multiplications of all convolutions
  uint64_t dma_bytes = 0;    // moved by all transfers
  uint32_t config_word = 0;  // of the driver's Config action; 0 when there is none
  uint32_t id_word = 0;

  uint32_t macs_per_cycle() const { return 1u << (config_word & 0xF); }
  uint32_t stream_version() const { return (config_word >> 4) & 0xF; }
  uint32_t shram_kib() const { return (config_word >> 8) & 0xFF; }
  uint32_t product() const { return config_word >> 28; }  // 0 Ethos-U55, 1 Ethos-U65, 2 Ethos-U85
  /// "Ethos-U85"; "Ethos-U" of a product that is not known.
  const char* product_name() const;
  /// Local memory in KiB has its place in the word of the two older products only.
  bool has_shram() const { return product() < 2; }
};

/// "weights", "scratch", "fast scratch"; "other" for further numbers.
const char* vela_region_name(uint32_t region);

/// One command that makes the device work, with the registers that say on what.
struct VelaOperation {
  enum class Kind : uint8_t { Conv, Depthwise, Pool, Elementwise, Dma };
  Kind kind = Kind::Conv;
  uint32_t mode = 0;                          // which pooling or elementwise operation
  uint64_t at = 0;                            // bytes from the payload's start
  uint64_t in_stream = 0;                     // bytes from the stream's first command, as Vela's database counts
  uint32_t height = 0, width = 0, depth = 0;  // of what it makes
  uint32_t bits = 8;                          // of an element of it
  bool is_signed = true;
  uint32_t input_depth = 0;
  uint32_t kernel_height = 0, kernel_width = 0;
  uint64_t weight_bytes = 0;  // compressed; of Conv and Depthwise
  uint64_t dma_bytes = 0;     // of Dma
  uint32_t source_region = 0, target_region = 0;

  /// "CONV", "POOL AVERAGE", "ELEMENTWISE ADD", "DMA".
  const char* name() const;
  /// Multiplications of a convolution, else 0.
  uint64_t macs() const;
};
using VelaVisitor = void (*)(const VelaOperation& op, void* context);

class VelaPayload {
 public:
  /// `for (VelaBlock block : payload.blocks())`, in the order of the file, markers included.
  class Blocks {
   public:
    class Iterator {
     public:
      Iterator() = default;
      const VelaBlock& operator*() const { return block_; }
      const VelaBlock* operator->() const { return &block_; }
      Iterator& operator++();
      bool operator==(const Iterator& o) const { return at_ == o.at_; }
      bool operator!=(const Iterator& o) const { return at_ != o.at_; }

     private:
      friend class Blocks;
      void read();
      Span<const uint8_t> payload_;
      uint64_t at_ = 0;  // the block's header
      VelaBlock block_;
    };
    explicit Blocks(Span<const uint8_t> payload) : payload_(payload) {}
    Iterator begin() const;
    Iterator end() const;

   private:
    Span<const uint8_t> payload_;
  };

  /// Checks the sequence of blocks and the sizes of those that are read here.
  /// Errors: DelegateInvalidCompatibility (does not start with the Vela marker), InvalidProgram (the rest).
  static FileError open(Span<const uint8_t> payload, VelaPayload* out);

  Blocks blocks() const { return Blocks(payload_); }
  uint32_t block_count() const { return block_count_; }
  /// False when there is no such block.
  bool find(std::string_view name, VelaBlock* out) const;

  /// Bytes; 0 when the block is external or missing.
  uint32_t scratch_size() const;
  uint32_t input_count() const { return tensor_count("inputs"); }
  VelaTensor input(uint32_t i) const { return tensor("inputs", i); }
  uint32_t output_count() const { return tensor_count("outputs"); }
  VelaTensor output(uint32_t i) const { return tensor("outputs", i); }

  /// Counts the command stream. Errors: InvalidProgram with the offset of the word that cannot be read (`out` then has
  /// what came before), NotFound when the stream is external or missing. `visit` is called for each operation, in
  /// order.
  FileError commands(VelaCommands* out, VelaVisitor visit = nullptr, void* context = nullptr) const;

 private:
  uint32_t tensor_count(std::string_view block) const;
  VelaTensor tensor(std::string_view block, uint32_t i) const;
  Span<const uint8_t> payload_;
  uint32_t block_count_ = 0;
};

}  // namespace et::format
