// Ranks that are threads of one process, to test several ranks without starting processes.
#pragma once

#include <array>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine/system/ranks.hpp"

namespace fdtd::test {

// Calls function(ranks) on `count` ranks side by side; rethrows what the first that failed threw. Ranks that
// wait for it then fail as well.
class ThreadRanks {
 public:
  static void run(int count, const std::function<void(Ranks&)>& function) {
    ThreadRanks all(count);
    std::exception_ptr failure;
    std::once_flag failed;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count; ++rank) {
      threads.emplace_back([&, rank] {
        One one(all, rank);
        try {
          function(one);
        } catch (...) {
          std::call_once(failed, [&] { failure = std::current_exception(); });
          for (Box& box : all.boxes_) box.close();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
  }

 private:
  using Bytes = std::vector<std::byte>;

  class One final : public Ranks {
   public:
    One(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.count_; }
    int local_rank() const override { return rank_; }
    int local_size() const override { return all_.count_; }
    void begin_halos(const HaloPlanes& below, const HaloPlanes& above) override {
      halos_ = {below, above};
      if (!below.out.empty()) put(rank_ - 1, below.out);
      if (!above.out.empty()) put(rank_ + 1, above.out);
    }
    void move_halos() override {}
    void end_halos() override {
      if (!halos_[0].in.empty()) get(rank_ - 1, halos_[0].in);
      if (!halos_[1].in.empty()) get(rank_ + 1, halos_[1].in);
    }
    void broadcast(std::span<std::byte> bytes) override {
      const auto all = gather(bytes);
      if (rank_ != 0) std::memcpy(bytes.data(), all[0].data(), all[0].size());
    }
    std::vector<Bytes> gather(std::span<const std::byte> mine) override {
      for (int rank = 0; rank < size(); ++rank) put(rank, mine);
      std::vector<Bytes> parts;
      for (int rank = 0; rank < size(); ++rank) parts.push_back(take(rank));
      return parts;
    }
    void send(int to, std::span<const std::byte> bytes) override { put(to, bytes); }
    void receive(int from, std::span<std::byte> bytes) override { get(from, bytes); }
    void wait_for_all() override { gather({}); }

   private:
    void put(int to, std::span<const std::byte> bytes) { all_.box(rank_, to).put({bytes.begin(), bytes.end()}); }
    Bytes take(int from) { return all_.box(from, rank_).take(); }
    void get(int from, std::span<std::byte> bytes) {
      const Bytes all = take(from);
      if (all.size() != bytes.size()) throw std::runtime_error("what came is not as long as what was waited for");
      if (!all.empty()) std::memcpy(bytes.data(), all.data(), all.size());
    }
    ThreadRanks& all_;
    int rank_;
    std::array<HaloPlanes, 2> halos_;
  };

  // From one rank to another, in order.
  class Box {
   public:
    void put(Bytes bytes) {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(bytes));
      arrived_.notify_one();
    }
    Bytes take() {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [&] { return !waiting_.empty() || closed_; });
      if (waiting_.empty()) throw std::runtime_error("another rank has failed");
      Bytes bytes = std::move(waiting_.front());
      waiting_.erase(waiting_.begin());
      return bytes;
    }

    void close() {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      arrived_.notify_all();
    }

   private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<Bytes> waiting_;
    bool closed_ = false;
  };

  explicit ThreadRanks(int count)
      : count_(count), boxes_(static_cast<std::size_t>(count) * static_cast<std::size_t>(count)) {}
  Box& box(int from, int to) { return boxes_[static_cast<std::size_t>(from * count_ + to)]; }

  int count_;
  std::vector<Box> boxes_;
};

}  // namespace fdtd::test
