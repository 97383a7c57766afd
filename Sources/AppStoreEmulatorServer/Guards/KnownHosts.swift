/// Names under which only this machine is reached.
enum LoopbackHosts {
  static func contains(_ host: String) -> Bool {
    let host = host.lowercased()
    return host == "localhost" || host == "::1" || host == "[::1]" || isLoopbackIPv4(host)
  }

  private static func isLoopbackIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

/// Apple's own host names, and the door each of them is.
enum AppleHosts {
  enum Door: Equatable {
    case verifyReceipt(environment: String)
    case serverAPI(environment: String)
  }

  static let doors: [String: Door] = [
    "buy.itunes.apple.com": .verifyReceipt(environment: "production"),
    "sandbox.itunes.apple.com": .verifyReceipt(environment: "sandbox"),
    "api.storekit.apple.com": .serverAPI(environment: "production"),
    "api.storekit-sandbox.apple.com": .serverAPI(environment: "sandbox"),
    "api.storekit.itunes.apple.com": .serverAPI(environment: "production"),
    "api.storekit-sandbox.itunes.apple.com": .serverAPI(environment: "sandbox"),
  ]

  static var names: [String] { doors.keys.sorted() }

  /// The emulator's own path for `path` at one of Apple's hosts, or nil where that host has no such door.
  static func path(_ path: String, at door: Door) -> String? {
    switch door {
    case .verifyReceipt(let environment):
      path == "/verifyReceipt" ? "/\(environment)/verifyReceipt" : nil
    case .serverAPI(let environment):
      path.hasPrefix("/inApps/") ? "/\(environment)\(path)" : nil
    }
  }
}
