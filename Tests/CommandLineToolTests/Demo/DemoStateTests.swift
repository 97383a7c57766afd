import SampleApp
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("The demo's state", .timeLimit(.minutes(10)))
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
    #expect(try await notifies(state) { state.turn(.next) })
    #expect(try await notifies(state) { state.note(isPlaying: true) })
    #expect(try await !notifies(state) { state.note(isPlaying: true) })
  }

  @Test("B9 E1 grants are counted for purchases only: not for what is restored or delivered again")
  func grants() {
    let state = DemoState(tour: [])
    func handle(_ steps: PurchaseStep...) {
      for step in steps { state.handle(.step(device: "phone", StepReport(step, product: "a.sepia"))) }
    }
    handle(.button, .paymentAdded, .charged, .journalled, .granted, .finished)
    #expect(state.scene.accounts.lines.map(\.line.grants) == [1])
    handle(.restored, .granted)
    handle(.button, .paymentAdded, .redelivered, .journalled, .granted, .finished)
    #expect(state.scene.accounts.lines.map(\.line.grants) == [1])
    handle(.button, .paymentAdded, .charged, .journalled, .granted, .finished)
    #expect(state.scene.accounts.lines.map(\.line.grants) == [2])
  }
}
