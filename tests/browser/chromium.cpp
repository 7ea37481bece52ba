// SPDX-License-Identifier: Apache-2.0
#include "browser/chromium.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <map>
#include <stdexcept>
#include <thread>

namespace emgnn::cli_test {

namespace {

using Json = nlohmann::json;

constexpr int kPatience = 60'000;  // milliseconds

// A pipe whose ends are away from 3 and 4, where Chromium wants its own.
std::array<int, 2> far_pipe() {
  std::array<int, 2> near{}, out{};
  if (pipe(near.data()) != 0) throw std::runtime_error("no pipe");
  for (size_t i = 0; i < 2; ++i) {
    out[i] = fcntl(near[i], F_DUPFD_CLOEXEC, 10);
    close(near[i]);
  }
  return out;
}

}  // namespace

Chromium::Chromium(const Workplace& place) : folder_(place.path().string()) {
  start();
  const std::string target =
      call("Target.createTarget", {{"url", "about:blank"}})["targetId"].get<std::string>();
  session_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})["sessionId"]
                 .get<std::string>();
}

Chromium::~Chromium() {
  close(to_);
  close(from_);
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  std::error_code error;
  std::filesystem::remove_all(folder_ + "/profile", error);
}

void Chromium::start() {
  const std::array<int, 2> in = far_pipe(), out = far_pipe();
  const std::string profile = "--user-data-dir=" + folder_ + "/profile";
  const std::string said = folder_ + "/said";
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("no process");
  if (pid_ == 0) {
    setpgid(0, 0);
    const int log = ::open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    dup2(in[0], 3);
    dup2(out[1], 4);
    execlp("chromium", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
           "--no-first-run", "--disable-background-networking", "--disable-component-update",
           "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe", profile.c_str(),
           "about:blank", nullptr);
    _exit(127);
  }
  setpgid(pid_, pid_);
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
}

// Messages end with a zero byte.
std::string Chromium::next_message() {
  for (;;) {
    if (const size_t end = unread_.find('\0'); end != std::string::npos) {
      std::string out = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return out;
    }
    pollfd ready{.fd = from_, .events = POLLIN, .revents = 0};
    std::array<char, 4096> some{};
    const ssize_t n = poll(&ready, 1, kPatience) == 1 ? ::read(from_, some.data(), some.size()) : 0;
    if (n <= 0) throw std::runtime_error("no answer of the browser");
    unread_.append(some.data(), static_cast<size_t>(n));
  }
}

Json Chromium::call(const std::string& method, const Json& parameters) {
  Json request = {{"id", ++last_id_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) request["sessionId"] = session_;
  const std::string text = request.dump();
  for (size_t sent = 0; sent <= text.size();) {
    const ssize_t n = ::write(to_, text.c_str() + sent, text.size() + 1 - sent);
    if (n <= 0) throw std::runtime_error("the browser has ended");
    sent += static_cast<size_t>(n);
  }
  for (;;) {
    const Json answer = Json::parse(next_message());
    if (answer.value("id", 0) != last_id_) continue;  // an event
    if (answer.contains("error")) throw std::runtime_error(answer["error"].dump());
    return answer["result"];
  }
}

void Chromium::open(const std::string& file, int width, int height) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  // No animation, so that a key's effect is there when it has been handled.
  call("Emulation.setEmulatedMedia",
       {{"features", {{{"name", "prefers-reduced-motion"}, {"value", "reduce"}}}}});
  const std::string url = "file://" + folder_ + "/" + file;
  call("Page.navigate", {{"url", url}});
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatience);
  while (value_of("document.URL + document.readyState") != url + "complete") {
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("no page");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

Json Chromium::value_of(const std::string& expression) {
  const Json out = call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}});
  if (out.contains("exceptionDetails")) throw std::runtime_error(out["exceptionDetails"].dump());
  return out["result"].value("value", Json());
}

void Chromium::press(const std::string& key, bool shift) {
  static const std::map<std::string, int> codes = {
      {"Tab", 9}, {"Enter", 13}, {"ArrowUp", 38}, {"ArrowDown", 40}};
  Json event = {{"type", "keyDown"},
                {"key", key},
                {"code", key},
                {"modifiers", shift ? 8 : 0},
                {"windowsVirtualKeyCode", codes.at(key)}};
  if (key == "Enter") event["text"] = "\r";
  call("Input.dispatchKeyEvent", event);
  event.erase("text");
  event["type"] = "keyUp";
  call("Input.dispatchKeyEvent", event);
}

}  // namespace emgnn::cli_test
