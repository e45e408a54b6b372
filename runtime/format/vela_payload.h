// Ethos-U delegate payload as Vela writes it: a sequence of named blocks, with the driver's command stream counted by
// kind of command. Works on unaligned bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/format/file_error.h"

namespace et::format {

struct VelaBlock {
  std::string_view name;           // "cmd_data", "weight_data", ...
  uint64_t offset = 0;             // bytes from the payload's start to the data
  bool external = false;           // true: `bytes` are the key of the data in the program's named data
  std::span<const uint8_t> bytes;  // without padding
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
  uint32_t config_word = 0;  // of the driver's Config action; 0 when there is none
  uint32_t id_word = 0;

  uint32_t macs_per_cycle() const { return 1u << (config_word & 0xF); }
  uint32_t stream_version() const { return (config_word >> 4) & 0xF; }
  uint32_t shram_kib() const { return (config_word >> 8) & 0xFF; }
  uint32_t product() const { return config_word >> 28; }  // 0 Ethos-U55, 1 Ethos-U65
};

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
      std::span<const uint8_t> payload_;
      uint64_t at_ = 0;  // the block's header
      VelaBlock block_;
    };
    explicit Blocks(std::span<const uint8_t> payload) : payload_(payload) {}
    Iterator begin() const;
    Iterator end() const;

   private:
    std::span<const uint8_t> payload_;
  };

  /// Checks the sequence of blocks and the sizes of those that are read here.
  /// Errors: DelegateInvalidCompatibility (does not start with the Vela marker), InvalidProgram (the rest).
  static FileError open(std::span<const uint8_t> payload, VelaPayload* out);

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
  /// what came before), NotFound when the stream is external or missing.
  FileError commands(VelaCommands* out) const;

 private:
  uint32_t tensor_count(std::string_view block) const;
  VelaTensor tensor(std::string_view block, uint32_t i) const;
  std::span<const uint8_t> payload_;
  uint32_t block_count_ = 0;
};

}  // namespace et::format
