/// Repeats a check, because neither the control API nor the purchase server notifies the script.
enum Repetition {
  /// Repeats a check of the store every 5 ms.
  ///
  /// - Throws: ``DemoFailure`` if the check does not succeed within 25 seconds.
  static func untilTrue(_ check: () async throws -> Bool) async throws {
    guard try await succeeds(everyMilliseconds: 5, check) else {
      throw DemoFailure("The store did not reach the expected state in time.")
    }
  }

  /// Whether a check succeeds within 25 seconds.
  ///
  /// - Parameter milliseconds: the pause before the check is repeated. The operator's rate allows ten requests in a
  ///   second.
  static func succeeds(everyMilliseconds milliseconds: Int, _ check: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<25_000 / milliseconds {
      if try await check() { return true }
      try await Task.sleep(for: .milliseconds(milliseconds))
    }
    return false
  }
}
