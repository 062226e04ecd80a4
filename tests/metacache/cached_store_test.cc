#include <deque>
#include <functional>
#include <thread>

#include <doctest/doctest.h>

#include "tests/contract/forwarding_store.h"
#include "tests/metacache/cached_fixture.h"

namespace mote::metacache {
namespace {

using contract::Client;
using contract::Pending;
using contract::tag_of;

std::shared_ptr<const Image> lookup(CachedStore& store, const std::string& key,
                                    const std::optional<VersionId>& version = {}) {
  return store.lookup(*store.find_bucket("b"), key, version);
}

/// Holds reads back until told, counts them, and can run something between a read and its answer.
class ScriptedStore final : public contract::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  void head(ObjectRef object, std::stop_token stop,
            Completion<std::shared_ptr<const ObjectHead>> done) override {
    ++heads;
    inner().head(std::move(object), std::move(stop), std::move(done));
  }
  void open(ObjectRef object, std::stop_token stop, Completion<OpenedObject> done) override {
    ++opens;
    inner().open(
        std::move(object), stop,
        [this, stop, done = std::move(done)](Result<OpenedObject> result) mutable {
          if (between) {
            std::exchange(between, nullptr)();
          }
          if (!hold) {
            done(std::move(result));
            return;
          }
          held.emplace_back([stop, done = std::move(done), result = std::move(result)]() mutable {
            done(stop.stop_requested() ? Errc::cancelled : std::move(result));
          });
        });
  }
  void release() {
    while (!held.empty()) {
      Task next = std::move(held.front());
      held.pop_front();
      next();
    }
  }

  int heads = 0;
  int opens = 0;
  bool hold = false;
  std::function<void()> between;
  std::deque<Task> held;
};

/// Memory, a script over it, the cache over that.
class ScriptedFixture : public contract::StoreFixture {
 public:
  ScriptedFixture() : script_(below_.memory()), cached_(script_, CachedFixture::options({})) {}
  CachedStore& store() override { return cached_; }
  ScriptedStore& script() { return script_; }
  ObjectStore& memory() { return below_.memory(); }

 private:
  CachedFixture below_;
  ScriptedStore script_;
  CachedStore cached_;
};

TEST_CASE("cached store: a small object is read once and then served from its image") {
  ScriptedFixture fixture;
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 1000, 1));
  CHECK(lookup(fixture.store(), "k") == nullptr);
  for (int i = 0; i < 5; ++i) {
    auto opened = client.open("b", "k");
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, 1));
    CHECK_OK(client.head("b", "k"));
  }
  CHECK(fixture.script().opens == 1);
  CHECK(fixture.script().heads == 0);
  const auto image = lookup(fixture.store(), "k");
  REQUIRE(image != nullptr);
  CHECK(image->kind == Image::Kind::object);
  CHECK(image->wire_headers == "Content-Length: 1000\r\n");
  CHECK(contract::is_pattern(image->body.bytes, 1));
  CHECK(image->head->etag == tag_of(1));
  const CacheStats stats = fixture.store().stats();
  CHECK(stats.hits == 10);
  CHECK(stats.misses == 2);
  CHECK(stats.fills == 1);
  CHECK(stats.entries == 1);
}

TEST_CASE("cached store: every kind of write makes the image untrue at once") {
  ScriptedFixture fixture;
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  client.set_versioning("b", Versioning::enabled);
  REQUIRE_OK(client.put("b", "k", 1000, 1));
  const auto warm = [&] {
    static_cast<void>(client.open("b", "k"));
    REQUIRE(lookup(fixture.store(), "k") != nullptr);
  };
  warm();
  REQUIRE_OK(client.put("b", "k", 1000, 2));
  CHECK(lookup(fixture.store(), "k") == nullptr);
  warm();
  REQUIRE_OK(client.set_tags("b", "k", "a=b"));
  CHECK(lookup(fixture.store(), "k") == nullptr);
  warm();
  const auto marker = client.remove("b", "k");
  REQUIRE_OK(marker);
  CHECK(lookup(fixture.store(), "k") == nullptr);
  warm();
  CHECK(lookup(fixture.store(), "k")->absence == Errc::delete_marker);
  REQUIRE_OK(client.remove("b", "k", marker->version));
  CHECK(lookup(fixture.store(), "k") == nullptr);
  warm();
  const auto upload = client.create_upload("b", "k");
  REQUIRE_OK(upload);
  const auto part = client.put_part(upload->ref, 1, 10, 3);
  REQUIRE_OK(part);
  CHECK(lookup(fixture.store(), "k") != nullptr);  // parts do not show
  REQUIRE_OK(client.complete(upload->ref, {*part}, 3));
  CHECK(lookup(fixture.store(), "k") == nullptr);
  warm();
  REQUIRE_OK(client.update_bucket({"b", {}, "cors", "<x/>"}));  // the bucket's revision moved
  CHECK(lookup(fixture.store(), "k") == nullptr);
  warm();
  // A write that went past this cache, straight to the store, too.
  Pending<DeleteResult> removed;
  fixture.memory().remove({{"b", "k", {}}, {}, {}}, removed.completion());
  REQUIRE_OK(removed.wait(fixture));
  CHECK(lookup(fixture.store(), "k") == nullptr);
}

