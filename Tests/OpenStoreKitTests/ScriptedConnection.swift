import Foundation
import StoreModel

/// A connection on which each call can be made to fail before it is sent, or after it was answered, and which counts
/// what reached the store.
final class ScriptedConnection: AppStoreConnection, @unchecked Sendable {
  enum Fate: Sendable {
    case pass
    /// Nothing is sent.
    case unreachable
    /// It is sent and carried out, and the answer is lost.
    case answerLost
  }

  private let lock = NSLock()
  private let base: any AppStoreConnection
  private var fates: [DeviceDoor.Verb: [Fate]] = [:]
  private var calls: [DeviceDoor.Verb] = []
  private let finished = EventCounter()
  private var onQuote: (@Sendable (PaymentQuote) -> PaymentQuote)?
  private var onConfirm: (@Sendable (ConfirmationResult) -> ConfirmationResult)?

  init(_ base: any AppStoreConnection) { self.base = base }

  /// What happens to the next calls of `verb`, one after the other; those after them pass.
  func script(_ verb: DeviceDoor.Verb, _ next: Fate...) { lock.withLock { fates[verb, default: []] += next } }

  /// Changes what the store answers to a confirmation.
  func rewriteConfirmations(_ rewrite: (@Sendable (ConfirmationResult) -> ConfirmationResult)?) {
    lock.withLock { onConfirm = rewrite }
  }

  /// Returns when the next finish has been carried out.
  func nextFinish() async { await finished.next() }

  /// Changes what the store answers to a request for a quote.
  func rewriteQuotes(_ rewrite: (@Sendable (PaymentQuote) -> PaymentQuote)?) {
    lock.withLock { onQuote = rewrite }
  }

  /// What was sent, in order.
  var sent: [DeviceDoor.Verb] { lock.withLock { calls } }

  private func perform<Answer>(_ verb: DeviceDoor.Verb, _ call: () async throws -> Answer) async throws -> Answer {
    let fate = lock.withLock { fates[verb]?.isEmpty == false ? fates[verb]?.removeFirst() ?? .pass : .pass }
    if fate == .unreachable { throw StoreConnectionFailure.unreachable(reason: "scripted") }
    lock.withLock { calls.append(verb) }
    let answer = try await call()
    if fate == .answerLost { throw StoreConnectionFailure.noAnswer(reason: "scripted") }
    return answer
  }

  func register(_ registration: InstallationRegistration) async throws -> StoreGreeting {
    try await perform(.register) { try await base.register(registration) }
  }

  func signIn(
    _ credentials: SignInCredentials, on installation: InstallationID
  ) async throws -> SignedInAccount {
    try await perform(.signIn) { try await base.signIn(credentials, on: installation) }
  }

  func products(_ identifiers: [ProductID], for installation: InstallationID) async throws -> ProductList {
    try await perform(.products) { try await base.products(identifiers, for: installation) }
  }

  func quote(_ payment: PaymentRequest, for installation: InstallationID) async throws -> PaymentQuote {
    try await perform(.quote) {
      let quote = try await base.quote(payment, for: installation)
      return lock.withLock { onQuote }?(quote) ?? quote
    }
  }

  func confirm(_ quote: PaymentQuote, for installation: InstallationID) async throws -> ConfirmationResult {
    try await perform(.confirm) {
      let result = try await base.confirm(quote, for: installation)
      return lock.withLock { onConfirm }?(result) ?? result
    }
  }

  func unfinished(for installation: InstallationID) async throws -> DeliveryBatch {
    try await perform(.unfinished) { try await base.unfinished(for: installation) }
  }

  func finish(_ transaction: TransactionID, for installation: InstallationID) async throws {
    try await perform(.finish) { try await base.finish(transaction, for: installation) }
    finished.happened()
  }
}
