// SPDX-License-Identifier: Apache-2.0
// A small HTTP server on the loopback interface for the tests of downloads: GET, optional ranges,
// one connection a request.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace emgnn::testing {

class HttpServer {
 public:
  explicit HttpServer(std::map<std::string, std::string> files, bool ranges = true)
      : files_(std::move(files)), ranges_(ranges), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        ::listen(socket_, 16) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      throw std::runtime_error("no local port");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    stop_ = true;
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int num_requests() const { return num_requests_; }
  int num_ranges() const { return num_ranges_; }

 private:
  void serve() {
    while (!stop_) {
      const int client = ::accept(socket_, nullptr, nullptr);
      if (client < 0) continue;
      std::string request(4096, '\0');
      const ssize_t got = ::recv(client, request.data(), request.size(), 0);
      request.resize(got > 0 ? static_cast<size_t>(got) : 0);
      const std::string reply = answer(request);
      for (size_t sent = 0; sent < reply.size();) {
        const ssize_t n = ::send(client, reply.data() + sent, reply.size() - sent, MSG_NOSIGNAL);
        if (n <= 0) break;
        sent += static_cast<size_t>(n);
      }
      ::close(client);
    }
  }

  std::string answer(const std::string& request) {
    ++num_requests_;
    const size_t begin = request.find(' ') + 1;
    const auto file = files_.find(request.substr(begin, request.find(' ', begin) - begin));
    if (file == files_.end())
      return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    size_t start = 0;
    if (const size_t range = request.find("Range: bytes="); ranges_ && range != std::string::npos) {
      start = std::stoul(request.substr(range + 13));
      ++num_ranges_;
    }
    const std::string& body = file->second;
    const std::string common = "Connection: close\r\nContent-Length: ";
    if (start > body.size()) return "HTTP/1.1 416 Range Not Satisfiable\r\n" + common + "0\r\n\r\n";
    std::string head = start > 0
                           ? "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " +
                                 std::to_string(start) + "-" + std::to_string(body.size() - 1) +
                                 "/" + std::to_string(body.size()) + "\r\n"
                           : "HTTP/1.1 200 OK\r\n";
    return head + common + std::to_string(body.size() - start) + "\r\n\r\n" + body.substr(start);
  }

  std::map<std::string, std::string> files_;
  bool ranges_;
  int socket_;
  int port_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<int> num_requests_ = 0, num_ranges_ = 0;
  std::thread thread_;
};

}  // namespace emgnn::testing
