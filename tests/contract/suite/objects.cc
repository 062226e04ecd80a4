#include <random>

#include "tests/contract/store_contract.h"

namespace mote::contract {

void objects_round_trip(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  const std::uint64_t inline_max = client.store().limits().inline_bytes_max;
  std::vector<std::uint64_t> sizes = fixture->sizes();
  sizes.insert(sizes.end(), {inline_max - 1, inline_max, inline_max + 1});
  std::uint64_t seed = 0;
  for (const std::uint64_t size : sizes) {
    CAPTURE(size);
    const std::string key = "size/" + std::to_string(size);
    const auto put = client.put("b", key, size, ++seed);
    REQUIRE_OK(put);
    CHECK(put->head->bytes == size);
    CHECK(put->head->etag == tag_of(seed));
    CHECK(put->head->modified_ms > 0);
    CHECK(put->head->version == kNullVersion);
    CHECK_FALSE(put->head->versioned);
    CHECK_FALSE(put->head->delete_marker);
    CHECK(put->head->parts.empty());

    const auto head = client.head("b", key);
    REQUIRE_OK(head);
    CHECK((*head)->bytes == size);
    CHECK((*head)->etag == tag_of(seed));
    CHECK((*head)->modified_ms == put->head->modified_ms);
    CHECK((*head)->commit == put->head->commit);

    auto opened = client.open("b", key);
    REQUIRE_OK(opened);
    CHECK(opened->head->commit == put->head->commit);
    CHECK(opened->body.has_value() == (size <= inline_max));
    CHECK((opened->reader != nullptr) == (size > inline_max));
    CHECK(client.holds(*opened, seed));
  }
  // Nothing of it got into another's way.
  auto first = client.open("b", "size/" + std::to_string(sizes[3]));
  REQUIRE_OK(first);
  CHECK(client.holds(*first, 4));
}

void objects_ranges(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  const std::uint64_t seed = test_seed();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  REQUIRE_OK(client.create_bucket("b"));
  for (const std::uint64_t size : fixture->sizes()) {
    if (size == 0) {
      continue;
    }
    CAPTURE(size);
    REQUIRE_OK(client.put("b", "k", size, size));
    auto opened = client.open("b", "k");
    REQUIRE_OK(opened);
    for (int i = 0; i < 24; ++i) {
      const std::uint64_t offset = i == 0 ? 0 : i == 1 ? size - 1 : random() % size;
      const std::uint64_t longest = std::min<std::uint64_t>(size - offset, kMiB);
      const std::uint64_t count = i == 2 ? longest : 1 + random() % longest;
      CAPTURE(offset);
      CAPTURE(count);
      const auto slice = client.read(*opened, offset, static_cast<std::size_t>(count));
      REQUIRE_OK(slice);
      REQUIRE(slice->size() == count);
      CHECK(is_pattern(slice->bytes, size, offset));
    }
  }
}

void objects_overwrite_and_delete(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.create_bucket("c"));
  std::uint64_t commit = 0;
  std::uint64_t seed = 0;
  for (const std::uint64_t size : {10U, 0U, 2U * 1024 * 1024, 7U, 200U * 1024, 300U * 1024}) {
    const auto put = client.put("b", "k", size, ++seed);
    REQUIRE_OK(put);
    CHECK(put->head->commit > commit);
    commit = put->head->commit;
    auto opened = client.open("b", "k");
    REQUIRE_OK(opened);
    CHECK(opened->head->bytes == size);
    CHECK(client.holds(*opened, seed));
  }
  REQUIRE_OK(client.put("c", "k", 9, 77));  // the same key in another bucket

  const auto removed = client.remove("b", "k");
  REQUIRE_OK(removed);
  CHECK(removed->existed);
  CHECK_FALSE(removed->made_marker);
  CHECK_FALSE(removed->removed_marker);
  CHECK_FALSE(removed->versioned);
  CHECK_ERR(client.head("b", "k"), Errc::no_such_key);
  CHECK_ERR(client.open("b", "k"), Errc::no_such_key);
  CHECK_OK(client.head("c", "k"));
  const auto again = client.remove("b", "k");
  REQUIRE_OK(again);
  CHECK_FALSE(again->existed);
  REQUIRE_OK(client.put("b", "k", 5, 99));
  auto opened = client.open("b", "k");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 99));
  // The only version of an unversioned bucket has the null id.
  CHECK_OK(client.head("b", "k", kNullVersion));
  CHECK_ERR(client.head("b", "k", VersionId{std::byte{1}}), Errc::no_such_version);
  CHECK_OK(client.remove("b", "k", kNullVersion));
  CHECK_ERR(client.head("b", "k"), Errc::no_such_key);
}

