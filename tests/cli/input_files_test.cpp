// The importers' rows are the command line's options.
#include "cli/input_files.h"
#include "cli/shared_options.h"

#include <gtest/gtest.h>

#include <string>

namespace et::cli {
namespace {

TEST(InputFiles, EveryImporterHasItsOption) {
  size_t at = 0;
  for (const inspector::Importer& i : kOptionImporters) {
    const OptionSpec& option = kInputOptions.options[at++];
    EXPECT_STREQ(option.name, i.option);
    EXPECT_STREQ(option.help, i.help);
    EXPECT_EQ(option.short_name, i.short_name);
  }
}

TEST(InputFiles, WhatIsEnoughForATraceNeedsNoETDump) {
  std::string alone;
  for (const inspector::Importer& i : kOptionImporters) {
    if (i.alone) alone += (alone.empty() ? "" : "|") + std::string(i.option);
  }
  EXPECT_EQ(alone, kTraceArgument.unless);
}

}  // namespace
}  // namespace et::cli
