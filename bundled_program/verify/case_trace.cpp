#include "bundled_program/verify/case_trace.h"

#include <cstdlib>
#include <filesystem>

#include "base/sha256.h"
#include "base/write_file.h"
#include "etdump/host_info_posix.h"

namespace et::bundled {
namespace {

std::string with_ending(const std::string& path, const std::string& ending) {
  return std::filesystem::path(path).replace_extension(ending).string();
}

}  // namespace

Status CaseTrace::open(const std::string& etdump, uint32_t part, bool log_values, const ProgramFile& file,
                       const std::string& program_path) {
  if (etdump.empty()) return {};
  path_ = part == 0 ? etdump : with_ending(etdump, "part" + std::to_string(part + 1) + ".etdp");
  gen_ = std::make_unique<etdump::ETDumpGen>();
  gen_->set_producer("et-inspect runtime");
  etdump::set_host_info(*gen_, "et::kernels", 1);
  etdump::ProgramFacts facts;
  facts.sha256 = file.digest();
  if (!file.first_data_bytes().empty()) {
    data_hash_ = et::sha256(file.first_data_bytes());
    facts.data_sha256 = data_hash_;
  }
  facts.bytes = file.bytes().size();
  facts.path = program_path.c_str();
  gen_->set_program(facts);
  if (!log_values) return {};
  debug_path_ = with_ending(path_, "bin");
  Result<etdump::FileDataSink> sink = etdump::FileDataSink::create(debug_path_.c_str());
  if (!sink.ok()) return {Error::AccessFailed, debug_path_ + ": cannot be written"};
  sink_.emplace(std::move(*sink));
  gen_->set_data_sink(&*sink_);
  gen_->set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  return {};
}

Status CaseTrace::close() {
  if (gen_ == nullptr) return {};
  const etdump::ETDumpResult dump = gen_->get_etdump_data();
  if (dump.buf == nullptr) return {};
  Status status = et::write_file(path_, {{static_cast<const uint8_t*>(dump.buf), dump.size}});
  std::free(dump.buf);
  if (status.ok() && sink_ && !sink_->close()) status = {Error::AccessFailed, debug_path_ + ": the disk is full"};
  return status;
}

}  // namespace et::bundled
