// What a request costs before anything is read or written: head, target, route, digests, XML.
#include <string>

#include <benchmark/benchmark.h>

#include "server/digest/hash.h"
#include "server/digest/hmac.h"
#include "server/http/framing_guard.h"
#include "server/http/head_parser.h"
#include "server/s3/router.h"
#include "server/s3/xml/writer.h"

namespace {

using namespace mote;  // NOLINT(google-build-using-namespace)

constexpr std::string_view kHead =
    "GET /warp-benchmark-bucket/QXVkaW8/27.aCnUEn9Bg5.rnd HTTP/1.1\r\n"
    "Host: 127.0.0.1:9000\r\nUser-Agent: MinIO (linux; amd64) minio-go/v7.0.83\r\n"
    "Accept-Encoding: zstd,gzip\r\n"
    "Authorization: AWS4-HMAC-SHA256 Credential=minioadmin/20261201/us-east-1/s3/aws4_request, "
    "SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
    "Signature=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\r\n"
    "X-Amz-Content-Sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\r\n"
    "X-Amz-Date: 20261201T000000Z\r\n\r\n";

void parse_head(benchmark::State& state) {
  http::RequestHead head;
  http::Framing framing;
  for (auto _ : state) {
    benchmark::DoNotOptimize(http::parse_head(kHead, head).has_value());
    benchmark::DoNotOptimize(http::check_parsed_framing(head, framing).has_value());
  }
}
BENCHMARK(parse_head);

void parse_and_route(benchmark::State& state) {
  http::RequestHead head;
  if (http::parse_head(kHead, head)) {
    state.SkipWithError("the head does not parse");
  }
  http::Target target;
  for (auto _ : state) {
    benchmark::DoNotOptimize(target.parse(head.target).has_value());
    const auto routed = s3::route({.method = head.method,
                                   .method_text = head.method_text,
                                   .target = target,
                                   .host_bucket = {},
                                   .has_copy_source = false,
                                   .content_type = {}});
    benchmark::DoNotOptimize(routed.has_value());
  }
}
BENCHMARK(parse_and_route);

void sha256(benchmark::State& state) {
  const std::string text(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    benchmark::DoNotOptimize(digest::Sha256::of(as_bytes(text)));
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(sha256)->Arg(420)->Arg(64 << 10);

/// MD5 is the floor of a PUT: the ETag is one.
void md5(benchmark::State& state) {
  const std::string text(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    benchmark::DoNotOptimize(digest::Md5::of(as_bytes(text)));
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(md5)->Arg(1024)->Arg(64 << 10);

void hmac_with_precomputed_key(benchmark::State& state) {
  const digest::HmacSha256Key key(as_bytes(std::string_view("0123456789abcdef0123456789abcdef")));
  const std::string text(138, 'x');  // a string to sign
  for (auto _ : state) {
    benchmark::DoNotOptimize(key.sign(as_bytes(text)));
  }
}
BENCHMARK(hmac_with_precomputed_key);

void xml_list_entry(benchmark::State& state) {
  for (auto _ : state) {
    xml::Writer writer("ListBucketResult");
    for (int i = 0; i < 100; ++i) {
      writer.open("Contents").text("Key", "photos/2026/12/01/image-000000.jpg");
      writer.date("LastModified", 1'796'000'000'000).etag("ETag", "0123456789abcdef");
      writer.number("Size", 1024).text("StorageClass", "STANDARD").close("Contents");
    }
    benchmark::DoNotOptimize(std::move(writer).finish().size());
  }
  state.SetItemsProcessed(state.iterations() * 100);
}
BENCHMARK(xml_list_entry);

}  // namespace
