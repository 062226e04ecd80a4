#include "bench/load/worker.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <span>

namespace mote::bench {
namespace {

std::string key_path(const Endpoint& endpoint, std::uint64_t key) {
  return "/" + endpoint.bucket + "/o/" + std::to_string(key);
}

}  // namespace

Bodies::Bodies(std::uint64_t bytes, std::uint64_t seed) : bytes_(bytes) {
  SeededRng rng(seed);
  pool_.resize(static_cast<std::size_t>(bytes) + 4096);
  rng.fill(std::as_writable_bytes(std::span(pool_)));
}

std::string_view Bodies::of(std::uint64_t key) const {
  return std::string_view(pool_).substr(static_cast<std::size_t>(key * 7 % 4096),
                                        static_cast<std::size_t>(bytes_));
}

Worker::Worker(const Scenario& scenario, const Endpoint& endpoint, const Bodies& bodies,
               unsigned index)
    : scenario_(scenario),
      endpoint_(endpoint),
      bodies_(bodies),
      signer_(endpoint.authority(), endpoint.access_key, endpoint.secret_key, endpoint.region),
      rng_(scenario.seed * 1000 + index),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      weight_sum_(std::accumulate(scenario.weights.begin(), scenario.weights.end(), 0U)) {
  const unsigned share =
      scenario.connections / scenario.threads + (index < scenario.connections % scenario.threads);
  for (unsigned i = 0; i < share; ++i) {
    slots_.push_back(std::make_unique<Slot>());
    connect(*slots_.back());
  }
}

Worker::~Worker() {
  ::close(epoll_);
}

bool Worker::connect(Slot& slot) {
  const Status opened = slot.connection.open(endpoint_);
  if (!opened) {
    results_[0].first_error = describe(opened.error());
    return false;
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &slot;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, slot.connection.fd(), &event);
  return true;
}

OpKind Worker::pick() {
  auto at = static_cast<unsigned>(rng_.below(weight_sum_));
  for (std::size_t i = 0; i < kOpKinds; ++i) {
    if (at < scenario_.weights[i]) {
      return static_cast<OpKind>(i);
    }
    at -= scenario_.weights[i];
  }
  return OpKind::get;
}

void Worker::begin(Slot& slot, OpKind kind, std::uint64_t key, Clock::time_point due) {
  slot.kind = kind;
  slot.key = key;
  slot.due = due;
  slot.busy = true;
  std::string head;
  std::string_view body;
  switch (kind) {
    case OpKind::get:
      signer_.append_request(head, "GET", key_path(endpoint_, key), "", 0);
      break;
    case OpKind::head:
      signer_.append_request(head, "HEAD", key_path(endpoint_, key), "", 0);
      break;
    case OpKind::put:
      body = bodies_.of(key);
      signer_.append_request(head, "PUT", key_path(endpoint_, key), "", body.size());
      break;
    case OpKind::del:
      signer_.append_request(head, "DELETE", key_path(endpoint_, key), "", 0);
      break;
    case OpKind::list:
      signer_.append_request(head, "GET", "/" + endpoint_.bucket,
                             "list-type=2&max-keys=" + std::to_string(scenario_.list_keys) +
                                 "&prefix=o%2F" + std::to_string(key % 10),
                             0);
      break;
    case OpKind::count_:
      break;
  }
  slot.connection.start(std::move(head), body, kind == OpKind::head);
  // Sends only: a reply that came at once is read by poll(), which records it.
  if (!slot.connection.send_some()) {
    fail(slot, "connection lost", due);
    return;
  }
  if (slot.connection.wants_write()) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT;
    event.data.ptr = &slot;
    ::epoll_ctl(epoll_, EPOLL_CTL_MOD, slot.connection.fd(), &event);
  }
}

std::string Worker::judge(const Slot& slot) const {
  const ReplyState& reply = slot.connection.reply();
  const int wanted = slot.kind == OpKind::del ? 204 : 200;
  if (reply.status != wanted) {
    return "status " + std::to_string(reply.status);
  }
  if (slot.kind == OpKind::get && scenario_.check_bodies &&
      slot.connection.reply_body() != bodies_.of(slot.key)) {
    return "wrong body";
  }
  return {};
}

