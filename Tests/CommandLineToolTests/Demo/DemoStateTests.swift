import SampleApp
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("The demo's board", .timeLimit(.minutes(10)))
struct DemoBoardTests {
  /// Whether pages are to look again after something happened.
  private func rings(_ board: DemoState, _ happen: () -> Void) async throws -> Bool {
    let (stream, end) = try #require(board.signal.notifications())
    happen()
    end()
    for await _ in stream { return true }
    return false
  }

  @Test("its pages look again when something has changed, and only then")
  func rings() async throws {
    let board = DemoState(tour: TourStation.all(first: "phone", second: "tablet"))
    #expect(try await !rings(board) { board.handle(.sold(quantity: 1)) })
    #expect(try await rings(board) { board.handle(.sold(quantity: 3)) })
    #expect(try await !rings(board) { board.handle(.sold(quantity: 3)) })
    #expect(try await rings(board) { board.handle(.refunded) })
    #expect(try await !rings(board) { board.handle(.refunded) })
    let step = DemoEvent.step(device: "phone", StepReport(.button, product: "a"))
    #expect(try await rings(board) { board.handle(step) })
    #expect(try await !rings(board) { board.handle(step) })
    #expect(try await rings(board) { board.handle(.step(device: "tablet", StepReport(.button, product: "a"))) })
    #expect(try await rings(board) { board.note("store", .running) })
    #expect(try await !rings(board) { board.note("store", .running) })
    #expect(try await rings(board) { board.note("store", .restarting) })
  }
}
