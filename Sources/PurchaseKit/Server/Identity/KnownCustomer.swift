import Foundation

/// Whom the server last named, and under which identity it was asked: another identity is another customer.
final class KnownCustomer: @unchecked Sendable {
  private let lock = NSLock()
  private var subject: String?
  private var stored: UUID?
  /// How often somebody was forgotten: what was asked before that does not count any more.
  private var forgotten = 0

  /// - Parameter customer: known before anything was asked.
  init(_ customer: UUID?) { stored = customer }

  var customer: UUID? { lock.withLock { stored } }

  /// To be given to ``know(_:of:asked:)`` with the answer to a question that is asked now.
  var asking: Int { lock.withLock { forgotten } }

  /// Who is known under an identity. One that is another's clears what was known.
  func customer(of newSubject: String) -> UUID? {
    lock.withLock {
      if let subject, subject != newSubject { (self.subject, stored) = (nil, nil) }
      return subject == newSubject ? stored : nil
    }
  }

  /// The server has named the customer.
  func know(_ customer: UUID, of subject: String, asked: Int) {
    lock.withLock { if asked == forgotten { (self.subject, stored) = (subject, customer) } }
  }

  func forget() {
    lock.withLock {
      (subject, stored) = (nil, nil)
      forgotten += 1
    }
  }
}
