#include "erasure/base/unique_function.h"

#include <memory>
#include <string>

#include <doctest/doctest.h>

namespace mote {
namespace {

TEST_CASE("unique function: calls what it holds and keeps its state") {
  UniqueFunction<int(int)> count = [total = 0](int by) mutable { return total += by; };
  CHECK(count(2) == 2);
  CHECK(count(3) == 5);
}

TEST_CASE("unique function: takes move-only callables and move-only arguments") {
  auto number = std::make_unique<int>(7);
  UniqueFunction<int(std::unique_ptr<int>)> add =
      [own = std::move(number)](std::unique_ptr<int> more) { return *own + *more; };
  CHECK(add(std::make_unique<int>(5)) == 12);
}

TEST_CASE("unique function: is empty until given something, and after a move") {
  Task task;
  CHECK_FALSE(task);
  bool ran = false;
  task = [&ran] { ran = true; };
  REQUIRE(task);
  Task other = std::move(task);
  CHECK_FALSE(task);  // NOLINT(bugprone-use-after-move): empty after a move is the contract
  other();
  CHECK(ran);
}

TEST_CASE("unique function: destroys what it holds exactly once") {
  const auto witness = std::make_shared<int>(0);
  {
    Task task = [witness] {};
    CHECK(witness.use_count() == 2);
    Task moved = std::move(task);
    CHECK(witness.use_count() == 2);
    moved = {};
    CHECK(witness.use_count() == 1);
  }
  CHECK(witness.use_count() == 1);
}

TEST_CASE("unique function: passes references through") {
  std::string text = "a";
  UniqueFunction<void(std::string&)> append = [](std::string& to) { to += "b"; };
  append(text);
  CHECK(text == "ab");
}

TEST_CASE("completion: carries a value or an error") {
  std::string seen;
  Completion<int> done = [&seen](Result<int> result) {
    seen = result ? std::to_string(*result) : std::string(to_string(result.error().code));
  };
  done(5);
  CHECK(seen == "5");
  done(Errc::corrupt);
  CHECK(seen == "corrupt");
}

}  // namespace
}  // namespace mote
