import Foundation

/// Who else can read or write a file that the server relies on.
enum FileExposure {
  /// What a file has in it.
  enum Contents {
    /// Nobody else may read it.
    case secret
    /// Every user may read it, but a user who can write it decides which certificates the server trusts.
    case trusted
  }

  /// A warning, or nil where only its owner, and perhaps a group that may read it, has the file.
  static func warning(_ file: URL, _ contents: Contents) -> String? {
    var status = stat()
    guard stat(file.path, &status) == 0 else { return nil }
    let mode = status.st_mode
    if mode & (S_IWGRP | S_IWOTH) != 0 {
      return "\(file.path) can be written by others than its owner, who then decide what this server believes. "
        + "Run: chmod go-w \(file.path)"
    }
    guard contents == .secret, mode & S_IROTH != 0 else { return nil }
    return "\(file.path) has a secret and can be read by everybody on this machine. Run: chmod o-r \(file.path)"
  }
}
