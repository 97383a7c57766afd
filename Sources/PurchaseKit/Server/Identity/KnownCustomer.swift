import Foundation
import StoreModel

/// The customer in the server's last response, and the identity that made the request. Another identity is another
/// customer.
final class KnownCustomer: Sendable {
  private struct State: Sendable {
    var subject: String?
    var customer: UUID?
    /// The earlier customers of the installation, which have joined the current one.
    var former: Set<UUID> = []
    /// The number of times that the customer was forgotten. Answers to earlier requests are ignored.
    var forgotten = 0
  }

  private let state: LockedValue<State>

  /// - Parameter installation: the stored installation; nil if there is none.
  init(_ installation: StoredInstallation?) {
    state = LockedValue(
      State(
        subject: installation?.token, customer: installation?.customer, former: installation?.former ?? []))
  }

  var customer: UUID? { state.withLock { $0.customer } }

  /// The number of times that the customer was forgotten. Read it before a request, and pass it to ``know(_:of:asked:)`` with
  /// the answer.
  var asking: Int { state.withLock { $0.forgotten } }

  /// Returns the customer of an identity; nil if it is not known. If the identity has changed, the known customer is
  /// cleared.
  func customer(of newSubject: String) -> UUID? {
    state.withLock { state in
      if let subject = state.subject, subject != newSubject {
        (state.subject, state.customer, state.former) = (nil, nil, [])
      }
      return state.subject == newSubject ? state.customer : nil
    }
  }

  /// Returns the customer of an installation. If the server has returned a customer for the installation's token, that
  /// customer is returned, because it is newer than the stored one.
  func customer(of installation: StoredInstallation) -> UUID {
    state.withLock { state in
      if state.subject == installation.token, let customer = state.customer { return customer }
      (state.subject, state.customer, state.former) = (
        installation.token, installation.customer, installation.former
      )
      return installation.customer
    }
  }

  /// Records the customer that the server's response names, unless the customer was forgotten since the request.
  func know(_ customer: UUID, of subject: String, asked: Int) {
    state.withLock { state in
      if asked == state.forgotten { (state.subject, state.customer) = (subject, customer) }
    }
  }

  /// Records that the server has joined an installation with another customer.
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
