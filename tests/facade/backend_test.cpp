// A backend written for ExecuTorch runs a delegate of a program.
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

using executorch::extension::Module;
using executorch::runtime::ArrayRef;
using executorch::runtime::Backend;
using executorch::runtime::BackendExecutionContext;
using executorch::runtime::BackendInitContext;
using executorch::runtime::BackendInterface;
using executorch::runtime::BackendOption;
using executorch::runtime::BackendOptionContext;
using executorch::runtime::BackendOptions;
using executorch::runtime::CompileSpec;
using executorch::runtime::DelegateHandle;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::Result;
using executorch::runtime::Span;

namespace {

struct Seen {
  size_t bytes = 0;
  size_t specs = 0;
  std::string method;
  int level = 0;
  int destroyed = 0;
  int executed = 0;
};

class CountingBackend final : public BackendInterface {
 public:
  bool is_available() const override { return true; }
  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> compile_specs) const override {
    seen.bytes = processed->size();
    seen.specs = compile_specs.size();
    seen.method = context.get_method_name();
    const auto level = context.get_runtime_spec<int>("level");
    if (level.ok()) seen.level = *level;
    processed->Free();
    return static_cast<DelegateHandle*>(&seen);
  }
  Error execute(BackendExecutionContext& context, DelegateHandle* handle, Span<EValue*> args) const override {
    const auto event =
        executorch::runtime::event_tracer_start_profiling_delegate(context.event_tracer(), "counting", -1);
    static_cast<Seen*>(handle)->executed += 1;
    for (EValue* arg : args) {
      if (arg->isTensor() && arg == args[args.size() - 1]) {
        std::memset(arg->toTensor().mutable_data_ptr(), 0, arg->toTensor().nbytes());
      }
    }
    executorch::runtime::event_tracer_end_profiling_delegate(context.event_tracer(), event);
    return Error::Ok;
  }
  void destroy(DelegateHandle*) const override { seen.destroyed += 1; }
  Error set_option(BackendOptionContext&, const Span<BackendOption>& options) override {
    for (const BackendOption& o : options) {
      if (std::strcmp(o.key, "threads") == 0) threads = std::get<int>(o.value);
    }
    return Error::Ok;
  }
  Error get_option(BackendOptionContext&, Span<BackendOption>& options) override {
    for (BackendOption& o : options) {
      if (std::strcmp(o.key, "threads") == 0) o.value = threads;
    }
    return Error::Ok;
  }

  static Seen seen;
  int threads = 1;
};
Seen CountingBackend::seen;

constexpr char kName[] = "BackendWithCompilerDemo";

TEST(FacadeBackend, RunsADelegate) {
  static CountingBackend backend;
  ASSERT_EQ(executorch::runtime::get_backend_class(kName), nullptr);
  ASSERT_EQ(executorch::runtime::register_backend(Backend{kName, &backend}), Error::Ok);
  EXPECT_EQ(executorch::runtime::register_backend(Backend{kName, &backend}), Error::InvalidArgument);
  EXPECT_EQ(executorch::runtime::get_backend_class(kName), &backend);

  {
    Module module(ET_FIXTURES "/artifacts/demo_backend/program.pte");
    const auto meta = module.method_meta("forward");
    ASSERT_TRUE(meta.ok());
    ASSERT_EQ(module.load_forward(), Error::Ok);
    EXPECT_GT(CountingBackend::seen.bytes, 0u);
    EXPECT_EQ(CountingBackend::seen.method, "forward");
    std::vector<executorch::extension::TensorPtr> inputs;
    std::vector<EValue> values;
    for (size_t i = 0; i < meta->num_inputs(); ++i) {
      const auto info = meta->input_tensor_meta(i);
      ASSERT_TRUE(info.ok());
      inputs.push_back(executorch::extension::ones({info->sizes().begin(), info->sizes().end()}, info->scalar_type()));
      values.push_back(inputs.back());
    }
    EXPECT_EQ(module.forward(values).error(), Error::Ok);
    EXPECT_GE(CountingBackend::seen.executed, 1);
  }
  EXPECT_GE(CountingBackend::seen.destroyed, 1);

  BackendOptions<2> options;
  ASSERT_EQ(options.set_option("threads", 4), Error::Ok);
  EXPECT_EQ(executorch::runtime::set_option(kName, options.view()), Error::Ok);
  EXPECT_EQ(backend.threads, 4);
  ASSERT_EQ(options.set_option("threads", 0), Error::Ok);
  EXPECT_EQ(executorch::runtime::get_option(kName, options.view()), Error::Ok);
  int threads = 0;
  EXPECT_EQ(options.get_option("threads", threads), Error::Ok);
  EXPECT_EQ(threads, 4);
  EXPECT_EQ(executorch::runtime::set_option("no such backend", options.view()), Error::NotFound);
}

TEST(FacadeBackend, OptionsKeepTheirTypes) {
  BackendOptions<1> options;
  EXPECT_EQ(options.set_option("a", "text"), Error::Ok);
  EXPECT_EQ(options.set_option("b", true), Error::InvalidArgument);
  const char* text = nullptr;
  EXPECT_EQ(options.get_option("a", text), Error::Ok);
  EXPECT_STREQ(text, "text");
  bool flag = false;
  EXPECT_EQ(options.get_option("a", flag), Error::InvalidArgument);
  EXPECT_EQ(options.get_option("c", flag), Error::NotFound);
}

}  // namespace
