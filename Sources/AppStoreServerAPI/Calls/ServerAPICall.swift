import Foundation
import StoreModel

/// A call of the App Store Server API: its endpoint, its values, and the type of its answer, declared once for clients and
/// for stores. ``ServerAPI/calls`` lists the calls.
///
/// A client writes the call with ``request()`` and sends it. A store reads it with ``init(_:)``. To add a call, declare its
/// type in `Endpoints`, add it to the list, and give it a rule in the emulator (`ServerAPIRule`).
public protocol ServerAPICall: Hashable, Sendable {
  /// The answer's body; `EmptyAnswer` for an empty one.
  associatedtype Answer: Codable & Hashable & Sendable

  static var endpoint: ServerAPIEndpoint { get }

  /// Reads a request. What depends on the store's state is not checked.
  ///
  /// - Throws: ``ServerAPIRefusal`` for the first invalid value: of the path, then of the query, then of the body.
  init(_ request: ServerAPIRequest) throws(ServerAPIRefusal)

  /// The request for this call.
  func request() throws -> ServerAPIRequest
}

extension ServerAPICall {
  /// Whether the answer has a body.
  public static var hasAnswer: Bool { Answer.self != EmptyAnswer.self }
}

/// The App Store Server API. ``calls`` lists its calls.
public enum ServerAPI {
  /// The encoder for bodies. It sorts the keys, so that the same value always has the same bytes.
  public static func encoder() -> JSONEncoder { DeviceAPI.encoder() }
}
