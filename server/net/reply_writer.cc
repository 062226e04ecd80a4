#include "server/net/reply_writer.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>

#include "erasure/base/check.h"
#include "server/http/date.h"
#include "server/http/response_head.h"

namespace mote::net {
namespace {

/// "Date: ...\r\n", made once a second and thread.
std::string_view date_line() {
  thread_local std::time_t made_at = -1;
  thread_local std::string line;
  // CLOCK_REALTIME_COARSE is read from the vDSO without a system call.
  std::timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != made_at) {
    made_at = now.tv_sec;
    line = "Date: " + http::http_date(now.tv_sec) + "\r\n";
  }
  return line;
}

constexpr std::size_t kVectorsMax = 64;

}  // namespace

void ReplyWriter::start_exchange(std::string_view request_id, bool is_head, bool close) {
  request_id_ = request_id;
  is_head_ = is_head;
  close_ = close;
  started_ = false;
  aborted_ = false;
  remaining_ = 0;
}

void ReplyWriter::append_text(std::string_view text) {
  text_.append(text);
}

void ReplyWriter::end_text(std::size_t from) {
  if (!parts_.empty() && parts_.back().is_text &&
      parts_.back().offset + parts_.back().size == from) {
    parts_.back().size = text_.size() - parts_.back().offset;
    return;
  }
  Part part;
  part.offset = from;
  part.size = text_.size() - from;
  part.is_text = true;
  parts_.push_back(std::move(part));
}

void ReplyWriter::add_raw(std::string_view text) {
  const std::size_t from = text_.size();
  append_text(text);
  end_text(from);
}

void ReplyWriter::add_head(std::uint16_t status, std::string_view head_lines,
                           std::uint64_t content_length, bool has_length) {
  const std::size_t from = text_.size();
  if (status == 200) {
    append_text("HTTP/1.1 200 OK\r\n");
  } else {
    std::array<char, 8> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), status).ptr;
    append_text("HTTP/1.1 ");
    append_text({digits.data(), static_cast<std::size_t>(end - digits.data())});
    append_text(" ");
    append_text(http::reason_phrase(status));
    append_text("\r\n");
  }
  append_text(head_lines);
  if (has_length) {
    std::array<char, 24> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), content_length).ptr;
    append_text("Content-Length: ");
    append_text({digits.data(), static_cast<std::size_t>(end - digits.data())});
    append_text("\r\n");
  }
  append_text(date_line());
  append_text("x-amz-request-id: ");
  append_text(request_id_);
  append_text("\r\nx-amz-id-2: ");
  append_text(request_id_);
  append_text("\r\nServer: mote\r\n");
  append_text(close_ ? "Connection: close\r\n\r\n" : "\r\n");
  end_text(from);
  started_ = true;
}

void ReplyWriter::add(std::uint16_t status, std::string_view head_lines, Slice body,
                      std::uint64_t content_length) {
  const bool has_length = status != 204 && status != 304 && status >= 200;
  add_head(status, head_lines, content_length, has_length);
  remaining_ = 0;
  if (!is_head_ && !body.bytes.empty()) {
    Part part;
    part.body = std::move(body);
    parts_.push_back(std::move(part));
  }
}

std::string_view ReplyWriter::bytes_of(const Part& part) const {
  return part.is_text ? std::string_view(text_).substr(part.offset, part.size)
                      : as_text(part.body.bytes);
}

void ReplyWriter::forget() {
  parts_.clear();
  text_.clear();
  part_ = part_written_ = 0;
}

void ReplyWriter::advance(std::size_t sent) {
  part_written_ += sent;
  while (part_ < parts_.size()) {
    const std::size_t size = bytes_of(parts_[part_]).size();
    if (part_written_ < size) {
      return;
    }
    part_written_ -= size;
    ++part_;
  }
}

/// One gathered write; -1 with errno as sendmsg.
ssize_t ReplyWriter::transmit(iovec* vectors, std::size_t count) {
  if (tls_ != nullptr) {
    return tls_->write(vectors, count);
  }
  msghdr message{};
  message.msg_iov = vectors;
  message.msg_iovlen = count;
  return ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL);
}

ReplyWriter::Pushed ReplyWriter::push() {
  while (part_ < parts_.size()) {
    std::array<iovec, kVectorsMax> vectors;  // NOLINT: filled as far as it is used
    std::size_t count = 0;
    for (std::size_t i = part_; i < parts_.size() && count < kVectorsMax; ++i, ++count) {
      const std::string_view bytes = bytes_of(parts_[i]).substr(i == part_ ? part_written_ : 0);
      // iovec has no const; sendmsg only reads.
      vectors[count] = {const_cast<char*>(bytes.data()), bytes.size()};
    }
    const ssize_t sent = transmit(vectors.data(), count);
    if (sent < 0) {
      if (errno == EINTR) {
        continue;
      }
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return Pushed::blocked;
      }
      error_ = errno;
      forget();
      return Pushed::failed;
    }
    stats_.bytes_sent.add(static_cast<std::uint64_t>(sent));
    progress_ = std::chrono::steady_clock::now();
    advance(static_cast<std::size_t>(sent));
  }
  forget();
  return Pushed::done;
}

Async<Status> ReplyWriter::flush() {
  while (true) {
    const Pushed pushed = push();
    if (pushed == Pushed::done) {
      co_return ok();
    }
    if (pushed == Pushed::failed) {
      co_return Error{Errc::io_error, error_, "net.send"};
    }
    const auto [ec] = co_await socket_.async_wait(Socket::wait_write, kAwait);
    if (ec) {
      forget();
      co_return Error{Errc::io_error, ec.value(), "net.send"};
    }
  }
}

Async<Status> ReplyWriter::send(Reply reply) {
  MOTE_CHECK(!started_);
  close_ = close_ || reply.close;
  add_head(reply.status, reply.head, reply.content_length, reply.has_content_length);
  if (!is_head_ && !reply.body.bytes.empty()) {
    Part part;
    part.body = std::move(reply.body);
    parts_.push_back(std::move(part));
  }
  remaining_ = 0;
  co_return co_await flush();
}

Async<Status> ReplyWriter::begin(Reply reply) {
  MOTE_CHECK(!started_);
  close_ = close_ || reply.close;
  add_head(reply.status, reply.head, reply.content_length, true);
  remaining_ = is_head_ ? 0 : reply.content_length;
  // The head leaves together with the first bytes of the body.
  co_return ok();
}

Async<Status> ReplyWriter::write(Slice bytes) {
  if (is_head_) {
    co_return ok();
  }
  MOTE_CHECK(bytes.size() <= remaining_);
  remaining_ -= bytes.size();
  if (!bytes.bytes.empty()) {
    Part part;
    part.body = std::move(bytes);
    parts_.push_back(std::move(part));
  }
  co_return co_await flush();
}

}  // namespace mote::net
