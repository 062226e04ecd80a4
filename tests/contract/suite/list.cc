#include <algorithm>
#include <set>

#include "tests/contract/store_contract.h"

namespace mote::contract {
namespace {

using Strings = std::vector<std::string>;

void put_keys(const Client& client, const std::string& bucket, const Strings& keys) {
  for (const std::string& key : keys) {
    REQUIRE_OK(client.put(bucket, key, 3, 1));
  }
}

ListRequest request(std::string prefix, std::string delimiter, std::string after = "",
                    std::uint32_t entries_max = 1000) {
  return {"b", std::move(prefix), std::move(delimiter), std::move(after), entries_max, {}};
}

/// The listing as its definition says it, from all keys at once.
Listing expected(Strings keys, const ListRequest& list) {
  std::sort(keys.begin(), keys.end());
  Listing result;
  for (const std::string& key : keys) {
    if (key.compare(0, list.prefix.size(), list.prefix) != 0) {
      continue;
    }
    const std::size_t cut =
        list.delimiter.empty() ? std::string::npos : key.find(list.delimiter, list.prefix.size());
    if (cut == std::string::npos) {
      if (key > list.after) {
        result.keys.push_back(key);
      }
      continue;
    }
    const std::string rolled = key.substr(0, cut + list.delimiter.size());
    if (rolled > list.after && (result.prefixes.empty() || result.prefixes.back() != rolled)) {
      result.prefixes.push_back(rolled);
    }
  }
  return result;
}

void check_listing(const Client& client, const Strings& keys, ListRequest list) {
  CAPTURE(list.prefix);
  CAPTURE(list.delimiter);
  CAPTURE(list.after);
  const Listing wanted = expected(keys, list);
  for (const std::uint32_t page : {1000U, 3U, 1U}) {
    CAPTURE(page);
    list.entries_max = page;
    const Listing got = list_all(client, list);
    CHECK(got.keys == wanted.keys);
    CHECK(got.prefixes == wanted.prefixes);
  }
}

}  // namespace

void list_prefix_and_delimiter(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  CHECK(list_all(client, request("", "")).keys.empty());
  const Strings keys = {"a",
                        "a/",
                        "a/b",
                        "a.b",
                        "a0",
                        "a/b/c",
                        "a/b/d",
                        "a/b//e",
                        "b",
                        "b/x/y",
                        "b/x/z",
                        "b-x--y",
                        "b-x--z",
                        "c/",
                        "c//",
                        "/lead",
                        "//two",
                        "photos/2026/jan/1.jpg",
                        "photos/2026/feb/2.jpg",
                        "photos/2025/x"};
  put_keys(client, "b", keys);
  for (const char* prefix : {"", "a", "a/", "a/b", "a/b/", "b/x/", "c", "c/", "/", "zzz", "photos/",
                             "photos/2026/", "b-x-"}) {
    for (const char* delimiter : {"", "/", "b", "--", "//", "2026/"}) {
      check_listing(client, keys, request(prefix, delimiter));
    }
  }
  for (const char* after :
       {"a", "a/", "a/b", "a/b/c", "a/zzz", "b/", "c/", "photos/2026/", "photos0", "zzz", "/"}) {
    for (const char* prefix : {"", "a/", "photos/"}) {
      check_listing(client, keys, request(prefix, "/", after));
      check_listing(client, keys, request(prefix, "", after));
    }
  }
  const auto none = client.list(request("", "", "", 0));
  REQUIRE_OK(none);
  CHECK(none->entries.empty());
  CHECK_FALSE(none->truncated);
  // The head comes with the key.
  REQUIRE_OK(client.put("b", "head", 12, 42));
  const auto page = client.list(request("head", ""));
  REQUIRE_OK(page);
  REQUIRE(page->entries.size() == 1);
  CHECK(page->entries[0].head->etag == tag_of(42));
  CHECK(page->entries[0].head->bytes == 12);
}

void list_binary_keys(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  const std::string zero(1, '\0');
  const Strings keys = {zero,
                        zero + zero,
                        "a",
                        "a" + zero,
                        "a" + zero + "b",
                        "a" + zero + "\xFF",
                        "a\x01",
                        "a\xFF",
                        "a\xFF\xFF",
                        "a\xFF/b",
                        "a\xFF/c",
                        "b\xFF\xFF/x",
                        "b\xFF\xFF\xFF",
                        "\xFF",
                        "\xFF\xFF",
                        "\xFF\xFF/x",
                        "\xFF\xFF/y",
                        "\xFF" + zero,
                        "\xC3\xA9",
                        "\xF0\x9F\x98\x80",
                        "\xEF\xBF\xBD"};
  put_keys(client, "b", keys);
  for (const std::string& prefix :
       {std::string(), zero, "a" + zero, std::string("a\xFF"), std::string("\xFF"),
        std::string("\xFF\xFF"), std::string("b\xFF\xFF")}) {
    for (const std::string& delimiter :
         {std::string(), std::string("/"), zero, std::string("\xFF")}) {
      check_listing(client, keys, request(prefix, delimiter));
      check_listing(client, keys, request(prefix, delimiter, "a" + zero));
      check_listing(client, keys, request(prefix, delimiter, "\xFF"));
    }
  }
}

void list_pages(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  Strings keys;
  for (int i = 0; i < 1001; ++i) {
    const std::string number = std::to_string(10'000 + i);
    keys.push_back("k" + number);
  }
  for (int i = 0; i < 300; ++i) {  // 30 common prefixes of 10 keys
    keys.push_back("p" + std::to_string(100 + i / 10) + "/" + std::to_string(i % 10));
  }
  put_keys(client, "b", keys);
  const auto whole = list_all(client, request("", ""));
  CHECK(whole.keys.size() == 1301);
  CHECK(whole.pages >= 2);
  CHECK(std::is_sorted(whole.keys.begin(), whole.keys.end()));
  CHECK(list_all(client, request("k", "", "", 7)).keys.size() == 1001);
  const auto rolled = list_all(client, request("", "/", "", 100));
  CHECK(rolled.keys.size() == 1001);
  CHECK(rolled.prefixes.size() == 30);
  const auto mixed = list_all(client, request("", "/", "k10999", 10));
  CHECK(mixed.keys == Strings{"k11000"});
  CHECK(mixed.prefixes.size() == 30);
  // A full page that is the last one is not truncated.
  const auto exact = client.list(request("k1100", "", "", 1));
  REQUIRE_OK(exact);
  CHECK(exact->entries.size() == 1);
  CHECK(list_all(client, request("k1100", "", "", 1)).keys == Strings{"k11000"});
  // Keys that come and go between pages do not disturb the others.
  auto page = client.list(request("k", "", "", 500));
  REQUIRE_OK(page);
  REQUIRE(page->truncated);
  const std::string last = page->next_after;
  REQUIRE_OK(client.remove("b", last));
  REQUIRE_OK(client.put("b", "k10000a", 3, 1));
  const auto rest = list_all(client, request("k", "", last, 500));
  CHECK(rest.keys.size() + page->entries.size() == 1001);
}

void list_hides_deleted(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  Strings keys;
  for (int i = 0; i < 60; ++i) {
    keys.push_back("d" + std::to_string(10 + i / 10) + "/k" + std::to_string(i % 10));
  }
  put_keys(client, "b", keys);
  SUBCASE("unversioned") {}
  SUBCASE("versioned") {
    client.set_versioning("b", Versioning::enabled);
  }
  SUBCASE("suspended") {
    client.set_versioning("b", Versioning::enabled);
    client.set_versioning("b", Versioning::suspended);
  }
  Strings left;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool whole_prefix = keys[i].compare(0, 3, "d12") == 0;
    if (whole_prefix || i % 3 == 0) {
      REQUIRE_OK(client.remove("b", keys[i]));
    } else {
      left.push_back(keys[i]);
    }
  }
  check_listing(client, left, request("", ""));
  check_listing(client, left, request("", "/"));  // a prefix with only deleted keys is not shown
  check_listing(client, left, request("d12/", "/"));
  check_listing(client, left, request("d11/", "/", "d11/k4"));
}

void list_uploads_pages(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  std::set<std::pair<std::string, UploadId>> open;
  for (const char* key : {"a", "a", "a", "a/x", "a/y", "a/y", "b", "b/", "c/d/e", "c/d/f"}) {
    const auto upload = client.create_upload("b", key);
    REQUIRE_OK(upload);
    CHECK(open.emplace(key, upload->ref.upload).second);
  }
  const auto all = [&](const std::string& prefix, const std::string& delimiter,
                       std::uint32_t page) {
    std::set<std::pair<std::string, UploadId>> uploads;
    Strings prefixes;
    ListUploadsRequest list{"b", prefix, delimiter, "", {}, page};
    for (bool more = true; more;) {
      const auto result = client.list_uploads(list);
      REQUIRE_OK(result);
      REQUIRE(result->entries.size() + result->common_prefixes.size() <= page);
      std::pair<std::string, UploadId> last;
      for (const UploadInfo& info : result->entries) {
        CHECK(info.ref.bucket == "b");
        CHECK(info.owner == "owner-1");
        CHECK(info.created_ms > 0);
        CHECK(info.parts.empty());
        CHECK(std::pair(info.ref.key, info.ref.upload) > last);  // by key, then by id
        last = {info.ref.key, info.ref.upload};
        CHECK(uploads.insert(last).second);
      }
      prefixes.insert(prefixes.end(), result->common_prefixes.begin(),
                      result->common_prefixes.end());
      more = result->truncated;
      list.key_marker = result->next_key;
      list.upload_marker = result->next_upload;
    }
    return std::pair(uploads, prefixes);
  };
  for (const std::uint32_t page : {1000U, 2U, 1U}) {
    CAPTURE(page);
    CHECK(all("", "", page).first == open);
    CHECK(all("a/", "", page).first.size() == 3);
    const auto rolled = all("", "/", page);
    CHECK(rolled.first.size() == 4);
    CHECK(rolled.second == Strings{"a/", "b/", "c/"});
    CHECK(all("c/", "/", page).second == Strings{"c/d/"});
  }
  // A key marker alone: greater keys only.
  const auto page = client.list_uploads({"b", "", "", "a", {}, 100});
  REQUIRE_OK(page);
  CHECK(page->entries.size() == 7);
  REQUIRE_OK(client.abort({"b", "b", all("b", "", 10).first.begin()->second}));
  CHECK(all("", "", 1000).first.size() == 9);
}

}  // namespace mote::contract
