// Writes bundled programs (BP08, version 2), byte for byte as upstream's Python package lays them out: suites sorted by
// method, test data first and then the program (builders fill from the back, so it lies in front of them in the file),
// program bytes at a multiple of 32, tensor bytes at multiples of 16.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"
#include "bundled_program/cases/case_source.h"

namespace et::bundled {

/// A finished file in memory, to be written out: its start is not aligned as Bundle::open() wants it.
class BundleBytes {
 public:
  BundleBytes();
  ~BundleBytes();
  BundleBytes(BundleBytes&&) noexcept;
  BundleBytes& operator=(BundleBytes&&) noexcept;

  std::span<const uint8_t> bytes() const;

 private:
  friend Status write_bundle(std::span<const uint8_t>, const CaseSource&, BundleBytes*);
  struct Buffer;
  std::unique_ptr<Buffer> buffer_;
};

/// Bundles `program`, the bytes of a .pte file, with all cases of `cases`. Cases are loaded one after another. Values
/// are written as they are; check_cases() says whether they fit the program, which is not looked at here. A method
/// without cases may be in the source; its suite is written.
/// Errors: those of loading a case, InvalidArgument (no program, a value without kind, a tensor whose bytes do not
/// belong to its shape), OutOfResources (2 GiB and more: a flatbuffer ends there; use a side-car).
Status write_bundle(std::span<const uint8_t> program, const CaseSource& cases, BundleBytes* out);

}  // namespace et::bundled
