// SPDX-License-Identifier: MIT
// examples/common/npy.hpp: what it reads, what it refuses and with which words, what it writes.
#include "common/npy.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "directory_test.hpp"

namespace {

namespace fs = std::filesystem;

class npy_test : public examples_test::directory_test {
protected:
    std::string path(const std::string& name) const { return (directory / name).string(); }

    std::string create(const std::string& bytes) const {
        const std::string file = path("in.npy");
        std::ofstream(file, std::ios::binary) << bytes;
        return file;
    }

    // The message of the error that reading these bytes gives, without the file name.
    std::string refusal(const std::string& bytes) const {
        const std::string file = create(bytes);
        try {
            npy::read(file);
        } catch (const npy::error& e) {
            const std::string what = e.what();
            EXPECT_EQ(what.find('\n'), std::string::npos) << "the message has more than one line";
            EXPECT_EQ(what.rfind(file + ": ", 0), 0u) << what;
            return what.substr(std::min(what.size(), file.size() + 2));
        }
        return "(accepted)";
    }

    std::vector<std::string> files() const {
        std::vector<std::string> result;
        for (const auto& entry : fs::directory_iterator(directory)) {
            result.push_back(entry.path().filename().string());
        }
        std::sort(result.begin(), result.end());
        return result;
    }
};

using examples_test::contents;

// Magic, version, length of the header in 2 (version 1) or 4 bytes, header, data.
std::string npy_bytes(const std::string& header, const std::string& data, int version = 1) {
    std::string result = "\x93NUMPY";
    result += static_cast<char>(version);
    result += '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
        result += static_cast<char>(header.size() >> (8 * i) & 0xff);
    }
    return result + header + data;
}

