import Foundation
import StoreModel

/// The customer that the server last named, and the identity that asked. Another identity is another customer.
final class KnownCustomer: Sendable {
  private struct State: Sendable {
    var subject: String?
    var customer: UUID?
    /// The customers that the installation was before it joined another customer.
    var former: Set<UUID> = []
    /// How often the customer was forgotten. Answers to requests from before that are ignored.
    var forgotten = 0
  }

  private let state: LockedValue<State>

  /// - Parameter installation: known before any request.
  init(_ installation: StoredInstallation?) {
    state = LockedValue(
      State(
        subject: installation?.token, customer: installation?.customer, former: installation?.former ?? []))
  }

  var customer: UUID? { state.withLock { $0.customer } }

  /// Identifies a request that is made now. It is passed to ``know(_:of:asked:)`` with the answer.
  var asking: Int { state.withLock { $0.forgotten } }

  /// The customer of an identity. Another identity clears the known customer.
  func customer(of newSubject: String) -> UUID? {
    state.withLock { state in
      if let subject = state.subject, subject != newSubject {
        (state.subject, state.customer, state.former) = (nil, nil, [])
      }
      return state.subject == newSubject ? state.customer : nil
    }
  }

  /// The customer of an installation. What the server has named under its token is newer than what is stored.
  func customer(of installation: StoredInstallation) -> UUID {
    state.withLock { state in
      if state.subject == installation.token, let customer = state.customer { return customer }
      (state.subject, state.customer, state.former) = (
        installation.token, installation.customer, installation.former
      )
      return installation.customer
    }
  }

  /// The server has named the customer.
  func know(_ customer: UUID, of subject: String, asked: Int) {
    state.withLock { state in
      if asked == state.forgotten { (state.subject, state.customer) = (subject, customer) }
    }
  }

  /// The server has named another customer for an installation.
  func join(_ customer: UUID, of token: String) {
    state.withLock { state in
      guard state.subject == token, let old = state.customer, old != customer else { return }
      state.customer = customer
      state.former = state.former.union([old]).subtracting([customer])
    }
  }

  /// The customer that an earlier customer of this installation has joined; the same customer if it joined none.
  func successor(of customer: UUID) -> UUID {
    state.withLock { $0.former.contains(customer) ? $0.customer ?? customer : customer }
  }

  func forget() {
    state.withLock { state in
      (state.subject, state.customer, state.former) = (nil, nil, [])
      state.forgotten += 1
    }
  }
}
