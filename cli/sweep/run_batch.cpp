// The runs of a batch: a thread a room. One process has one context on the GPU, and its rooms are planned, computed,
// rendered and written at the same time.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "cli/sweep/run_workers.hpp"
#include "cli/terminal/error_text.hpp"
#include "engine/reports/json_text.hpp"
#include "engine/reports/run_report.hpp"
#include "engine/session/session.hpp"
#include "engine/system/threads.hpp"

namespace fdtd::cli {
namespace {

class RunBatch final : public RunWorkers {
 public:
  RunBatch(const SweepOptions& options, int rooms) : options_(options), rooms_(rooms) {
    for (int i = 0; i < rooms; ++i) threads_.emplace_back([this] { work(); });
  }
  ~RunBatch() override {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  RunBatch(const RunBatch&) = delete;
  RunBatch& operator=(const RunBatch&) = delete;

  void start(const SweepRun& run, const std::filesystem::path& waves) override {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back({&run, waves});
    }
    changed_.notify_one();
  }

  std::optional<EndedRun> ended() override {
    std::unique_lock lock(mutex_);
    over_.wait_for(lock, std::chrono::milliseconds(10), [this] { return !ended_.empty(); });
    if (ended_.empty()) return std::nullopt;
    EndedRun one = std::move(ended_.front());
    ended_.pop_front();
    return one;
  }

  void end_all() override { ending_ = true; }

 private:
  struct Task {
    const SweepRun* run = nullptr;
    std::filesystem::path waves;
  };

  void work() {
    for (;;) {
      Task task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        task = std::move(waiting_.front());
        waiting_.pop_front();
      }
      EndedRun end = compute(task);
      {
        const std::lock_guard lock(mutex_);
        ended_.push_back(std::move(end));
      }
      over_.notify_one();
    }
  }

  EndedRun compute(const Task& task) const {
    EndedRun end{task.run, 0, "", ""};
    const auto fails = [&end](const Error& error) {
      end.status = static_cast<int>(error.status);
      end.error = reason_of(error_text(error));
    };
    try {
      RunRequest request = request_of(task);
      use_threads(request.scene.threads);
      SessionCalls calls;
      calls.stop = [this] { return ending_.load(); };
      run_scene(request, calls, [&end](const Finished& done, const PlanReport& report) {
        end.document = json_text(run_json(done, report));
      });
    } catch (const Error& error) {
      fails(error);
    } catch (const std::bad_alloc&) {
      fails({Status::resource, "out of memory", "a smaller --batch"});
    } catch (const std::exception& error) {
      fails({Status::resource, std::string("unexpected failure: ") + error.what()});
    }
    return end;
  }

  RunRequest request_of(const Task& task) const {
    RunRequest request;
    request.scene = scene_options(options_, *task.run);
    request.scene.threads = std::max(options_.threads, 1);
    request.place.folder = task.run->folder.string();
    const bool again = replaces_files(options_, *task.run);
    request.place.force = again;
    request.place.resume = !again;
    request.waves = task.waves;
    request.predict = false;
    request.checkpoint_every = parse_interval("10min");
    request.rooms_at_once = rooms_;
    return request;
  }

  const SweepOptions& options_;
  const int rooms_;
  std::mutex mutex_;  // of the next four
  std::condition_variable changed_, over_;
  std::deque<Task> waiting_;
  std::deque<EndedRun> ended_;
  bool closed_ = false;
  std::atomic<bool> ending_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<RunWorkers> run_in_batch(const SweepOptions& options, int rooms) {
  return std::make_unique<RunBatch>(options, rooms);
}

}  // namespace fdtd::cli
