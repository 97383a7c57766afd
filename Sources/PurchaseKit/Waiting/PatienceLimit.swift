/// How much somebody puts up with who waits for something that fails for the moment. A value.
struct PatienceLimit: Hashable, Sendable {
  /// How many failures in a row are one too many; nil for as many as it takes.
  let attempts: Int?
  private var failures = 0

  init(attempts: Int?) { self.attempts = attempts }

  /// Nobody who waits on a screen waits longer than this for a server that asks to be left alone, in seconds.
  static let longestPauseOnScreen = 30

  /// Something has worked.
  mutating func succeeded() { failures = 0 }

  /// Something has failed once more.
  ///
  /// - Returns: whether that is enough.
  mutating func failed(retryAfterSeconds: Int?) -> Bool {
    failures += 1
    guard let attempts else { return false }
    return failures >= attempts || (retryAfterSeconds ?? 0) > Self.longestPauseOnScreen
  }
}
