// Addresses, drive ranges and sizes as the command line takes them.
#include "server/embed/address.h"

#include <doctest/doctest.h>

#include "server/cli/size.h"

namespace mote {
namespace {

TEST_CASE("address: forms that are taken and forms that are not") {
  struct Row {
    const char* text;
    const char* host;
    int port;
    bool loopback;
  };
  const Row rows[] = {{"127.0.0.1:9000", "127.0.0.1", 9000, true},
                      {":9000", "0.0.0.0", 9000, false},
                      {"[::1]:80", "::1", 80, true},
                      {"localhost:0", "localhost", 0, true},
                      {"10.0.0.1:65535", "10.0.0.1", 65535, false}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Result<Address> address = parse_address(row.text);
    REQUIRE(address.has_value());
    CHECK(address->host == row.host);
    CHECK(address->port == row.port);
    CHECK(address->is_loopback() == row.loopback);
  }
  for (const char* bad : {"", "9000", "a:", "a:65536", "a:-1", "a:x", "::1:80", "a:1:2"}) {
    CAPTURE(bad);
    CHECK(!parse_address(bad).has_value());
  }
}

TEST_CASE("drive ranges expand in order") {
  using List = std::vector<std::string>;
  CHECK(*expand_ranges("/data") == List{"/data"});
  CHECK(*expand_ranges("/d{1...3}") == List{"/d1", "/d2", "/d3"});
  CHECK(*expand_ranges("/d{08...10}/x") == List{"/d08/x", "/d09/x", "/d10/x"});
  CHECK(*expand_ranges("/a{1...2}/b{1...2}") == List{"/a1/b1", "/a1/b2", "/a2/b1", "/a2/b2"});
  for (const char* bad : {"/d{", "/d{1..3}", "/d{3...1}", "/d{a...b}", "/d{1...100}", "/d{...}"}) {
    CAPTURE(bad);
    CHECK(!expand_ranges(bad).has_value());
  }
}

TEST_CASE("sizes take binary units and nothing else") {
  CHECK(cli::parse_size("0") == 0);
  CHECK(cli::parse_size("4096") == 4096);
  CHECK(cli::parse_size("16KiB") == 16384);
  CHECK(cli::parse_size("2GiB") == 2147483648U);
  for (const char* bad :
       {"", "x", "1KB", "1 KiB", "-1", "99999999999999999999", "18446744073709551615KiB"}) {
    CAPTURE(bad);
    CHECK(!cli::parse_size(bad).has_value());
  }
}

}  // namespace
}  // namespace mote
