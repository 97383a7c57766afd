import StoreModel

/// Plans that interrupt a journey at random, each following from the seed and its number alone.
struct RandomKills: Sendable {
  let seed: UInt64
  /// How many calls are watched in each party's process, in a play that nobody disturbs.
  let beats: [Party: Int]
  /// How to play the plan of a number again.
  let repetition: @Sendable (Int) -> String

  func plan(_ index: Int) -> PlayPlan {
    // Neighbouring seeds of this generator are unrelated.
    var chance = SeededGenerator(seed: seed &+ UInt64(index) &* 0x1_0000_0001)
    let all = beats.keys.sorted { $0.rawValue < $1.rawValue }
    // One of them, another of them, or all.
    let number = Int.random(in: 0...all.count, using: &chance)
    let parties = number == all.count ? all : [all[number]]
    var plan = PlayPlan(repetition: repetition(index))
    for party in parties {
      plan.orders[party] = [order(within: beats[party] ?? 1, &chance)]
      // What goes on after a kill is killed too, now and then.
      while Int.random(in: 0..<4, using: &chance) == 0 {
        plan.orders[party]?.append(order(within: beats[party] ?? 1, &chance))
      }
    }
    return plan
  }

  private func order(within beats: Int, _ chance: inout SeededGenerator) -> PowerCutOrder {
    // Counted in calls and not only in time, it comes as often in the few milliseconds in which everything happens as in
    // the many in which a process starts. The delay reaches every instant between two calls.
    let delays = [0...0, 0...50_000, 0...3_000_000]
    let delay = Int.random(in: delays[Int.random(in: 0..<3, using: &chance)], using: &chance)
    let losses: [PowerCutOrder.Loss] = [
      .nothing, .everything, .contents, .some(seed: UInt64.random(in: 0...9_999, using: &chance)),
    ]
    return PowerCutOrder(
      moment: .beat(Int.random(in: 1...max(1, beats), using: &chance), delayNanoseconds: delay),
      loss: losses[Int.random(in: 0..<4, using: &chance)])
  }
}
