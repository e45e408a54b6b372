#include "cli/run/model_run.h"

#include <random>

#include "bundled_program/cases/input_value.h"
#include "bundled_program/cases/weights_beside.h"
#include "cli/run/npy.h"
#include "inspector/text/words.h"
#include "runtime/module/log_capture.h"
#include "runtime/module/output_memory.h"

namespace et::cli {
namespace {

constexpr size_t kAlignment = 64;

Status runtime_error(const std::string& path, Error error) {
  const std::string text = take_errors();
  const std::string why = text.empty() ? error_name(error) : text + " (" + error_name(error) + ")";
  return {error, why.starts_with(path + ":") ? why : path + ": " + why};
}

/// "float32[1, 3]"
std::string tensor_text(ScalarType type, ArrayRef<int32_t> sizes) {
  std::string text = std::string(scalar_type_name(type)) + "[";
  for (size_t d = 0; d < sizes.size(); ++d) text += (d > 0 ? ", " : "") + std::to_string(sizes[d]);
  return text + "]";
}

}  // namespace

ModelRun::ModelRun() = default;
ModelRun::~ModelRun() = default;

Status ModelRun::load(const ModelOptions& options) {
  static_cast<void>(take_errors());
  tracer_ = options.tracer;
  if (Status s = MappedFile::open(options.path, &file_); !s.ok()) return s;
  program_bytes_ = file_.bytes();
  bundled::Bundle bundle;
  if (bundled::Bundle::is_bundle(program_bytes_)) {
    const FileError e = bundled::Bundle::open(program_bytes_, &bundle);
    if (!e.ok()) return Status::of_file(options.path, e);
    program_bytes_ = bundle.program();
    bundled_ = true;
  }
  loader_.emplace(program_bytes_.data(), program_bytes_.size());
  Result<Program> program = Program::load(&*loader_);
  if (!program.ok()) return runtime_error(options.path, program.error());
  program_.emplace(std::move(*program));
  if (Status s = choose_method(options); !s.ok()) return s;
  for (uint32_t i = 0; bundled_ && i < bundle.suite_count(); ++i) {
    if (bundle.suite(i).method() == name_) suite_ = bundle.suite(i);
  }

  if (options.data_files.empty() && options.find_data) found_data_ = bundled::weights_beside(options.path, *program_);
  const std::vector<std::string>& weights = options.data_files.empty() ? found_data_ : options.data_files;
  if (Status s = weights_.open(weights); !s.ok()) return s;

  Result<MethodMeta> meta = program_->method_meta(name_.c_str());
  if (!meta.ok()) return runtime_error(options.path, meta.error());
  std::vector<MethodArenas::Given> given;
  for (const auto& [id, bytes] : options.pools) {
    if (id == 0 || id > meta->num_memory_planned_buffers()) {
      return {Error::InvalidArgument,
              "--memory-pools: expected an ID from 1 to " + std::to_string(meta->num_memory_planned_buffers()) +
                  " (memory-planned buffers of method " + name_ + "), got " + std::to_string(id)};
    }
    pool_memory_.push_back(std::make_unique<uint8_t[]>(bytes + kAlignment));
    const auto at = (reinterpret_cast<uintptr_t>(pool_memory_.back().get()) + kAlignment - 1) & ~(kAlignment - 1);
    given.push_back({id, {reinterpret_cast<uint8_t*>(at), bytes}});
  }
  Result<std::unique_ptr<MethodArenas>> arenas = MethodArenas::create(*meta, given);
  if (!arenas.ok()) return runtime_error(options.path, arenas.error());
  arenas_ = std::move(*arenas);
  const auto unloadable = options.fallback ? Program::Unloadable::StopAtCall : Program::Unloadable::Refuse;
  Result<Method> method =
      program_->load_method(name_.c_str(), arenas_->manager(), tracer_, weights_.map(), {}, unloadable);
  if (!method.ok()) {
    const Status status = runtime_error(options.path, method.error());
    if (weights_.map() != nullptr || !bundled::has_external_tensors(*program_)) return status;
    return {status.code(), status.message() + "; needs external weights: pass --data FILE.ptd"};
  }
  method_.emplace(std::move(*method));
  if (options.fallback) left_out_ = take_errors();
  give_output_memory(*method_, [&](const Tensor& t) {
    outputs_.push_back(std::make_unique<HostTensor>(t.scalar_type(), t.sizes()));
    return outputs_.back()->data();
  });
  return make_inputs(options);
}

Status ModelRun::choose_method(const ModelOptions& options) {
  std::vector<std::string> names;
  for (size_t i = 0; i < program_->num_methods(); ++i) names.emplace_back(*program_->get_method_name(i));
  name_ = options.method;
  if (name_.empty()) {
    name_ = "forward";
    if (!program_->view().method(std::string_view(name_)).valid() && program_->num_methods() == 1) {
      name_ = *program_->get_method_name(0);
    }
  }
  if (program_->view().method(std::string_view(name_)).valid()) return {};
  return {Error::InvalidArgument,
          options.path + ": unknown method '" + name_ + "', expected one of " + inspector::joined(names, ", ")};
}

Status ModelRun::make_inputs(const ModelOptions& options) {
  if (bundled_ && options.inputs.empty() && rounds() > 0) return {};
  bundled_ = false;
  size_t tensors = 0;
  for (size_t i = 0; i < method_->inputs_size(); ++i) tensors += method_->get_input(i).isTensor();
  if (!options.inputs.empty() && options.inputs.size() != tensors) {
    return {Error::InvalidArgument, "--input: expected " + inspector::plural(static_cast<int64_t>(tensors), "tensor") +
                                        " for method " + name_ + ", got " + std::to_string(options.inputs.size())};
  }
  std::mt19937_64 random(options.seed);
  size_t used = 0;
  for (size_t i = 0; i < method_->inputs_size(); ++i) {
    const EValue& target = method_->get_input(i);
    EValue value = target;
    if (target.isTensor()) {
      std::unique_ptr<HostTensor> own;
      if (!options.inputs.empty()) {
        if (Status s = read_npy(options.inputs[used++], &own); !s.ok()) return s;
        if (own->tensor().dim() == target.toTensor().dim()) own = own->with_dim_order(target.toTensor().dim_order());
      } else {
        own = std::make_unique<HostTensor>(target.toTensor().scalar_type(), target.toTensor().sizes(),
                                           target.toTensor().dim_order());
        fill_tensor(own.get(), options.fill, &random);
      }
      value = EValue(own->tensor());
      inputs_.push_back(std::move(own));
    }
    values_.push_back(value);
  }
  return {};
}

size_t ModelRun::rounds() const { return bundled_ ? suite_.case_count() : 1; }

Status ModelRun::make_bundled_inputs(size_t round) {
  const bundled::Case test = suite_.test_case(static_cast<uint32_t>(round));
  const std::string place = "test case " + std::to_string(round);
  if (test.input_count() != method_->inputs_size()) {
    return {Error::InvalidArgument, place + ": expected " +
                                        inspector::plural(static_cast<int64_t>(method_->inputs_size()), "input") +
                                        ", got " + std::to_string(test.input_count())};
  }
  inputs_.clear();
  values_.clear();
  for (uint32_t i = 0; i < test.input_count(); ++i) {
    values_.push_back(bundled::input_value(test.input(i), method_->get_input(i), &inputs_));
  }
  return {};
}

Status ModelRun::prepare(size_t round) {
  static_cast<void>(take_errors());
  if (bundled_) {
    if (Status s = make_bundled_inputs(round); !s.ok()) return s;
    if (tracer_ != nullptr) tracer_->set_bundled_input_index(static_cast<int>(round));
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    const Error error = method_->set_input(values_[i], i);
    if (error != Error::Ok) return refused_input(round, i, error);
  }
  return {};
}

/// A file that the user chose is a usage error, a case of a bundle a bad file.
Status ModelRun::refused_input(size_t round, size_t i, Error error) const {
  const Status status = runtime_error(bundled_ ? "test case " + std::to_string(round) : "method " + name_, error);
  const Result<TensorInfo> wanted = method_->method_meta().input_tensor_meta(i);
  std::string text = status.message();
  if (wanted.ok() && values_[i].isTensor()) {
    const Tensor& given = values_[i].toTensor();
    text = (bundled_ ? "test case " + std::to_string(round) + ": " : "--input: ") + "input " + std::to_string(i) +
           " is " + tensor_text(given.scalar_type(), given.sizes()) + "; expected " +
           (wanted->is_dynamic() ? "at most " : "") + tensor_text(wanted->scalar_type(), wanted->sizes());
  }
  return {bundled_ ? error : Error::InvalidArgument, text};
}

Status ModelRun::execute() {
  const Error error = method_->execute();
  return error == Error::Ok ? Status() : runtime_error("method " + name_, error);
}

std::vector<ModelRun::Arena> ModelRun::arenas() const {
  std::vector<Arena> out;
  const MethodMeta& meta = method_->method_meta();
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    out.push_back({"planned:" + std::to_string(i + 1), arenas_->planned().buffer(i).size(),
                   static_cast<uint64_t>(*meta.memory_planned_buffer_size(i))});
  }
  out.push_back({"method", arenas_->method_allocator()->capacity(), arenas_->method_allocator()->high_water()});
  out.push_back({"temp", arenas_->temp_allocator()->capacity(), arenas_->temp_allocator()->high_water()});
  return out;
}

}  // namespace et::cli
