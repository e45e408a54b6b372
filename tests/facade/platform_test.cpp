// The platform layer: an application's functions take the place of the library's.
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/clock.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>
#include <gtest/gtest.h>

#include <string>

using executorch::runtime::Error;
using executorch::runtime::Result;

namespace {

std::string g_last;
et_pal_log_level_t g_level = kUnknown;

void keep(et_timestamp_t, et_pal_log_level_t level, const char*, const char*, size_t, const char* message,
          size_t length) {
  g_level = level;
  g_last.assign(message, length);
}

TEST(FacadePlatform, LogLinesGoWhereTheApplicationWants) {
  executorch::runtime::runtime_init();
  ASSERT_TRUE(executorch::runtime::register_pal(executorch::runtime::PalImpl::create(keep, __FILE__)));
  ET_LOG(Error, "value %d", 42);
  EXPECT_EQ(g_last, "value 42");
  EXPECT_EQ(g_level, kError);
  ET_LOG(Debug, "below the level");
  EXPECT_EQ(g_last, "value 42");
  executorch::runtime::internal::logf(executorch::runtime::LogLevel::Info, 0, "file", "function", 1, "%s", "by hand");
  EXPECT_EQ(g_last, "by hand");
  EXPECT_EQ(g_level, kInfo);
}

TEST(FacadePlatform, TimeGoesOn) {
  const et_timestamp_t before = executorch::runtime::pal_current_ticks();
  EXPECT_GE(executorch::runtime::ticks_to_ns(executorch::runtime::pal_current_ticks()),
            executorch::runtime::ticks_to_ns(before));
  void* memory = executorch::runtime::pal_allocate(16);
  ASSERT_NE(memory, nullptr);
  executorch::runtime::pal_free(memory);
}

Result<int> number(bool good) {
  if (good) return 7;
  return Error::NotFound;
}
Error unwrapped(bool good, int* out) {
  *out = ET_UNWRAP(number(good), "no number for %d", good ? 1 : 0);
  ET_ASSIGN_OR_RETURN(again, number(good));
  *out += again;
  ET_CHECK_OK_OR_RETURN_ERROR(Error::Ok);
  ET_CHECK_OR_RETURN_ERROR(*out == 14, Internal, "got %d", *out);
  return Error::Ok;
}

TEST(FacadePlatform, ResultsAreUnwrapped) {
  int value = 0;
  EXPECT_EQ(unwrapped(true, &value), Error::Ok);
  EXPECT_EQ(value, 14);
  EXPECT_EQ(unwrapped(false, &value), Error::NotFound);
  EXPECT_STREQ(executorch::runtime::to_string(Error::NotFound), "Error::NotFound");
  EXPECT_DEATH(ET_CHECK_MSG(value == 0, "the value is %d", value), "");
  EXPECT_DEATH(static_cast<void>(number(false).get()), "");
}

}  // namespace
