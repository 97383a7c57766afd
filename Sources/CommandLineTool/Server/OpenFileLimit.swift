import Foundation

/// How many files and connections this process may have open.
enum OpenFileLimit {
  /// As many as the system allows; what it gives at first (often 1,024) is for programs that use `select`.
  static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = limit.rlim_max
    // Where it is refused, connections wait that could have been taken.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
