import ControlAPI
import Foundation
import SampleApp
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("The demo's state", .timeLimit(.minutes(30)))
struct DemoStateTests {
  /// Whether an action notifies the pages.
  private func notifies(_ state: DemoState, _ action: () -> Void) async throws -> Bool {
    let (stream, end) = try #require(state.signal.notifications())
    action()
    end()
    for await _ in stream { return true }
    return false
  }

  @Test("it notifies its pages of each change, and only of changes")
  func notifies() async throws {
    let state = DemoState(tour: TourStation.all(first: "phone", second: "tablet"))
    #expect(try await !notifies(state) { state.handle(.sold(quantity: 1)) })
    #expect(try await notifies(state) { state.handle(.sold(quantity: 3)) })
    #expect(try await !notifies(state) { state.handle(.sold(quantity: 3)) })
    #expect(try await notifies(state) { state.handle(.refunded) })
    #expect(try await !notifies(state) { state.handle(.refunded) })
    let step = DemoEvent.step(device: "phone", StepReport(.button, product: "a"))
    #expect(try await notifies(state) { state.handle(step) })
    #expect(try await !notifies(state) { state.handle(step) })
    #expect(try await notifies(state) { state.handle(.step(device: "tablet", StepReport(.button, product: "a"))) })
    #expect(try await notifies(state) { state.note("store", .running) })
    #expect(try await !notifies(state) { state.note("store", .running) })
    #expect(try await notifies(state) { state.note("store", .restarting) })
    let alert = AppPrompt(.alert, "Spent.")
    #expect(try await notifies(state) { state.note("tablet", alert) })
    #expect(try await !notifies(state) { state.note("tablet", alert) })
    state.note("tablet", .running)
    #expect(state.scene.prompts == ["tablet": alert])
    #expect(try await notifies(state) { state.note("tablet", .restarting) })
    #expect(state.scene.prompts.isEmpty, "the prompt ends with the device's program")
    #expect(try await notifies(state) { state.turn(.next) })
    #expect(try await notifies(state) { state.note(isPlaying: true, message: nil) })
    #expect(try await !notifies(state) { state.note(isPlaying: true, message: nil) })
    #expect(try await notifies(state) { state.note(isPlaying: true, message: "No.") })
    #expect(try await notifies(state) { state.turn(.next) })
    #expect(state.scene.playMessage == nil)
  }

  @Test("A restart forgets what was done and drawn; the store's earlier records complete no station of the new tour")
  func restart() throws {
    func view<View: Decodable>(_ id: Int, as type: View.Type) throws -> View {
      let text = """
        {"transactionId": "\(id)", "originalTransactionId": "\(id)", "bundleId": "b", "environment": "Sandbox",
         "customer": "c", "productId": "a.b", "quantity": 3, "amount": 990, "currency": "USD", "date": 0}
        """
      return try JSONDecoder().decode(View.self, from: Data(text.utf8))
    }
    let state = DemoState(tour: [
      TourStation(title: "", requirements: [], instructions: [], lesson: "", goals: [.refunded])
    ])
    var news = StoreNews()
    let refund = try view(1, as: RefundView.self)
    #expect(news.events(in: [], [], []) == [])
    for event in news.events(in: [], [refund], []) { state.handle(event) }
    state.handle(.step(device: "phone", StepReport(.button, product: "a")))
    #expect(state.scene.tour.doneCount == 1 && state.scene.device == "phone")
    state.turn(.restart)
    for event in news.events(in: [], [refund], []) { state.handle(event) }
    #expect(state.scene.tour.doneCount == 0 && state.scene.flows.isEmpty && state.scene.device == nil)
    #expect(news.events(in: [], [try view(2, as: RefundView.self), refund], []) == [.refunded])
  }

  @Test("A notification is an event once, when the developer's server has received it")
  func notified() throws {
    func notification(_ uuid: String, _ state: String) throws -> NotificationView {
      let text = """
        {"uuid": "\(uuid)", "sequence": 1, "bundleId": "b", "environment": "Sandbox", "type": "REFUND", "date": 0,
         "transactionId": "1", "state": "\(state)", "attempts": []}
        """
      return try JSONDecoder().decode(NotificationView.self, from: Data(text.utf8))
    }
    var news = StoreNews()
    let unsent = [try notification("a", "waiting"), try notification("b", "failed")]
    #expect(news.events(in: [], [], unsent) == [])
    let sent = [try notification("a", "sent"), try notification("b", "failed")]
    #expect(news.events(in: [], [], sent) == [.notified("REFUND", product: nil)])
    #expect(news.events(in: [], [], sent) == [])
  }

  @Test("H2 F1 the drawing stays with the device of the last drawn step: a restored backup replaces no purchase")
  func drawnDevice() {
    let state = DemoState(tour: [])
    func handle(_ device: String, _ steps: PurchaseStep...) {
      for step in steps { state.handle(.step(device: device, StepReport(step, product: "a.sepia", transaction: "1"))) }
    }
    handle("tablet", .revoked, .revocationDelivered, .locked)
    #expect(state.scene.device == "tablet")
    handle("phone", .button, .charged, .journalled, .granted, .finished, .backedUp)
    handle("tablet", .backupRestored, .spent, .networkLost, .networkBack)
    #expect(state.scene.device == "phone")
    handle("tablet", .button)
    handle("phone", .launched)
    #expect(state.scene.device == "phone", "its flow has a remark about it")
    handle("tablet", .button)
    #expect(state.scene.device == "tablet")
  }

  @Test("B9 E1 each charge is compared with the grant of its transaction; what is free or restored has no charge")
  func grants() throws {
    let state = DemoState(tour: [])
    func handle(_ transaction: String, _ steps: PurchaseStep...) {
      for step in steps {
        state.handle(.step(device: "phone", StepReport(step, product: "a.sepia", transaction: transaction)))
      }
    }
    func charge(_ transaction: String) throws -> ChargeView {
      try JSONDecoder().decode(
        ChargeView.self,
        from: Data(
          """
          {"transactionId": "\(transaction)", "bundleId": "b", "environment": "Sandbox", "customer": "c",
           "productId": "a.sepia", "amount": 990, "currency": "USD", "orderId": "M0", "date": 0}
          """.utf8))
    }
    func counts() -> [Int] {
      state.scene.accounts.lines.flatMap { [$0.line.charges, $0.line.grants, $0.line.freeGrants] }
    }
    state.note([try charge("1"), try charge("2")], [])
    #expect(counts() == [2, 0, 0])
    handle("1", .button, .charged, .journalled, .granted, .finished)
    handle("7", .restored, .granted)
    handle("8", .button, .redelivered, .journalled, .granted, .finished)
    #expect(counts() == [2, 1, 0])
    // Delivered again.
    handle("1", .journalled, .granted)
    #expect(counts() == [2, 1, 0])
    handle("9", .button, .free, .journalled, .granted)
    #expect(counts() == [2, 1, 1])
    handle("2", .journalled, .granted)
    #expect(counts() == [2, 2, 1])
    // The store was reset.
    state.note([], [])
    #expect(counts() == [0, 0, 1])
  }
}
