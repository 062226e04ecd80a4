// The path of a signed GET must not allocate once warm: head, framing, target, signature.
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include <doctest/doctest.h>

#include "server/http/framing_guard.h"
#include "tests/server/auth/auth_fixture.h"

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace mote::auth {
namespace {

TEST_CASE("allocations: none for a signed GET, from raw head to verified identity") {
  const AuthBench bench;
  Signer signer;
  signer.payload_hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const TestRequest request =
      signer.sign(TestRequest("GET", "/bucket/pre%20fix/1.%28rnd%29?x-id=GetObject",
                              {{"Host", "127.0.0.1:9000"},
                               {"User-Agent", "MinIO (linux; amd64)"},
                               {"Range", "bytes=0-9"}}));
  std::string raw = "GET " + request.target_text() + " HTTP/1.1\r\n";
  for (const http::HeaderField& field : request.head().headers.fields()) {
    raw.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  raw += "\r\n";

  http::RequestHead head;
  http::Target target;
  std::size_t counted_before = 0;
  for (int round = 0; round < 3; ++round) {
    counted_before = allocations.load();
    http::Framing framing;
    std::size_t scanned = 0;
    const bool good = http::find_head_end(raw, scanned) == raw.size() &&
                      !http::parse_head(raw, head) && !http::check_framing(head, framing) &&
                      !target.parse(head.target) &&
                      bench.authenticator.authenticate({head, target, {}}).has_value();
    const std::size_t made = allocations.load() - counted_before;
    CHECK(good);
    if (round > 0) {
      CHECK(made == 0);
    }
  }
}

}  // namespace
}  // namespace mote::auth
