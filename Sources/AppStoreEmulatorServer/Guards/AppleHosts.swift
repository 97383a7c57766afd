/// Apple's host names, and the endpoints that each of them has.
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

  /// The emulator's path for `path` at one of Apple's hosts; nil if that host has no such endpoint.
  static func path(_ path: String, at door: Door) -> String? {
    switch door {
    case .verifyReceipt(let environment):
      path == "/verifyReceipt" ? "/\(environment)/verifyReceipt" : nil
    case .serverAPI(let environment):
      path.hasPrefix("/inApps/") ? "/\(environment)\(path)" : nil
    }
  }
}
