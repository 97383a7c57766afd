/// Apple's host names, and the endpoints that each of them has.
enum AppleHosts {
  enum Endpoint: Equatable {
    case verifyReceipt(environment: String)
    case serverAPI(environment: String)
  }

  static let endpoints: [String: Endpoint] = [
    "buy.itunes.apple.com": .verifyReceipt(environment: "production"),
    "sandbox.itunes.apple.com": .verifyReceipt(environment: "sandbox"),
    "api.storekit.apple.com": .serverAPI(environment: "production"),
    "api.storekit-sandbox.apple.com": .serverAPI(environment: "sandbox"),
    "api.storekit.itunes.apple.com": .serverAPI(environment: "production"),
    "api.storekit-sandbox.itunes.apple.com": .serverAPI(environment: "sandbox"),
  ]

  /// The paths of the Server API and of its neighbours, which this store leaves out.
  private static let serverAPIPaths = ["/inApps/", "/groups/", "/advancedCommerce/"]

  static var names: [String] { endpoints.keys.sorted() }

  /// The emulator's path for `path` at one of Apple's hosts; nil if that host has no such endpoint.
  static func path(_ path: String, at endpoint: Endpoint) -> String? {
    switch endpoint {
    case .verifyReceipt(let environment):
      path == "/verifyReceipt" ? "/\(environment)/verifyReceipt" : nil
    case .serverAPI(let environment):
      Self.serverAPIPaths.contains(where: path.hasPrefix) ? "/\(environment)\(path)" : nil
    }
  }
}
