// The runtime benchmark against the product's runtime with all its kernels and backends. With one thread no pool is
// used.
#include <functional>
#include <numeric>

#include "etdump/etdump_gen.h"
#include "runtime/executor/method.h"
#include "runtime/executor/program.h"
#include "runtime/loader/mmap_data_loader.h"
#include "runtime/module/method_arenas.h"
#include "runtime/threadpool/threadpool.h"
#include "tests/bench/runtime/timing.h"
#ifdef ET_BENCH_ONEDNN
#include "runtime/kernels/matrix/onednn_provider.h"
#endif

using et::Error;
using et::etdump::ETDumpGen;

namespace {

int events(const bench::Options& options) {
  ETDumpGen tracer;
  et::EventTracer& calls = tracer;  // called as the runtime does
  return bench::measure(
      options, [&] { tracer.reset(), calls.create_event_block("Execute"); },
      [&] {
        for (uint64_t i = 0; i < options.events; ++i) calls.end_profiling(calls.start_profiling("OPERATOR_CALL", 0, 1));
        return true;
      });
}

int fail(const char* what, Error error) {
  std::fprintf(stderr, "%s: error %u\n", what, static_cast<unsigned>(error));
  return 1;
}

Error give_input(et::Method& method, size_t i, const bench::Options& options, bench::Inputs& inputs,
                 std::vector<char>& bytes) {
  const et::Tensor tensor = method.get_input(i).toTensor();
  std::vector<int32_t> sizes = bench::input_size(options, i, {tensor.sizes().begin(), tensor.sizes().end()});
  std::vector<uint8_t> order(tensor.dim_order().begin(), tensor.dim_order().end());
  std::vector<int32_t> strides = bench::strides_of<int32_t>(sizes, order);
  bytes.resize(std::accumulate(sizes.begin(), sizes.end(), tensor.element_size(), std::multiplies<size_t>()));
  inputs.next(bytes.data(), bytes.size());
  et::TensorImpl impl(tensor.scalar_type(), sizes.size(), sizes.data(), bytes.data(), order.data(), strides.data());
  return method.set_input(et::EValue(et::Tensor(&impl)), i);
}

/// The bytes of all tensors among the inputs. An input without planned memory refers to `given`; one that has it shares
/// it with what is computed later, so that each execution needs them anew.
Error give_inputs(et::Method& method, const bench::Options& options, std::vector<std::vector<char>>& given) {
  bench::Inputs inputs(options.inputs);
  given.resize(method.inputs_size());
  for (size_t i = 0; i < given.size(); ++i) {
    if (!method.get_input(i).isTensor()) continue;
    const Error error = give_input(method, i, options, inputs, given[i]);
    if (error != Error::Ok) return error;
  }
  return Error::Ok;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Options options;
  if (!bench::parse(argc, argv, &options)) return bench::usage(argv[0]);
  if (options.events > 0) return events(options);
  et::threadpool::get_threadpool()->resize(options.threads);
#ifdef ET_BENCH_ONEDNN
  et::matrix::select_onednn();
#endif

  ETDumpGen tracer;
  const bench::Memory before = bench::memory();
  const uint64_t started = bench::now();
  auto loader = et::MmapDataLoader::from(options.program.c_str());
  if (!loader.ok()) return fail("open", loader.error());
  auto program = et::Program::load(&*loader);
  if (!program.ok()) return fail("load", program.error());
  auto meta = program->method_meta("forward");
  if (!meta.ok()) return fail("forward", meta.error());
  auto arenas = et::MethodArenas::create(*meta);
  if (!arenas.ok()) return fail("memory", arenas.error());
  auto method = program->load_method("forward", (*arenas)->manager(),
                                     options.traced || !options.etdump.empty() ? &tracer : nullptr);
  if (!method.ok()) return fail("load_method", method.error());
  const uint64_t loaded = bench::now();
  if (options.load_only) {
    bench::print_load(before, bench::memory(), loaded - started);
    return 0;
  }

  std::vector<std::vector<char>> given;
  if (const Error error = give_inputs(*method, options, given); error != Error::Ok) return fail("set_input", error);
  if (!options.output.empty()) {
    const Error error = method->execute();
    if (error != Error::Ok) return fail("execute", error);
    std::ofstream file(options.output, std::ios::binary);
    for (size_t i = 0; i < method->outputs_size(); ++i) {
      if (!method->get_output(i).isTensor()) continue;
      const et::Tensor tensor = method->get_output(i).toTensor();
      file.write(static_cast<const char*>(tensor.const_data_ptr()), static_cast<std::streamsize>(tensor.nbytes()));
    }
  }
  const auto run = [&] { return method->execute() == Error::Ok; };
  if (!options.etdump.empty()) {
    const auto give = [&] { static_cast<void>(give_inputs(*method, options, given)); };
    if (!bench::record(
            options, give, [&] { tracer.reset(); }, run))
      return fail("execute", Error::Internal);
    return bench::write_etdump(options, tracer);
  }
  return bench::measure(
      options,
      [&] {
        if (options.traced) tracer.reset();
        if (options.warm > 0) static_cast<void>(give_inputs(*method, options, given));
      },
      run);
}
