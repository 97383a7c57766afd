import AppStoreServerAPI
import StoreModel

/// The name of an operation that the store's APIs offer, such as `confirm` or `verifyReceipt`.
public struct RequestKind: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  /// Nil if there is no such operation.
  public init?(rawValue: String) {
    guard Self.names.contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  /// - Parameter name: the name of an operation in ``allCases``.
  init(known name: String) { rawValue = name }

  /// A call of a device.
  public static func device(_ verb: DeviceAPI.Verb) -> RequestKind { RequestKind(known: verb.rawValue) }
  /// A call of the App Store Server API.
  public static func serverAPI(_ call: any ServerAPICall.Type) -> RequestKind {
    RequestKind(known: call.endpoint.name)
  }
  public static let verifyReceipt = VerifyReceiptEndpoint.kind
  /// An OCSP request for the status of the store's certificates.
  public static let certificateStatus = RequestKind(known: "ocsp")
  /// An attempt to send a server notification.
  public static let notification = RequestKind(known: "notification")

  private static let names = Set(allCases.map(\.rawValue))
}

extension RequestKind: CaseIterable, Codable {
  public static let allCases =
    DeviceAPI.Verb.allCases.map(RequestKind.device) + BackendAPI.endpoints.map { $0.kind }
    + [.certificateStatus, .notification]
}

extension Set<RequestKind> {
  public static var everything: Set<RequestKind> { Set(RequestKind.allCases) }
  /// The calls of devices.
  public static var deviceCalls: Set<RequestKind> { Set(DeviceAPI.Verb.allCases.map(RequestKind.device)) }
  /// The endpoints for backends.
  static var backendEndpoints: Set<RequestKind> { Set(BackendAPI.endpoints.map { $0.kind }) }
}
