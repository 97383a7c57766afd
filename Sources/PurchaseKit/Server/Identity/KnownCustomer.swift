import Foundation

/// Whom the server last named, and under which identity it was asked: another identity is another customer.
final class KnownCustomer: @unchecked Sendable {
  private let lock = NSLock()
  private var subject: String?
  private var stored: UUID?
  /// Whom an installation was before it was joined with another customer.
  private var former: Set<UUID>
  /// How often somebody was forgotten: what was asked before that does not count any more.
  private var forgotten = 0

  /// - Parameter installation: known before anything was asked.
  init(_ installation: StoredInstallation?) {
    subject = installation?.token
    stored = installation?.customer
    former = installation?.former ?? []
  }

  var customer: UUID? { lock.withLock { stored } }

  /// To be given to ``know(_:of:asked:)`` with the answer to a question that is asked now.
  var asking: Int { lock.withLock { forgotten } }

  /// Who is known under an identity. One that is another's clears what was known.
  func customer(of newSubject: String) -> UUID? {
    lock.withLock {
      if let subject, subject != newSubject { (self.subject, stored, former) = (nil, nil, []) }
      return subject == newSubject ? stored : nil
    }
  }

  /// Who an installation is. What the server has named since under its token counts, and not what is on record still.
  func customer(of installation: StoredInstallation) -> UUID {
    lock.withLock {
      if subject == installation.token, let stored { return stored }
      (subject, stored, former) = (installation.token, installation.customer, installation.former)
      return installation.customer
    }
  }

  /// The server has named the customer.
  func know(_ customer: UUID, of subject: String, asked: Int) {
    lock.withLock { if asked == forgotten { (self.subject, stored) = (subject, customer) } }
  }

  /// The server has named the customer of an installation.
  func join(_ customer: UUID, of token: String) {
    lock.withLock {
      guard subject == token, let old = stored, old != customer else { return }
      stored = customer
      former = former.union([old]).subtracting([customer])
    }
  }

  /// Who a customer is by now: the one with whom their installation was joined, or still themselves.
  func successor(of customer: UUID) -> UUID {
    lock.withLock { former.contains(customer) ? stored ?? customer : customer }
  }

  func forget() {
    lock.withLock {
      (subject, stored, former) = (nil, nil, [])
      forgotten += 1
    }
  }
}
