// An application that defines the platform's functions itself: they are in use before runtime_init(), and the clock
// too.
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "runtime/platform/platform.h"

namespace {

int g_inits = 0;
int g_ticks_asked = 0;
std::string g_message;
et_pal_log_level_t g_level = kUnknown;
et_timestamp_t g_time = 0;

}  // namespace

extern "C" {

void et_pal_init(void) { ++g_inits; }
et_timestamp_t et_pal_current_ticks(void) {
  ++g_ticks_asked;
  return 4321;
}
et_tick_ratio_t et_pal_ticks_to_ns_multiplier(void) { return {7, 2}; }
void et_pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level, const char*, const char*, size_t,
                             const char* message, size_t length) {
  g_time = timestamp;
  g_level = level;
  g_message.assign(message, length);
}
}

namespace {

// The order matters: the first test has to run before anything is initialised.
TEST(OwnPlatform, GetsWhatIsLoggedBeforeTheStart) {
  EXPECT_EQ(g_inits, 0);
  g_ticks_asked = 0;
  ET_LOG(Error, "number %d", 5);
  EXPECT_EQ(g_message, "number 5");
  EXPECT_EQ(g_level, kError);
  EXPECT_EQ(g_time, 4321U);
  EXPECT_EQ(g_ticks_asked, 1);
  ET_LOG(NumLevels, "a level that there is not");
  EXPECT_EQ(g_level, kUnknown);
}

TEST(OwnPlatform, IsTheClockOfTheRuntime) {
  EXPECT_EQ(et::current_ticks(), 4321U);
  EXPECT_EQ(et::platform().tick_ratio().numerator, 7U);
  executorch::runtime::runtime_init();
  EXPECT_EQ(g_inits, 1);
}

TEST(OwnPlatform, LongMessagesEndWithAWholeCharacter) {
  const std::string euro = "\xE2\x82\xAC";
  for (size_t before = 250; before < 258; ++before) {
    const std::string text = std::string(before, 'x') + euro + euro;
    ET_LOG(Info, "%s", text.c_str());
    const std::string kept = before + 6 <= 255   ? text
                             : before + 3 <= 255 ? text.substr(0, before + 3)
                                                 : text.substr(0, before < 255 ? before : 255);
    EXPECT_EQ(g_message, kept) << before;
  }
}

TEST(OwnPlatform, RegisteredFunctionsAreInitialisedAtOnce) {
  static int inits = 0;
  auto impl = executorch::runtime::PalImpl::create([] { ++inits; }, nullptr, [] { return et_timestamp_t{99}; }, nullptr,
                                                   nullptr, nullptr, nullptr, __FILE__);
  ASSERT_TRUE(executorch::runtime::register_pal(impl));
  EXPECT_EQ(inits, 1);
  EXPECT_EQ(executorch::runtime::pal_current_ticks(), 99U);
  EXPECT_EQ(et::current_ticks(), 99U);
  ET_LOG(Info, "late");
  EXPECT_EQ(g_time, 99U);
  EXPECT_EQ(g_message, "late");
}

}  // namespace
