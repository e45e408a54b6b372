// The runtime benchmark against upstream's runtime, from its wheel: libexecutorch, its optimised and quantised kernels,
// its XNNPACK backend, its ETDumpGen.
#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/platform/runtime.h>

#include <optional>
#include <thread>

#include "timing.h"

using executorch::etdump::ETDumpGen;
using executorch::extension::Module;
using executorch::runtime::Error;
using executorch::runtime::Method;

namespace {

int events(const bench::Options& options) {
  ETDumpGen tracer;
  return bench::measure(
      options, [&] { tracer.reset(), tracer.create_event_block("Execute"); },
      [&] {
        for (uint64_t i = 0; i < options.events; ++i)
          tracer.end_profiling(tracer.start_profiling("OPERATOR_CALL", 0, 1));
        return true;
      });
}

int fail(const char* what, Error error) {
  std::fprintf(stderr, "%s: error %u\n", what, static_cast<unsigned>(error));
  return 1;
}

/// As of runtime_main.cpp.
Error give_inputs(Method& method, const bench::Options& options, std::vector<std::vector<char>>& given) {
  bench::Inputs inputs(options.inputs);
  given.resize(method.inputs_size());
  for (size_t i = 0; i < given.size(); ++i) {
    if (!method.get_input(i).isTensor()) continue;
    const auto tensor = method.get_input(i).toTensor();
    auto sizes = bench::input_size(options, i, {tensor.sizes().begin(), tensor.sizes().end()});
    std::vector<executorch::aten::DimOrderType> order(tensor.dim_order().begin(), tensor.dim_order().end());
    auto strides = bench::strides_of<executorch::aten::StridesType>(sizes, order);
    executorch::runtime::etensor::TensorImpl impl(tensor.scalar_type(), tensor.dim(), sizes.data(), nullptr,
                                                  order.data(), strides.data());
    std::vector<char>& bytes = given[i];
    bytes.resize(impl.nbytes());
    inputs.next(bytes.data(), bytes.size());
    impl.set_data(bytes.data());
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    const Error error = method.set_input(executorch::runtime::EValue(executorch::runtime::etensor::Tensor(&impl)), i);
#pragma GCC diagnostic pop
    if (error != Error::Ok) return error;
  }
  return Error::Ok;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Options options;
  if (!bench::parse(argc, argv, &options)) return bench::usage(argv[0]);
  executorch::runtime::runtime_init();
  std::optional<executorch::extension::threadpool::NoThreadPoolGuard> one_thread;
  if (options.threads == 1) one_thread.emplace();
  // Its pool has a thread for each core, and the wheel has no header to change that.
  if (options.threads > 1 && options.threads != std::thread::hardware_concurrency()) {
    std::fprintf(stderr, "--threads: 1, or %u for this machine's cores\n", std::thread::hardware_concurrency());
    return 2;
  }
  if (options.events > 0) return events(options);

  ETDumpGen tracer;
  const bench::Memory before = bench::memory();
  const uint64_t started = bench::now();
  Module module(options.program, Module::LoadMode::Mmap);
  Error error = module.load_method("forward", nullptr, options.traced || !options.etdump.empty() ? &tracer : nullptr);
  if (error != Error::Ok) return fail("load", error);
  const uint64_t loaded = bench::now();
  if (options.load_only) {
    bench::print_load(before, bench::memory(), loaded - started);
    return 0;
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  auto found = module.method("forward");
#pragma GCC diagnostic pop
  if (!found.ok()) return fail("method", found.error());
  Method& method = **found;
  std::vector<std::vector<char>> given;
  error = give_inputs(method, options, given);
  if (error != Error::Ok) return fail("set_input", error);
  if (!options.output.empty()) {
    error = method.execute();
    if (error != Error::Ok) return fail("execute", error);
    std::ofstream file(options.output, std::ios::binary);
    for (size_t i = 0; i < method.outputs_size(); ++i) {
      if (!method.get_output(i).isTensor()) continue;
      const auto tensor = method.get_output(i).toTensor();
      file.write(static_cast<const char*>(tensor.const_data_ptr()), static_cast<std::streamsize>(tensor.nbytes()));
    }
  }
  const auto run = [&] { return method.execute() == Error::Ok; };
  if (!options.etdump.empty()) {
    const auto give = [&] { static_cast<void>(give_inputs(method, options, given)); };
    if (!bench::record(
            options, give, [&] { tracer.reset(); }, run))
      return fail("execute", Error::Internal);
    return bench::write_etdump(options, tracer);
  }
  return bench::measure(
      options,
      [&] {
        if (options.traced) tracer.reset();
        if (options.warm > 0) static_cast<void>(give_inputs(method, options, given));
      },
      run);
}
