// What the tries of a pair of instructions tell about the wait states that it needs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "facts.hpp"

namespace gpu_facts {

// How many of `tries` were wrong in some lane: with 40 states; with 0, 1, ...; the other way round.
constexpr int variants = 26;
struct pair_tries {
    int tries = 0;
    std::vector<int> wrong = std::vector<int>(variants);

    pair_tries& operator+=(const pair_tries& o) {
        tries += o.tries;
        for (std::size_t n = 0; n < wrong.size(); ++n) {
            wrong[n] += o.wrong[n];
        }
        return *this;
    }
};

inline std::string states(int count) {
    return format("%d wait state%s", count, count == 1 ? "" : "s");
}

// `most`: the largest number of states that was tried. One wrong result tells that more states are
// needed. Right results tell that these are enough here, not that fewer than the sources ask for
// always are: that a hazard does not show is neither the same nor different.
inline finding wait_states_of(const pair_tries& m, int assumed, int most) {
    finding f;
    f.repetitions = m.tries;
    f.unit = "wait states";
    if (m.wrong.back() == 0) {
        f.seen = "nothing: the result is the same in either order";
        return f;
    }
    int needed = most + 1;
    while (needed > 0 && m.wrong[static_cast<std::size_t>(needed)] == 0) {  // [0] has 40 states
        --needed;
    }
    f.value = needed;
    f.said = needed > assumed    ? verdict::different
             : needed == assumed ? verdict::same
                                 : verdict::cannot;
    f.seen = states(needed) + (needed > most ? " or more" : "");
    if (needed > 0) {
        f.seen += format("; with %d, %d of %d tries are wrong", needed - 1,
                         m.wrong[static_cast<std::size_t>(needed)], m.tries);
    } else {
        f.seen += ": no try is wrong";
    }
    if (needed < assumed) {
        f.seen += "; whether fewer than the sources ask for are always enough, no try tells";
    }
    return f;
}

}  // namespace gpu_facts
