#include "tests/contract/store_contract.h"

namespace mote::contract {
namespace {

/// True if the object is the parts' patterns one after the other.
bool is_concatenation(const Client& client, OpenedObject& opened,
                      const std::vector<std::pair<std::uint64_t, std::uint64_t>>& size_and_seed) {
  std::uint64_t start = 0;
  for (const auto& [size, seed] : size_and_seed) {
    for (std::uint64_t offset = 0; offset < size;) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kMiB, size - offset));
      const auto slice = client.read(opened, start + offset, count);
      if (!slice || !is_pattern(slice->bytes, seed, offset)) {
        return false;
      }
      offset += count;
    }
    start += size;
  }
  return opened.head->bytes == start;
}

}  // namespace

void multipart_complete(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  CreateUploadRequest request;
  request.bucket = "b";
  request.key = "k";
  request.attributes.headers = "Content-Type: video/mp4\r\n";
  request.attributes.tags = "t=1";
  request.checksum = ChecksumKind::crc32;
  request.checksum_full_object = true;
  request.owner = "someone";
  const auto upload = client.create_upload(request);
  REQUIRE_OK(upload);
  CHECK(upload->ref.key == "k");
  CHECK(upload->created_ms > 0);
  CHECK_ERR(client.head("b", "k"), Errc::no_such_key);

  const std::uint64_t large = 5 * kMiB + 3;
  const auto one = client.put_part(upload->ref, 1, large, 11);
  const auto seven = client.put_part(upload->ref, 7, 1000, 17);
  const auto three = client.put_part(upload->ref, 3, 200 * kKiB, 13);
  REQUIRE_OK(one);
  REQUIRE_OK(seven);
  REQUIRE_OK(three);
  CHECK(one->bytes == large);
  CHECK(one->number == 1);
  CHECK(one->etag == tag_of(11));
  CHECK(one->modified_ms > 0);
  CHECK_ERR(client.head("b", "k"), Errc::no_such_key);  // nothing shows before Complete

  const auto info = client.get_upload(upload->ref);
  REQUIRE_OK(info);
  CHECK(info->owner == "someone");
  CHECK(info->checksum == ChecksumKind::crc32);
  CHECK(info->checksum_full_object);
  CHECK(info->attributes.headers == request.attributes.headers);
  REQUIRE(info->parts.size() == 3);
  CHECK(info->parts[1].number == 3);
  CHECK(info->parts[1].commit == three->commit);
  CHECK(info->parts[2].etag == tag_of(17));

  const auto done = client.complete(upload->ref, info->parts, 99);
  REQUIRE_OK(done);
  CHECK(done->head->etag == tag_of(99, 3));
  CHECK(done->head->attributes.headers == request.attributes.headers);
  CHECK(done->head->attributes.tags == "t=1");
  CHECK_ERR(client.get_upload(upload->ref), Errc::no_such_upload);
  auto opened = client.open("b", "k");
  REQUIRE_OK(opened);
  REQUIRE(opened->head->parts.size() == 3);
  CHECK(opened->head->parts[0].number == 1);
  CHECK(opened->head->parts[0].bytes == large);
  CHECK(opened->head->parts[2].number == 7);
  CHECK(is_concatenation(client, *opened, {{large, 11}, {200 * kKiB, 13}, {1000, 17}}));
  // A read across the border of two parts.
  const auto across = client.read(*opened, large - 10, 20);
  REQUIRE_OK(across);
  CHECK(is_pattern(across->bytes.first(10), 11, large - 10));
  CHECK(is_pattern(across->bytes.subspan(10), 13, 0));
  CHECK(list_all(client, {"b", "", "", "", 10, {}}).keys == std::vector<std::string>{"k"});
}

