// Delegates' metadata decoders and clocks.
#include <gtest/gtest.h>

#include <cmath>

#include "etdump/delegate_clock.h"
#include "etdump/delegate_metadata.h"

namespace et::etdump {
namespace {

bool decode_pair(std::span<const uint8_t> bytes, std::vector<MetadataEntry>* out) {
  out->push_back({"first", std::to_string(bytes[0])});
  if (bytes.size() != 2) return false;
  out->push_back({"second", std::to_string(bytes[1])});
  return true;
}

using Entries = std::vector<MetadataEntry>;

TEST(DelegateMetadata, ARegisteredDecoderIsAsked) {
  static const RegisterMetadataDecoder registered{"PairBackend", decode_pair};
  const std::vector<uint8_t> two{7, 8};
  EXPECT_EQ(decode_metadata("PairBackend", two), (Entries{{"first", "7"}, {"second", "8"}}));
  EXPECT_EQ(find_metadata_decoder("PairBackend"), &decode_pair);
  EXPECT_EQ(find_metadata_decoder("Pair"), nullptr);
  EXPECT_EQ(register_metadata_decoder("PairBackend", decode_pair), Error::RegistrationAlreadyRegistered);
  EXPECT_EQ(register_metadata_decoder("", decode_pair), Error::InvalidArgument);
  EXPECT_EQ(register_metadata_decoder("x", nullptr), Error::InvalidArgument);
}

TEST(DelegateMetadata, BytesThatTheDecoderRefusesAreStillShown) {
  (void)register_metadata_decoder("PairBackend2", decode_pair);
  const std::vector<uint8_t> three{1, 2, 3};
  EXPECT_EQ(decode_metadata("PairBackend2", three), (Entries{{"hex", "010203"}}));
}

TEST(DelegateMetadata, BytesOfAnUnknownBackendAreTextOrHex) {
  const std::string json = "{\"stage\": \"ü\"}\n";
  const std::span<const uint8_t> text(reinterpret_cast<const uint8_t*>(json.data()), json.size());
  EXPECT_EQ(decode_metadata("", text), (Entries{{"text", json}}));
  EXPECT_TRUE(decode_metadata("", {}).empty());
  for (const std::vector<uint8_t>& no_text : std::vector<std::vector<uint8_t>>{{0},
                                                                               {0xff},
                                                                               {0xc3},
                                                                               {0xc0, 0x80},
                                                                               {0xed, 0xa0, 0x80},
                                                                               {0xf4, 0x90, 0x80, 0x80},
                                                                               {'a', 0x7f},
                                                                               {0xc2, 0x85}}) {
    EXPECT_EQ(decode_metadata("", no_text)[0].key, "hex");
  }
  const std::vector<uint8_t> large(1000, 0xab);
  EXPECT_EQ(decode_metadata("", large)[0].value.size(), 512 + std::string("…").size());
}

DelegateClock parsed(std::string_view text) {
  DelegateClock clock;
  std::string message;
  EXPECT_EQ(parse_delegate_clock(text, &clock, &message), Error::Ok) << message;
  return clock;
}

TEST(DelegateClock, TimesAddUpWithTheHostsAndCyclesDoNot) {
  const DelegateClock us = parsed("QnnBackend=us");
  bool ok = false;
  EXPECT_EQ(us.backend, "QnnBackend");
  EXPECT_FALSE(us.foreign());
  EXPECT_EQ(us.to_ns(uint64_t{7}, &ok), 7000u);
  EXPECT_TRUE(ok);
  const DelegateClock cycles = parsed("EthosUBackend=cycles");
  EXPECT_TRUE(cycles.foreign());
  EXPECT_FALSE(cycles.convertible());
  EXPECT_EQ(cycles.to_ns(uint64_t{7}, &ok), 0u);
  EXPECT_FALSE(ok);
  EXPECT_TRUE(std::isnan(cycles.to_ns(7.0)));
  EXPECT_STREQ(clock_unit_name(cycles.unit), "cycles");
}

TEST(DelegateClock, RatesAreExactFractions) {
  const DelegateClock fast = parsed("EthosUBackend=cycles@1.2GHz");
  bool ok = false;
  EXPECT_TRUE(fast.foreign());
  EXPECT_EQ(fast.numerator, 5u);
  EXPECT_EQ(fast.denominator, 6u);
  EXPECT_EQ(fast.to_ns(uint64_t{1'200'000'000}, &ok), 1'000'000'000u);
  EXPECT_EQ(fast.to_ns(uint64_t{3}, &ok), 3u) << "2.5 goes up";
  EXPECT_DOUBLE_EQ(fast.to_ns(3.0), 2.5);
  const DelegateClock ticks = parsed("B=ticks@19.2MHz");
  EXPECT_EQ(ticks.unit, ClockUnit::Ticks);
  EXPECT_EQ(ticks.numerator, 625u);
  EXPECT_EQ(ticks.denominator, 12u);
  EXPECT_EQ(parsed("B=cycles@32.768khz").to_ns(uint64_t{32768}, &ok), 1'000'000'000u);
  EXPECT_EQ(parsed("B=cycles@1Hz").to_ns(uint64_t{2}, &ok), 2'000'000'000u);
  EXPECT_EQ(parsed("B=cycles@3GHz").to_ns(UINT64_MAX, &ok), UINT64_MAX / 3);
  EXPECT_TRUE(ok);
  (void)parsed("B=cycles@1Hz").to_ns(UINT64_MAX, &ok);
  EXPECT_FALSE(ok) << "a result that does not fit must not come out wrong";
  EXPECT_EQ(parsed("a=b=ms").backend, "a=b");
}

TEST(DelegateClock, MistakesAreExplained) {
  const std::pair<const char*, const char*> cases[] = {{"", "Backend="},
                                                       {"us", "Backend="},
                                                       {"=us", "Backend="},
                                                       {"B=", "unknown unit"},
                                                       {"B=hours", "hours"},
                                                       {"B=ticks", "rate"},
                                                       {"B=us@1GHz", "only"},
                                                       {"B=cycles@", "number"},
                                                       {"B=cycles@GHz", "number"},
                                                       {"B=cycles@1.2", "Hz, kHz"},
                                                       {"B=cycles@0GHz", "zero"},
                                                       {"B=cycles@1.2.3GHz", "a rate in Hz"},
                                                       {"B=cycles@-1GHz", "number"},
                                                       {"B=cycles@99999999999999GHz", "digits"},
                                                       {"B=Cycles", "unknown unit"}};
  for (const auto& [text, word] : cases) {
    DelegateClock clock;
    std::string message;
    EXPECT_EQ(parse_delegate_clock(text, &clock, &message), Error::InvalidArgument) << text;
    EXPECT_NE(message.find(word), std::string::npos) << text << " → " << message;
  }
}

TEST(DelegateClock, EachBackendHasOneClock) {
  DelegateClocks clocks;
  std::string message;
  EXPECT_TRUE(clocks.empty());
  EXPECT_EQ(clocks.add("A=us", &message), Error::Ok);
  EXPECT_EQ(clocks.add("B=cycles", &message), Error::Ok);
  EXPECT_EQ(clocks.add("A=ms", &message), Error::InvalidArgument);
  EXPECT_NE(message.find("already"), std::string::npos);
  ASSERT_NE(clocks.find("A"), nullptr);
  EXPECT_EQ(clocks.find("A")->unit, ClockUnit::Us);
  EXPECT_EQ(clocks.find("C"), nullptr);
  EXPECT_EQ(clocks.all().size(), 2u);
}

}  // namespace
}  // namespace et::etdump
