import APIDescription
import Foundation
import HTTPTransport
import StoreModel

/// An error of a call to the control API. It contains messages of the store unchanged: callers must escape control
/// characters before they show them.
package enum ControlAPIError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No connection to the address can be made.
  case noStore(address: URL, reason: String)
  /// The connection was made, but no complete answer was received. The request may have been carried out.
  case noAnswer(address: URL, reason: String)
  /// The answer does not come from a store.
  case notAStore(address: URL, reason: String)
  /// The control token is missing or wrong.
  case tokenRequired(address: URL)
  /// The store refused the request.
  case refused(code: String, message: String)

  /// - Parameter url: the URL of the request. If the failure's reason begins with its origin, that is removed from the reason,
  ///   because the error names the address itself.
  package init(_ failure: HTTPFailure, of url: URL, address: URL) {
    func cause(_ reason: String) -> String {
      let place = "\(url.origin): "
      return reason.hasPrefix(place) ? String(reason.dropFirst(place.count)) : reason
    }
    self =
      switch failure {
      case .unreachable(let reason): .noStore(address: address, reason: cause(reason))
      case .noAnswer(let reason): .noAnswer(address: address, reason: cause(reason))
      case .unintelligible(let reason): .notAStore(address: address, reason: cause(reason))
      }
  }

  /// The error of an answer whose status is not 2xx.
  package init(_ reply: HTTPReply, address: URL) {
    guard let refused = try? BoundedJSON.decode(RefusalBody.self, from: reply.body) else {
      self = .notAStore(address: address, reason: "it answered with HTTP status \(reply.status)")
      return
    }
    self =
      reply.status == 401
      ? .tokenRequired(address: address) : .refused(code: refused.error.code, message: refused.error.message)
  }

  package var description: String {
    switch self {
    case .noStore(let address, let reason):
      "There is no store at \(address.absoluteString) (\(reason)). Start one with openstorekit emulator, or name another: "
        + "--store URL, or OPENSTOREKIT_CONTROL_URL in the environment."
    case .noAnswer(let address, let reason):
      "The store at \(address.absoluteString) did not answer: \(reason). What was to be changed there may have been: "
        + "openstorekit transactions and openstorekit requests say what was done."
    case .notAStore(let address, let reason):
      "What is at \(address.absoluteString) is not a store of this program's: \(reason). Name another: --store URL, or "
        + "OPENSTOREKIT_CONTROL_URL in the environment."
    case .tokenRequired(let address):
      "The store at \(address.absoluteString) asks for its control token. Give it: --control-token TOKEN, or "
        + "OPENSTOREKIT_CONTROL_TOKEN in the environment."
    case .refused(_, let message): message
    }
  }
}

/// The body of every refused request.
package struct RefusalBody: APIObject {
  package static let schemaName = "Refused"

  package struct Reason: APIObject {
    package static let schemaName = "RefusalReason"

    package let code: String
    package let message: String

    package static let notes: [String: MemberNote] = [
      "code": "For programs.", "message": "For people: what is wrong, and what to do.",
    ]
  }

  package let error: Reason
}
