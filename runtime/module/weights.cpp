#include "runtime/module/weights.h"

#include "runtime/module/log_capture.h"

namespace et {

Status Weights::open(const std::vector<std::string>& paths) {
  if (paths.empty()) return {};
  for (const std::string& path : paths) {
    files_.emplace_back();
    if (Status s = MappedFile::open(path, &files_.back()); !s.ok()) return s;
    Result<FlatTensorDataMap> map = FlatTensorDataMap::load(files_.back().bytes());
    if (!map.ok()) return {map.error(), path + ": " + take_errors()};
    maps_.push_back(std::make_unique<FlatTensorDataMap>(std::move(*map)));
    list_.push_back(maps_.back().get());
  }
  merged_.emplace(ArrayRef<const NamedDataMap*>(list_));
  if (const Error e = merged_->check(); e != Error::Ok) return {e, paths[0] + ": " + take_errors()};
  return {};
}

}  // namespace et
