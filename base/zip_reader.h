// Members of a zip file in memory, by exact name. Nothing is ever written to disk. Stored members are views into the
// file, compressed ones are inflated within limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"

namespace et {

struct ZipLimits {
  uint64_t max_members = 1'000'000;
  uint64_t max_inflated_member = uint64_t{2} << 30;  ///< bytes of one compressed member
  uint64_t max_inflated_total = uint64_t{4} << 30;   ///< bytes of all compressed members read from this file
  uint64_t max_ratio = 200;  ///< inflated : compressed, for members that inflate to more than `ratio_floor`
  uint64_t ratio_floor = uint64_t{8} << 20;
};

/// Bytes that keep alive what they need (nothing for views into the file, which must outlive them).
struct ZipBytes {
  std::span<const uint8_t> bytes;
  std::shared_ptr<const std::vector<uint8_t>> owner;
};

class ZipReader {
 public:
  struct Member {
    std::string name;
    uint64_t size = 0;  ///< inflated, as the directory says
    uint64_t compressed_size = 0;
    uint32_t crc = 0;
    bool stored = false;
    bool encrypted = false;
    uint64_t index = 0;  ///< position in the central directory
  };
  /// A member that was left out, and why ("../x": leaves the archive).
  struct Ignored {
    enum Reason { UnsafeName, Duplicate } reason = UnsafeName;
    std::string name;  ///< printable
    std::string why;
  };

  ZipReader();
  ~ZipReader();
  ZipReader(ZipReader&&) noexcept;
  ZipReader& operator=(ZipReader&&) noexcept;

  /// `file` must outlive the reader. `name` is for messages.
  /// Errors: InvalidExternalData (not a zip, cut short, inconsistent), OutOfResources (too many members).
  static Status open(std::span<const uint8_t> file, const std::string& name, const ZipLimits& limits, ZipReader* out);

  /// In file order; of members with the same name the last one counts, as in Python.
  const std::vector<Member>& members() const { return members_; }
  const Member* find(const std::string& name) const;
  const std::vector<Ignored>& ignored() const { return ignored_; }

  /// Bytes of a member; not from two threads at once. Checks the CRC unless `check_crc` is false (then only of
  /// compressed members). Errors: NotFound, InvalidExternalData (damaged), NotSupported (encrypted, unknown method),
  /// OutOfResources.
  Status read(const std::string& name, ZipBytes* out, bool check_crc = true) const;

 private:
  struct Impl;
  /// Of members with one name the last counts.
  void keep_last(std::vector<Member> members);

  std::unique_ptr<Impl> impl_;
  std::vector<Member> members_;
  std::unordered_map<std::string, size_t> by_name_;
  std::vector<Ignored> ignored_;
};

}  // namespace et