TEST_CASE("cached store: a missing key is remembered until it is put") {
  ScriptedFixture fixture;
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  for (int i = 0; i < 3; ++i) {
    CHECK_ERR(client.open("b", "k"), Errc::no_such_key);
    CHECK_ERR(client.head("b", "k"), Errc::no_such_key);
  }
  CHECK(fixture.script().opens == 1);
  CHECK(fixture.script().heads == 0);
  CHECK(fixture.store().stats().negative_hits == 5);
  REQUIRE_OK(client.put("b", "k", 10, 1));
  auto opened = client.open("b", "k");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 1));
  REQUIRE_OK(client.remove("b", "k"));
  CHECK_ERR(client.head("b", "k"), Errc::no_such_key);
  // Another bucket of that name does not inherit what was known.
  REQUIRE_OK(client.delete_bucket("b"));
  CHECK_ERR(client.head("b", "k"), Errc::no_such_bucket);
  REQUIRE_OK(client.create_bucket("b"));
  CHECK(lookup(fixture.store(), "k") == nullptr);
}

TEST_CASE("cached store: of a large object the head is kept") {
  ScriptedFixture fixture;
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 3 * kMiB, 1));
  for (int i = 0; i < 3; ++i) {
    auto opened = client.open("b", "k");
    REQUIRE_OK(opened);
    CHECK(opened->reader != nullptr);
    CHECK(client.holds(*opened, 1));
    const auto head = client.head("b", "k");
    REQUIRE_OK(head);
    CHECK((*head)->bytes == 3 * kMiB);
  }
  CHECK(fixture.script().opens == 3);
  CHECK(fixture.script().heads == 0);
  CHECK(lookup(fixture.store(), "k")->kind == Image::Kind::head);
  CHECK(lookup(fixture.store(), "k")->wire_headers == "Content-Length: 3145728\r\n");
  CHECK(fixture.store().stats().bytes < 4096);
}

TEST_CASE("cached store: HEAD alone keeps a head, and a GET then fills in the body") {
  ScriptedFixture fixture;
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 1000, 1));
  CHECK_OK(client.head("b", "k"));
  CHECK_OK(client.head("b", "k"));
  CHECK(fixture.script().heads == 1);
  CHECK(lookup(fixture.store(), "k")->kind == Image::Kind::head);
  CHECK_OK(client.open("b", "k"));
  CHECK(lookup(fixture.store(), "k")->kind == Image::Kind::object);
  CHECK_OK(client.open("b", "k"));
  CHECK(fixture.script().opens == 1);
}

TEST_CASE("cached store: versions have images of their own") {
  ScriptedFixture fixture;
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  client.set_versioning("b", Versioning::enabled);
  const auto older = client.put("b", "k", 100, 1);
  const auto newer = client.put("b", "k", 100, 2);
  REQUIRE_OK(older);
  REQUIRE_OK(newer);
  for (int i = 0; i < 3; ++i) {
    auto opened = client.open("b", "k", older->head->version);
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, 1));
    opened = client.open("b", "k", newer->head->version);
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, 2));
    opened = client.open("b", "k");
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, 2));
    CHECK_ERR(client.open("b", "k", VersionId{std::byte{5}}), Errc::no_such_version);
  }
  CHECK(fixture.script().opens == 3 + 3);  // absent versions are not kept
  REQUIRE_OK(client.remove("b", "k", older->head->version));
  CHECK_ERR(client.open("b", "k", older->head->version), Errc::no_such_version);
}

TEST_CASE("INV-7: a write between a read and its publishing keeps the image out") {
  ScriptedFixture fixture;
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 100, 1));
  SUBCASE("overwrite") {
    fixture.script().between = [&] { REQUIRE_OK(client.put("b", "k", 100, 2)); };
    auto opened = client.open("b", "k");  // began before the write: either answer is right
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, 1));
    CHECK(lookup(fixture.store(), "k") == nullptr);
    CHECK(fixture.store().stats().fills_refused == 1);
    opened = client.open("b", "k");
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, 2));
  }
  SUBCASE("delete") {
    fixture.script().between = [&] { REQUIRE_OK(client.remove("b", "k")); };
    CHECK_OK(client.open("b", "k"));
    CHECK_ERR(client.open("b", "k"), Errc::no_such_key);
  }
  SUBCASE("put of a key just found missing") {
    fixture.script().between = [&] { REQUIRE_OK(client.put("b", "new", 100, 3)); };
    CHECK_ERR(client.open("b", "new"), Errc::no_such_key);
    CHECK_OK(client.open("b", "new"));
  }
}

TEST_CASE("cached store: reads of one object share one read of the store") {
  ScriptedFixture fixture;
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 1000, 1));
  fixture.script().hold = true;
  std::vector<Pending<OpenedObject>> pending(20);
  for (const auto& each : pending) {
    fixture.store().open({"b", "k", {}}, {}, each.completion());
  }
  CHECK(fixture.script().opens == 1);
  CHECK(fixture.store().stats().joined == 19);
  fixture.script().release();
  for (const auto& each : pending) {
    auto opened = each.wait(fixture);
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, 1));
  }
}

