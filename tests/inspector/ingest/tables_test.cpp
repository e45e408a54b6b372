// The tables of payload kinds and importers: what is told by name, what by content.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "inspector/ingest/importers.h"
#include "inspector/ingest/payloads/payload_kinds.h"

namespace et::inspector {
namespace {

std::string kind_name(std::string_view backend, std::string_view text) {
  const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  const PayloadKind* kind = find_payload_kind(payload_kinds(), backend, bytes);
  return kind == nullptr ? "" : kind->name;
}

TEST(PayloadKinds, KindsFollowTheContentNotTheNameAlone) {
  const std::string xnn("\0\0\0\0XH00", 8);
  EXPECT_EQ(kind_name("XnnpackBackend", xnn), "xnnpack");
  EXPECT_EQ(kind_name("SomebodysFork", xnn), "xnnpack");
  EXPECT_EQ(kind_name("TOSABackend", xnn), "");
  EXPECT_EQ(kind_name("XnnpackBackend", "garbage garbage"), "");
  EXPECT_EQ(kind_name("XnnpackBackend", ""), "");
  EXPECT_EQ(kind_name("SomebodysText", "12"), "") << "text is no magic number";
  EXPECT_EQ(kind_name("BackendWithCompilerDemo", "12"), "demo_compiler");
}

TEST(PayloadKinds, EachRowIsComplete) {
  std::set<std::string> names;
  for (const PayloadKind& k : payload_kinds()) {
    EXPECT_TRUE(names.insert(k.name).second) << k.name;
    EXPECT_TRUE(k.backend != nullptr && k.magic != nullptr && k.read != nullptr) << k.name;
  }
}

TEST(Importers, EachRowIsComplete) {
  std::set<std::string> options;
  std::set<FileKind> kinds;
  for (const Importer& i : kImporters) {
    EXPECT_TRUE(options.insert(i.option).second) << i.option;
    EXPECT_TRUE(kinds.insert(i.kind).second) << i.option << ": two rows take the same files";
    EXPECT_TRUE(i.load != nullptr) << i.option;
    EXPECT_TRUE(i.kind == FileKind::Unknown || i.member != nullptr || !i.alone) << i.option;
    EXPECT_EQ(importer_of(i.kind), &i);
  }
  EXPECT_STREQ(importer_of(FileKind::BundledProgram)->option, "pte");
  EXPECT_EQ(importer_of(FileKind::Store), nullptr);
}

}  // namespace
}  // namespace et::inspector
