#include "erasure/io/vfs.h"

#include <algorithm>

namespace mote::erasure {
namespace {

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Writes and syncs the whole of a new file; its name is not durable yet.
Status write_and_sync(Vfs& vfs, const std::string& path, ByteView data) {
  OpenOptions options;
  options.write = true;
  options.create = true;
  options.truncate = true;
  auto file = vfs.open(path, options);
  if (!file) {
    return file.error();
  }
  if (const Status written = (*file)->pwrite(0, data); !written) {
    return written.error();
  }
  return (*file)->sync_data();
}

}  // namespace

Status Vfs::sync_directory(const std::string& path) {
  auto directory = open_directory(path);
  if (!directory) {
    return directory.error();
  }
  return (*directory)->sync();
}

Status write_file_atomically(Vfs& vfs, const std::string& path, ByteView data) {
  const std::string temporary = path + ".tmp";
  Status done = write_and_sync(vfs, temporary, data);
  if (done) {
    done = vfs.rename(temporary, path);
  }
  if (!done) {
    // The old content is untouched; what is left of the new one is only tidied up.
    (void)vfs.unlink(temporary);
    return done.error();
  }
  return vfs.sync_directory(parent_of(path));
}

Result<std::string> read_file(Vfs& vfs, const std::string& path, std::uint64_t bytes_max) {
  auto file = vfs.open(path, OpenOptions{});
  if (!file) {
    return file.error();
  }
  const Result<std::uint64_t> size = (*file)->size();
  if (!size) {
    return size.error();
  }
  if (*size > bytes_max) {
    return Error{Errc::too_large, 0, "io.read_file"};
  }
  std::string text(static_cast<std::size_t>(*size), '\0');
  const Result<std::size_t> got =
      (*file)->pread(0, std::as_writable_bytes(std::span(text.data(), text.size())));
  if (!got) {
    return got.error();
  }
  text.resize(*got);
  return text;
}

}  // namespace mote::erasure
