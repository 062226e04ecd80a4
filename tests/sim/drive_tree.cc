#include "tests/sim/drive_tree.h"

#include <algorithm>
#include <set>

namespace mote::sim {
namespace {

using erasure::FileKind;
using NameKey = std::pair<const Node*, std::string>;

/// Calls `visit` for every node below `top`, in the order of names.
template <class Visit>
void walk(const NodePtr& top, std::set<const Node*>& seen, Visit visit) {
  if (!seen.insert(top.get()).second) {
    return;
  }
  visit(*top);
  for (const auto& each : top->names) {
    walk(each.second, seen, visit);
  }
}

}  // namespace

DriveTree::DriveTree(std::uint64_t first_number)
    : top_(std::make_shared<Node>()), next_number_(first_number + 1) {
  top_->number = first_number;
  top_->kind = FileKind::directory;
  top_->links = 1;
}

NodePtr DriveTree::find(std::string_view path) const {
  NodePtr node = top_;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
    const auto found = node->names.find(name);
    if (found == node->names.end()) {
      return nullptr;
    }
    node = found->second;
  }
  return node;
}

NodePtr DriveTree::create(const NodePtr& directory, const std::string& name, FileKind kind) {
  auto node = std::make_shared<Node>();
  node->number = next_number_++;
  node->kind = kind;
  link(directory, name, node);
  return node;
}

void DriveTree::link(const NodePtr& directory, const std::string& name, const NodePtr& node) {
  directory->names[name] = node;
  ++node->links;
  record({{directory, name, node}});
}

void DriveTree::remove(const NodePtr& directory, const std::string& name) {
  const auto found = directory->names.find(name);
  const NodePtr node = found->second;
  directory->names.erase(found);
  --node->links;
  discharge_if_gone(*node);
  record({{directory, name, nullptr}});
}

void DriveTree::rename(const NodePtr& from, const std::string& from_name, const NodePtr& to,
                       const std::string& to_name) {
  const NodePtr node = from->names.at(from_name);
  from->names.erase(from_name);
  NodePtr& target = to->names[to_name];
  if (target) {
    --target->links;
    discharge_if_gone(*target);
  }
  target = node;
  record({{from, from_name, nullptr}, {to, to_name, node}});
}

void DriveTree::record(std::vector<Change> changes) {
  pending_.push_back(Operation{std::move(changes)});
}

bool DriveTree::Operation::all_synced() const {
  return std::all_of(changes.begin(), changes.end(), [](const Change& c) { return c.synced; });
}

void DriveTree::make_durable(const Operation& operation) {
  for (const Change& change : operation.changes) {
    if (change.node) {
      change.directory->durable[change.name] = change.node;
    } else {
      change.directory->durable.erase(change.name);
    }
  }
}

void DriveTree::sync(const NodePtr& directory) {
  for (Operation& operation : pending_) {
    for (Change& change : operation.changes) {
      change.synced = change.synced || (change.directory == directory && !operation.failed);
    }
  }
  // What is durable needs the earlier operations on the same names to be durable too.
  std::set<NameKey> needed;
  std::vector<bool> done(pending_.size());
  for (std::size_t i = pending_.size(); i-- > 0;) {
    const auto& changes = pending_[i].changes;
    done[i] = pending_[i].all_synced() ||
              std::any_of(changes.begin(), changes.end(), [&](const Change& c) {
                return needed.contains({c.directory.get(), c.name});
              });
    for (const Change& change : changes) {
      if (done[i]) {
        needed.emplace(change.directory.get(), change.name);
      }
    }
  }
  std::vector<Operation> left;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (done[i]) {
      make_durable(pending_[i]);
    } else {
      left.push_back(std::move(pending_[i]));
    }
  }
  pending_ = std::move(left);
}

void DriveTree::fail_sync(const NodePtr& directory) {
  for (Operation& operation : pending_) {
    for (const Change& change : operation.changes) {
      operation.failed = operation.failed || change.directory == directory;
    }
  }
}

void DriveTree::cut(Rng& rng, CutMode mode) {
  const std::vector<bool> kept = survivors(rng, mode);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (kept[i]) {
      make_durable(pending_[i]);
    }
  }
  std::set<Node*> seen;
  std::vector<NodePtr> left{top_};
  while (!left.empty()) {
    const NodePtr directory = left.back();
    left.pop_back();
    directory->names = directory->durable;
    for (const auto& each : directory->names) {
      if (each.second->kind == FileKind::directory && seen.insert(each.second.get()).second) {
        left.push_back(each.second);
      }
    }
  }
  pending_.clear();
  cut_files(rng, mode);
  forget_handles();
}

std::vector<bool> DriveTree::survivors(Rng& rng, CutMode mode) const {
  std::uint64_t keep_of_16 = mode == CutMode::drop_all ? 0 : 16;
  if (mode == CutMode::random) {
    keep_of_16 = 1 + rng.below(15);
  }
  std::vector<bool> kept(pending_.size());
  std::set<NameKey> lost;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const auto& changes = pending_[i].changes;
    const bool possible = std::none_of(changes.begin(), changes.end(), [&](const Change& c) {
      return lost.contains({c.directory.get(), c.name});
    });
    kept[i] = possible && !pending_[i].failed && rng.below(16) < keep_of_16;
    for (const Change& change : changes) {
      if (!kept[i]) {
        lost.emplace(change.directory.get(), change.name);
      }
    }
  }
  return kept;
}

void DriveTree::cut_files(Rng& rng, CutMode mode) {
  std::uint64_t last_sequence = 0;
  std::set<const Node*> seen;
  walk(top_, seen, [&](const Node& node) {
    last_sequence = std::max(last_sequence, node.content.last_write_sequence());
  });
  seen.clear();
  walk(top_, seen, [&](Node& node) {
    const bool tear = last_sequence > 0 && node.content.last_write_sequence() == last_sequence;
    node.content.cut(rng, mode, tear);
    node.reserved = std::min(node.reserved, node.content.size());
  });
}

void DriveTree::sync_all() {
  for (const Operation& operation : pending_) {
    make_durable(operation);
  }
  pending_.clear();
  std::set<const Node*> seen;
  walk(top_, seen, [](Node& node) { node.content.sync(); });
}

void DriveTree::forget_handles() {
  std::set<const Node*> seen;
  walk(top_, seen, [](Node& node) {
    node.handles = 0;
    node.locked = false;
  });
  recount();
}

void DriveTree::recount() {
  std::set<const Node*> seen;
  walk(top_, seen, [](Node& node) {
    node.links = 0;
    node.charged = 0;
  });
  used_ = 0;
  seen.clear();
  walk(top_, seen, [](Node& node) {
    for (const auto& each : node.names) {
      ++each.second->links;
    }
  });
  top_->links = 1;
  seen.clear();
  walk(top_, seen, [this](Node& node) { charge(node); });
}

void DriveTree::charge(Node& file) {
  const std::uint64_t bytes = std::max(file.reserved, file.content.stored_bytes());
  used_ = used_ + bytes - file.charged;
  file.charged = bytes;
}

void DriveTree::discharge_if_gone(Node& file) {
  if (file.links == 0 && file.handles == 0) {
    used_ -= file.charged;
    file.charged = 0;
  }
}

}  // namespace mote::sim
