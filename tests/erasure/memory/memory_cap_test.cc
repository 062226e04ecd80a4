#include <doctest/doctest.h>

#include "erasure/memory/memory_body.h"
#include "tests/erasure/memory/memory_fixture.h"

namespace mote {
namespace {

using contract::Client;

/// Puts objects of `size` bytes until one does not fit; returns how many did.
int fill(const Client& client, std::uint64_t size, const std::string& prefix = "k") {
  for (int i = 0; i < 1'000'000; ++i) {
    const auto put = client.put("b", prefix + std::to_string(i), size, 1);
    if (!put) {
      CHECK_ERR(put, Errc::no_space);
      return i;
    }
  }
  return -1;
}

TEST_CASE("INV-12: the memory store stops at its cap, and takes writes again when room was made") {
  MemoryFixture fixture(65536, 4 * kMiB);
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  const int small = fill(client, 64 * kKiB);
  CHECK(small > 50);
  CHECK(small < 64);
  CHECK_ERR(client.head("b", "k" + std::to_string(small)), Errc::no_such_key);
  auto opened = client.open("b", "k0");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 1));  // what is there stays
  CHECK_ERR(client.put("b", "large", kMiB, 1), Errc::no_space);
  CHECK_ERR(client.store().open_sink("b", kMiB, {}), Errc::no_space);
  const auto upload = client.create_upload("b", "u");
  REQUIRE_OK(upload);
  CHECK_ERR(client.put_part(upload->ref, 1, 200 * kKiB, 1), Errc::no_space);
  opened = Errc::no_such_key;
  for (int i = 0; i < 20; ++i) {
    REQUIRE_OK(client.remove("b", "k" + std::to_string(i)));
  }
  CHECK_OK(client.put("b", "large", kMiB, 1));
}

TEST_CASE("INV-12: keys, metadata and empty objects count against the cap") {
  MemoryFixture fixture(65536, kMiB);
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  const int empty = fill(client, 0);
  CHECK(empty > 500);
  CHECK(empty < 1024 * 1024 / 384);
  CHECK_ERR(client.create_upload("b", "u"), Errc::no_space);
  CHECK_ERR(client.update_bucket({"b", {}, "policy", std::string(5000, 'p')}), Errc::no_space);
  CHECK_ERR(client.create_bucket("c"), Errc::no_space);
  CHECK_ERR(client.set_tags("b", "k0", std::string(5000, 't')), Errc::no_space);
  CHECK((*client.head("b", "k0"))->attributes.tags.empty());
}

TEST_CASE("INV-12: what an overwrite, a delete, an abort and a refused write held is given back") {
  MemoryFixture fixture(65536, 4 * kMiB);
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  Preconditions match;
  match.if_match = std::vector<ETag>{contract::tag_of(99)};
  for (int i = 0; i < 50; ++i) {
    CAPTURE(i);
    REQUIRE_OK(client.put("b", "k", kMiB, 1));
    CHECK_ERR(client.put("b", "k", kMiB, 2, match), Errc::precondition_failed);
    REQUIRE_OK(client.fill_sink("b", kMiB, 3));  // dropped
    const auto upload = client.create_upload("b", "m");
    REQUIRE_OK(upload);
    const auto part = client.put_part(upload->ref, 1, kMiB, 1);
    REQUIRE_OK(part);
    if (i % 2 == 0) {
      REQUIRE_OK(client.abort(upload->ref));
    } else {
      REQUIRE_OK(client.complete(upload->ref, {*part}, 1));
      REQUIRE_OK(client.remove("b", "m"));
    }
    if (i % 3 == 0) {
      REQUIRE_OK(client.remove("b", "k"));
      REQUIRE_OK(client.delete_bucket("b"));
      REQUIRE_OK(client.create_bucket("b"));
    }
  }
  CHECK_OK(client.put("b", "almost-all", 2 * kMiB, 1));
}

TEST_CASE("memory: bytes handed out live longer than the store, and count until they go") {
  MemoryFixture fixture(65536, 4 * kMiB);
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 3 * kMiB, 1));
  auto opened = client.open("b", "k");
  REQUIRE_OK(opened);
  REQUIRE_OK(client.remove("b", "k"));
  CHECK_ERR(client.put("b", "l", 3 * kMiB, 2), Errc::no_space);
  REQUIRE_OK(client.put("b", "small", 100, 3));
  auto small = client.open("b", "small");
  REQUIRE_OK(small);
  fixture.destroy_store();
  CHECK(client.holds(*opened, 1));
  CHECK(contract::is_pattern(small->body->bytes, 3));
}

TEST_CASE("memory: a sink takes exactly what was announced") {
  MemoryFixture fixture;
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  PutRequest request;
  request.bucket = "b";
  request.key = "k";
  const auto append = [&](BodySink& sink, std::size_t size) {
    const contract::Pending<void> pending;
    sink.append(contract::pattern(size, 1), pending.completion());
    return pending.wait(fixture);
  };
  auto short_sink = client.store().open_sink("b", 100, {});
  REQUIRE_OK(short_sink);
  REQUIRE_OK(append(**short_sink, 99));
  CHECK_ERR(client.put(request, Body{Buffer(), *std::move(short_sink)}), Errc::invalid_argument);
  auto long_sink = client.store().open_sink("b", 100, {});
  REQUIRE_OK(long_sink);
  CHECK_ERR(append(**long_sink, 101), Errc::invalid_argument);
  CHECK_ERR(append(**long_sink, 100), Errc::invalid_argument);  // after an error only destruction
  CHECK_ERR(client.put(request, Body{Buffer(), *std::move(long_sink)}), Errc::invalid_argument);
  CHECK_ERR(client.head("b", "k"), Errc::no_such_key);
}

TEST_CASE("stored bytes: a range is the same however the bytes came") {
  const auto budget = std::make_shared<ByteBudget>(kMiB);
  StoredBytes one;
  StoredBytes many;
  constexpr std::size_t kSize = 1000;
  one.append(contract::pattern(kSize, 1).share());
  for (std::size_t offset = 0; offset < kSize; offset += 37) {
    many.append(contract::pattern(std::min<std::size_t>(37, kSize - offset), 1, offset).share());
    many.append(Buffer().share());
  }
  CHECK(many.pieces() == 28);
  CHECK(many.size() == kSize);
  for (std::size_t offset = 0; offset < kSize; offset += 13) {
    for (std::size_t count = 1; count <= kSize - offset; count += 29) {
      CHECK(contract::is_pattern(many.range(offset, count).bytes, 1, offset));
      CHECK(as_text(one.range(offset, count).bytes) == as_text(many.range(offset, count).bytes));
    }
  }
  CHECK(one.whole().bytes.data() == one.range(0, 1).bytes.data());  // no copy
  CHECK(budget->used() == 0);
  many.join(budget);
  CHECK(budget->used() == kSize);
  CHECK(many.pieces() == 1);
  CHECK(contract::is_pattern(many.whole().bytes, 1));
  many = StoredBytes();
  CHECK(budget->used() == 0);
}

}  // namespace
}  // namespace mote
