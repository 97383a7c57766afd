import StoreModel

/// Makes plans that interrupt a scenario at random. Each plan depends only on the seed and its number.
struct RandomKills: Sendable {
  let seed: UInt64
  /// The number of watched calls of each process in an undisturbed run.
  let watchedCalls: [ProcessRole: Int]
  /// Returns the command that repeats the plan of a number.
  let reproduction: @Sendable (Int) -> String

  func plan(_ index: Int) -> RunPlan {
    // Consecutive seeds of this generator give unrelated sequences.
    var generator = SeededGenerator(seed: seed &+ UInt64(index) &* 0x1_0000_0001)
    let all = watchedCalls.keys.sorted { $0.rawValue < $1.rawValue }
    // One of the processes, or all.
    let number = Int.random(in: 0...all.count, using: &generator)
    let roles = number == all.count ? all : [all[number]]
    var plan = RunPlan(reproduction: reproduction(index))
    for role in roles {
      plan.powerCuts[role] = [powerCut(within: watchedCalls[role] ?? 1, &generator)]
      // The recovery is interrupted too, sometimes.
      while Int.random(in: 0..<4, using: &generator) == 0 {
        plan.powerCuts[role]?.append(powerCut(within: watchedCalls[role] ?? 1, &generator))
      }
    }
    return plan
  }

  private func powerCut(within watchedCalls: Int, _ generator: inout SeededGenerator) -> PowerCutSettings {
    // The instant is counted in calls, not only in time. Otherwise most cuts would come while a process starts, and few in
    // the few milliseconds of the purchase. The delay reaches every instant between two calls.
    let delays = [0...0, 0...50_000, 0...3_000_000]
    let delay = Int.random(in: delays[Int.random(in: 0..<3, using: &generator)], using: &generator)
    let losses: [PowerCutSettings.Loss] = [
      .nothing, .everything, .contents, .some(seed: UInt64.random(in: 0...9_999, using: &generator)),
    ]
    return PowerCutSettings(
      moment: .watchedCall(Int.random(in: 1...max(1, watchedCalls), using: &generator), delayNanoseconds: delay),
      loss: losses[Int.random(in: 0..<4, using: &generator)])
  }
}
