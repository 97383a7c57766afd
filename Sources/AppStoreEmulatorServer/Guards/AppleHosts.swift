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
