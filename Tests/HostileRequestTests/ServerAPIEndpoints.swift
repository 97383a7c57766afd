import AppStoreServerAPI
import Foundation
import HTTPTypes
import StoreModel
import Testing

/// What requests to the App Store Server API need: a token, and the names of the values in their paths and bodies.
enum ServerAPIEndpoints {
  /// The header with a token for the app of a running emulator.
  static func credentials(_ server: MeasuredServer, app: String) throws -> (name: String, value: [UInt8]) {
    let connection = try server.send(.get, "/control/v1/connection?bundleId=\(app)")
    let key = try ServerAPIKey(
      keyID: try #require(connection["keyId"] as? String), issuerID: try #require(connection["issuerId"] as? String),
      pem: try #require(connection["privateKey"] as? String))
    let token = try key.token(for: BundleID(app), at: SystemClock().now, lifetimeSeconds: 3_000)
    return ("Authorization", Array("Bearer \(token.text)".utf8))
  }

  /// Whether an endpoint is one of the Server API or of the families beside it.
  static func contain(_ endpoint: Endpoint) -> Bool {
    ["/sandbox/", "/production/"].contains { endpoint.route.path.hasPrefix($0) }
      && !endpoint.route.path.hasSuffix("verifyReceipt")
  }

  /// The endpoint in the list of the API; nil for the families that are not emulated.
  static func declared(_ route: String, _ method: HTTPRequest.Method) -> ServerAPIEndpoint? {
    func shape(_ path: some StringProtocol) -> [String] {
      path.split(separator: "/").map { $0.hasPrefix("{") ? "{}" : String($0) }
    }
    return ServerAPI.calls.map { $0.endpoint }.first {
      $0.method.rawValue == method.rawValue && shape($0.path) == Array(shape(route).dropFirst())
    }
  }

  /// The names of the values in a path, in their order.
  static func parameters(_ endpoint: ServerAPIEndpoint) -> [String] {
    endpoint.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
  }

  /// The members of a request's body.
  static func members(_ name: String) -> [String] {
    func members(_ type: (some ServerAPIBody).Type) -> [String] { type.memberErrors.keys.sorted() }
    return switch name {
    case "sendConsumptionInformation": members(ConsumptionRequest.self)
    case "sendConsumptionInformationV1": members(ConsumptionRequestV1.self)
    case "setAppAccountToken": members(UpdateAppAccountTokenRequest.self)
    case "extendSubscriptionRenewalDate": members(ExtendRenewalDateRequest.self)
    case "extendRenewalDatesForAllActiveSubscribers": members(MassExtendRenewalDateRequest.self)
    case "getNotificationHistory": members(NotificationHistoryRequest.self)
    default: []
    }
  }
}
