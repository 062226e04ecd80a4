#include "server/http/ascii.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "tests/server/digest/test_seed.h"

namespace mote::http {
namespace {

TEST_CASE("ascii: eight characters at a time are judged as one by one") {
  std::mt19937_64 rng(test_seed());
  for (int round = 0; round < 50'000; ++round) {
    std::string text(rng() % 20, 'a');
    for (char& c : text) {
      c = rng() % 8 == 0 ? static_cast<char>(rng()) : c;
    }
    bool expected = true;
    for (const char c : text) {
      expected = expected && is_field_char(c);
    }
    if (is_field_text(text) != expected) {
      CAPTURE(text);
      FAIL("differs");
    }
  }
  CHECK(is_field_text("\ttabs\tand gr\xc3\xbc\xc3\x9f e\xff"));
}

TEST_CASE("ascii: empty text is neither token nor digits, but is a field value") {
  CHECK_FALSE(is_token(""));
  CHECK_FALSE(is_digits(""));
  CHECK(is_target_text(""));
  CHECK(is_field_text(""));
}

}  // namespace
}  // namespace mote::http
