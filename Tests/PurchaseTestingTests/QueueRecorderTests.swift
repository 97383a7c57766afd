import StoreKit
import Testing

@testable import PurchaseTesting

@Suite("The recorder of a queue's events", .timeLimit(.minutes(30)))
struct QueueRecorderTests {
  @Test("A wait that begins while the event is recorded returns it")
  func race() async throws {
    let device = try TestDevice(
      try await TestStore(StoreKitConfiguration(products: []), bundleID: "com.example.shop"), isCurrent: false)
    let recorder = QueueRecorder()
    for _ in 1...1_000 {
      async let found: Bool? = recorder.next { if case .restoreFinished = $0 { true } else { nil } }
      recorder.paymentQueueRestoreCompletedTransactionsFinished(device.queue)
      #expect(await found == true)
    }
  }
}
