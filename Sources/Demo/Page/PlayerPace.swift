import Foundation

/// The pauses of the tour's player.
struct PlayerPace: Hashable, Sendable {
  /// The variable that sets all pauses, in milliseconds. Tests set it to 0.
  static let variable = "OPENSTOREKIT_DEMO_PAUSE_MILLISECONDS"

  /// The pauses at which a user can read each step.
  static let reading = PlayerPace(step: .milliseconds(900), action: .milliseconds(1_500), press: .seconds(1))

  /// The pause before a step is shown.
  let step: Duration
  /// The pause before the next action, so that a sheet or a page can be read.
  let action: Duration
  /// The pause between showing a button and pressing it, so that the user can find it.
  let press: Duration

  /// Returns the pauses that the environment sets; ``reading`` if it sets none.
  static func current(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> PlayerPace {
    guard let text = environment[variable], let milliseconds = UInt32(text) else { return .reading }
    let pause = Duration.milliseconds(Int64(milliseconds))
    return PlayerPace(step: pause, action: pause, press: pause)
  }
}
