#include "erasure/base/error.h"

#include <cerrno>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "erasure/base/result.h"

namespace mote {
namespace {

TEST_CASE("errc: every code has a name of its own") {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(Errc::unsupported); ++code) {
    names.insert(to_string(static_cast<Errc>(code)));
  }
  CHECK(names.size() == static_cast<std::size_t>(Errc::unsupported) + 1);
  CHECK_FALSE(names.contains("unknown"));
}

TEST_CASE("error: describe names the step and errno where there are any") {
  CHECK(describe({Errc::corrupt, 0, ""}) == "corrupt");
  CHECK(describe({Errc::io_error, EIO, "log.sync"}) ==
        "io_error at log.sync: Input/output error (5)");
}

TEST_CASE("result: a value, an error from a code, an error with errno") {
  const Result<int> value = 3;
  CHECK(value.value() == 3);
  const Result<int> coded = {Errc::timed_out, "step"};
  REQUIRE(coded.has_error());
  CHECK(coded.error().code == Errc::timed_out);
  CHECK(std::string(coded.error().where) == "step");
  const Status full = Error{Errc::no_space, ENOSPC, "write"};
  CHECK(full.error().os_errno == ENOSPC);
  CHECK(ok().has_value());
}

}  // namespace
}  // namespace mote
