#include "inspector/match/file_owners.h"

#include <algorithm>
#include <array>

namespace et::inspector {
namespace {

// What lies in torch's folder and hardly in another folder of that name; a trailing "/" stands for all below it.
constexpr std::array<std::string_view, 29> kInTorch = {"nn/modules/",
                                                       "nn/functional.py",
                                                       "nn/utils/",
                                                       "nn/attention/",
                                                       "nn/parameter.py",
                                                       "nn/intrinsic/",
                                                       "nn/quantized/",
                                                       "fx/",
                                                       "ao/nn/",
                                                       "ao/quantization/",
                                                       "_ops.py",
                                                       "_tensor.py",
                                                       "_jit_internal.py",
                                                       "_refs/",
                                                       "_decomp/",
                                                       "_prims/",
                                                       "_prims_common/",
                                                       "_dynamo/",
                                                       "_higher_order_ops/",
                                                       "_functorch/",
                                                       "_export/",
                                                       "_subclasses/",
                                                       "_inductor/",
                                                       "functional.py",
                                                       "autograd/function.py",
                                                       "utils/_pytree.py",
                                                       "utils/_contextlib.py",
                                                       "utils/checkpoint.py",
                                                       "autograd/grad_mode.py"};
// Packages that come with torch, or are to a model what torch is.
constexpr std::array<std::string_view, 5> kTorchPackages = {"torch", "torchgen", "functorch", "torchao", "executorch"};
// Parts of executorch that hold models.
constexpr std::array<std::string_view, 2> kModelsOfExecutorch = {"examples/", "extension/llm/"};
// Packages that stand beside a torch that is not in site-packages (`pip install --target`, a frozen program). There a
// user's own folders may stand, too, so that only known names tell.
constexpr std::array<std::string_view, 22> kKnownLibraries = {
    "transformers", "timm",        "torchvision",       "torchaudio", "diffusers",
    "torchtune",    "einops",      "accelerate",        "peft",       "kornia",
    "monai",        "lightning",   "pytorch_lightning", "xformers",   "flash_attn",
    "open_clip",    "ultralytics", "optimum",           "fairseq",    "sentence_transformers",
    "speechbrain",  "torchrl"};
// Folders of installed packages; with a leading "." endings of them: a wheel or an egg that is used unpacked or zipped.
constexpr std::array<std::string_view, 4> kPackageFolders = {"site-packages", "dist-packages", ".whl", ".egg"};
// What stands in place of a file's name in code that no person wrote. Other names in angle brackets are a user's:
// <stdin>, <ipython-input-3-…>, <string>.
constexpr std::array<std::string_view, 6> kGenerated = {"<eval_with_key>",  "<__array_function__", "<lambdifygenerated",
                                                        "<attrs generated", "<decorator-gen",      "<functorch"};

std::string normalised(std::string_view file) {
  std::string path(file);
  std::replace(path.begin(), path.end(), '\\', '/');
  return path;
}

template <class List>
bool among(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool starts_with_any(std::string_view text, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view b) { return text.starts_with(b); });
}

/// Calls f(begin, end) for each folder of a path, the file's name left out.
template <class F>
void each_folder(std::string_view path, const F& f) {
  for (size_t begin = 0, end = path.find('/'); end != std::string_view::npos;
       begin = end + 1, end = path.find('/', begin))
    f(begin, end);
}

bool is_package_folder(std::string_view folder) {
  return std::any_of(kPackageFolders.begin(), kPackageFolders.end(), [&](std::string_view p) {
    return p.front() == '.' ? folder.ends_with(p) && folder.size() > p.size() : folder == p;
  });
}

/// "python3.11", "python3.13t".
bool is_python_folder(std::string_view folder) {
  constexpr std::string_view kBegin = "python3.";
  if (!folder.starts_with(kBegin)) return false;
  folder.remove_prefix(kBegin.size());
  if (folder.ends_with('t')) folder.remove_suffix(1);
  return !folder.empty() && folder.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "python311.zip": the library of Python's embeddable package; "Python311" with `ending` "": where Windows installs
/// it.
bool is_numbered_python(std::string_view folder, std::string_view ending) {
  std::string lower(folder);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::string_view rest = lower;
  if (!rest.starts_with("python3") || !rest.ends_with(ending)) return false;
  rest = rest.substr(7, rest.size() - 7 - ending.size());
  return rest.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Owner of what is below a folder of packages: "transformers/models/bert/modeling_bert.py".
FileOwner owner_in_packages(std::string_view below) {
  const std::string_view package = below.substr(0, below.find_first_of("/."));
  if (!among(kTorchPackages, package)) return FileOwner::Library;
  const std::string_view inside = below.substr(std::min(package.size() + 1, below.size()));
  const bool model = package == "executorch" && starts_with_any(inside, kModelsOfExecutorch);
  return model ? FileOwner::Library : FileOwner::Torch;
}

template <class Folders>
bool below_any(const Folders& folders, std::string_view path) {
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& f) { return path.starts_with(f); });
}

}  // namespace

