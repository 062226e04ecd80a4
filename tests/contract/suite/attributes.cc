// INV-8: a write moves its key's generation, and only a write does.
#include "tests/contract/store_contract.h"

namespace mote::contract {
namespace {

Preconditions if_match(std::vector<ETag> tags) {
  Preconditions preconditions;
  preconditions.if_match = std::move(tags);
  return preconditions;
}

Preconditions if_absent() {
  Preconditions preconditions;
  preconditions.if_absent = true;
  return preconditions;
}

Preconditions if_exists() {
  Preconditions preconditions;
  preconditions.if_exists = true;
  return preconditions;
}

}  // namespace

void objects_preconditions(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  CHECK_ERR(client.put("b", "k", 5, 1, if_exists()), Errc::precondition_failed);
  CHECK_ERR(client.put("b", "k", 5, 1, if_match({tag_of(1)})), Errc::precondition_failed);
  CHECK_ERR(client.remove("b", "k", {}, if_match({tag_of(1)})), Errc::precondition_failed);
  CHECK_ERR(client.remove("b", "k", {}, if_exists()), Errc::precondition_failed);
  CHECK_ERR(client.head("b", "k"), Errc::no_such_key);

  REQUIRE_OK(client.put("b", "k", 5, 1, if_absent()));
  CHECK_ERR(client.put("b", "k", 5, 2, if_absent()), Errc::precondition_failed);
  CHECK_ERR(client.put("b", "k", 5, 2, if_match({tag_of(2)})), Errc::precondition_failed);
  CHECK_ERR(client.put("b", "k", 5, 2, if_match({tag_of(1, 3)})), Errc::precondition_failed);
  CHECK_ERR(client.put("b", "k", 5, 2, if_match({})), Errc::precondition_failed);
  auto opened = client.open("b", "k");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 1));
  REQUIRE_OK(client.put("b", "k", 5, 2, if_match({tag_of(7), tag_of(1)})));
  REQUIRE_OK(client.put("b", "k", 3 * kMiB, 3, if_exists()));
  CHECK_ERR(client.put("b", "k", 3 * kMiB, 4, if_match({tag_of(2)})), Errc::precondition_failed);
  CHECK_ERR(client.remove("b", "k", {}, if_match({tag_of(2)})), Errc::precondition_failed);
  CHECK_ERR(client.remove("b", "k", {}, if_absent()), Errc::precondition_failed);
  opened = client.open("b", "k");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 3));
  REQUIRE_OK(client.remove("b", "k", {}, if_match({tag_of(3)})));
  REQUIRE_OK(client.put("b", "k", 5, 5, if_absent()));
  REQUIRE_OK(client.remove("b", "k", {}, if_exists()));
  CHECK_ERR(client.head("b", "k"), Errc::no_such_key);
}