void multipart_parts(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  const auto upload = client.create_upload("b", "k");
  const auto other = client.create_upload("b", "k");
  REQUIRE_OK(upload);
  REQUIRE_OK(other);
  CHECK(upload->ref.upload != other->ref.upload);
  const auto first = client.put_part(upload->ref, 1, 100, 1);
  REQUIRE_OK(first);
  const auto again = client.put_part(upload->ref, 1, 300, 2);  // replaces it
  REQUIRE_OK(again);
  CHECK(again->commit != first->commit);
  const auto highest = client.put_part(upload->ref, 10'000, 0, 3);
  REQUIRE_OK(highest);
  REQUIRE_OK(client.put_part(upload->ref, 5000, 50, 4));
  CHECK((*client.get_upload(upload->ref)).parts.size() == 3);
  CHECK((*client.get_upload(other->ref)).parts.empty());
  CHECK_ERR(client.complete(upload->ref, {*first, *highest}, 9), Errc::invalid_part);
  // Parts that are not named are dropped.
  REQUIRE_OK(client.complete(upload->ref, {*again, *highest}, 9));
  auto opened = client.open("b", "k");
  REQUIRE_OK(opened);
  CHECK(opened->head->parts.size() == 2);
  CHECK(is_concatenation(client, *opened, {{300, 2}}));
  // The other upload lives on and replaces the object.
  const auto part = client.put_part(other->ref, 2, 10, 5);
  REQUIRE_OK(part);
  REQUIRE_OK(client.complete(other->ref, {*part}, 10));
  opened = client.open("b", "k");
  REQUIRE_OK(opened);
  CHECK(is_concatenation(client, *opened, {{10, 5}}));
}

void multipart_refuse(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  CHECK_ERR(client.create_upload("none", "k"), Errc::no_such_bucket);
  CHECK_ERR(client.put_part({"none", "k", {}}, 1, 10, 1), Errc::no_such_bucket);
  CHECK_ERR(client.get_upload({"none", "k", {}}), Errc::no_such_bucket);
  CHECK_ERR(client.complete({"none", "k", {}}, {}, 1), Errc::no_such_bucket);
  CHECK_ERR(client.abort({"none", "k", {}}), Errc::no_such_bucket);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.create_bucket("c"));
  const auto upload = client.create_upload("b", "k");
  REQUIRE_OK(upload);
  const auto part = client.put_part(upload->ref, 1, 10, 1);
  const auto second = client.put_part(upload->ref, 2, 10, 2);
  REQUIRE_OK(part);
  REQUIRE_OK(second);
  for (const UploadRef& wrong :
       {UploadRef{"b", "k", UploadId{std::byte{1}}}, UploadRef{"b", "l", upload->ref.upload},
        UploadRef{"c", "k", upload->ref.upload}}) {
    CHECK_ERR(client.put_part(wrong, 1, 10, 1), Errc::no_such_upload);
    CHECK_ERR(client.get_upload(wrong), Errc::no_such_upload);
    CHECK_ERR(client.complete(wrong, {*part}, 1), Errc::no_such_upload);
    CHECK_ERR(client.abort(wrong), Errc::no_such_upload);
  }
  CHECK_ERR(client.put_part(upload->ref, 0, 10, 1), Errc::invalid_argument);
  CHECK_ERR(client.put_part(upload->ref, 10'001, 10, 1), Errc::invalid_argument);
  CHECK_ERR(client.complete(upload->ref, {*second, *part}, 1), Errc::invalid_part_order);
  CHECK_ERR(client.complete(upload->ref, {*part, *part}, 1), Errc::invalid_part_order);
  PartInfo missing = *part;
  missing.number = 3;
  CHECK_ERR(client.complete(upload->ref, {*part, missing}, 1), Errc::invalid_part);
  PartInfo stale = *part;
  stale.commit += 1000;
  CHECK_ERR(client.complete(upload->ref, {stale}, 1), Errc::invalid_part);
  // Whatever was refused, the upload is still whole.
  CHECK_ERR(client.head("b", "k"), Errc::no_such_key);
  REQUIRE_OK(client.complete(upload->ref, {*part, *second}, 1));
  CHECK_ERR(client.complete(upload->ref, {*part, *second}, 1), Errc::no_such_upload);
  CHECK_ERR(client.put_part(upload->ref, 1, 10, 1), Errc::no_such_upload);
}

void multipart_abort(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 10, 1));
  const auto upload = client.create_upload("b", "k");
  REQUIRE_OK(upload);
  REQUIRE_OK(client.put_part(upload->ref, 1, 2 * kMiB, 1));
  REQUIRE_OK(client.abort(upload->ref));
  CHECK_ERR(client.abort(upload->ref), Errc::no_such_upload);
  CHECK_ERR(client.get_upload(upload->ref), Errc::no_such_upload);
  CHECK_ERR(client.put_part(upload->ref, 2, 10, 1), Errc::no_such_upload);
  const auto page = client.list_uploads({"b", "", "", "", {}, 100});
  REQUIRE_OK(page);
  CHECK(page->entries.empty());
  auto opened = client.open("b", "k");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 1));
}

void multipart_versions_and_preconditions(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  const auto upload = client.create_upload("b", "k");
  REQUIRE_OK(upload);
  const auto part = client.put_part(upload->ref, 1, 2 * kMiB, 1);
  REQUIRE_OK(part);
  REQUIRE_OK(client.put("b", "k", 10, 1));
  Preconditions absent;
  absent.if_absent = true;
  CHECK_ERR(client.complete(upload->ref, {*part}, 5, absent), Errc::precondition_failed);
  Preconditions match;
  match.if_match = std::vector<ETag>{tag_of(2)};
  CHECK_ERR(client.complete(upload->ref, {*part}, 5, match), Errc::precondition_failed);
  CHECK((*client.get_upload(upload->ref)).parts.size() == 1);  // still there
  client.set_versioning("b", Versioning::enabled);
  match.if_match = std::vector<ETag>{tag_of(1)};
  const auto done = client.complete(upload->ref, {*part}, 5, match);
  REQUIRE_OK(done);
  CHECK(done->head->versioned);
  CHECK(done->head->version != kNullVersion);
  auto older = client.open("b", "k", kNullVersion);
  REQUIRE_OK(older);
  CHECK(client.holds(*older, 1));
  auto newer = client.open("b", "k", done->head->version);
  REQUIRE_OK(newer);
  CHECK(is_concatenation(client, *newer, {{2 * kMiB, 1}}));
  // Part writings are told apart even when one replaces the other between reading and completing.
  const auto racing = client.create_upload("b", "k");
  REQUIRE_OK(racing);
  const auto seen = client.put_part(racing->ref, 1, 10, 1);
  REQUIRE_OK(seen);
  REQUIRE_OK(client.put_part(racing->ref, 1, 10, 1));
  CHECK_ERR(client.complete(racing->ref, {*seen}, 1), Errc::invalid_part);
}

}  // namespace mote::contract