void Worker::finish(Slot& slot, Clock::time_point measure_from) {
  slot.busy = false;
  OpResult& result = results_[static_cast<std::size_t>(slot.kind)];
  const std::string wrong = judge(slot);
  if (slot.due >= measure_from) {
    if (slot.connection.reply().status == 404) {
      ++result.not_found;
    } else if (!wrong.empty()) {
      ++result.errors;
      if (result.first_error.empty()) {
        result.first_error = wrong;
      }
    } else {
      const auto took = Clock::now() - slot.due;
      result.latency.record(static_cast<std::uint64_t>(std::chrono::nanoseconds(took).count()));
      result.bytes +=
          slot.kind == OpKind::put ? scenario_.object_bytes : slot.connection.reply().body_seen;
    }
  }
  if (slot.connection.reply().close) {
    connect(slot);
  }
}

void Worker::fail(Slot& slot, const std::string& what, Clock::time_point measure_from) {
  slot.busy = false;
  OpResult& result = results_[static_cast<std::size_t>(slot.kind)];
  if (slot.due >= measure_from) {
    ++result.errors;
    if (result.first_error.empty()) {
      result.first_error = what;
    }
  }
  connect(slot);
}

void Worker::poll(Clock::time_point measure_from, int timeout_ms) {
  std::array<epoll_event, 256> events{};
  const int count =
      ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
  for (int i = 0; i < count; ++i) {
    Slot& slot = *static_cast<Slot*>(events[static_cast<std::size_t>(i)].data.ptr);
    const bool had_to_write = slot.connection.wants_write();
    switch (slot.connection.advance()) {
      case Connection::Progress::done:
        finish(slot, measure_from);
        break;
      case Connection::Progress::failed:
        fail(slot, "connection lost", measure_from);
        break;
      case Connection::Progress::waiting:
        break;
    }
    if (had_to_write && !slot.connection.wants_write()) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.ptr = &slot;
      ::epoll_ctl(epoll_, EPOLL_CTL_MOD, slot.connection.fd(), &event);
    }
  }
}

bool Worker::fill(std::uint64_t first, std::uint64_t last) {
  const Clock::time_point never_recorded = Clock::time_point::max();
  std::uint64_t next = first;
  std::uint64_t open = 0;
  while (next < last || open > 0) {
    for (const auto& slot : slots_) {
      if (!slot->busy && next < last) {
        begin(*slot, OpKind::put, next++, Clock::now());
      }
    }
    poll(never_recorded, 100);
    open = 0;
    for (const auto& slot : slots_) {
      if (slot->busy) {
        ++open;
      } else if (const std::string wrong = judge(*slot);
                 slot->connection.reply().status != 0 && !wrong.empty()) {
        results_[static_cast<std::size_t>(OpKind::put)].first_error = "filling: " + wrong;
        return false;
      }
    }
  }
  return true;
}

void Worker::run(Clock::time_point measure_from, Clock::time_point until) {
  const bool open_loop = scenario_.rate > 0;
  const auto interval = std::chrono::nanoseconds(
      open_loop ? static_cast<std::int64_t>(1e9 * scenario_.threads / scenario_.rate) : 0);
  Clock::time_point due = Clock::now();
  while (true) {
    const Clock::time_point now = Clock::now();
    if (now >= until) {
      break;
    }
    for (const auto& slot : slots_) {
      if (slot->busy || (open_loop && due > now)) {
        continue;
      }
      begin(*slot, pick(), rng_.below(scenario_.objects), open_loop ? due : Clock::now());
      due += interval;
    }
    const auto wait =
        open_loop
            ? std::chrono::duration_cast<std::chrono::milliseconds>(due - Clock::now()).count()
            : 50;
    poll(measure_from, static_cast<int>(std::clamp<std::int64_t>(wait, 0, 50)));
  }
}

}  // namespace mote::bench
