// SPDX-License-Identifier: Apache-2.0
#include <emgnn/data/published_files.h>

#include <fmt/format.h>

#include <algorithm>

namespace emgnn {
namespace {

#define GITHUB "https://raw.githubusercontent.com/"
constexpr std::string_view kPlanetoid = GITHUB "kimiyoung/planetoid/master/data/";
constexpr std::string_view kHashGnn = GITHUB
    "williamweiwu/williamweiwu.github.io/master/Graph_Network%20Embedding/HashGNNPlus/data/pubmed/";
constexpr std::string_view kPubmedTemporal =
    GITHUB "nelsonaloysio/pubmed-temporal/5bf5ed16b73da87d16b9fd2a75f18b1167ab2a5d/input/";
constexpr std::string_view kGeomGcn = GITHUB "graphdml-uiuc-jlu/geom-gcn/master/";
constexpr std::string_view kGeomGcnCorrected = GITHUB "bingzhewei/geom-gcn/master/";
constexpr std::string_view kGtn = GITHUB "cenyk1230/gtn-data/master/";
constexpr std::string_view kEmgnn =
    GITHUB "amblee0306/EMGNN/0ca591f6c45015ef52f9b2c64a65a9327c245948/";
constexpr std::string_view kDeepChem = "https://deepchemdata.s3-us-west-1.amazonaws.com/datasets/";
constexpr std::string_view kSmilesTransformer =
    GITHUB "ajia90/smilestransformer/566a9a8d85cf700d43d254f4915e7c0d6f062cc4/";
constexpr std::string_view kAmGcn = GITHUB "zhumeiqiBUPT/AM-GCN/master/data/";
constexpr std::string_view kNoHome;  // converted from another form; docs/data.md says from which
#undef GITHUB

// clang-format off
constexpr PublishedFile kFiles[] = {
    {"am-gcn/BlogCatalog.zip", kAmGcn, "BlogCatalog.zip", 2106860,
     "200e37cb382ba1f75462978622cafd3f75ee69da34250b932e0c26215965dbd2"},
    {"am-gcn/flickr.zip", kAmGcn, "flickr.zip", 2469404,
     "3d5bf9dc20144ec079daac0c402ffcbb853c3f56f0cd70f429c628eb9c0ff18d"},
    {"geom-gcn/cornell-before-2022-07/out1_graph_edges.txt", kGeomGcn, "new_data/cornell/out1_graph_edges.txt", 2001,
     "c4522a00cc40873c8a04a3a07c49e24a48a507eb284ac9c9f2d3e0590351bbb7"},
    {"geom-gcn/cornell-before-2022-07/out1_node_feature_label.txt", kGeomGcn, "new_data/cornell/out1_node_feature_label.txt", 624308,
     "cf5a3ca346cdd1210b8342e22517fcbbdae658065b7a3145f59350e50e6236a3"},
    {"geom-gcn/cornell/out1_graph_edges.txt", kGeomGcnCorrected, "new_data/cornell/out1_graph_edges.txt", 1989,
     "12dc60defc4f8a1f18499e3695bfd62ef0421f9b722297276e7f02dec7ae3dca"},
    {"geom-gcn/cornell/out1_node_feature_label.txt", kGeomGcnCorrected, "new_data/cornell/out1_node_feature_label.txt", 624308,
     "38561ad44e29199a826ccef7f94f469b94a912076f83fbc453a69b8ac2b4b858"},
    {"geom-gcn/splits/cornell_split_0.6_0.2_0.npz", kGeomGcn, "splits/cornell_split_0.6_0.2_0.npz", 704,
     "14022a1e19ec7fc0a07a2c06a785a2f9dc52809dbcd1c14fc318f7800675d73f"},
    {"geom-gcn/splits/cornell_split_0.6_0.2_1.npz", kGeomGcn, "splits/cornell_split_0.6_0.2_1.npz", 700,
     "5568fa27e968a724c92211bf97026a36a08893cf94b218043e49b4c973c35cfb"},
    {"geom-gcn/splits/cornell_split_0.6_0.2_2.npz", kGeomGcn, "splits/cornell_split_0.6_0.2_2.npz", 695,
     "763fc1f423395e4172617fa5b6bc0d7adad2241e5fedd1a4f0a098a67f9dc8e9"},
    {"geom-gcn/splits/cornell_split_0.6_0.2_3.npz", kGeomGcn, "splits/cornell_split_0.6_0.2_3.npz", 701,
     "4334321cd9ec42de9d51107fb9a6dc310512e0921bc1cff0f390301ee37315fa"},
    {"geom-gcn/splits/cornell_split_0.6_0.2_4.npz", kGeomGcn, "splits/cornell_split_0.6_0.2_4.npz", 759,
     "2b6b3ef396f4dc7fcdc276fb16b88bb87409b25879dd672b3a506eca844dd8d7"},
    {"geom-gcn/splits/cornell_split_0.6_0.2_5.npz", kGeomGcn, "splits/cornell_split_0.6_0.2_5.npz", 754,
     "1a40ef8b20aa9e1aa850e1abdaba3efac1f66c98ef2c6a59eadefa21136ece6b"},
    {"geom-gcn/splits/cornell_split_0.6_0.2_6.npz", kGeomGcn, "splits/cornell_split_0.6_0.2_6.npz", 758,
     "bcddf4ab59eae4c7d47b8a6cec9025a54ec0e6d3f3bdcd7678e201f25ace4642"},
    {"geom-gcn/splits/cornell_split_0.6_0.2_7.npz", kGeomGcn, "splits/cornell_split_0.6_0.2_7.npz", 693,
     "2b497e12dfc123d7e7c9bb4fc4a82b5bee18409e109a3e3a04da439cacec964d"},
    {"geom-gcn/splits/cornell_split_0.6_0.2_8.npz", kGeomGcn, "splits/cornell_split_0.6_0.2_8.npz", 701,
     "5c4e110d252d7ad156b2e4cd34b6dbd1cecbcc1755f8d72e932cc2a54f2b643c"},
    {"geom-gcn/splits/cornell_split_0.6_0.2_9.npz", kGeomGcn, "splits/cornell_split_0.6_0.2_9.npz", 704,
     "80f1531807194d301affbf6f879a4ab4f56a19bdccb62d192e3ecd1b5275f052"},
    {"geom-gcn/splits/texas_split_0.6_0.2_0.npz", kGeomGcn, "splits/texas_split_0.6_0.2_0.npz", 698,
     "7ba77bf7a8856fcc0ab15623a611b8cdce994e820f577da914123fb4f45272b0"},
    {"geom-gcn/splits/texas_split_0.6_0.2_1.npz", kGeomGcn, "splits/texas_split_0.6_0.2_1.npz", 701,
     "21cc244a96e3c51ad7993afb4dd227f90e467d82b964bb42d7d9fc500a6ef87f"},
    {"geom-gcn/splits/texas_split_0.6_0.2_2.npz", kGeomGcn, "splits/texas_split_0.6_0.2_2.npz", 756,
     "b9e96a699ccf3a4c31ffbd03e52b25570889833425d20fa44e06c37b327cf61e"},
    {"geom-gcn/splits/texas_split_0.6_0.2_3.npz", kGeomGcn, "splits/texas_split_0.6_0.2_3.npz", 759,
     "1a7deeb1285009789d5e6045d7e39f7d019c9223d9a75a2b7ce5e26d33b51f63"},
    {"geom-gcn/splits/texas_split_0.6_0.2_4.npz", kGeomGcn, "splits/texas_split_0.6_0.2_4.npz", 702,
     "b5419ff3fe31adcae66fdb085d4f47d0b188e9436ab59f438632af969aafc674"},
    {"geom-gcn/splits/texas_split_0.6_0.2_5.npz", kGeomGcn, "splits/texas_split_0.6_0.2_5.npz", 691,
     "68405fd1b9ff6105d99717220ecbd198785e338bf4a73abee722bbc9703d2667"},
    {"geom-gcn/splits/texas_split_0.6_0.2_6.npz", kGeomGcn, "splits/texas_split_0.6_0.2_6.npz", 756,
     "8ad78b973164e70e5ac0d282e79adcbc6006e373909fbdfd72a13131e09040b8"},
    {"geom-gcn/splits/texas_split_0.6_0.2_7.npz", kGeomGcn, "splits/texas_split_0.6_0.2_7.npz", 693,
     "a84bcbf997365bddf5fdf72ed49dc7e435e475f8c6210f8cdee7c8581a2bd6df"},
    {"geom-gcn/splits/texas_split_0.6_0.2_8.npz", kGeomGcn, "splits/texas_split_0.6_0.2_8.npz", 762,
     "65ba65f296f91d40d2d7d3c9369b67415094a7e254c6eee48cd6d6531c586fdf"},
    {"geom-gcn/splits/texas_split_0.6_0.2_9.npz", kGeomGcn, "splits/texas_split_0.6_0.2_9.npz", 693,
     "4306981d654ad8835c000c1f73fb6c1e60dfe99e26c13a6073f3b0f4cc3ce6ee"},
    {"geom-gcn/splits/wisconsin_split_0.6_0.2_0.npz", kGeomGcn, "splits/wisconsin_split_0.6_0.2_0.npz", 805,
     "f66f641e191d35d491cd3b63d6c2cd93c4b436da398984b44c19a8d4d7e7b1a5"},
    {"geom-gcn/splits/wisconsin_split_0.6_0.2_1.npz", kGeomGcn, "splits/wisconsin_split_0.6_0.2_1.npz", 739,
     "534aeb97266bd5a85a8587adf8eebad3f2e001c1240610f24b62c0ad0c2466ee"},
    {"geom-gcn/splits/wisconsin_split_0.6_0.2_2.npz", kGeomGcn, "splits/wisconsin_split_0.6_0.2_2.npz", 747,
     "047a5b641778ec3a4c76055fd7f18ecb2424c0952f20dfff7e1b17749d8acbdd"},
    {"geom-gcn/splits/wisconsin_split_0.6_0.2_3.npz", kGeomGcn, "splits/wisconsin_split_0.6_0.2_3.npz", 810,
     "706c27b4c51d046c0316f1e915f093e4a1fff48b3436b3e7c421eab596a99e77"},
    {"geom-gcn/splits/wisconsin_split_0.6_0.2_4.npz", kGeomGcn, "splits/wisconsin_split_0.6_0.2_4.npz", 812,
     "7ee813605eec086457aaff022cf3837f2f893fcf8bd37e3a8d2ff0c80e4c4f87"},
    {"geom-gcn/splits/wisconsin_split_0.6_0.2_5.npz", kGeomGcn, "splits/wisconsin_split_0.6_0.2_5.npz", 749,
     "8094ac2bdaf2cbea8f7a48df66a0800c809b2fd5942740e6b0441b660d3a0dd5"},
    {"geom-gcn/splits/wisconsin_split_0.6_0.2_6.npz", kGeomGcn, "splits/wisconsin_split_0.6_0.2_6.npz", 735,
     "c423a8deea9b18f9ecb6cfd703578e2159df167de01fe7e6195b88995010252d"},
    {"geom-gcn/splits/wisconsin_split_0.6_0.2_7.npz", kGeomGcn, "splits/wisconsin_split_0.6_0.2_7.npz", 733,
     "57ad808c8d4dd94dc4404124370bbcebb3dcc597c2bea6457bf05f220adf1527"},
    {"geom-gcn/splits/wisconsin_split_0.6_0.2_8.npz", kGeomGcn, "splits/wisconsin_split_0.6_0.2_8.npz", 741,
     "27d4d62a2a6aea2cdc399302237512ab0d64fb0c84e648112f97c5896274e42f"},
    {"geom-gcn/splits/wisconsin_split_0.6_0.2_9.npz", kGeomGcn, "splits/wisconsin_split_0.6_0.2_9.npz", 744,
     "3c149cd124a19021031609e0d7743a7be59aae4f88c8d38410138e8f06f5daaf"},
    {"geom-gcn/texas/out1_graph_edges.txt", kGeomGcn, "new_data/texas/out1_graph_edges.txt", 2172,
     "0fe85183243a78cbee9b85a684f8240963d04d1020d10e9cd2b8cfb25e33b476"},
    {"geom-gcn/texas/out1_node_feature_label.txt", kGeomGcn, "new_data/texas/out1_node_feature_label.txt", 624308,
     "cf5a3ca346cdd1210b8342e22517fcbbdae658065b7a3145f59350e50e6236a3"},
    {"geom-gcn/wisconsin/out1_graph_edges.txt", kGeomGcn, "new_data/wisconsin/out1_graph_edges.txt", 3606,
     "ebd213511c88fce1eda450c2f920600c4b8cbb38f02384856bcc47c6ec1807ae"},
    {"geom-gcn/wisconsin/out1_node_feature_label.txt", kGeomGcn, "new_data/wisconsin/out1_node_feature_label.txt", 856324,
     "a32b0aa38d42f0d36841e8a8cb646d197f0ff33a182ac75a2b4476aeed3c7e4b"},
    {"gtn/acm.zip", kGtn, "gtn-acm.zip", 1657728,
     "7455a10368ccf38fde31e2ca8a49ae05fa2c7246aa16124aa5b9ba8a9624ba7b"},
    {"gtn/dblp.zip", kGtn, "gtn-dblp.zip", 409554,
     "77574f7052f6cc7e6ea4ba940bcdd9c887cc3bc7d5fb1934a7e5f2720bbdb99b"},
    {"gtn/imdb.labels.emgnn-release.pkl", kEmgnn, "data.zip", 37310,
     "7c89ce1326042f40ef22d4fb1c7b4dbd5b74cc2a8cad1abc1345fcded98f9ea0"},
    {"gtn/imdb.zip", kGtn, "gtn-imdb.zip", 358054,
     "87d30c985010906bd54efb151f44834240af3d8c2dc86517b9343870216c81bd"},
    {"moleculenet/Lipophilicity.csv", kDeepChem, "Lipophilicity.csv", 282606,
     "aed41590cb30609d51d8e08ad3ff06495a76e80e211358801f596b10da69bacd"},
    {"moleculenet/SAMPL.csv", kSmilesTransformer, "SAMPL.csv", 32060,
     "ab5895d914ee87cb563bd7b9611e869527bba45bec6b014d34dc495a0f9dcb72"},
    {"moleculenet/delaney-processed.csv", kDeepChem, "delaney-processed.csv", 96699,
     "8c06a76f0c6487d29ab0f903e6a7a7139f189ab3c1178f159c8be8964602f189"},
    {"planetoid/ind.citeseer.allx", kPlanetoid, "ind.citeseer.allx", 595021,
     "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668"},
    {"planetoid/ind.citeseer.ally", kPlanetoid, "ind.citeseer.ally", 55623,
     "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95"},
    {"planetoid/ind.citeseer.graph", kPlanetoid, "ind.citeseer.graph", 61987,
     "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7"},
    {"planetoid/ind.citeseer.test.index", kPlanetoid, "ind.citeseer.test.index", 5000,
     "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4"},
    {"planetoid/ind.citeseer.tx", kPlanetoid, "ind.citeseer.tx", 260321,
     "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21"},
    {"planetoid/ind.citeseer.ty", kPlanetoid, "ind.citeseer.ty", 24135,
     "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce"},
    {"planetoid/ind.citeseer.x", kPlanetoid, "ind.citeseer.x", 31087,
     "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6"},
    {"planetoid/ind.citeseer.y", kPlanetoid, "ind.citeseer.y", 3014,
     "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924"},
    {"planetoid/ind.cora.allx", kPlanetoid, "ind.cora.allx", 257305,
     "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543"},
    {"planetoid/ind.cora.ally", kPlanetoid, "ind.cora.ally", 47959,
     "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71"},
    {"planetoid/ind.cora.graph", kPlanetoid, "ind.cora.graph", 59847,
     "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d"},
    {"planetoid/ind.cora.test.index", kPlanetoid, "ind.cora.test.index", 5000,
     "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"},
    {"planetoid/ind.cora.tx", kPlanetoid, "ind.cora.tx", 148025,
     "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"},
    {"planetoid/ind.cora.ty", kPlanetoid, "ind.cora.ty", 28135,
     "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"},
    {"planetoid/ind.cora.x", kPlanetoid, "ind.cora.x", 22119,
     "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab"},
    {"planetoid/ind.cora.y", kPlanetoid, "ind.cora.y", 4054,
     "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1"},
    {"planetoid/ind.pubmed.allx", kPlanetoid, "ind.pubmed.allx", 0,
     ""},
    {"planetoid/ind.pubmed.ally", kPlanetoid, "ind.pubmed.ally", 224739,
     "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e"},
    {"planetoid/ind.pubmed.graph", kPlanetoid, "ind.pubmed.graph", 471808,
     "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9"},
    {"planetoid/ind.pubmed.test.index", kPlanetoid, "ind.pubmed.test.index", 6000,
     "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5"},
    {"planetoid/ind.pubmed.tx", kPlanetoid, "ind.pubmed.tx", 405505,
     "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d"},
    {"planetoid/ind.pubmed.ty", kPlanetoid, "ind.pubmed.ty", 12135,
     "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd"},
    {"planetoid/ind.pubmed.x", kPlanetoid, "ind.pubmed.x", 23172,
     "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33"},
    {"planetoid/ind.pubmed.y", kPlanetoid, "ind.pubmed.y", 854,
     "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3"},
    {"planetoid/pubmed-presence/features.txt", kHashGnn, "features.txt", 3587987,
     "128c8e3cda923a3cbc2aecf5c0ce1c04161cfa1256ae04224ecd2f358f41075f"},
    {"planetoid/pubmed-presence/ind.pubmed.presence.npz", kNoHome, "", 1192888,
     "f6b617b9181c48f8047d7119516fe3c88d2109fa6c0145d5b1e57669e3123d35"},
    {"planetoid/pubmed-presence/network.adjlist", kHashGnn, "network.adjlist", 481795,
     "d7fe55e94447dac5fb467872ca77e4065867ffe4292ec6c9481e8a558d362253"},
    {"planetoid/pubmed-presence/planetoid-index-map.json.gz", kPubmedTemporal, "planetoid-index-map.json.gz", 50518,
     "31d897552af05c0a512e0e19c82c0d57174bb97238a51f66f9e406e458d06d92"},
    {"yeast/edges.csv", kNoHome, "", 268008,
     "c89447a66d523424618faf048ed8b5b7be2b3ac6a2810256a7628da407cbc107"},
    {"yeast/nodes.csv", kNoHome, "", 25605,
     "d31fb2e244a5cabf00b5dc113cc7e07883bbaec9b69e52ed5d863c7d102fa886"},
};
// clang-format on

}  // namespace

std::span<const PublishedFile> published_files() { return kFiles; }

const PublishedFile* find_published_file(std::string_view path) {
  const auto* found = std::find_if(std::begin(kFiles), std::end(kFiles),
                                   [&](const PublishedFile& file) { return file.path == path; });
  return found == std::end(kFiles) ? nullptr : found;
}

std::string how_to_get(std::string_view path, const std::string& dataset) {
  const PublishedFile* file = find_published_file(path);
  if (file != nullptr && file->home.empty())
    return "published nowhere in this form, docs/data.md says what it is made from";
  return fmt::format("'emgnn data fetch {}' downloads it", dataset);
}

}  // namespace emgnn
