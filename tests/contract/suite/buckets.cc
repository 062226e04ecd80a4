#include <algorithm>

#include "tests/contract/store_contract.h"

namespace mote::contract {
namespace {

std::vector<std::string> names(const ObjectStore& store) {
  std::vector<std::string> result;
  for (const auto& bucket : store.list_buckets()) {
    result.push_back(bucket->name);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::optional<std::string> document(const BucketInfo& info, const std::string& name) {
  for (const auto& [key, content] : info.documents) {
    if (key == name) {
      return content;
    }
  }
  return std::nullopt;
}

}  // namespace

void buckets_live_and_die(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  CHECK(client.store().find_bucket("photos") == nullptr);
  CHECK(client.store().list_buckets().empty());

  const auto created = client.create_bucket("photos");
  REQUIRE_OK(created);
  CHECK((*created)->name == "photos");
  CHECK((*created)->owner == "owner-1");
  CHECK((*created)->id != 0);
  CHECK((*created)->created_ms > 0);
  CHECK((*created)->versioning == Versioning::off);
  CHECK((*created)->documents.empty());
  REQUIRE(client.store().find_bucket("photos") != nullptr);
  CHECK(client.store().find_bucket("photos")->id == (*created)->id);
  CHECK(client.store().find_bucket("photo") == nullptr);

  REQUIRE_OK(client.create_bucket("archive"));
  CHECK(names(client.store()) == std::vector<std::string>{"archive", "photos"});

  // A bucket created again shares nothing with the one before.
  REQUIRE_OK(client.put("photos", "a", 10, 1));
  REQUIRE_OK(client.remove("photos", "a"));
  REQUIRE_OK(client.delete_bucket("photos"));
  CHECK(client.store().find_bucket("photos") == nullptr);
  CHECK_ERR(client.head("photos", "a"), Errc::no_such_bucket);
  CHECK(names(client.store()) == std::vector<std::string>{"archive"});
  const auto again = client.create_bucket("photos");
  REQUIRE_OK(again);
  CHECK((*again)->id != (*created)->id);
  CHECK_ERR(client.head("photos", "a"), Errc::no_such_key);
}

void buckets_keep_configuration(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  CreateBucketRequest request{"b", "someone", "eu-central-1"};
  Pending<std::shared_ptr<const BucketInfo>> pending;
  client.store().create_bucket(request, pending.completion());
  const auto created = pending.wait(*fixture);
  REQUIRE_OK(created);
  CHECK((*created)->region == "eu-central-1");
  CHECK((*created)->owner == "someone");

  std::uint64_t revision = (*created)->revision;
  const auto update = [&](UpdateBucketRequest change) {
    const auto updated = client.update_bucket(std::move(change));
    REQUIRE_OK(updated);
    CHECK((*updated)->revision != revision);
    revision = (*updated)->revision;
    CHECK((*updated)->id == (*created)->id);
    CHECK((*updated)->region == "eu-central-1");
    CHECK((*updated)->created_ms == (*created)->created_ms);
    CHECK(client.store().find_bucket("b")->revision == revision);  // at once
  };
  update({"b", {}, "tagging", "<Tagging/>"});
  update({"b", {}, "cors", std::string("<CORS>\0</CORS>", 14)});
  CHECK(document(*client.store().find_bucket("b"), "tagging") == "<Tagging/>");
  CHECK(document(*client.store().find_bucket("b"), "cors") == std::string("<CORS>\0</CORS>", 14));
  update({"b", Versioning::enabled, "", {}});
  CHECK(document(*client.store().find_bucket("b"), "tagging") == "<Tagging/>");
  CHECK(client.store().find_bucket("b")->versioning == Versioning::enabled);
  update({"b", {}, "tagging", "<Other/>"});
  CHECK(document(*client.store().find_bucket("b"), "tagging") == "<Other/>");
  CHECK(client.store().find_bucket("b")->documents.size() == 2);
  update({"b", {}, "tagging", {}});
  CHECK(document(*client.store().find_bucket("b"), "tagging") == std::nullopt);
  CHECK(client.store().find_bucket("b")->documents.size() == 1);
  CHECK_OK(client.update_bucket({"b", {}, "policy", {}}));  // was not there
  update({"b", Versioning::suspended, "", {}});
  update({"b", Versioning::enabled, "policy", "{}"});
  CHECK(client.store().find_bucket("b")->versioning == Versioning::enabled);
  CHECK(document(*client.store().find_bucket("b"), "policy") == "{}");
}

void buckets_refuse(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  CHECK_ERR(client.delete_bucket("none"), Errc::no_such_bucket);
  CHECK_ERR(client.update_bucket({"none", Versioning::enabled, "", {}}), Errc::no_such_bucket);
  REQUIRE_OK(client.create_bucket("b"));
  CHECK_ERR(client.create_bucket("b"), Errc::bucket_exists);

  REQUIRE_OK(client.put("b", "k", 5, 1));
  CHECK_ERR(client.delete_bucket("b"), Errc::bucket_not_empty);
  REQUIRE_OK(client.head("b", "k"));
  REQUIRE_OK(client.remove("b", "k"));

  SUBCASE("a delete marker keeps a bucket") {
    client.set_versioning("b", Versioning::enabled);
    const auto removed = client.remove("b", "never-there");
    REQUIRE_OK(removed);
    CHECK_ERR(client.delete_bucket("b"), Errc::bucket_not_empty);
    REQUIRE_OK(client.remove("b", "never-there", removed->version));
  }
  SUBCASE("an old version keeps a bucket") {
    client.set_versioning("b", Versioning::enabled);
    const auto put = client.put("b", "k", 5, 1);
    REQUIRE_OK(put);
    const auto removed = client.remove("b", "k");
    REQUIRE_OK(removed);
    REQUIRE_OK(client.remove("b", "k", put->head->version));
    CHECK_ERR(client.delete_bucket("b"), Errc::bucket_not_empty);
    REQUIRE_OK(client.remove("b", "k", removed->version));
  }
  SUBCASE("an open upload goes with its bucket") {
    const auto upload = client.create_upload("b", "k");
    REQUIRE_OK(upload);
    REQUIRE_OK(client.put_part(upload->ref, 1, 100, 1));
    REQUIRE_OK(client.delete_bucket("b"));
    CHECK_ERR(client.get_upload(upload->ref), Errc::no_such_bucket);
    REQUIRE_OK(client.create_bucket("b"));
    CHECK_ERR(client.get_upload(upload->ref), Errc::no_such_upload);
  }
  CHECK_OK(client.delete_bucket("b"));
}

void close_refuses_later_work(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 5, 1));
  client.store().close();
  CHECK_FALSE(client.store().status().ready);
  CHECK_ERR(client.put("b", "l", 5, 1), Errc::shutting_down);
  CHECK_ERR(client.remove("b", "k"), Errc::shutting_down);
  CHECK_ERR(client.head("b", "k"), Errc::shutting_down);
  CHECK_ERR(client.create_bucket("c"), Errc::shutting_down);
  CHECK_ERR(client.delete_bucket("b"), Errc::shutting_down);
  CHECK_ERR(client.list({"b", "", "", "", 10, {}}), Errc::shutting_down);
  CHECK_ERR(client.create_upload("b", "k"), Errc::shutting_down);
}

}  // namespace mote::contract