std::string dict(const std::string& descr, const std::string& order, const std::string& shape) {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

std::string f32_bytes(const std::vector<float>& values) {
    std::string result(values.size() * 4, '\0');
    std::memcpy(result.data(), values.data(), result.size());
    return result;
}

std::vector<double> values_of(const npy::array& a) {
    std::vector<double> result;
    for (std::size_t i = 0; i < a.data.size() / npy::size_of(a.type); ++i) {
        result.push_back(npy::value(a, i));
    }
    return result;
}

using shape_t = std::vector<std::size_t>;

// Byte for byte what numpy.save wrote for np.array([[1, 2, 3], [4, 5, 6]], '<f4').
TEST_F(npy_test, reads_a_file_of_numpy) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    header.append(0x76 - header.size() - 1, ' ');
    header += '\n';
    const std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header +
                              std::string(
                                  "\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40"
                                  "\x00\x00\x80\x40\x00\x00\xa0\x40\x00\x00\xc0\x40",
                                  24);
    ASSERT_EQ(bytes.size(), 128u + 24u);
    const npy::array a = npy::read(create(bytes));
    EXPECT_EQ(a.type, npy::dtype::f32);
    EXPECT_EQ(a.shape, (shape_t{2, 3}));
    EXPECT_EQ(values_of(a), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST_F(npy_test, reads_every_format_version) {
    for (int version = 1; version <= 3; ++version) {
        const npy::array a = npy::read(
            create(npy_bytes(dict("'<f4'", "False", "(1, 2)"), f32_bytes({1.5f, -2}), version)));
        EXPECT_EQ(a.shape, (shape_t{1, 2})) << "version " << version;
        EXPECT_EQ(values_of(a), (std::vector<double>{1.5, -2})) << "version " << version;
    }
    // A header longer than version 1 can say.
    const std::string blanks(70000, ' ');
    const npy::array a = npy::read(
        create(npy_bytes(dict("'<f4'", "False", "(1,)") + blanks + '\n', f32_bytes({3}), 2)));
    EXPECT_EQ(values_of(a), (std::vector<double>{3}));
}

TEST_F(npy_test, reads_f16) {
    const npy::array a =
        npy::read(create(npy_bytes(dict("'<f2'", "False", "(2, 1)"), "\x01\x3c\xff\x7b")));
    EXPECT_EQ(a.type, npy::dtype::f16);
    EXPECT_EQ(a.shape, (shape_t{2, 1}));
    EXPECT_EQ(a.data, (std::vector<unsigned char>{0x01, 0x3c, 0xff, 0x7b}));
    EXPECT_EQ(values_of(a), (std::vector<double>{1 + 0x1p-10, 65504}));
}

// np.array([[1 / 3, -1e300]], '<f8') in that format.
TEST_F(npy_test, reads_f64) {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }";
    header.append(0x76 - header.size() - 1, ' ');
    header += '\n';
    const npy::array a = npy::read(create(npy_bytes(
        header,
        std::string("\x55\x55\x55\x55\x55\x55\xd5\x3f\x9c\x75\x00\x88\x3c\xe4\x37\xfe", 16))));
    EXPECT_EQ(a.type, npy::dtype::f64);
    EXPECT_EQ(a.shape, (shape_t{1, 2}));
    EXPECT_EQ(values_of(a), (std::vector<double>{1.0 / 3, -1e300}));
    EXPECT_EQ(refusal(npy_bytes(dict("'<f8'", "False", "(2,)"), "abcdefgh")),
              "is truncated: 8 bytes of data, 16 expected");
}

TEST_F(npy_test, reads_every_rank_and_empty_arrays) {
    EXPECT_EQ(npy::read(create(npy_bytes(dict("'<f2'", "False", "()"), "ab"))).shape, shape_t{});
    EXPECT_EQ(npy::read(create(npy_bytes(dict("'<f2'", "False", "(1,)"), "ab"))).shape,
              (shape_t{1}));
    EXPECT_EQ(npy::read(create(npy_bytes(dict("'<f2'", "False", "(1, 1, 1)"), "ab"))).shape,
              (shape_t{1, 1, 1}));
    EXPECT_EQ(npy::read(create(npy_bytes(dict("'<f2'", "False", "(0, 5)"), ""))).shape,
              (shape_t{0, 5}));
    // 2^64 - 1 twice does not overflow where another extent is 0.
    EXPECT_EQ(npy::read(create(npy_bytes(dict("'<f2'", "False",
                                              "(18446744073709551615, 18446744073709551615, 0)"),
                                         "")))
                  .data.size(),
              0u);
}

TEST_F(npy_test, accepts_any_order_quotes_and_spacing) {
    for (const char* header : {
             "{'shape':(2,),'fortran_order':False,'descr':'<f2'}",
             "{\"descr\": \"<f2\", 'shape': (2,), 'fortran_order': False}",
             "  { 'descr' :\t'<f2' ,\n'fortran_order' : False , 'shape' : ( 2 , ) , }  \n",
         }) {
        EXPECT_EQ(npy::read(create(npy_bytes(header, "abcd"))).shape, (shape_t{2})) << header;
    }
}

TEST_F(npy_test, refuses_what_is_not_there) {
    try {
        npy::read(path("absent.npy"));
        FAIL() << "read a file that does not exist";
    } catch (const npy::error& e) {
        EXPECT_EQ(e.what(), path("absent.npy") + ": cannot open: No such file or directory");
    }
    try {
        npy::read(directory.string());
        FAIL() << "read a directory";
    } catch (const npy::error& e) {
        EXPECT_EQ(e.what(), directory.string() + ": is a directory");
    }
}

TEST_F(npy_test, refuses_other_formats) {
    EXPECT_EQ(refusal(""), "is not a .npy file");
    EXPECT_EQ(refusal("\x93NUMPX\x01"), "is not a .npy file");
    EXPECT_EQ(refusal("PK\x03\x04 this is an .npz file"), "is not a .npy file");
    const std::string header = dict("'<f2'", "False", "(1,)");
    EXPECT_EQ(refusal(npy_bytes(header, "ab", 0)), ".npy format version 0 is not supported");
    EXPECT_EQ(refusal(npy_bytes(header, "ab", 4)), ".npy format version 4 is not supported");
    EXPECT_EQ(refusal(npy_bytes(header, "ab", 200)), ".npy format version 200 is not supported");
}

// Cut anywhere, a file is refused; and with anything added, too.
TEST_F(npy_test, refuses_every_truncation) {
    for (int version = 1; version <= 3; ++version) {
        const std::string bytes = npy_bytes(dict("'<f2'", "False", "(2, 2)"), "abcdefgh", version);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const std::string what = refusal(bytes.substr(0, size));
            if (size < 6) {
                EXPECT_EQ(what, "is not a .npy file");
            } else if (size < bytes.size() - 8) {
                EXPECT_EQ(what, "is truncated in its header") << size;
            } else {
                EXPECT_EQ(what, "is truncated: " + std::to_string(size - (bytes.size() - 8)) +
                                    " bytes of data, 8 expected");
            }
        }
        EXPECT_EQ(refusal(bytes), "(accepted)");
        EXPECT_EQ(refusal(bytes + 'x'), "has more data than its shape says");
    }
}