void objects_pinned_reader(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  const std::uint64_t large = 3 * kMiB + 5;
  REQUIRE_OK(client.put("b", "large", large, 1));
  REQUIRE_OK(client.put("b", "small", 100, 2));
  auto large_reader = client.open("b", "large");
  auto small_reader = client.open("b", "small");
  REQUIRE_OK(large_reader);
  REQUIRE_OK(small_reader);
  REQUIRE_OK(client.read(*large_reader, 0, 1000));

  REQUIRE_OK(client.put("b", "large", large, 3));
  REQUIRE_OK(client.put("b", "small", 100, 4));
  CHECK(client.holds(*large_reader, 1));
  CHECK(client.holds(*small_reader, 2));
  auto second_reader = client.open("b", "large");
  REQUIRE_OK(second_reader);
  CHECK(client.holds(*second_reader, 3));

  REQUIRE_OK(client.remove("b", "large"));
  REQUIRE_OK(client.remove("b", "small"));
  REQUIRE_OK(client.delete_bucket("b"));
  CHECK(client.holds(*large_reader, 1));
  CHECK(client.holds(*second_reader, 3));
  CHECK(client.holds(*small_reader, 2));
}

void objects_odd_keys(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  std::vector<std::string> keys = {"a",
                                   "a/",
                                   "a/b",
                                   "a.b",
                                   "a//b",
                                   "/",
                                   "//",
                                   ".",
                                   "..",
                                   "../b",
                                   "./",
                                   "A",
                                   " ",
                                   "a ",
                                   "%2F",
                                   "a%00",
                                   "a\n",
                                   "\xC3\xA9",
                                   "e\xCC\x81",
                                   "\xFF",
                                   "\xFF\xFF",
                                   std::string(1, '\0'),
                                   std::string("a\0", 2),
                                   std::string("a\0b", 3),
                                   std::string("a\0\xFF", 3),
                                   std::string("a\0\x01", 3)};
  keys.push_back(std::string(1024, 'k'));
  keys.push_back(std::string(1024, '\xFF'));
  keys.push_back(std::string(1024, '\0'));
  keys.push_back(std::string(512, 'd') + "/" + std::string(511, 'e'));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CAPTURE(i);
    REQUIRE_OK(client.put("b", keys[i], 16, i));
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CAPTURE(i);
    auto opened = client.open("b", keys[i]);
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, i));
  }
  for (std::size_t i = 0; i < keys.size(); i += 2) {
    REQUIRE_OK(client.remove("b", keys[i]));
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CAPTURE(i);
    CHECK(client.head("b", keys[i]).has_value() == (i % 2 == 1));
  }
}