TEST_CASE("INV-7: a read does not join one that began before the last write") {
  ScriptedFixture fixture;
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 1000, 1));
  fixture.script().hold = true;
  const Pending<OpenedObject> early;
  fixture.store().open({"b", "k", {}}, {}, early.completion());
  REQUIRE_OK(client.put("b", "k", 1000, 2));
  const Pending<OpenedObject> late;
  const Pending<OpenedObject> later;
  fixture.store().open({"b", "k", {}}, {}, late.completion());
  fixture.store().open({"b", "k", {}}, {}, later.completion());
  CHECK(fixture.script().opens == 2);
  CHECK(fixture.store().stats().joined == 1);
  fixture.script().release();
  CHECK_OK(early.wait(fixture));
  for (const auto* each : {&late, &later}) {
    auto opened = each->wait(fixture);
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, 2));
  }
  CHECK(lookup(fixture.store(), "k")->head->etag == tag_of(2));
}

TEST_CASE("cached store: a reader who gives up does not make others give up") {
  ScriptedFixture fixture;
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  SUBCASE("a small object") {
    REQUIRE_OK(client.put("b", "k", 1000, 1));
  }
  SUBCASE("a large object: each waits for a reader of its own") {
    REQUIRE_OK(client.put("b", "k", 2 * kMiB, 1));
  }
  fixture.script().hold = true;
  std::stop_source source;
  const Pending<OpenedObject> leader;
  const Pending<OpenedObject> other;
  fixture.store().open({"b", "k", {}}, source.get_token(), leader.completion());
  fixture.store().open({"b", "k", {}}, {}, other.completion());
  CHECK(fixture.script().opens == 1);
  source.request_stop();
  fixture.script().hold = false;
  fixture.script().release();
  CHECK_ERR(leader.wait(fixture), Errc::cancelled);
  auto opened = other.wait(fixture);
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 1));
  // Asked to stop beforehand: the store says so, the cache does not answer.
  const Pending<OpenedObject> stopped;
  fixture.store().open({"b", "k", {}}, source.get_token(), stopped.completion());
  CHECK_ERR(stopped.wait(fixture), Errc::cancelled);
}

TEST_CASE("cached store: write-through serves what was just put") {
  CachedFixture fixture({64 * kMiB, 4096, 65536});
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 4096, 1));
  REQUIRE(lookup(fixture.store(), "k") != nullptr);
  CHECK(contract::is_pattern(lookup(fixture.store(), "k")->body.bytes, 1));
  CHECK(lookup(fixture.store(), "k")->head->etag == tag_of(1));
  REQUIRE_OK(client.put("b", "k", 4097, 2));
  CHECK(lookup(fixture.store(), "k") == nullptr);
  auto opened = client.open("b", "k");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 2));
  Preconditions absent;
  absent.if_absent = true;
  CHECK_ERR(client.put("b", "k", 10, 3, absent), Errc::precondition_failed);
  opened = client.open("b", "k");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 2));
}

TEST_CASE("cached store: without a budget nothing is kept") {
  CachedFixture fixture({0, 4096, 65536});
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 100, 1));
  for (int i = 0; i < 3; ++i) {
    auto opened = client.open("b", "k");
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, 1));
  }
  CHECK(lookup(fixture.store(), "k") == nullptr);
  const CacheStats stats = fixture.store().stats();
  CHECK(stats.hits + stats.misses + stats.fills + stats.entries + stats.bytes == 0);
}

TEST_CASE("cached store: after close it knows nothing") {
  CachedFixture fixture;
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 100, 1));
  REQUIRE_OK(client.open("b", "k"));
  const auto bucket = fixture.store().find_bucket("b");
  const auto image = fixture.store().lookup(*bucket, "k");
  REQUIRE(image != nullptr);
  fixture.store().close();
  CHECK(fixture.store().lookup(*bucket, "k") == nullptr);
  CHECK(fixture.store().stats().bytes == 0);
  CHECK(contract::is_pattern(image->body.bytes, 1));  // who holds an image keeps it
}

TEST_CASE("bucket table: a seen bucket is current until it changes or goes") {
  CachedFixture fixture;
  const Client client(fixture);
  const BucketTable table(fixture.store());
  CHECK(table.find("b") == nullptr);
  REQUIRE_OK(client.create_bucket("b"));
  const auto seen = table.find("b");
  REQUIRE(seen != nullptr);
  CHECK(table.is_current(*seen));
  client.set_versioning("b", Versioning::enabled);
  CHECK_FALSE(table.is_current(*seen));
  const auto configured = table.find("b");
  CHECK(table.is_current(*configured));
  REQUIRE_OK(client.delete_bucket("b"));
  CHECK_FALSE(table.is_current(*configured));
  REQUIRE_OK(client.create_bucket("b"));
  CHECK_FALSE(table.is_current(*configured));
}

}  // namespace
}  // namespace mote::metacache
