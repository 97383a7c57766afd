/// The time limits, in seconds, for ending programs that run one another.
///
/// The limit of a program is smaller than the limit of the program that runs it. If a program were killed while it
/// waits for its own child, the child would keep running.
package enum ShutdownSeconds {
  /// The limit for an app after its phone closed its standard input. The app then exits, even if work hangs.
  package static let app = 3
  /// The time after which a phone kills its app. It is reached only if the whole process of the app hangs.
  package static let appByPhone = 4
  /// The limit for requests in progress when a program with pages ends.
  package static let requests = 3
  /// The limit for each program of the demo. A phone may need the sum of ``requests`` and ``appByPhone``.
  package static let program = 10
}
