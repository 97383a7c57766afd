/// The state of a download. Frozen like Apple's, so a `switch` needs no default. Implements Apple's `SKDownloadState`.
@frozen public enum SKDownloadState: Int, Sendable {
  case waiting = 0
  case active = 1
  case paused = 2
  /// The content is at `contentURL`.
  case finished = 3
  /// `error` has the reason.
  case failed = 4
  case cancelled = 5
}
