// Runs the cases of bundled programs with nothing but what a device has: static memory, no JSON, no exceptions. Works
// on bare metal through semihosting and under an operating system.
//
// Reads `cases.txt` in the working folder (or the file that is named): lines `PATH RTOL ATOL`, `- -` for the defaults
// of the dtype. Prints `BEGIN path` before each file and then `PASS path` or `FAIL path: reason`, and at the end `END`:
// who reads this sees where a run broke off (scripts/cross_conformance.py).
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "bundled_program/bundle.h"
#include "bundled_program/compare.h"
#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/loader/buffer_data_loader.h"
#include "runtime/platform/platform.h"
#ifdef ET_TEST_BOARD
#include "board.h"
#endif

namespace {

constexpr size_t kFileBytes = size_t{16} << 20;
constexpr size_t kPoolBytes = size_t{64} << 20;
constexpr size_t kMostArenas = 16;
constexpr size_t kReason = 320;

alignas(64) uint8_t g_file[kFileBytes];
alignas(64) uint8_t g_pool[kPoolBytes];
char g_last_error[kReason];
char g_reason[kReason];

[[gnu::format(printf, 1, 2)]] bool fail(const char* format, ...) {
  va_list args;
  va_start(args, format);
  std::vsnprintf(g_reason, sizeof(g_reason), format, args);
  va_end(args);
  return false;
}
bool failed(const char* what, et::Error error) {
  return fail("%s: %s (%s)", what, et::error_name(error), g_last_error);
}

struct Tolerance {
  bool given = false;
  et::bundled::Tolerance value;
};

bool set_input(et::Method& method, uint32_t i, const et::bundled::Value& v, et::MemoryAllocator& pool) {
  using et::bundled::ValueKind;
  et::EValue value;
  et::TensorImpl* impl = nullptr;
  switch (v.kind) {
    case ValueKind::Int:
      value = et::EValue(v.as_int);
      break;
    case ValueKind::Bool:
      value = et::EValue(v.as_bool);
      break;
    case ValueKind::Double:
      value = et::EValue(v.as_double);
      break;
    case ValueKind::None:
      return fail("input %u is missing", static_cast<unsigned>(i));
    case ValueKind::Tensor: {
      const size_t rank = v.tensor.sizes.size();
      auto* sizes = pool.allocate_list<int32_t>(rank);
      auto* strides = pool.allocate_list<int32_t>(rank);
      auto* order = pool.allocate_list<uint8_t>(rank);
      auto* data = pool.allocate(v.tensor.data.size(), 64);
      void* place = pool.allocate_instance<et::TensorImpl>();
      if (data == nullptr || place == nullptr) return fail("input %u: out of memory", static_cast<unsigned>(i));
      for (size_t d = 0; d < rank; ++d) {
        sizes[d] = v.tensor.sizes[d];
        order[d] = v.tensor.dim_order[d];
      }
      et::dim_order_to_strides({sizes, rank}, {order, rank}, strides);
      if (!v.tensor.data.empty()) std::memcpy(data, v.tensor.data.data(), v.tensor.data.size());
      impl = new (place) et::TensorImpl(v.tensor.scalar_type, rank, sizes, data, order, strides);
      value = et::EValue(et::Tensor(impl));
      break;
    }
  }
  const et::Error error = method.set_input(value, i);
  return error == et::Error::Ok || failed("set_input", error);
}

bool check_output(const et::EValue& got, uint32_t i, const et::bundled::Value& want, const Tolerance& tolerance) {
  using et::bundled::ValueKind;
  bool same = false;
  switch (want.kind) {
    case ValueKind::Int:
      same = got.isInt() && got.toInt() == want.as_int;
      break;
    case ValueKind::Bool:
      same = got.isBool() && got.toBool() == want.as_bool;
      break;
    case ValueKind::Double:
      same = got.isDouble() && got.toDouble() == want.as_double;
      break;
    case ValueKind::None:
      break;
    case ValueKind::Tensor: {
      if (!got.isTensor()) break;
      const et::bundled::Comparison c = et::bundled::compare(
          got.toTensor(), want.tensor,
          tolerance.given ? tolerance.value : et::bundled::default_tolerance(want.tensor.scalar_type));
      if (c.passed()) return true;
      return fail("output %u: %s: %lu of %lu outside, at %ld got %.9g, expected %.9g", static_cast<unsigned>(i),
                  et::bundled::mismatch_name(c.mismatch), static_cast<unsigned long>(c.outside),
                  static_cast<unsigned long>(c.elements), static_cast<long>(c.worst_index), c.got, c.want);
    }
  }
  return same || fail("output %u: another value than expected", static_cast<unsigned>(i));
}

bool run_suite(const et::Program& program, const et::bundled::Suite& suite, const Tolerance& tolerance) {
  et::MemoryAllocator pool(kPoolBytes, g_pool);
  char name[128];
  if (suite.method().size() >= sizeof(name)) return fail("a method name that is too long");
  std::memcpy(name, suite.method().data(), suite.method().size());
  name[suite.method().size()] = 0;
  et::Result<et::MethodMeta> meta = program.method_meta(name);
  if (!meta.ok()) return failed(name, meta.error());
  et::Span<uint8_t> arenas[kMostArenas];
  const size_t count = meta->num_memory_planned_buffers();
  if (count > kMostArenas) return fail("%u arenas", static_cast<unsigned>(count));
  for (size_t i = 0; i < count; ++i) {
    const et::Result<int64_t> bytes = meta->memory_planned_buffer_size(i);
    if (!bytes.ok() || *bytes > static_cast<int64_t>(kPoolBytes)) return fail("an arena too large");
    void* memory = pool.allocate(static_cast<size_t>(*bytes), 64);
    if (memory == nullptr) return fail("out of memory");
    std::memset(memory, 0, static_cast<size_t>(*bytes));
    arenas[i] = {static_cast<uint8_t*>(memory), static_cast<size_t>(*bytes)};
  }
  const auto part = [&pool](size_t bytes) {
    return et::Span<uint8_t>(static_cast<uint8_t*>(pool.allocate(bytes, 64)), bytes);
  };
  const et::Span<uint8_t> method_part = part(kPoolBytes / 8);
  const et::Span<uint8_t> temp_part = part(kPoolBytes / 4);
  if (method_part.data() == nullptr || temp_part.data() == nullptr) return fail("out of memory");
  et::MemoryAllocator method_memory(method_part.size(), method_part.data());
  et::MemoryAllocator temp_memory(temp_part.size(), temp_part.data());
  et::HierarchicalAllocator planned({arenas, count});
  et::MemoryManager memory(&method_memory, &planned, &temp_memory);
  et::Result<et::Method> method = program.load_method(name, &memory);
  if (!method.ok()) return failed("load", method.error());

  for (uint32_t c = 0; c < suite.case_count(); ++c) {
    const et::bundled::Case test = suite.test_case(c);
    if (test.input_count() != method->inputs_size() || test.expected_count() != method->outputs_size()) {
      return fail("a case of another number of inputs or outputs");
    }
    for (uint32_t i = 0; i < test.input_count(); ++i) {
      if (!set_input(*method, i, test.input(i), pool)) return false;
    }
    for (uint32_t i = 0; i < test.expected_count(); ++i) {
      const et::EValue& out = method->get_output(i);
      if (!out.isTensor() || out.toTensor().const_data_ptr() != nullptr || out.toTensor().nbytes() == 0) continue;
      void* data = pool.allocate(out.toTensor().nbytes(), 64);
      if (data == nullptr) return fail("out of memory");
      // Refused for a value that is moved into place, which needs none.
      static_cast<void>(method->set_output_data_ptr(data, out.toTensor().nbytes(), i));
    }
    const et::Error error = method->execute();
    if (error != et::Error::Ok) return failed("execute", error);
    for (uint32_t i = 0; i < test.expected_count(); ++i) {
      if (!check_output(method->get_output(i), i, test.expected(i), tolerance)) return false;
    }
  }
  return true;
}

bool run_file(const char* path, const Tolerance& tolerance) {
  std::FILE* f = std::fopen(path, "rb");
  if (f == nullptr) return fail("cannot open");
  const size_t size = std::fread(g_file, 1, kFileBytes, f);
  std::fclose(f);
  if (size == kFileBytes) return fail("larger than %u bytes", static_cast<unsigned>(kFileBytes));
  et::bundled::Bundle bundle;
  const et::FileError e = et::bundled::Bundle::open({g_file, size}, &bundle);
  if (!e.ok()) return fail("%s: expected %s", e.field, e.expected);
  const et::BufferDataLoader loader(bundle.program().data(), bundle.program().size());
  et::Result<et::Program> program = et::Program::load(&loader);
  if (!program.ok()) return failed("program", program.error());
  for (uint32_t s = 0; s < bundle.suite_count(); ++s) {
    if (!run_suite(*program, bundle.suite(s), tolerance)) return false;
  }
  return bundle.suite_count() > 0 || fail("no test cases");
}

int run_list(const char* list) {
  std::FILE* f = std::fopen(list, "r");
  if (f == nullptr) {
    std::printf("cannot open %s\n", list);
    return 2;
  }
  static char line[1024];
  int failures = 0;
  while (std::fgets(line, sizeof(line), f) != nullptr) {
    char* path = std::strtok(line, " \n");
    const char* rtol = std::strtok(nullptr, " \n");
    const char* atol = std::strtok(nullptr, " \n");
    if (path == nullptr) continue;
    Tolerance tolerance;
    if (rtol != nullptr && atol != nullptr && rtol[0] != '-') {
      tolerance = {true, {std::strtod(rtol, nullptr), std::strtod(atol, nullptr)}};
    }
    g_last_error[0] = 0;
    std::printf("BEGIN %s\n", path);
    std::fflush(stdout);
    if (run_file(path, tolerance)) {
      std::printf("PASS %s\n", path);
    } else {
      ++failures;
      std::printf("FAIL %s: %s\n", path, g_reason);
    }
    std::fflush(stdout);
  }
  std::fclose(f);
  std::printf("END\n");
  return failures == 0 ? 0 : 1;
}

void keep_error(const et::LogMessage& m) {
  const size_t n = m.length < sizeof(g_last_error) - 1 ? m.length : sizeof(g_last_error) - 1;
  if (g_last_error[0] != 0) return;  // the first one says why
  std::memcpy(g_last_error, m.message, n);
  g_last_error[n] = 0;
}

}  // namespace

#ifdef ET_TEST_BOARD
int main() {
  et::Platform platform = board::platform();
  const char* list = "cases.txt";
#else
int main(int argc, char** argv) {
  et::Platform platform;
  const char* list = argc > 1 ? argv[1] : "cases.txt";
#endif
  platform.emit_log = &keep_error;
  et::set_platform(platform);
  et::runtime_init();
  return run_list(list);
}
