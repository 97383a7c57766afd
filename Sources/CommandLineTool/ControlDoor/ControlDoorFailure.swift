import Foundation
import HTTPExchange
import StoreModel

/// Why the control door did not do what it was asked for. The words of whoever answered are kept as they are; they are to be
/// made visible where they are shown.
enum ControlDoorFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nobody is at the address.
  case noStore(address: URL, reason: String)
  /// Somebody is there, and says nothing, or no more: what was asked for may have been done.
  case noAnswer(address: URL, reason: String)
  /// Somebody else answers there.
  case notAStore(address: URL, reason: String)
  /// The door asks for another token.
  case tokenRequired(address: URL)
  /// The store says no.
  case refused(code: String, message: String)

  /// - Parameter url: what was asked for, which the failure's words begin with.
  init(_ failure: HTTPFailure, of url: URL, address: URL) {
    func cause(_ reason: String) -> String {
      let place = "\(url): "
      return reason.hasPrefix(place) ? String(reason.dropFirst(place.count)) : reason
    }
    self =
      switch failure {
      case .unreachable(let reason): .noStore(address: address, reason: cause(reason))
      case .noAnswer(let reason): .noAnswer(address: address, reason: cause(reason))
      case .unintelligible(let reason): .notAStore(address: address, reason: cause(reason))
      }
  }

  /// What an answer means that is no success.
  init(_ reply: HTTPReply, address: URL) {
    struct Refused: Decodable {
      struct Reason: Decodable {
        let code: String
        let message: String
      }

      let error: Reason
    }
    guard let refused = try? BoundedJSON.decode(Refused.self, from: reply.body) else {
      self = .notAStore(address: address, reason: "it answered with HTTP status \(reply.status)")
      return
    }
    self =
      reply.status == 401
      ? .tokenRequired(address: address) : .refused(code: refused.error.code, message: refused.error.message)
  }

  var description: String {
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
