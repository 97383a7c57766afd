import Foundation
import PurchaseKit
import Testing

@Suite("Messages for customers", .timeLimit(.minutes(30)))
struct CustomerMessageTests {
  private static let product = "com.example.book"
  private static let reason = "http://127.0.0.1:8090 answered 502"

  private static let errors: [any CustomerFacingError] = [
    InAppPurchaseError.unknownProduct(product), InAppPurchaseError.incompleteTransaction(productIdentifier: product),
    InAppPurchaseError.waitingForApproval(productIdentifier: product), InAppPurchaseError.notForSale(product),
    InAppPurchaseError.notStarted, InAppPurchaseError.stopped, InAppPurchaseError.restoring,
    InAppPurchaseError.quantityOutOfRange(11), InAppPurchaseError.paymentsNotAllowed,
    InAppPurchaseError.noDelivery(product),
    InAppPurchaseError.cannotBeGiven(productIdentifier: product, reason: reason),
    InAppPurchaseError.notPending(productIdentifier: product),
    ContentError.notDelivered(productIdentifier: product), ContentError.network(reason: reason),
    ContentError.server(.network(reason: reason)), ContentError.diskFull(neededBytes: 1, freeBytes: 0),
    ContentError.disk(reason: reason), ContentError.wrongDigest(file: product),
    ContentError.unexpectedAnswer(file: product, reason: reason),
    ContentError.deliveryEnded(productIdentifier: product, reason: reason),
    ContentError.stopped(productIdentifier: product), ContentError.noSuchFile(product),
    ContentError.damaged(file: product), ContentError.malformedDelivery(reason),
    ContentError.recordsDamaged(productIdentifier: product),
    PurchaseServerError.unintelligible(reason: reason), PurchaseServerError.customerChanged,
    PurchaseServerError.identityUnreadable(item: product, reason: reason),
    CreditError.outcomeUnknown(key: UUID(), reason: reason), CreditError.keyReused(UUID()),
    TransactionIdentifierReused(
      transactionIdentifier: "1", productIdentifier: product, deliveredProductIdentifier: product,
      deliveredPurchaseDate: Date(timeIntervalSince1970: 0)),
    RefusedPurchase(
      productIdentifier: product, refusal: ServerRefusal(status: 410, code: "refunded", message: "It was refunded.")),
    // The server's own message names the product's identifier.
    RefusedPurchase(
      productIdentifier: product, refusal: ServerRefusal(status: 422, code: "unknownProduct", message: "\(product)?")),
  ]

  @Test("C1 no message for customers contains a product identifier, a file name or a technical reason")
  func plain() {
    let names = CustomerNames(title: { _ in "The Small Print" })
    for error in Self.errors {
      let message = error.customerMessage(names)
      #expect(!message.contains(Self.product) && !message.contains("http") && message.hasSuffix("."), "\(message)")
      // A pause that the customer chose raises no alert.
      let isPause = if case .stopped? = error as? ContentError { true } else { false }
      #expect((error as any Error).purchaseAlert(names) == (isPause ? nil : message))
    }
  }

  @Test("A message names the product by its title, and the credits as the app does")
  func names() {
    let names = CustomerNames(credits: "pages", title: { $0 == Self.product ? "The Small Print" : nil })
    #expect(
      InAppPurchaseError.cannotBeGiven(productIdentifier: Self.product, reason: "").purchaseAlert(names)
        == "The shop does not sell “The Small Print” at the moment. Nothing was paid.")
    #expect(
      ContentError.notDelivered(productIdentifier: "other").purchaseAlert(names)
        == "Download this product first, or restore your purchases.")
    #expect(
      CreditError.insufficient(balance: 3, requested: 5).purchaseAlert(names)
        == "You have 3 pages, and 5 are needed. Buy more first.")
    #expect(
      ContentError.diskFull(neededBytes: 6_000_001, freeBytes: 999_999).purchaseAlert()
        == "There is not enough free space: 7 MB are needed, 1000 kB are free. Make room, and try again.")
  }
}
