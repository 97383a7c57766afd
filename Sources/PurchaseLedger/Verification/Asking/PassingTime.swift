/// Time as it passes, which no clock on a wall can turn back: for pauses, timeouts, and how long an endpoint rests.
public protocol PassingTime: Sendable {
  /// How much has passed since some instant, in milliseconds. It never goes back.
  var milliseconds: Int64 { get }

  /// Returns after so many milliseconds, or when the task is cancelled.
  func pause(milliseconds: Int64) async
}

/// Time as the machine measures it, also while it sleeps.
public struct MachineTime: PassingTime {
  private static let start = ContinuousClock.now

  public init() {}

  public var milliseconds: Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - Self.start).components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }

  public func pause(milliseconds: Int64) async {
    // Cancelled, it returns early; whoever asked for the pause sees by the time that it was short.
    try? await ContinuousClock().sleep(for: .milliseconds(milliseconds))
  }
}
