// Whose code a file of a stack trace is, wherever Python and torch are installed.
#include "inspector/match/file_owners.h"

#include <gtest/gtest.h>

#include <vector>

namespace et::inspector {
namespace {

/// Owners of `files` as those of one trace.
std::vector<std::string> owners(const std::vector<std::string>& files) {
  FileOwners known;
  for (const std::string& f : files) known.learn(f);
  std::vector<std::string> out;
  for (const std::string& f : files) out.emplace_back(file_owner_name(known.of(f)));
  return out;
}
using Names = std::vector<std::string>;

TEST(FileOwnersTest, VirtualEnvironment) {
  const std::string venv = "/home/me/app/.venv/lib/python3.11/site-packages/";
  EXPECT_EQ(owners({"/home/me/app/model.py", venv + "transformers/models/bert/modeling_bert.py",
                    venv + "torch/nn/modules/linear.py", venv + "torch/functional.py",
                    venv + "torchao/quantization/x.py", "/usr/lib/python3.11/contextlib.py", "<eval_with_key>.56"}),
            (Names{"user", "library", "torch", "torch", "torch", "python", "generated"}));
}

TEST(FileOwnersTest, TorchOutsideOfSitePackages) {
  // The place is known from one file, and holds for those that say nothing themselves.
  EXPECT_EQ(owners({"/home/me/model.py", "/opt/torch/nn/modules/conv.py", "/opt/torch/signal/windows.py"}),
            (Names{"user", "torch", "torch"}));
  EXPECT_EQ(owners({"/home/me/src/pytorch/torch/nn/functional.py", "/home/me/src/pytorch/net.py"}),
            (Names{"torch", "user"}));
  EXPECT_EQ(owners({"/app/bundle.zip/torch/nn/modules/module.py", "/app/bundle.zip/net/model.py"}),
            (Names{"torch", "user"}));
  // As torch's own passes write it.
  EXPECT_EQ(owners({"torch/fx/passes/runtime_assert.py", "net.py"}), (Names{"torch", "user"}));
}

TEST(FileOwnersTest, AFolderNamedTorchIsNotTorch) {
  EXPECT_EQ(owners({"/home/me/torch/models/net.py", "/srv/torch/net.py", "/x/torch_models/nn/modules/block.py"}),
            (Names{"user", "user", "user"}));
}

TEST(FileOwnersTest, PackagesBesideTorch) {
  EXPECT_EQ(owners({"/opt/libs/torch/nn/modules/conv.py", "/opt/libs/transformers/models/vit/modeling_vit.py",
                    "/opt/libs/torchao/quantization/linear.py", "/opt/libs/model.py", "/opt/libs/nets/model.py",
                    "/home/me/transformers/my.py"}),
            (Names{"torch", "library", "torch", "user", "user", "user"}));
}

TEST(FileOwnersTest, Windows) {
  EXPECT_EQ(
      owners({R"(C:\work\model.py)", R"(C:\Users\me\miniconda3\envs\e\Lib\site-packages\torch\nn\modules\conv.py)",
              R"(C:\Users\me\miniconda3\envs\e\Lib\site-packages\timm\layers\act.py)",
              R"(C:\Users\me\miniconda3\envs\e\Lib\contextlib.py)", R"(C:\work\Lib\model.py)",
              R"(C:\Python311\Lib\functools.py)", R"(D:\python311.zip\functools.py)"}),
      (Names{"user", "torch", "library", "python", "user", "python", "python"}));
}

TEST(FileOwnersTest, OtherPlacesOfPackages) {
  EXPECT_EQ(
      owners(
          {"/usr/lib/python3/dist-packages/torch/nn/modules/conv.py", "/usr/lib/python3/dist-packages/einops/einops.py",
           "/home/me/.pex/installed_wheels/1f/timm-1.0-py3-none-any.whl/timm/models/vgg.py",
           "/opt/conda/lib/python3.12/site-packages/functorch/dim/op.py", "/opt/python/lib/python3.13t/functools.py"}),
      (Names{"torch", "library", "library", "torch", "python"}));
}

TEST(FileOwnersTest, ModelsOfExecutorchAreALibrary) {
  const std::string packages = "/opt/venv/lib/python3.11/site-packages/executorch/";
  EXPECT_EQ(owners({packages + "examples/models/llama/attention.py", packages + "extension/llm/modules/kv_cache.py",
                    packages + "exir/passes/x.py"}),
            (Names{"library", "library", "torch"}));
}

TEST(FileOwnersTest, CodeThatWasTypedIsTheUsers) {
  EXPECT_EQ(owners({"<stdin>", "<ipython-input-3-0badcafe>", "/tmp/ipykernel_7/123.py", "<string>",
                    "<frozen importlib._bootstrap>", "<decorator-gen-12>", ""}),
            (Names{"user", "user", "user", "user", "python", "generated", "generated"}));
}

// u: user, l: library, t: torch, p: Python, g: generated. Indices of user, innermost, outermost.
std::vector<size_t> chosen(std::string_view frames, bool* of_user = nullptr) {
  std::vector<FileOwner> of;
  for (const char c : frames) of.push_back(static_cast<FileOwner>(std::string_view("ultpg").find(c)));
  const auto choice = choose_frames(of);
  if (!choice) return {};
  if (of_user != nullptr) *of_user = choice->of_user;
  return {choice->user, choice->innermost, choice->outermost};
}
using Chosen = std::vector<size_t>;

TEST(ChooseFramesTest, UserAndOutsideOfTorch) {
  EXPECT_EQ(chosen("utltlt"), (Chosen{0, 4, 0}));
  EXPECT_EQ(chosen("uut"), (Chosen{1, 1, 0}));
  EXPECT_EQ(chosen("tulut"), (Chosen{3, 3, 1}));
  EXPECT_EQ(chosen("ultpg"), (Chosen{0, 1, 0}));
}

TEST(ChooseFramesTest, WithoutAFrameOfTheUsers) {
  bool of_user = true;
  EXPECT_EQ(chosen("ltlt", &of_user), (Chosen{2, 2, 0}));
  EXPECT_FALSE(of_user);
  // Without a library's either: torch's, then Python's, then generated ones.
  EXPECT_EQ(chosen("ttpg"), (Chosen{1, 1, 0}));
  EXPECT_EQ(chosen("gp"), (Chosen{1, 1, 1}));
  EXPECT_EQ(chosen("gg"), (Chosen{1, 1, 0}));
  EXPECT_TRUE(chosen("").empty());
}

}  // namespace
}  // namespace et::inspector
