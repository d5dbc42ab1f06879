// SPDX-License-Identifier: MIT
// The cache of sequences in pages that lie anywhere, as the tests of examples write it into files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace examples_test {

// Which page holds a key: key `i` of sequence s is in page entry(s, i / page), and nowhere else.
struct paged_sequences {
    int page;                  // keys
    std::vector<int> lengths;  // of sequences, in keys; at least 1

    int sequences() const { return static_cast<int>(lengths.size()); }
    int length(int s) const { return lengths[static_cast<std::size_t>(s)]; }
    int pages_of(int s) const { return (length(s) - 1) / page + 1; }
    int table_pages() const {
        return (*std::max_element(lengths.begin(), lengths.end()) - 1) / page + 1;
    }
    int pages() const {
        int n = 3;  // of nobody
        for (int s = 0; s < sequences(); ++s) {
            n += pages_of(s);
        }
        return n;
    }
    // Backwards from the end, sequence by sequence.
    int entry(int s, int i) const {
        int n = pages() - 2;
        for (int before = 0; before < s; ++before) {
            n -= pages_of(before);
        }
        return n - i;
    }

    // [sequences][table_pages], what --table reads. Unused entries are no pages.
    std::vector<float> table() const {
        std::vector<float> entries;
        for (int s = 0; s < sequences(); ++s) {
            for (int i = 0; i < table_pages(); ++i) {
                entries.push_back(i < pages_of(s) ? static_cast<float>(entry(s, i)) : -5.0f);
            }
        }
        return entries;
    }
    // What -n reads.
    std::string list() const {
        std::string text;
        for (const int length : lengths) {
            text += (text.empty() ? "" : ",") + std::to_string(length);
        }
        return text;
    }
};

}  // namespace examples_test
