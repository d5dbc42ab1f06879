#include "machine/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <utility>

#include "machine/text.hpp"

namespace emu {
namespace {

struct line_state {
    std::mutex mutex;
    bool is_shown = false;
    bool has_ended = false;
};
line_state& state() {
    static line_state s;
    return s;
}

// To the first column, and empty from there on (ECMA-48, CR and EL).
constexpr const char* erase = "\r\033[K";

size_t columns() {
    winsize size{};
    const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return is_known ? size.ws_col : 80;
}

void erase_line(line_state& s) {
    if (std::exchange(s.is_shown, false)) {
        std::fputs(erase, stderr);
        std::fflush(stderr);
    }
}

std::string duration_text(double seconds) {
    const auto s = std::llround(seconds);
    if (s < 120) {
        return std::to_string(s) + " s";
    }
    const auto minutes = s / 60;
    return minutes < 120 ? std::to_string(minutes) + " min" : std::to_string(minutes / 60) + " h";
}

}  // namespace

std::string progress_text(const std::string& name, uint64_t done, uint64_t groups,
                          uint64_t instructions, double seconds) {
    constexpr size_t longest_name = 24;
    std::string text = name.size() > longest_name ? name.substr(0, longest_name - 3) + "..." : name;
    text += format(": %llu of %llu groups, %.1f M instructions/s", long_number(done),
                   long_number(groups), static_cast<double>(instructions) / seconds / 1e6);
    if (done != 0) {
        const double left =
            seconds * static_cast<double>(groups - done) / static_cast<double>(done);
        text += ", " + duration_text(left) + " left";
    }
    return text;
}

progress_line::progress_line(std::string name, uint64_t groups, const progress_times& times)
    : name_(std::move(name)), groups_(groups), times_(times), next_(times.first) {}

progress_line::~progress_line() {
    line_state& s = state();
    const std::scoped_lock lock(s.mutex);
    erase_line(s);
}

void progress_line::update(uint64_t groups_done, uint64_t instructions) {
    const clock::duration elapsed = clock::now() - start_;
    clock::duration next = next_.load();
    if (elapsed < next || !next_.compare_exchange_strong(next, elapsed + times_.interval)) {
        return;
    }
    const double seconds = std::max(1e-3, std::chrono::duration<double>(elapsed).count());
    std::string text = progress_text(name_, groups_done, groups_, instructions, seconds);
    text.resize(std::min(text.size(), columns() - 1));
    line_state& s = state();
    const std::scoped_lock lock(s.mutex);
    if (!s.has_ended) {
        std::fprintf(stderr, "%s%s", erase, text.c_str());
        std::fflush(stderr);
        s.is_shown = true;
    }
}

void hide_progress() {
    line_state& s = state();
    const std::scoped_lock lock(s.mutex);
    erase_line(s);
}

void end_progress() {
    line_state& s = state();
    const std::scoped_lock lock(s.mutex);
    s.has_ended = true;
    erase_line(s);
}

void resume_progress() {
    line_state& s = state();
    const std::scoped_lock lock(s.mutex);
    s.has_ended = false;
}

}  // namespace emu
