// Whose code a source file of a stack trace is: the user's, an installed library's, Python's own or torch's. Where
// torch is installed is read from the paths themselves, since it may be anywhere: a virtual environment, /opt, a
// checkout, a zip.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace et::inspector {

/// In the order of what they say about a model.
enum class FileOwner : uint8_t {
  User,
  Library,    ///< an installed package: transformers, timm, torchvision, the example models of executorch, …
  Torch,      ///< torch itself, and torchao and executorch, whose lines say as little about a model
  Python,     ///< the standard library
  Generated,  ///< no file: code that torch.fx or a decorator wrote
};
/// "user", "library", "torch", "python" or "generated".
const char* file_owner_name(FileOwner owner);

class FileOwners {
 public:
  /// Looks for the places of torch and of Python's library in a path. All paths of a trace come before the first of().
  void learn(std::string_view file);
  FileOwner of(std::string_view file) const;

 private:
  std::set<std::string, std::less<>> torch_;    // folders "/opt/torch/"
  std::set<std::string, std::less<>> beside_;   // folders that hold torch: "/opt/"
  std::set<std::string, std::less<>> library_;  // of Python, "c:/miniconda3/Lib/"
};

/// Frames of a node by what a report may show of it; all are indices from the outermost frame on.
struct FrameChoice {
  size_t user = 0;       ///< innermost of the user's, without one as `innermost`
  size_t innermost = 0;  ///< innermost outside of torch and Python, without one torch's innermost
  size_t outermost = 0;  ///< outermost outside of torch and Python, without one torch's outermost
  bool of_user = false;  ///< there is a frame of the user's
};
/// No value without frames.
std::optional<FrameChoice> choose_frames(std::span<const FileOwner> outermost_first);

}  // namespace et::inspector