TEST_F(npy_test, refuses_other_types_and_orders) {
    const auto with = [&](const std::string& descr) {
        return refusal(npy_bytes(dict(descr, "False", "(1,)"), "abcdefgh"));
    };
    const std::string needed = " is not supported ('<f2', '<f4' or '<f8' is needed)";
    for (const char* type :
         {">f2", ">f4", ">f8", "<f16", "<i4", "|u1", "|b1", "<c8", "f4", "|O", ""}) {
        EXPECT_EQ(with(std::string("'") + type + "'"),
                  std::string("dtype '") + type + "'" + needed);
    }
    EXPECT_EQ(with("[('x', '<f4'), ('y', '<f4')]"), "a structured dtype" + needed);
    EXPECT_EQ(refusal(npy_bytes(dict("'<f2'", "True", "(1, 1)"), "ab")),
              "Fortran order is not supported (row-major order is needed)");
}

TEST_F(npy_test, refuses_malformed_headers) {
    struct {
        const char* header;
        const char* what;
    } const rows[] = {
        {"", "'{' expected"},
        {"   \n", "'{' expected"},
        {"['descr', '<f2']", "'{' expected"},
        {"{", "a quoted name expected"},
        {"{}", "no entry 'descr'"},
        {"{descr: '<f2'}", "a quoted name expected"},
        {"{'descr", "a quoted name does not end"},
        {"{'descr\": 3}", "a quoted name does not end"},
        {"{'de\nscr': '<f2'}", "a quoted name has a character that is not printable ASCII"},
        {"{'descr': '<f\x1b'}", "a quoted name has a character that is not printable ASCII"},
        {"{'descr' '<f2'}", "':' expected"},
        {"{'descr': <f2}", "a quoted name expected"},
        {"{'descr': '<f2' 'shape': (1,)}", "'}' expected"},
        {"{'descr': '<f2',, 'shape': (1,)}", "a quoted name expected"},
        {"{'descr': '<f2'", "'}' expected"},
        {"{'descr': '<f2', 'shape': (1,)}", "no entry 'fortran_order'"},
        {"{'descr': '<f2', 'fortran_order': False}", "no entry 'shape'"},
        {"{'fortran_order': False, 'shape': (1,)}", "no entry 'descr'"},
        {"{'descr': '<f2', 'descr': '<f2'}", "two entries 'descr'"},
        {"{'shape': (1,), 'shape': (1,)}", "two entries 'shape'"},
        {"{'fortran_order': False, 'fortran_order': False}", "two entries 'fortran_order'"},
        {"{'kind': 3}", "unknown entry 'kind'"},
        {"{'fortran_order': 0}", "'fortran_order' is neither True nor False"},
        {"{'shape': 1}", "'(' expected"},
        {"{'shape': [1]}", "'(' expected"},
        {"{'shape': (1)}", "'shape' is not a tuple"},
        {"{'shape': (1 2)}", "',' or ')' expected in 'shape'"},
        {"{'shape': (-1,)}", "'shape' has an entry that is not a non-negative integer"},
        {"{'shape': (1.5,)}", "',' or ')' expected in 'shape'"},
        {"{'shape': (,)}", "'shape' has an entry that is not a non-negative integer"},
        {"{'shape': (1,,)}", "'shape' has an entry that is not a non-negative integer"},
        {"{'shape': (1,", "'shape' has an entry that is not a non-negative integer"},
        {"{'shape': (18446744073709551616,)}", "an extent in 'shape' is out of range"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (1,)} x",
         "text after the closing brace"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(refusal(npy_bytes(row.header, "ab")),
                  std::string("malformed .npy header: ") + row.what)
            << row.header;
    }
}

TEST_F(npy_test, refuses_sizes_that_overflow) {
    const std::string what = "the array is too large (its size in bytes overflows)";
    EXPECT_EQ(refusal(npy_bytes(dict("'<f4'", "False", "(4611686018427387904,)"), "ab")), what);
    EXPECT_EQ(refusal(npy_bytes(dict("'<f2'", "False", "(4294967296, 4294967296)"), "ab")), what);
}

// A header may claim any size: what is not in the file is not allocated either.
TEST_F(npy_test, refuses_a_claimed_size_at_no_cost) {
    EXPECT_EQ(refusal(npy_bytes(dict("'<f2'", "False", "(4611686018427387903,)"), "ab")),
              "is truncated: 2 bytes of data, 9223372036854775806 expected");
    EXPECT_EQ(refusal(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12) + "{'descr'"),
              "is truncated in its header");
}

TEST_F(npy_test, writes_what_numpy_reads) {
    const std::vector<float> values{1, 2, 3, 4, 5, 6};
    npy::write(path("c.npy"), {2, 3}, values.data());
    const std::string bytes = contents(path("c.npy"));
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    header.append(0x76 - header.size() - 1, ' ');
    header += '\n';
    EXPECT_EQ(bytes, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + f32_bytes(values));

    const double third = 1.0 / 3;
    npy::write(path("d.npy"), {1, 1}, &third);
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }";
    header.append(0x76 - header.size() - 1, ' ');
    header += '\n';
    EXPECT_EQ(contents(path("d.npy")), std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header +
                                           "\x55\x55\x55\x55\x55\x55\xd5\x3f");
}

