// SPDX-License-Identifier: Apache-2.0
// emgnn data fetch against servers on the loopback interface.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <map>

#include "cli/program.h"
#include "data/http_server.h"
#include "data/real_data.h"

namespace emgnn::cli_test {
namespace {

using testing::HttpServer;
using Files = std::map<std::string, std::string>;

const std::string kFile = "moleculenet/SAMPL.csv";

std::vector<std::string> fetch(const std::string& mirror) {
  return {"data", "fetch", "freesolv", "--data-dir", "data", "--mirror", mirror, "--quiet"};
}

TEST(DataFetch, GoesOnWithAPartialFileAndLeavesAGoodOneAlone) {
  EMGNN_NEEDS_REAL_DATA();
  const Workplace place;
  const std::string content = read(testing::real_data_dir() / kFile);
  const HttpServer server(Files{{"/" + kFile, content}});
  std::filesystem::create_directories(place.path() / "data/moleculenet");
  std::ofstream(place.path() / "data" / (kFile + ".part")) << content.substr(0, 1000);

  const Outcome first = run(place, fetch(server.url()));
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.out.find("downloaded  " + kFile), std::string::npos) << first.out;
  EXPECT_EQ(server.num_ranges(), 1);
  EXPECT_EQ(read(place.path() / "data" / kFile), content);

  EXPECT_NE(run(place, fetch(server.url())).out.find("was there   " + kFile), std::string::npos);
  EXPECT_EQ(server.num_requests(), 1);
}

TEST(DataFetch, AFileThatIsNotThePublishedOneIsStatusThree) {
  const Workplace place;
  const HttpServer server(Files{{"/" + kFile, "something else"}});
  expect_one_line(run(place, fetch(server.url())), 3, "SHA-256");
  EXPECT_FALSE(std::filesystem::exists(place.path() / "data" / kFile));
  expect_one_line(run(place, fetch(server.url() + "/nowhere")), 3, "404");
}

TEST(DataFetch, AGeneratedDatasetNeedsNoFile) {
  const Workplace place;
  EXPECT_EQ(run(place, {"data", "fetch", "noisy-relations"}).out,
            "noisy-relations is generated: there is nothing to fetch\n");
}

// Takes connections and never answers.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address_);
    auto* const address = reinterpret_cast<sockaddr*>(&address_);
    if (::bind(socket_, address, length) != 0 || ::listen(socket_, 4) != 0 ||
        ::getsockname(socket_, address, &length) != 0)
      throw std::runtime_error("no local port");
  }
  ~SilentServer() { ::close(socket_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  std::string url() const { return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }

 private:
  int socket_;
  sockaddr_in address_{};
};

TEST(DataFetch, CtrlCEndsInOrderAndTellsHowToGoOn) {
  const Workplace place;
  const SilentServer server;
  Program program(place, fetch(server.url()));
  program.wait_until_it_catches_interrupts();
  program.send(SIGINT);
  const Outcome stopped = program.wait();
  expect_one_line(stopped, 4, "the next one goes on from there");
  EXPECT_NE(stopped.err.find("data fetch freesolv"), std::string::npos) << stopped.err;
}

}  // namespace
}  // namespace emgnn::cli_test
