import AppStoreEmulator
import OpenStoreKit
import StoreModel

/// A confirmation sheet that stays up until the test answers it: ``TestCustomer/holdNextSheet()``.
///
/// ```swift
/// let sheet = session.testBed.device.customer.holdNextSheet()
/// let purchase = Task { try await product.purchase() }
/// let quote = await sheet.shown()          // the sheet is up; the app's own screen can be checked now
/// sheet.answer(.cancel)
/// ```
public final class HeldSheet: Sendable {
  private let quotes = AsyncStream.makeStream(of: PaymentQuote.self)
  private let answers = AsyncStream.makeStream(of: ConfirmationAnswer.self)

  init() {}

  /// Waits until the sheet is up.
  ///
  /// - Returns: what the sheet shows; nil if the task is cancelled.
  public func shown() async -> PaymentQuote? { await quotes.stream.first { _ in true } }

  /// Answers the sheet. It may be called before the sheet is up.
  public func answer(_ answer: ConfirmationAnswer) { answers.continuation.yield(answer) }

  func show(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    quotes.continuation.yield(quote)
    return await answers.stream.first { _ in true } ?? .cancel
  }
}

/// The answer to a confirmation that the store withholds: ``TestStore/holdNextAnswer()``.
///
/// ```swift
/// let answer = try session.testBed.store.holdNextAnswer()
/// let purchase = Task { try await product.purchase() }
/// try await answer.reached()               // the store has charged, and the app does not know it yet
/// try answer.release()
/// ```
public struct HeldAnswer: Sendable {
  let store: EmulatedAppStore
  let fault: FaultID

  /// Waits until the store has carried a confirmation out, and withholds its answer.
  ///
  /// - Throws: `CancellationError`; `AppStoreEmulatorError` if the answer was released.
  public func reached() async throws { try await store.untilFault(fault) }

  /// Sends the answer.
  ///
  /// - Throws: `AppStoreEmulatorError` if it was released already.
  public func release() throws { try store.removeFault(fault) }
}

extension TestStore {
  private static let onlyConfirmations = FaultScope(calls: [.device(.confirm)])

  /// Withholds the answer to the next confirmation of a payment: the store charges it, and the device waits.
  public func holdNextAnswer() throws -> HeldAnswer {
    let report = try appStore.set(Fault(HeldAnswerFault(), scope: Self.onlyConfirmations, count: 1))
    return HeldAnswer(store: appStore, fault: report.id)
  }

  /// Loses the answer to the next confirmation of a payment: the store charges it, and the connection breaks. The device asks
  /// again.
  public func loseNextAnswer() throws {
    _ = try appStore.set(Fault(AnswerLostFault(), scope: Self.onlyConfirmations, count: 1))
  }
}