const char* file_owner_name(FileOwner owner) {
  constexpr std::array kNames = {"user", "library", "torch", "python", "generated"};
  return kNames[static_cast<size_t>(owner)];
}

void FileOwners::learn(std::string_view file) {
  if (file.empty() || file.front() == '<') return;
  const std::string path = normalised(file);
  each_folder(path, [&](size_t begin, size_t end) {
    const std::string_view folder = std::string_view(path).substr(begin, end - begin);
    const std::string_view rest = std::string_view(path).substr(end + 1);
    if (folder == "torch" && starts_with_any(rest, kInTorch)) {
      torch_.insert(path.substr(0, end + 1));
      beside_.insert(path.substr(0, begin));
    }
    // Windows: …/Lib/site-packages/… tells what Lib/ is.
    constexpr std::string_view kLib = "Lib/site-packages/";
    if (std::string_view(path).substr(begin).starts_with(kLib)) library_.insert(path.substr(0, end + 1));
  });
}

FileOwner FileOwners::of(std::string_view file) const {
  if (file.empty() || starts_with_any(file, kGenerated)) return FileOwner::Generated;
  if (file.front() == '<') return file.starts_with("<frozen") ? FileOwner::Python : FileOwner::User;
  const std::string path = normalised(file);
  if (below_any(torch_, path)) return FileOwner::Torch;
  std::optional<size_t> packages;
  bool python = below_any(library_, path);
  std::string_view before;
  each_folder(path, [&](size_t begin, size_t end) {
    const std::string_view folder = std::string_view(path).substr(begin, end - begin);
    if (is_package_folder(folder)) packages = end + 1;
    python = python || (is_python_folder(folder) && (before == "lib" || before == "lib64" || before == "Lib")) ||
             is_numbered_python(folder, ".zip") || (folder == "Lib" && is_numbered_python(before, ""));
    before = folder;
  });
  if (packages) return owner_in_packages(std::string_view(path).substr(*packages));
  for (const std::string& folder : beside_) {
    if (!path.starts_with(folder)) continue;
    const std::string_view below = std::string_view(path).substr(folder.size());
    const std::string_view package = below.substr(0, below.find('/'));
    if (package.size() == below.size()) continue;  // a file beside torch's folder
    if (among(kKnownLibraries, package) || package == "torchao" || package == "functorch")
      return owner_in_packages(below);
  }
  return python ? FileOwner::Python : FileOwner::User;
}

std::optional<FrameChoice> choose_frames(std::span<const FileOwner> frames) {
  if (frames.empty()) return std::nullopt;
  // What says most about a model: its own and its libraries' lines, then torch's, Python's, generated ones.
  const auto rank = [](FileOwner o) { return o == FileOwner::User ? 0 : static_cast<int>(o) - 1; };
  const auto less = [&](FileOwner a, FileOwner b) { return rank(a) < rank(b); };
  FrameChoice out;
  out.outermost = static_cast<size_t>(std::min_element(frames.begin(), frames.end(), less) - frames.begin());
  const auto innermost = std::min_element(frames.rbegin(), frames.rend(), less);
  out.innermost = static_cast<size_t>(frames.rend() - innermost) - 1;
  const auto user = std::find(frames.rbegin(), frames.rend(), FileOwner::User);
  out.of_user = user != frames.rend();
  out.user = out.of_user ? static_cast<size_t>(frames.rend() - user) - 1 : out.innermost;
  return out;
}

}  // namespace et::inspector
