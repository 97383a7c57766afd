/// How long programs that run one another may take to end. Each limit is smaller than the one around it: a program that is killed while
/// it still waits for its own would leave that one behind.
package enum SecondsToEnd {
  /// An app whose phone has closed its standard input; after that it ends itself, whatever hangs.
  package static let app = 3
  /// What a phone gives its app, which has ended itself by then unless the whole process hangs.
  package static let appByPhone = 4
  /// What a program with pages gives the requests that are under way.
  package static let requests = 3
  /// What the demo gives each of its programs. A phone first waits for its requests, and then for its app.
  package static let program = 10
}