void objects_refuse(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  CHECK_ERR(client.put("none", "k", 5, 1), Errc::no_such_bucket);
  CHECK_ERR(client.head("none", "k"), Errc::no_such_bucket);
  CHECK_ERR(client.open("none", "k"), Errc::no_such_bucket);
  CHECK_ERR(client.remove("none", "k"), Errc::no_such_bucket);
  CHECK_ERR(client.set_tags("none", "k", "a=b"), Errc::no_such_bucket);
  CHECK_ERR(client.list({"none", "", "", "", 10, {}}), Errc::no_such_bucket);
  CHECK_ERR(client.list_versions({"none", "", "", "", {}, 10, {}}), Errc::no_such_bucket);
  CHECK_ERR(client.list_uploads({"none", "", "", "", {}, 10}), Errc::no_such_bucket);
  CHECK_ERR(client.store().open_sink("none", kMiB, {}), Errc::no_such_bucket);

  REQUIRE_OK(client.create_bucket("b"));
  CHECK_ERR(client.head("b", "k"), Errc::no_such_key);
  CHECK_ERR(client.open("b", "k"), Errc::no_such_key);
  CHECK_ERR(client.head("b", "k", kNullVersion), Errc::no_such_version);
  CHECK_ERR(client.open("b", "k", VersionId{std::byte{7}}), Errc::no_such_version);
  CHECK_ERR(client.set_tags("b", "k", "a=b"), Errc::no_such_key);
  CHECK_ERR(client.put("b", "", 5, 1), Errc::invalid_argument);
  CHECK_ERR(client.put("b", std::string(1025, 'k'), 5, 1), Errc::invalid_argument);
  CHECK_ERR(client.create_upload("b", std::string(1025, 'k')), Errc::invalid_argument);
  CHECK_ERR(client.store().open_sink("b", client.store().limits().object_bytes_max + 1, {}),
            Errc::too_large);
  // More than inline_bytes_max does not come as bytes at hand.
  const std::uint64_t inline_max = client.store().limits().inline_bytes_max;
  PutRequest request;
  request.bucket = "b";
  request.key = "k";
  Body body{pattern(static_cast<std::size_t>(inline_max + 1), 1), nullptr};
  CHECK_ERR(client.put(request, std::move(body)), Errc::too_large);
  CHECK_ERR(client.head("b", "k"), Errc::no_such_key);
}

void objects_sinks(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  PutRequest request;
  request.bucket = "b";
  request.etag = tag_of(1);
  for (const std::uint64_t size : {0U, 1U, 1000U, 70U * 1024, 200U * 1024, 3U * 1024 * 1024}) {
    for (const std::size_t piece : {std::size_t{997}, std::size_t{64 * 1024}}) {
      CAPTURE(size);
      CAPTURE(piece);
      auto sink = client.fill_sink("b", size, 5, piece);
      REQUIRE_OK(sink);
      CHECK((*sink)->bytes() == size);
      request.key = "k" + std::to_string(size);
      REQUIRE_OK(client.put(request, Body{Buffer(), *std::move(sink)}));
      auto opened = client.open("b", request.key);
      REQUIRE_OK(opened);
      CHECK(opened->head->bytes == size);
      CHECK(opened->body.has_value() == (size <= client.store().limits().inline_bytes_max));
      CHECK(client.holds(*opened, 5));
    }
  }
  // A sink that is dropped, full or half full, leaves nothing.
  REQUIRE_OK(client.fill_sink("b", 2 * kMiB, 6));
  auto half = client.store().open_sink("b", 2 * kMiB, {});
  REQUIRE_OK(half);
  Pending<void> appended;
  (*half)->append(pattern(1000, 6), appended.completion());
  REQUIRE_OK(appended.wait(*fixture));
  half = Errc::cancelled;
  CHECK(list_all(client, {"b", "", "", "", 100, {}}).keys.size() == 6);
  // A put that is refused takes its sink with it.
  auto sink = client.fill_sink("b", 2 * kMiB, 6);
  REQUIRE_OK(sink);
  request.key = "k1000";
  request.preconditions.if_absent = true;
  CHECK_ERR(client.put(request, Body{Buffer(), *std::move(sink)}), Errc::precondition_failed);
  auto opened = client.open("b", "k1000");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 5));
}

void objects_stop(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 5, 1));
  std::stop_source source;
  source.request_stop();
  PutRequest put;
  put.bucket = "b";
  put.key = "k";
  put.stop = source.get_token();
  CHECK_ERR(client.put(put, Body{pattern(6, 2), nullptr}), Errc::cancelled);
  DeleteRequest remove{{"b", "k", {}}, {}, source.get_token()};
  Pending<DeleteResult> removed;
  client.store().remove(remove, removed.completion());
  CHECK_ERR(removed.wait(*fixture), Errc::cancelled);
  Pending<std::shared_ptr<const ObjectHead>> head;
  client.store().head({"b", "k", {}}, source.get_token(), head.completion());
  CHECK_ERR(head.wait(*fixture), Errc::cancelled);
  CHECK_ERR(client.list({"b", "", "", "", 10, source.get_token()}), Errc::cancelled);
  auto opened = client.open("b", "k");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 1));
}

}  // namespace mote::contract
