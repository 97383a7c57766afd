import StoreModel

/// The endpoints of the App Store that this store leaves out, and paths below them that do not exist. They answer with HTTP
/// status 404 and an empty body, and the request journal says why.
enum NotEmulatedEndpoints {
  static let all: [any BackendEndpoint.Type] = [
    NotEmulatedEndpoint<InApps>.self, NotEmulatedEndpoint<Groups>.self, NotEmulatedEndpoint<AdvancedCommerce>.self,
  ]

  protocol Family: Sendable {
    static var name: String { get }
    static var path: String { get }
    static var reason: String { get }
  }

  enum InApps: Family {
    static let name = "otherServerAPI"
    static let path = "inApps/**"
    static let reason =
      "not emulated: retention messaging, and paths and methods that the App Store Server API does not have"
  }

  enum Groups: Family {
    static let name = "groups"
    static let path = "groups/**"
    static let reason = "not emulated: groups and seats of multiseat purchases"
  }

  enum AdvancedCommerce: Family {
    static let name = "advancedCommerce"
    static let path = "advancedCommerce/**"
    static let reason = "not emulated: the Advanced Commerce API"
  }
}

struct NotEmulatedEndpoint<Family: NotEmulatedEndpoints.Family>: BackendEndpoint {
  typealias Answer = NotEmulated

  struct NotEmulated: Sendable {}

  static var name: String { Family.name }
  static var method: BackendMethod { .get }
  static var hasAllMethods: Bool { true }
  static var path: String { Family.path }

  let request: BackendRequest

  init(_ request: BackendRequest) { self.request = request }

  static func response(to answer: NotEmulated) -> BackendResponse {
    BackendResponse([], status: 404, contentType: "text/plain; charset=utf-8")
  }
  static var unavailable: any BackendError { UnauthenticatedRequest("the store is out of order") }
  static func outcome(of answer: NotEmulated) -> RequestOutcome { .status(404) }
  static func reason(of answer: NotEmulated) -> String? { Family.reason }
  static func recordedBody(of answer: NotEmulated) -> RecordedBody { RecordedBody(json: [UInt8]()) }
}