void objects_tags(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  for (const std::uint64_t size : {100U, 3U * 1024 * 1024}) {
    CAPTURE(size);
    PutRequest request;
    request.bucket = "b";
    request.key = "k";
    request.etag = tag_of(1);
    request.checksum = {ChecksumKind::crc32c, false, std::string("\0\xFF\x01\x02", 4)};
    request.attributes.headers = "Content-Type: text/plain\r\nx-amz-meta-a: b\r\n";
    request.attributes.tags = "x=1";
    request.attributes.private_ = std::string("\0p", 2);
    auto sink = client.fill_sink("b", size, 1);
    REQUIRE_OK(sink);
    const auto put = client.put(request, Body{Buffer(), *std::move(sink)});
    REQUIRE_OK(put);

    const auto check_rest = [&](const ObjectHead& head) {
      CHECK(head.attributes.headers == request.attributes.headers);
      CHECK(head.attributes.private_ == request.attributes.private_);
      CHECK(head.checksum == request.checksum);
      CHECK(head.etag == request.etag);
      CHECK(head.bytes == size);
      CHECK(head.version == put->head->version);
      CHECK(head.modified_ms == put->head->modified_ms);
    };
    check_rest(*put->head);
    for (const std::string& tags :
         {std::string("y=2&z=3"), std::string(), std::string(2000, 't')}) {
      const auto tagged = client.set_tags("b", "k", tags);
      REQUIRE_OK(tagged);
      CHECK((*tagged)->attributes.tags == tags);
      check_rest(**tagged);
      auto opened = client.open("b", "k");
      REQUIRE_OK(opened);
      CHECK(opened->head->attributes.tags == tags);
      check_rest(*opened->head);
      CHECK(client.holds(*opened, 1));
    }
  }
  SUBCASE("of one version") {
    client.set_versioning("b", Versioning::enabled);
    const auto older = client.put("b", "v", 5, 1);
    const auto newer = client.put("b", "v", 5, 2);
    REQUIRE_OK(older);
    REQUIRE_OK(newer);
    REQUIRE_OK(client.set_tags("b", "v", "old=1", older->head->version));
    CHECK((*client.head("b", "v"))->attributes.tags.empty());
    CHECK((*client.head("b", "v"))->version == newer->head->version);  // the order stays
    CHECK((*client.head("b", "v", older->head->version))->attributes.tags == "old=1");
    auto opened = client.open("b", "v", older->head->version);
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, 1));
    CHECK_ERR(client.set_tags("b", "v", "", VersionId{std::byte{9}}), Errc::no_such_version);
    const auto marker = client.remove("b", "v");
    REQUIRE_OK(marker);
    CHECK_ERR(client.set_tags("b", "v", ""), Errc::delete_marker);
    CHECK_ERR(client.set_tags("b", "v", "", marker->version), Errc::delete_marker);
  }
}

void objects_generations(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  std::uint64_t before = client.generation("b", "k");
  CHECK(GenerationTable::is_stable(before));
  const auto moved = [&](const char* what) {
    CAPTURE(what);
    const std::uint64_t after = client.generation("b", "k");
    CHECK(GenerationTable::is_stable(after));
    CHECK(after > before);
    before = after;
  };
  REQUIRE_OK(client.put("b", "k", 5, 1));
  moved("put");
  REQUIRE_OK(client.put("b", "k", 2 * kMiB, 1));
  moved("large put");
  REQUIRE_OK(client.set_tags("b", "k", "a=b"));
  moved("set_tags");
  REQUIRE_OK(client.remove("b", "k"));
  moved("remove");
  auto upload = client.create_upload("b", "k");
  REQUIRE_OK(upload);
  auto part = client.put_part(upload->ref, 1, 100, 1);
  REQUIRE_OK(part);
  REQUIRE_OK(client.complete(upload->ref, {*part}, 1));
  moved("complete");
  client.set_versioning("b", Versioning::enabled);
  before = client.generation("b", "k");
  const auto put = client.put("b", "k", 5, 1);
  REQUIRE_OK(put);
  moved("versioned put");
  const auto marker = client.remove("b", "k");
  REQUIRE_OK(marker);
  moved("marker");
  REQUIRE_OK(client.remove("b", "k", marker->version));
  moved("marker removed");
  REQUIRE_OK(client.set_tags("b", "k", "c=d", put->head->version));
  moved("tags of a version");
  REQUIRE_OK(client.remove("b", "k", put->head->version));
  moved("version removed");

  // A refused write leaves the generation even; an acknowledged one is even before the completion
  // runs.
  REQUIRE_OK(client.put("b", "k", 5, 1));
  CHECK_ERR(client.put("b", "k", 5, 1, if_absent()), Errc::precondition_failed);
  CHECK(GenerationTable::is_stable(client.generation("b", "k")));
  before = client.generation("b", "k");
  std::uint64_t seen = 0;
  Pending<PutResult> pending;
  PutRequest request;
  request.bucket = "b";
  request.key = "k";
  client.store().put(request, Body{pattern(5, 1), nullptr},
                     [&, done = pending.completion()](Result<PutResult> result) mutable {
                       seen = client.generation("b", "k");
                       done(std::move(result));
                     });
  REQUIRE_OK(pending.wait(*fixture));
  CHECK(GenerationTable::is_stable(seen));
  CHECK(seen > before);
}

}  // namespace mote::contract
