// The command that cli/README.md teaches: compiled from the README itself.
#include <gtest/gtest.h>

#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "tests/cli/scratch.h"
#include "tests/cli/small_store.h"

namespace et::cli {

extern const CommandSpec kHelloCommand;

namespace {

TEST(ExampleCommand, WhatTheReadmeTeachesWorks) {
  const CommandSpec* commands[] = {&main_command(et_inspect()), &kHelloCommand};
  const ProgramSpec program = {"et-inspect", "1", commands};
  const test::Scratch dir;
  test::store_file(dir / "runs.db", {"a", "b"});
  Arguments args;
  const Status status =
      parse(program, {"hello", dir / "runs.db@latest", "--greeting", "hi", "--output", dir / "out"}, &args);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(args.command().run(args), 0);
  EXPECT_EQ(test::read_file(dir / "out"), "hi, trace 2\n");
  EXPECT_NE(help_text(program, kHelloCommand, 0, false).find("how to greet (hello, hi; default hello)"),
            std::string::npos);
  EXPECT_NE(man_page(program, kHelloCommand).find("\\-\\-greeting"), std::string::npos);
}

}  // namespace
}  // namespace et::cli
