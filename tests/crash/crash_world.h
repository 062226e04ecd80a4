#pragma once

#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "erasure/erasure_store.h"
#include "tests/contract/store_fixture.h"
#include "tests/crash/ledger.h"
#include "tests/sim/sim_fs.h"
#include "tests/sim/sim_scheduler.h"

namespace mote::crash {

/// Cuts the power when the protocol reaches a point for the nth time; counts all points.
class PowerCutAt final : public erasure::CrashPoints {
 public:
  explicit PowerCutAt(sim::SimFs& fs) : fs_(fs) {}
  void reach(erasure::CrashPoint point) override {
    ++counts_[static_cast<std::size_t>(point)];
    if (armed_ && point == point_ && --nth_ == 0) {
      armed_ = false;
      fs_.faults().cut_at(1);
    }
  }
  void arm(erasure::CrashPoint point, std::uint64_t nth) {
    armed_ = true;
    point_ = point;
    nth_ = nth;
  }
  void disarm() { armed_ = false; }
  [[nodiscard]] std::uint64_t count(std::size_t point) const { return counts_[point]; }

 private:
  sim::SimFs& fs_;
  bool armed_ = false;
  erasure::CrashPoint point_ = erasure::CrashPoint::count_;
  std::uint64_t nth_ = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(erasure::CrashPoint::count_)> counts_{};
};

/// A whole store in one thread over simulated drives, and the ledger of its one client, who
/// outlives it. Operations are started and run when the scheduler is stepped; one at a time per
/// key.
class World {
 public:
  World(unsigned k, unsigned m, std::uint64_t seed)
      : scheduler(seed), points(fs), rng(seed * 31 + 7), store_rng_(seed + 1) {
    for (unsigned i = 0; i < k + m; ++i) {
      options.drives.push_back("/d" + std::to_string(i));
      fs.add_drive(options.drives.back());
    }
    options.parity = m;
    options.deterministic = true;
    options.record_shard_max = 512;  // small, so that every place for a shard is cheap to reach
    options.payload_shard_max = 4 * kKiB;
    options.inline_bytes_max = 32 * kKiB;
    options.block_cache_bytes = 4 * kMiB;
    options.write_buffer_bytes = 8 * kMiB;
    options.log_segment_bytes = 64 * kKiB;
    options.garbage_grace = std::chrono::milliseconds(500);
    options.garbage_period = std::chrono::milliseconds(200);
    options.readmit_every = std::chrono::milliseconds(100);
  }
  ~World() { crash(); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // --- the life of the process ---

  Status open() {
    Result<std::unique_ptr<ObjectStore>> opened = open_erasure_store(
        options, {fs, scheduler, scheduler.clock(), store_rng_, &points}, &problem);
    if (!opened) {
      return opened.error();
    }
    store = *std::move(opened);
    return ok();
  }
  /// kill -9: what is queued never runs.
  void crash() {
    scheduler.drop_all();
    for (const std::weak_ptr<Fill>& each : fills_) {
      if (const std::shared_ptr<Fill> fill = each.lock()) {
        const std::unique_ptr<BodySink> gone = std::move(fill->sink);
      }
    }
    fills_.clear();
    store.reset();
    scheduler.drop_all();
    busy_.clear();
  }
  /// crash() and the power goes with it.
  void cut_power(std::uint64_t seed, sim::CutMode mode) {
    fs.faults().cut_at(1);
    crash();
    points.disarm();
    fs.restart(seed, mode);
    fs.faults().clear_faults();
  }

  /// Prints what happens, to read a failing seed.
  bool verbose = false;
  void say(const std::string& what) const {
    if (verbose) {
      std::fprintf(stderr, "%8lld  %s\n", static_cast<long long>(scheduler_now()), what.c_str());
    }
  }

  // --- operations; each notes what it may do before it starts, and its answer ---

  void put(const std::string& key, std::uint64_t size, Preconditions preconditions = {}) {
    const std::uint64_t seed = ++next_seed_;
    PutRequest request;
    request.bucket = kBucket;
    request.key = key;
    request.etag = contract::tag_of(seed);
    request.preconditions = std::move(preconditions);
    tracks[key].begin(Value{size, seed, ""});
    say(key + " put " + std::to_string(seed));
    busy_.insert_or_assign(key, true);
    if (size <= options.inline_bytes_max) {
      Body body;
      body.bytes = contract::pattern(size, seed);
      store->put(std::move(request), std::move(body), settle_put(key));
      return;
    }
    auto fill = std::make_shared<Fill>();
    fill->size = size;
    fill->seed = seed;
    fill->done = [this, key,
                  request = std::move(request)](Result<std::unique_ptr<BodySink>> sink) mutable {
      if (!sink) {
        refused(key, Error{Errc::precondition_failed, 0, "sink"});  // nothing was committed
        return;
      }
      Body body;
      body.sink = *std::move(sink);
      store->put(std::move(request), std::move(body), settle_put(key));
    };
    start_fill(std::move(fill));
  }

  void remove(const std::string& key) {
    tracks[key].begin(std::nullopt);
    say(key + " remove");
    busy_.insert_or_assign(key, true);
    store->remove({{kBucket, key, std::nullopt}, {}, {}}, [this, key](Result<DeleteResult> result) {
      answer(key, result ? ok() : Status(result.error()));
    });
  }

  void tag(const std::string& key) {
    if (!tracks[key].certain() || !tracks[key].acknowledged()) {
      return;  // of what the tags would be is not known
    }
    Value value = *tracks[key].acknowledged();
    value.tags = "n=" + std::to_string(++next_seed_);
    tracks[key].begin(value);
    busy_.insert_or_assign(key, true);
    store->set_tags({kBucket, key, std::nullopt}, value.tags,
                    [this, key](Result<std::shared_ptr<const ObjectHead>> result) {
                      answer(key, result ? ok() : Status(result.error()));
                    });
  }

  /// A read that does not wait for anybody: what it shows has to stay (`wrong` says if it did not).
  void look(const std::string& key) {
    if (!store->find_bucket(kBucket)) {
      return;
    }
    const std::size_t mark = tracks[key].mark();
    store->open({kBucket, key, {}}, {}, [this, key, mark](Result<OpenedObject> opened) {
      if (!opened && opened.error().code != Errc::no_such_key) {
        return;
      }
      State seen;
      if (opened) {
        const ObjectHead& head = *opened->head;
        seen = Value{head.bytes, seed_of(head.etag), head.attributes.tags};
        if (opened->body && !holds(as_text(opened->body->bytes), *seen)) {
          wrong = key + ": mixed bytes in a read under way";
        }
      }
      ++looks;
      say(key + " read: " + to_text(seen));
      const std::string before = tracks[key].describe();
      if (!tracks[key].saw(mark, seen)) {
        wrong = key + ": a read under way showed " + to_text(seen) + "; " + before;
      }
    });
  }

  void create_bucket(const std::string& name) { change_bucket(name, true); }
  void delete_bucket(const std::string& name) { change_bucket(name, false); }

  // --- multipart, step by step; one upload per key ---

  struct Upload {
    UploadRef ref;
    std::map<std::uint16_t, std::pair<PartInfo, std::uint64_t>> parts;  // acknowledged: info, seed
    bool completing = false;
  };

  void create_upload(const std::string& key) {
    busy_.insert_or_assign(key, true);
    CreateUploadRequest request;
    request.bucket = kBucket;
    request.key = key;
    store->create_upload(std::move(request), [this, key](Result<UploadInfo> info) {
      busy_.erase(key);
      if (info) {
        uploads[key] = {info->ref, {}, false};
      }
    });
  }
  void put_part(const std::string& key, std::uint16_t number, std::uint64_t size) {
    const auto upload = uploads.find(key);
    if (upload == uploads.end()) {
      return;
    }
    const std::uint64_t seed = ++next_seed_;
    busy_.insert_or_assign(key, true);
    upload->second.parts.erase(number);  // replaced or not: in doubt until it is answered
    PutPartRequest request;
    request.upload = upload->second.ref;
    request.number = number;
    request.etag = contract::tag_of(seed);
    auto settle = [this, key, number, seed](Result<PartInfo> info) {
      busy_.erase(key);
      if (info) {
        uploads[key].parts[number] = {*info, seed};
      }
    };
    if (size <= options.inline_bytes_max) {
      Body body;
      body.bytes = contract::pattern(size, seed);
      store->put_part(std::move(request), std::move(body), std::move(settle));
      return;
    }
    auto fill = std::make_shared<Fill>();
    fill->size = size;
    fill->seed = seed;
    fill->done = [this, key, request = std::move(request),
                  settle = std::move(settle)](Result<std::unique_ptr<BodySink>> sink) mutable {
      if (!sink) {
        busy_.erase(key);
        return;
      }
      Body body;
      body.sink = *std::move(sink);
      store->put_part(std::move(request), std::move(body), std::move(settle));
    };
    start_fill(std::move(fill));
  }
  /// An object of parts has a size that names its upload: the sum, and seed 0 with the parts' own
  /// seeds.
  void complete(const std::string& key) {
    const auto upload = uploads.find(key);
    if (upload == uploads.end() || upload->second.parts.empty()) {
      return;
    }
    CompleteUploadRequest request;
    request.upload = upload->second.ref;
    request.etag =
        contract::tag_of(++next_seed_, static_cast<std::uint16_t>(upload->second.parts.size()));
    Assembled assembled;
    std::uint64_t size = 0;
    for (const auto& [number, part] : upload->second.parts) {
      request.parts.push_back({number, part.first.commit});
      assembled.push_back({part.first.bytes, part.second});
      size += part.first.bytes;
    }
    assemblies_[next_seed_] = assembled;
    upload->second.completing = true;
    tracks[key].begin(Value{size, next_seed_, ""});
    busy_.insert_or_assign(key, true);
    store->complete_upload(std::move(request), [this, key](Result<PutResult> result) {
      if (result) {
        uploads.erase(key);
      } else if (!is_undecided(result.error().code)) {
        uploads[key].completing = false;
      }
      answer(key, result ? ok() : Status(result.error()));
    });
  }

  [[nodiscard]] bool busy(const std::string& key) const { return busy_.contains(key); }
  [[nodiscard]] bool idle() const { return busy_.empty(); }
  /// Runs until nothing is in flight or the power is gone.
  void finish() {
    scheduler.run_until([this] { return idle() || !fs.faults().powered(); },
                        std::chrono::minutes(2));
  }

  // --- the oracle ---

  /// Compares everything with the ledger; empty, or what is wrong. What was in doubt is settled by
  /// it.
  std::string verify() {
    if (!wrong.empty()) {
      return wrong;
    }
    for (auto& [key, track] : tracks) {
      const std::string before = track.describe();
      const Result<State> seen = read(key);
      if (!seen) {
        return key + ": unreadable: " + describe(seen.error()) + "; " + before;
      }
      if (!track.settle(*seen)) {
        return key + ": is " + to_text(*seen) + "; " + before;
      }
      const Result<State> again = read(key);
      if (!again || *again != *seen) {
        return key + ": two reads differ";
      }
      if (const std::string about_upload = verify_upload(key); !about_upload.empty()) {
        return about_upload;
      }
    }
    for (auto& [name, state] : buckets) {
      const bool there = store->find_bucket(name) != nullptr;
      if (there != state.acknowledged && !(state.maybe && there == *state.maybe)) {
        return name + ": bucket " + (there ? "is back" : "is gone");
      }
      state = {there, std::nullopt};
    }
    return verify_list();
  }

  static constexpr const char* kBucket = "b";

  sim::SimScheduler scheduler;
  sim::SimFs fs;
  PowerCutAt points;
  SeededRng rng;
  ErasureOptions options;
  std::string problem;
  std::unique_ptr<ObjectStore> store;
  std::map<std::string, Track> tracks;
  std::map<std::string, Upload> uploads;
  struct Bucket {
    bool acknowledged = false;
    std::optional<bool> maybe;
  };
  std::map<std::string, Bucket> buckets;
  std::uint64_t acknowledged = 0;
  std::uint64_t looks = 0;
  std::string wrong;  ///< what a read under way showed and must not have

 private:
  [[nodiscard]] std::int64_t scheduler_now() const { return now_ ? now_->now_ms() : 0; }

  using Assembled =
      std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // bytes, seed of each part

  /// A sink being filled, piece by piece.
  struct Fill {
    std::unique_ptr<BodySink> sink;
    std::uint64_t size = 0;
    std::uint64_t seed = 0;
    std::uint64_t at = 0;
    UniqueFunction<void(Result<std::unique_ptr<BodySink>>)> done;
  };
  void start_fill(std::shared_ptr<Fill> fill) {
    Result<std::unique_ptr<BodySink>> sink = store->open_sink(kBucket, fill->size, {});
    if (!sink) {
      fill->done(sink.error());
      return;
    }
    fill->sink = *std::move(sink);
    fills_.push_back(fill);
    fill_on(std::move(fill));
  }
  static void fill_on(std::shared_ptr<Fill> fill) {
    if (fill->at == fill->size) {
      fill->done(std::move(fill->sink));
      return;
    }
    const std::uint64_t count = std::min<std::uint64_t>(300'000, fill->size - fill->at);
    Buffer piece = contract::pattern(count, fill->seed, fill->at);
    fill->at += count;
    BodySink& sink = *fill->sink;
    sink.append(std::move(piece), [fill](Status taken) {
      if (!taken) {
        fill->done(taken.error());
      } else {
        fill_on(fill);
      }
    });
  }

  Completion<PutResult> settle_put(const std::string& key) {
    return [this, key](Result<PutResult> result) {
      answer(key, result ? ok() : Status(result.error()));
    };
  }
  void answer(const std::string& key, const Status& status) {
    if (!status) {
      refused(key, status.error());
      return;
    }
    busy_.erase(key);
    ++acknowledged;
    tracks[key].acknowledge();
    say(key + " acknowledged: " + to_text(tracks[key].acknowledged()));
  }
  void refused(const std::string& key, const Error& error) {
    busy_.erase(key);
    say(key + " refused: " + mote::describe(error));
    if (!is_undecided(error.code) && !tracks[key].refuse()) {
      wrong = key + ": refused after it was read";
    }
  }
  void change_bucket(const std::string& name, bool there) {
    buckets[name].maybe = there;
    busy_.insert_or_assign("bucket " + name, true);
    auto settle = [this, name, there](const Status& status) {
      busy_.erase("bucket " + name);
      if (status) {
        buckets[name] = {there, std::nullopt};
        ++acknowledged;
      } else if (!is_undecided(status.error().code)) {
        buckets[name].maybe.reset();
      }
    };
    if (there) {
      store->create_bucket({name, "owner", ""},
                           [settle](const Result<std::shared_ptr<const BucketInfo>>& made) {
                             settle(made ? ok() : Status(made.error()));
                           });
    } else {
      store->delete_bucket(name, [settle](const Status& gone) { settle(gone); });
    }
  }

  template <class T, class Start>
  Result<T> await(Start start) {
    auto result = std::make_shared<std::optional<Result<T>>>();
    start(Completion<T>([result](Result<T> got) { *result = std::move(got); }));
    scheduler.run_until([result] { return result->has_value(); }, std::chrono::minutes(5));
    if (!result->has_value()) {
      return {Errc::timed_out, "test.await"};
    }
    return std::move(**result);
  }

  Result<State> read(const std::string& key) {
    Result<OpenedObject> opened = await<OpenedObject>([&](auto done) {
      store->open({kBucket, key, {}}, {}, std::move(done));
    });
    if (!opened) {
      return opened.error().code == Errc::no_such_key ? Result<State>(std::nullopt)
                                                      : Result<State>(opened.error());
    }
    const ObjectHead& head = *opened->head;
    Value value{head.bytes, 0, head.attributes.tags};
    std::string bytes;
    while (bytes.size() < head.bytes) {
      const std::size_t count = std::min<std::size_t>(kMiB, head.bytes - bytes.size());
      if (opened->body) {
        bytes = as_text(opened->body->bytes);
        break;
      }
      const Result<Slice> piece = await<Slice>(
          [&](auto done) { opened->reader->read(bytes.size(), count, std::move(done)); });
      if (!piece) {
        return piece.error();
      }
      bytes.append(as_text(piece->bytes));
    }
    value.seed = seed_of(head.etag);
    if (!holds(bytes, value)) {
      return {Errc::corrupt, "test.mixed_bytes"};
    }
    return State(value);
  }
  /// The seed that a tag was made of; tags are made of seeds in order, so they can be looked for.
  [[nodiscard]] std::uint64_t seed_of(const ETag& tag) const {
    for (std::uint64_t seed = next_seed_; seed > 0; --seed) {
      if (contract::tag_of(seed, tag.parts) == tag) {
        return seed;
      }
    }
    return 0;
  }
  [[nodiscard]] bool holds(std::string_view bytes, const Value& value) const {
    if (bytes.size() != value.size) {
      return false;
    }
    const auto assembled = assemblies_.find(value.seed);
    if (assembled == assemblies_.end()) {
      return contract::is_pattern(as_bytes(bytes), value.seed);
    }
    for (const auto& [size, seed] : assembled->second) {
      if (!contract::is_pattern(as_bytes(bytes.substr(0, size)), seed)) {
        return false;
      }
      bytes.remove_prefix(size);
    }
    return bytes.empty();
  }

  std::string verify_upload(const std::string& key) {
    const auto upload = uploads.find(key);
    if (upload == uploads.end()) {
      return {};
    }
    const Result<UploadInfo> info = await<UploadInfo>(
        [&](auto done) { store->get_upload(upload->second.ref, std::move(done)); });
    const State& now = tracks[key].acknowledged();
    const bool completed =
        upload->second.completing && now && assemblies_.contains(now->seed) && !info;
    if (completed) {
      uploads.erase(upload);
      return {};
    }
    upload->second.completing = false;
    if (!info) {
      return key + ": upload is gone: " + describe(info.error());
    }
    for (const auto& [number, part] : upload->second.parts) {
      const auto found =
          std::find_if(info->parts.begin(), info->parts.end(),
                       [n = number](const PartInfo& each) { return each.number == n; });
      if (found == info->parts.end() || found->commit != part.first.commit) {
        return key + ": an acknowledged part is gone";
      }
    }
    return {};
  }

  std::string verify_list() {
    const Result<ListPage> page = await<ListPage>([&](auto done) {
      store->list({kBucket, "", "", "", 1000, {}}, std::move(done));
    });
    if (!page) {
      return "list: " + describe(page.error());
    }
    std::size_t present = 0;
    for (const auto& [key, track] : tracks) {
      const auto found = std::find_if(page->entries.begin(), page->entries.end(),
                                      [k = key](const ListEntry& entry) { return entry.key == k; });
      if ((found != page->entries.end()) != track.acknowledged().has_value()) {
        return "list disagrees with reads about " + key;
      }
      present += track.acknowledged() ? 1U : 0U;
    }
    return page->entries.size() == present ? "" : "list has keys that nobody wrote";
  }

  SeededRng store_rng_;
  const sim::SimClock* now_ = &scheduler.clock();
  std::map<std::string, bool> busy_;
  std::vector<std::weak_ptr<Fill>> fills_;
  std::map<std::uint64_t, Assembled> assemblies_;  // by the seed of the tag
  std::uint64_t next_seed_ = 0;
};

}  // namespace mote::crash
