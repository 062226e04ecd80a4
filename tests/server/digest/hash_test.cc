#include "server/digest/hash.h"

#include <string>

#include <doctest/doctest.h>

#include "server/digest/encoding.h"
#include "server/digest/hmac.h"

namespace mote::digest {
namespace {

template <class Hash>
std::string hex_of(std::string_view text) {
  return to_hex(Hash::of(as_bytes(text)));
}

TEST_CASE("hash: published vectors") {
  // RFC 1321 A.5, FIPS 180-2 appendices.
  CHECK(hex_of<Md5>("") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(hex_of<Md5>("message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
  CHECK(hex_of<Sha1>("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(hex_of<Sha256>("abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex_of<Sha256>("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex_of<Sha512>("abc") ==
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3"
        "feebbd"
        "454d4423643ce80e2a9ac94fa54ca49f");
}

template <class Hash>
void check_any_split(const std::string& text) {
  const auto whole = Hash::of(as_bytes(text));
  for (std::size_t cut = 0; cut <= text.size(); cut += 7) {
    Hash hash;
    hash.update(as_bytes(text).first(cut));
    Hash copy = hash;  // a copy goes on from the same state
    hash.update(as_bytes(text).subspan(cut));
    copy.update(as_bytes(text).subspan(cut));
    CHECK(hash.finish() == whole);
    CHECK(copy.finish() == whole);
    hash.reset();
    hash.update(as_bytes(text));
    CHECK(hash.finish() == whole);
  }
}

TEST_CASE("hash: any split gives the same digest") {
  const std::string text(300, 'x');
  check_any_split<Md5>(text);
  check_any_split<Sha1>(text);
  check_any_split<Sha256>(text);
  check_any_split<Sha512>(text);
}

std::string hmac_hex(std::string_view key, std::string_view text) {
  return to_hex(HmacSha256Key(as_bytes(key)).sign(text));
}

TEST_CASE("hmac: RFC 4231 vectors, short, block-sized and long keys") {
  CHECK(hmac_hex(std::string(20, '\x0b'), "Hi There") ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hmac_hex("Jefe", "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hmac_hex(std::string(131, '\xaa'),
                 "Test Using Larger Than Block-Size Key - Hash Key First") ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  CHECK(to_hex(hmac_sha1(as_bytes(std::string(20, '\x0b')), as_bytes("Hi There"))) ==
        "b617318655057264e28bc0b6fb378c8ef146be00");
  CHECK(to_hex(hmac_sha1(as_bytes(std::string(80, '\xaa')),
                         as_bytes("Test Using Larger Than Block-Size Key - Hash Key First"))) ==
        "aa4ae5e15272d00e95705637ce8a3b55ed402112");
}

TEST_CASE("hmac: one key signs many texts") {
  const HmacSha256Key key(as_bytes("Jefe"));
  const auto first = key.sign("what do ya want for nothing?");
  CHECK(key.sign("something else") != first);
  CHECK(key.sign("what do ya want for nothing?") == first);
}

TEST_CASE("compare: equality in content and in length") {
  CHECK(constant_time_equal("abc", "abc"));
  CHECK_FALSE(constant_time_equal("abc", "abd"));
  CHECK_FALSE(constant_time_equal("abc", "ab"));
  CHECK(constant_time_equal("", ""));
}

TEST_CASE("hex: strict in length and digits, blind to case") {
  std::array<std::byte, 2> out{};
  CHECK(read_hex("0aF9", out));
  CHECK(to_hex(out) == "0af9");
  for (const std::string_view bad : {"", "0af", "0af90", "0ag9", "0a 9",
                                     "0a\xff"
                                     "9"}) {
    CAPTURE(bad);
    CHECK_FALSE(read_hex(bad, out));
  }
}

TEST_CASE("base64: RFC 4648 vectors both ways") {
  struct Row {
    std::string_view plain;
    std::string_view encoded;
  };
  for (const Row& row : {Row{"", ""}, Row{"f", "Zg=="}, Row{"fo", "Zm8="}, Row{"foo", "Zm9v"},
                         Row{"foob", "Zm9vYg=="}, Row{"fooba", "Zm9vYmE="},
                         Row{"foobar", "Zm9vYmFy"}, Row{"\xff\xfe\xfb", "//77"}}) {
    CAPTURE(row.plain);
    CHECK(to_base64(as_bytes(row.plain)) == row.encoded);
    CHECK(from_base64(row.encoded) == std::string(row.plain));
  }
}

TEST_CASE("base64: every second spelling is refused") {
  for (const std::string_view bad : {"Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====",
                                     "Zg==Zg==", "Zm 9v", "Zm9v\n", "Zm9-", "=Zm9", "Zm\xc3\xa9"}) {
    CAPTURE(bad);
    CHECK_FALSE(from_base64(bad));
  }
  std::array<std::byte, 16> md5{};
  CHECK(read_base64("1B2M2Y8AsgTpgAmY7PhCfg==", md5));
  CHECK_FALSE(read_base64("1B2M2Y8AsgTpgAmY7PhCfg", md5));
  CHECK_FALSE(read_base64("AAAA", md5));
  CHECK_FALSE(read_base64("1B2M2Y8AsgTpgAmY7PhCfgAA", md5));
}

}  // namespace
}  // namespace mote::digest
