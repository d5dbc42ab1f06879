// Who looks at the groups of a launch: checks, the profile, the timeline, OPUS_EMU_STOP.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "checks/checks.hpp"
#include "debugging/stop.hpp"
#include "execution/scheduler.hpp"
#include "launch/needs.hpp"
#include "profile/profile.hpp"
#include "timeline/recorder.hpp"

namespace emu {

// The checks that the waves have (wave::checks) and the timeline look at the group from now on.
// `finished` is what has looked at a group before, which has ended, or nullptr. With `needs` matrix
// instructions multiply nothing (launch/products.hpp), and what is not needed is left out.
// @pre the group and its waves have their state; `needs` live until it has ended
void look_at(workgroup& group, launch_checks& launch, timeline_group_recorder* timeline = nullptr,
             std::unique_ptr<group_observer> finished = nullptr,
             const instruction_needs* needs = nullptr);

// For dispatch::make_runner: runs groups with those who look at them, the profile and the place to
// stop at, if there are any.
// @pre `profile` and `stop` live until all runners are gone
std::function<std::unique_ptr<group_runner>()> runners(profile_counts* profile = nullptr,
                                                       wave_stop* stop = nullptr);

}  // namespace emu
