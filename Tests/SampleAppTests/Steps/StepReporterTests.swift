import Foundation
import HTTPTransport
import PurchaseKit
import SampleModel
import StoreModel
import Testing

@testable import SampleApp

@Suite("The reports of a purchase's steps", .timeLimit(.minutes(30)))
struct StepReporterTests {
  private final class FailingDelivery: ProductDelivery {
    private let error: any Error & Sendable

    init(error: any Error & Sendable) { self.error = error }

    func handles(_ productIdentifier: String) -> Bool { true }
    func deliver(_ purchase: PaidPurchase) async throws { throw error }
    func revoke(productIdentifiers: Set<String>) async throws {}
  }

  /// Returns the steps that are reported while `act` runs.
  private func steps(_ act: (StepReporter) async throws -> Void) async rethrows -> [StepReport] {
    let reports = LockedValue<[StepReport]>([])
    let send = EventSender { event in
      if case .step(let report) = event { reports.withLock { $0.append(report) } }
    }
    try await act(StepReporter(send: send, isOn: true))
    return reports.value
  }

  private static let refusal = ServerRefusal(
    status: 422, code: "refunded", message: "The purchase was refunded.")

  @Test(
    "C1 the reason why a product is not granted is in words for customers, with the product's name",
    arguments: [
      (
        RefusedPurchase(productIdentifier: SampleCatalog.sepia, refusal: refusal) as any Error & Sendable,
        PurchaseStep.refused
      ),
      (
        PurchaseServerError.refused(
          ServerRefusal(
            status: 422, code: "unknownProduct", message: "\(SampleCatalog.sepia) of transaction 17 is not known.")),
        .kept
      ),
      (InAppPurchaseError.unknownProduct(SampleCatalog.sepia), .kept),
    ])
  func reasons(_ error: any Error & Sendable, _ step: PurchaseStep) async throws {
    let steps = await steps { steps in
      let delivery = steps.watching([FailingDelivery(error: error)]) { _ in false }[0]
      await #expect(throws: (any Error).self) {
        try await delivery.deliver(
          PaidPurchase(
            transactionIdentifier: "17", productIdentifier: SampleCatalog.sepia, quantity: 1,
            date: Date(timeIntervalSince1970: 0), isRestored: false))
      }
    }
    let report = try #require(steps.first)
    #expect(steps.count == 1 && report.step == step && report.product == SampleCatalog.sepia)
    let detail = try #require(report.detail)
    #expect(!detail.contains(SampleCatalog.sepia) && !detail.contains("17"), "\(detail)")
    if step == .refused { #expect(detail.contains("“Sepia”"), "\(detail)") }
  }

  @Test("the redemption of one purchase is a step of it; a request for all purchases of the receipt is no step")
  func redemptions() async throws {
    let server = try #require(URL(string: "http://127.0.0.1:1/v1/apps/a"))
    let body = Data(#"{"purchases": [{"transactionId": "1", "productId": "p"}]}"#.utf8)
    let reported = await steps { steps in
      for list in ["redemptions", "restores"] {
        let reply = StepReply(call: HTTPCall("POST", server.appending(path: list), body: body), steps: steps)
        reply.begin()
        reply.answered(200)
      }
    }
    #expect(reported == [StepReport(.proofSent, product: "p"), StepReport(.verified, product: "p")])
  }
}
