#include "inspector/report/dataset/dataset_commit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/hex.h"
#include "base/sha256.h"
#include "base/write_file.h"

namespace et::inspector {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHead = "et-inspect commit 1";
constexpr const char* kPending = ".pending";  // written, its files not all in place
constexpr const char* kCommit = ".commit";

Status cannot(const fs::path& path, const char* what, const std::error_code& ec) {
  return {Error::AccessFailed, path.string() + ": cannot " + what + ": " + ec.message()};
}

/// What is written stays, also when the power goes.
void sync_path(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

struct Commit {
  std::vector<std::pair<std::string, std::string>> files;  // from, to; of the data set's folder
  std::set<std::string> hashes;
};

Status read_commit(const fs::path& path, Commit* out) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line) || line != kHead)
    return {Error::InvalidExternalData,
            path.string() + ": line 1: expected '" + kHead + "', got '" + line.substr(0, 40) + "'"};
  for (size_t number = 2; std::getline(in, line); ++number) {
    const size_t tab = line.find('\t'), second = line.find('\t', tab + 1);
    const std::string kind = line.substr(0, tab);
    const bool inside = line.find("..") == std::string::npos && line.find("\t/") == std::string::npos;
    if (tab != std::string::npos && kind == "trace") {
      out->hashes.insert(line.substr(tab + 1));
    } else if (second != std::string::npos && kind == "file" && inside) {
      out->files.emplace_back(line.substr(tab + 1, second - tab - 1), line.substr(second + 1));
    } else {
      return {Error::InvalidExternalData,
              path.string() + ": line " + std::to_string(number) + ": expected a trace or a file of the data set"};
    }
  }
  return {};
}

/// Moves what is not in place yet, and says that all is.
Status roll_forward(const fs::path& folder, const fs::path& pending) {
  Commit commit;
  Status status = read_commit(pending, &commit);
  if (!status.ok()) return status;
  std::error_code ec;
  std::set<fs::path> touched;
  for (const auto& [from, to] : commit.files) {
    const fs::path source = folder / from, target = folder / to;
    if (!fs::exists(source, ec)) {
      if (fs::exists(target, ec)) continue;
      return {Error::InvalidExternalData, pending.string() + ": names " + from + ", which is gone"};
    }
    fs::create_directories(target.parent_path(), ec);
    if (!ec) fs::rename(source, target, ec);
    if (ec) return cannot(target, "write", ec);
    touched.insert(target.parent_path());
  }
  for (const fs::path& path : touched) sync_path(path);
  fs::path done = pending;
  fs::rename(pending, done.replace_extension(kCommit), ec);
  return ec ? cannot(pending, "rename", ec) : Status();
}

/// View, then partition, then file: traces last, so that a trace that is seen has all its rows.
void list_files(const fs::path& folder, const fs::path& staging, Commit* out) {
  std::error_code ec;
  for (const bool traces : {false, true}) {
    for (fs::recursive_directory_iterator it(staging, ec), end; !ec && it != end; it.increment(ec)) {
      if (!it->is_regular_file(ec)) continue;
      const fs::path to = it->path().lexically_relative(staging);
      if ((*to.begin() == "traces") == traces)
        out->files.emplace_back(it->path().lexically_relative(folder).string(), to.string());
    }
  }
}

}  // namespace

DatasetLock::~DatasetLock() {
  if (file_ >= 0) ::close(file_);
}

Status DatasetLock::take(const std::string& folder) {
  const fs::path commits = fs::path(folder) / "_commits";
  std::error_code ec;
  fs::create_directories(commits, ec);
  if (ec) return cannot(commits, "create the folder", ec);
  const std::string path = (commits / "lock").string();
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  while (file_ >= 0 && ::flock(file_, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    return {Error::AccessFailed, path + ": cannot lock: " + std::strerror(errno)};
  }
  return file_ >= 0 ? Status() : Status(Error::AccessFailed, path + ": cannot be written: " + std::strerror(errno));
}

Status make_staging(const std::string& folder, std::string* out) {
  const fs::path all = fs::path(folder) / "_staging";
  std::error_code ec;
  fs::create_directories(all, ec);
  if (ec) return cannot(all, "create the folder", ec);
  *out = (all / "XXXXXX").string();
  if (::mkdtemp(out->data()) == nullptr)
    return {Error::AccessFailed, *out + ": cannot create folder: " + std::strerror(errno)};
  ::chmod(out->c_str(), 0755);
  return {};
}

Status open_dataset(const std::string& folder, std::set<std::string>* hashes) {
  std::vector<fs::path> pending;
  std::error_code ec;
  const fs::path commits = fs::path(folder) / "_commits";
  for (fs::directory_iterator it(commits, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().extension() == kPending) pending.push_back(it->path());
  }
  if (ec) return cannot(commits, "read", ec);
  for (const fs::path& path : pending) {
    const Status status = roll_forward(folder, path);
    if (!status.ok()) return status;
  }
  for (fs::directory_iterator it(commits, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().extension() != kCommit) continue;
    Commit commit;
    const Status status = read_commit(it->path(), &commit);
    if (!status.ok()) return status;
    hashes->merge(commit.hashes);
  }
  return ec ? cannot(commits, "read", ec) : Status();
}

Status commit_dataset(const std::string& folder, const std::vector<std::string>& staging,
                      const std::set<std::string>& hashes) {
  Commit commit;
  for (const std::string& path : staging) list_files(folder, path, &commit);
  std::string text = std::string(kHead) + "\n", all;
  for (const std::string& hash : hashes) {
    text += "trace\t" + hash + "\n";
    all += hash;
  }
  for (const auto& [from, to] : commit.files) {
    text += "file\t" + from + "\t" + to + "\n";
    sync_path(fs::path(folder) / from);
  }
  const std::string name =
      hex_text(et::sha256({reinterpret_cast<const uint8_t*>(all.data()), all.size()})).substr(0, 20);
  const fs::path commits = fs::path(folder) / "_commits";
  const fs::path unfinished = commits / (name + ".tmp"), pending = commits / (name + kPending);
  Status status = write_file(unfinished.string(), {{reinterpret_cast<const uint8_t*>(text.data()), text.size()}});
  if (!status.ok()) return status;
  sync_path(unfinished);
  std::error_code ec;
  fs::rename(unfinished, pending, ec);
  if (ec) return cannot(pending, "write", ec);
  sync_path(commits);
  status = roll_forward(folder, pending);
  for (const std::string& path : staging) fs::remove_all(path, ec);
  return status;
}

}  // namespace et::inspector
