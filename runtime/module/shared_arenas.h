// SharedArenas: planned arenas that several methods of a program use together, and the care that loading one method
// does not undo what another has stored there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/executor/program.h"
#include "runtime/module/method_arenas.h"

namespace et {

class SharedArenas {
 public:
  /// Where exporters put state that methods share.
  static constexpr uint32_t kStateId = 2;

  /// Allocates, zeroed. `all`: the arenas 1 and 2; else arena 2, when two methods keep named state in it.
  /// MemoryAllocationFailed: the program asks for more than there is.
  Error plan(const Program& program, bool all);
  /// For MethodArenas::create().
  std::vector<MethodArenas::Given> given() const;

  /// Around the loading of a method, which writes initial values: state that another loaded method knows keeps its
  /// value, what only this one knows gets its initial one.
  void before_load();
  void after_load(const MethodMeta& meta);
  void load_failed();
  /// State that no loaded method knows any more is forgotten.
  void unloaded(const MethodMeta& meta);

 private:
  struct Range {
    const void* owner;  // the method's name in the program
    uint64_t offset;
    uint64_t size;
  };
  struct Arena {
    uint32_t id;
    std::unique_ptr<uint8_t[]> memory;
    Span<uint8_t> bytes;
  };
  Arena* state();

  std::vector<Arena> arenas_;
  std::vector<Range> known_;
  std::vector<uint8_t> held_;
};

}  // namespace et
