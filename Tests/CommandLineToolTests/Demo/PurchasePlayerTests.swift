import Foundation
import SampleApp
import SampleModel
import SharedFixtures
import StoreModel
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("The player of a purchase", .timeLimit(.minutes(2)))
struct PurchasePlayerTests {
  private static let done = CannedServer.answer("200 OK", "")

  private static func sheet(_ number: Int, _ answer: String) -> String {
    CannedServer.answer("200 OK", "<dialog id=\"sheet-\(number)\"><button value=\"\(answer)\"></button></dialog>")
  }

  /// A clock on which only the time limit takes time, until the test ends it.
  private struct Clock: MachineClock {
    let limit = ManualWaits<Duration>()
    let pauses = LockedValue<[Duration]>([])

    var now: StoreDate { SystemClock().now }

    func sleep(for duration: Duration) async throws {
      if duration == PurchasePlayer.limit { return await limit.wait(duration) }
      pauses.withLock { $0.append(duration) }
    }
  }

  private static func player(_ answers: [String]) throws -> (PurchasePlayer, CannedServer, DemoState, Clock) {
    let (server, state, clock) = (try CannedServer(answers), DemoState(tour: []), Clock())
    return (
      PurchasePlayer(device: server.address, state: state, clock: clock, logger: LogBook().logger), server, state, clock
    )
  }

  /// Handles a step whose sheet the player answers, and returns the methods and paths of its requests.
  private static func answer(
    _ step: PurchaseStep, _ player: PurchasePlayer, _ server: CannedServer
  ) async -> [String] {
    await player.handle(StepReport(step, product: SampleCatalog.fiveCredits))
    return [await server.nextRequest() ?? "", await server.nextRequest() ?? ""].map {
      $0.split(separator: " ").prefix(2).joined(separator: " ")
    }
  }

  @Test("It presses Buy, answers each sheet once after a pause, and ends with the purchase")
  func wholePurchase() async throws {
    let (player, server, state, clock) = try Self.player([
      Self.done, Self.sheet(1, "sign-in"), Self.done, Self.sheet(2, "confirm"), Self.done,
    ])
    try await player.play()
    #expect(await server.nextRequest()?.hasPrefix("POST /app/buy") == true)
    #expect(state.scene.isPlaying)
    for step in [PurchaseStep.signInShown, .confirmationShown] {
      #expect(await Self.answer(step, player, server) == ["GET /", "POST /app/sheet"])
    }
    #expect(clock.pauses.value == [PurchasePlayer.reading, PurchasePlayer.reading])
    await player.handle(StepReport(.finished, product: SampleCatalog.fiveCredits))
    #expect(!state.scene.isPlaying)
  }

  @Test("A sheet of the same kind that is shown again is left to the user, and the play ends")
  func secondSheet() async throws {
    let (player, server, state, clock) = try Self.player([Self.done, Self.sheet(1, "sign-in"), Self.done])
    try await player.play()
    _ = await server.nextRequest()
    _ = await Self.answer(.signInShown, player, server)
    await player.handle(StepReport(.signInShown))
    #expect(!state.scene.isPlaying)
    #expect(clock.pauses.value == [PurchasePlayer.reading], "only the first sheet was read")
    #expect(await server.nextRequest() == nil)
  }

  @Test("A sheet for a product that the user buys meanwhile is not answered")
  func otherProduct() async throws {
    let (player, server, state, clock) = try Self.player([Self.done])
    try await player.play()
    _ = await server.nextRequest()
    await player.handle(StepReport(.confirmationShown, product: SampleCatalog.sepia))
    #expect(!state.scene.isPlaying)
    #expect(clock.pauses.value.isEmpty)
    #expect(await server.nextRequest() == nil)
  }

  @Test("A purchase that does not end within a minute is no longer played")
  func deadline() async throws {
    let (player, server, state, clock) = try Self.player([Self.done])
    try await player.play()
    _ = await server.nextRequest()
    #expect(await clock.limit.next() == PurchasePlayer.limit)
    #expect(state.scene.isPlaying)
    let changes = try #require(state.signal.notifications())
    clock.limit.release()
    for await _ in changes.stream where !state.scene.isPlaying { break }
    changes.end()
    #expect(!state.scene.isPlaying)
  }

  @Test("A device that refuses the purchase ends the play with an error for the page")
  func refused() async throws {
    let (player, _, state, _) = try Self.player([CannedServer.answer("409 Conflict", "Another purchase is under way.")])
    await #expect(throws: DemoFailure.self) { try await player.play() }
    #expect(!state.scene.isPlaying)
  }
}
