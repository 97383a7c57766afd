import Foundation
import StoreModel
import Testing

@Suite("Errors that are logged", .timeLimit(.minutes(30)))
struct DescribedErrorTests {
  @Test(
    "localizedDescription is the error's own text",
    arguments: [
      (StoreRefusal(.paymentDeclined, "The card was declined."), "The card was declined."),
      (AppError(domain: "SKErrorDomain", code: 2), "SKErrorDomain 2"),
      (AppError(domain: "SKErrorDomain", code: 2, message: "Try later."), "Try later."),
    ] as [(any DescribedError, String)])
  func text(error: any DescribedError, text: String) {
    #expect(error.localizedDescription == text)
    // As an app sees it that knows nothing of the type.
    #expect((error as any Error as NSError).localizedDescription == text)
  }
}
