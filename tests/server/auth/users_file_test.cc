#include "server/auth/users_file.h"

#include <doctest/doctest.h>

#include "server/auth/strict_json.h"

namespace mote::auth {

TEST_CASE("users: every member is read, and what may be left out has its default") {
  const UsersFile file = parse_users(R"({"users": [
    {"access_key": "AKMAIN", "secret_key": "main-secret", "id": "main-id", "display_name": "M. Main",
     "email": "main@example.com"},
    {"access_key": "AKALT", "secret_key": "alt-secret"}]})");
  REQUIRE(file.problem.empty());
  REQUIRE(file.credentials.size() == 2);
  const Identity& main = file.credentials[0].identity;
  CHECK(main.access_key == "AKMAIN");
  CHECK(main.user_id == "main-id");
  CHECK(main.display_name == "M. Main");
  CHECK(main.email == "main@example.com");
  CHECK(file.credentials[0].secret.reveal() == "main-secret");
  const Identity& alt = file.credentials[1].identity;
  CHECK(alt.user_id == "AKALT");
  CHECK(alt.display_name == "AKALT");
  CHECK(alt.email.empty());
}

TEST_CASE("users: two keys of one user share the name that one of them gives") {
  const UsersFile file = parse_users(R"({"users": [
    {"access_key": "OLD", "secret_key": "old-secret", "id": "u", "display_name": "User"},
    {"access_key": "NEW", "secret_key": "new-secret", "id": "u", "email": "u@example.com"}]})");
  REQUIRE(file.problem.empty());
  for (const Credential& credential : file.credentials) {
    CHECK(credential.identity.user_id == "u");
    CHECK(credential.identity.display_name == "User");
    CHECK(credential.identity.email == "u@example.com");
  }
}

TEST_CASE("users: what is wrong is said with its place and without a secret") {
  struct Row {
    const char* text;
    const char* problem;
  };
  const Row rows[] = {
      {"", "not a JSON object"},
      {"[]", "not a JSON object"},
      {R"({"users": {}})", "not a JSON object"},
      {R"({"users": [], "more": 1})", "not a JSON object"},
      {R"({"users": [], "users": []})", "not a JSON object"},
      {R"({"users": [1]})", "entry 1: not an object"},
      {R"({"users": [{"access_key": "AKA", "secret_key": "planted-1", "role": "x"}]})",
       "entry 1: unknown member \"role\""},
      {R"({"users": [{"access_key": "AKA", "secret_key": "planted-1", "secret_key": "planted-2"}]})",
       "not a JSON object"},
      {R"({"users": [{"access_key": "AKA", "secret_key": "planted-1"}, {"access_key": "AK"}]})",
       "entry 2: \"access_key\""},
      {R"({"users": [{"access_key": "A/KEY", "secret_key": "planted-1"}]})",
       "entry 1: \"access_key\""},
      {R"({"users": [{"access_key": "A:KEY", "secret_key": "planted-1"}]})",
       "entry 1: \"access_key\""},
      {R"({"users": [{"access_key": "AKA", "secret_key": "planted"}]})", "entry 1: \"secret_key\""},
      {R"({"users": [{"access_key": "AKA", "secret_key": 12345678}]})",
       "entry 1: \"secret_key\" is not a text"},
      {R"({"users": [{"access_key": "AKA", "secret_key": "planted-1", "id": "a\u0000b"}]})",
       "entry 1: \"id\" is not a text"},
      {R"({"users": [{"access_key": "AKA", "secret_key": "planted-1"},
                     {"access_key": "AKA", "secret_key": "planted-2"}]})",
       "the access key AKA is given twice"},
      {R"({"users": [{"access_key": "AKA", "secret_key": "planted-1", "id": "u", "email": "a@b"},
                     {"access_key": "AKB", "secret_key": "planted-2", "id": "u", "email": "c@d"}]})",
       "the user u has two names"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const UsersFile file = parse_users(row.text);
    CHECK(file.problem.find(row.problem) == 0);
    CHECK(file.problem.find("planted") == std::string::npos);
    CHECK(file.credentials.empty());
  }
}

TEST_CASE("strict JSON: a name twice, at any depth and however it is escaped, is refused") {
  CHECK(parse_strict_json(R"({"a": {"b": 1}, "b": {"a": 1}})").has_value());
  CHECK_FALSE(parse_strict_json(R"({"a": 1, "a": 1})").has_value());
  CHECK_FALSE(parse_strict_json(R"({"a": 1, "\u0061": 1})").has_value());
  CHECK_FALSE(parse_strict_json(R"([{"x": [{"k": 1, "k": 2}]}])").has_value());
  CHECK_FALSE(parse_strict_json(R"({"a": 1} {})").has_value());
  CHECK_FALSE(parse_strict_json(std::string(40, '[') + std::string(40, ']')).has_value());
  CHECK_FALSE(parse_strict_json("{\"a\": 1,}").has_value());
  CHECK_FALSE(parse_strict_json("").has_value());
}

}  // namespace mote::auth