template <class T>
void expect_reads_back(const std::string& file, npy::dtype type) {
    for (const shape_t& shape : {shape_t{}, shape_t{7}, shape_t{1, 1}, shape_t{5, 3},
                                 shape_t{2, 3, 4}, shape_t{0, 4}, shape_t(40, 1)}) {
        std::size_t size = 1;
        for (const std::size_t extent : shape) {
            size *= extent;
        }
        std::vector<T> values(size);
        for (std::size_t i = 0; i < size; ++i) {
            values[i] = static_cast<T>(i) / 3 - 1;
        }
        npy::write(file, shape, values.data());
        const npy::array a = npy::read(file);
        EXPECT_EQ(a.type, type);
        EXPECT_EQ(a.shape, shape);
        EXPECT_EQ(values_of(a), std::vector<double>(values.begin(), values.end()));
        const std::size_t data = contents(file).size() - size * sizeof(T);
        EXPECT_EQ(data % 64, 0u) << "the data are not aligned";
    }
}

TEST_F(npy_test, reads_back_what_it_writes) {
    expect_reads_back<float>(path("c.npy"), npy::dtype::f32);
    expect_reads_back<double>(path("c.npy"), npy::dtype::f64);
    EXPECT_EQ(files(), std::vector<std::string>{"c.npy"}) << "a temporary file is left";
}

TEST_F(npy_test, replaces_a_file_and_keeps_a_link) {
    const float old_value = 1;
    const float new_value = 2;
    npy::write(path("c.npy"), {1, 1}, &old_value);
    fs::create_symlink("c.npy", path("link.npy"));
    npy::write(path("link.npy"), {1, 1}, &new_value);
    EXPECT_TRUE(fs::is_symlink(path("link.npy")));
    EXPECT_EQ(values_of(npy::read(path("c.npy"))), std::vector<double>{2});
    EXPECT_EQ(files(), (std::vector<std::string>{"c.npy", "link.npy"}));
}

TEST_F(npy_test, refuses_paths_it_cannot_write) {
    const float value = 1;
    const auto message = [&](const std::string& file) -> std::string {
        std::string early = "(accepted)";
        try {
            npy::check_writable(file);
        } catch (const npy::error& e) {
            early = e.what();
        }
        try {
            npy::write(file, {1, 1}, &value);
        } catch (const npy::error& e) {
            EXPECT_EQ(early, e.what());
            return e.what();
        }
        return "(accepted)";
    };
    EXPECT_EQ(message(path("no/such/c.npy")),
              path("no/such/c.npy") + ": cannot write: No such file or directory");
    EXPECT_EQ(message(directory.string()),
              directory.string() + ": cannot write: is not a regular file");
    EXPECT_EQ(message("/dev/null"), "/dev/null: cannot write: is not a regular file");
    EXPECT_EQ(message(""), ": cannot write: No such file or directory");
    EXPECT_TRUE(files().empty());
    // Root may write anywhere, so this half says something only for an ordinary user.
    if (::geteuid() != 0) {
        npy::write(path("c.npy"), {1, 1}, &value);
        const std::string before = contents(path("c.npy"));
        ::chmod(path("c.npy").c_str(), 0444);
        EXPECT_EQ(message(path("c.npy")), path("c.npy") + ": cannot write: Permission denied");
        ::chmod(directory.c_str(), 0555);
        EXPECT_EQ(message(path("d.npy")), path("d.npy") + ": cannot write: Permission denied");
        ::chmod(directory.c_str(), 0755);
        EXPECT_EQ(contents(path("c.npy")), before);
        EXPECT_EQ(files(), std::vector<std::string>{"c.npy"});
    }
}

// A full disk: nothing appears under the name, and what was there before stays.
TEST_F(npy_test, a_failed_write_leaves_nothing) {
    const std::vector<float> values(4096, 1.0f);
    npy::write(path("c.npy"), {1, 1}, values.data());
    const std::string before = contents(path("c.npy"));

    // The limit on the size of a file stands in for the disk.
    struct rlimit old_limit;
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
    struct rlimit limit = old_limit;
    limit.rlim_cur = 4096;
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_THROW(npy::write(path("c.npy"), {64, 64}, values.data()), npy::error);
    EXPECT_THROW(npy::write(path("d.npy"), {64, 64}, values.data()), npy::error);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
    std::signal(SIGXFSZ, old_handler);

    EXPECT_EQ(contents(path("c.npy")), before);
    EXPECT_EQ(files(), std::vector<std::string>{"c.npy"});
}

}  // namespace
