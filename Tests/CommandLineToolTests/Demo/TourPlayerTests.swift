import Foundation
import SampleApp
import SampleModel
import SharedFixtures
import StoreModel
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("The player of the tour", .timeLimit(.minutes(30)))
struct TourPlayerTests {
  private static let five = SampleCatalog.fiveCredits
  private static let done = CannedServer.answer("200 OK", "")
  private static let shop = page("/app/buy", "<input type=\"hidden\" name=\"product\" value=\"\(five)\"><button>")

  /// A device's page with a form.
  private static func page(_ action: String, _ content: String) -> String {
    CannedServer.answer("200 OK", "<form method=\"post\" action=\"\(action)\">\(content)</button></form>")
  }

  private static func sheet(_ answer: String) -> String {
    page("/app/sheet", "<button name=\"answer\" value=\"\(answer)\">")
  }

  /// A clock on which only the limit of a wait takes time, until the test ends it.
  private struct Clock: MachineClock {
    let limit = ManualWaits<Duration>()
    let pauses = LockedValue<[Duration]>([])

    var now: StoreDate { SystemClock().now }

    func sleep(for duration: Duration) async throws {
      if duration == TourPerformer.limit {
        await limit.wait(duration)
      } else {
        pauses.withLock { $0.append(duration) }
      }
    }
  }

  /// A player of a phone that sends canned responses.
  private struct Played {
    let player: TourPlayer
    let server: CannedServer
    let state = DemoState(tour: [])
    let clock = Clock()

    init(_ answers: [String]) throws {
      let server = try CannedServer(answers)
      self.server = server
      player = TourPlayer(state: state, pace: .reading, clock: clock, logger: LogBook().logger) { _ in server.address }
    }

    /// The methods and paths of the next requests.
    func requests(_ count: Int) async -> [String] {
      var requests: [String] = []
      for _ in 0..<count {
        requests.append((await server.nextRequest() ?? "").split(separator: " ").prefix(2).joined(separator: " "))
      }
      return requests
    }

    func handle(_ step: PurchaseStep, of product: String? = nil, detail: String? = nil) async {
      await player.handle(StepReport(step, product: product, detail: detail), on: "phone")
    }

    /// Waits until the play has ended, and returns its message.
    func message() async throws -> String? {
      let changes = try #require(state.signal.notifications())
      defer { changes.end() }
      if state.scene.isPlaying { for await _ in changes.stream where !state.scene.isPlaying { break } }
      return state.scene.playMessage
    }
  }

  @Test("It presses Buy, answers each sheet once after a pause, and ends with the purchase")
  func wholePurchase() async throws {
    let played = try Played([
      Self.shop, Self.done, Self.sheet("sign-in"), Self.done, Self.sheet("confirm"), Self.done,
    ])
    await played.player.begin(.purchase(on: "phone"))
    #expect(played.state.scene.isPlaying)
    #expect(await played.requests(2) == ["GET /?screen=credits", "POST /app/buy"])
    await played.handle(.signInShown)
    #expect(await played.requests(2) == ["GET /?screen=credits", "POST /app/sheet"])
    await played.handle(.confirmationShown, of: Self.five)
    #expect(await played.requests(2) == ["GET /?screen=credits", "POST /app/sheet"])
    let (press, action) = (PlayerPace.reading.press, PlayerPace.reading.action)
    #expect(played.clock.pauses.value == [press, action, press, action, press])
    await played.handle(.granted, of: Self.five)
    #expect(played.state.scene.isPlaying)
    await played.handle(.finished)
    #expect(try await played.message() == nil)
  }

  @Test("A second press changes nothing while a play is under way")
  func secondPress() async throws {
    let played = try Played([Self.shop, Self.done])
    await played.player.begin(.purchase(on: "phone"))
    await played.player.begin(.restricted(on: "phone"))
    #expect(await played.requests(2) == ["GET /?screen=credits", "POST /app/buy"])
    #expect(await played.server.nextRequest() == nil)
    #expect(played.state.scene.isPlaying)
    await played.player.stop()
    #expect(!played.state.scene.isPlaying && played.state.scene.playMessage == nil)
  }

  @Test("Only a play that is under way waits before each step")
  func pauses() async throws {
    let played = try Played([Self.shop, Self.done])
    await played.player.waitBeforeStep()
    #expect(played.clock.pauses.value.isEmpty)
    await played.player.begin(.purchase(on: "phone"))
    await played.player.waitBeforeStep()
    #expect(played.clock.pauses.value.contains(PlayerPace.reading.step))
    await played.player.stop()
  }

  @Test(
    "A step that does not belong to the play stops it, and the message says what happened",
    arguments: [
      (StepReport(.confirmationShown, product: SampleCatalog.sepia), "the sheet is about another product"),
      (StepReport(.failed, product: SampleCatalog.fiveCredits, detail: "No money."), "Failed: No money."),
      (StepReport(.deferred, product: SampleCatalog.fiveCredits), "Pending approval"),
      (StepReport(.networkLost), "Airplane mode on"),
    ])
  func otherStep(_ report: StepReport, _ text: String) async throws {
    let played = try Played([Self.shop, Self.done])
    await played.player.begin(
      TourPlay(actions: [
        .press(.buy(Self.five), on: "phone"),
        report.step == .confirmationShown
          ? .answer(.confirm(Self.five), on: "phone") : .wait(for: .granted, of: [Self.five], on: "phone"),
      ]))
    _ = await played.requests(2)
    await played.player.handle(StepReport(.networkLost), on: "tablet")
    await played.handle(.failed, of: report.step == .failed ? SampleCatalog.sepia : nil)
    #expect(played.state.scene.isPlaying)
    await played.player.handle(report, on: "phone")
    #expect(try await played.message()?.contains(text) == true, "\(played.state.scene.playMessage ?? "")")
    #expect(await played.server.nextRequest() == nil)
  }

  @Test("If the store refuses the sign-in, the second sheet is left to the user")
  func secondSheet() async throws {
    let played = try Played([Self.shop, Self.done, Self.sheet("sign-in"), Self.done])
    await played.player.begin(.purchase(on: "phone"))
    await played.handle(.signInShown)
    _ = await played.requests(4)
    await played.handle(.signInShown)
    #expect(try await played.message()?.contains("refused the sign-in") == true)
    #expect(await played.server.nextRequest() == nil)
  }

  @Test("A step that does not happen within a minute stops the play")
  func limit() async throws {
    let played = try Played([Self.shop, Self.done])
    await played.player.begin(.purchase(on: "phone"))
    #expect(await played.clock.limit.next() == TourPerformer.limit)
    played.clock.limit.release()
    #expect(try await played.message()?.contains("did not happen within a minute") == true)
  }

  @Test("A button that the page does not offer, or that is refused, stops the play with a message")
  func noButton() async throws {
    let owned = try Played(Array(repeating: Self.page("/app/filters/use", "<button>"), count: 100))
    await owned.player.begin(.purchase(on: "phone"))
    #expect(try await owned.message()?.contains("there is no button “Buy” for 5 monkey credits now") == true)
    let refused = try Played([
      Self.shop, CannedServer.answer("409 Conflict", #"{"error": {"code": "refused", "message": "Not now."}}"#),
    ])
    await refused.player.begin(.purchase(on: "phone"))
    #expect(try await refused.message()?.hasSuffix("“Buy” was refused. Not now.") == true)
  }

  @Test("What a play has changed is changed back, also if it stops")
  func cleanup() async throws {
    func form(_ value: String) -> String { Self.page("/phone/restrict", "<button name=\"on\" value=\"\(value)\">") }
    let played = try Played([form("true"), Self.done, form("false"), Self.done])
    await played.player.begin(.restricted(on: "phone"))
    _ = await played.requests(2)
    await played.handle(.forceQuit)
    #expect(await played.requests(2) == ["GET /?screen=settings", "POST /phone/restrict"])
    #expect(try await played.message()?.contains("Force-quit") == true)
  }

  @Test(
    "An action shows its device and screen before it acts, and then the screen that follows; a cleanup shows nothing")
  func stages() async throws {
    let airplane = "<button name=\"on\" value=\"true\" id=\"airplane\">"
    let server = try CannedServer([
      Self.page("/phone/airplane", airplane),
      "HTTP/1.1 303 See Other\r\nLocation: /?screen=credits\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
      Self.sheet("confirm"), Self.done, Self.page("/phone/airplane", airplane), Self.done,
    ])
    let stages = LockedValue<[TourStage]>([])
    let (signals, signal) = AsyncStream.makeStream(of: TourPerformer.Signal.self)
    var performer = TourPerformer(
      signals: signals, signal: signal, pace: .reading, clock: Clock(), address: { _ in server.address },
      show: { stage in stages.withLock { $0.append(stage) } })
    try await performer.perform([
      .press(.airplane(true), on: "tablet"), .press(.sheet("confirm"), on: "tablet"),
      .look(.filters, element: "photograph", on: "phone"), .lookInStore(.faults),
    ])
    let shown: [TourStage] = [
      .screen(.settings, of: "tablet"), .screen(.settings, of: "tablet", element: "airplane"),
      .screen(.credits, of: "tablet"), .screen(.credits, of: "tablet"), .screen(.credits, of: "tablet"),
      .screen(.filters, of: "phone", element: "photograph"), .console("/console/faults"),
    ]
    #expect(stages.value == shown)
    try await performer.cleanUp([.pressIfThere(.airplane(true), on: "tablet")])
    #expect(stages.value == shown)
  }

  @Test("A step on any device shows the device on which it happened")
  func anyDevice() async throws {
    let stages = LockedValue<[TourStage]>([])
    let (signals, signal) = AsyncStream.makeStream(of: TourPerformer.Signal.self)
    var performer = TourPerformer(
      signals: signals, signal: signal, pace: .reading, clock: Clock(), address: { _ in nil },
      show: { stage in stages.withLock { $0.append(stage) } })
    signal.yield(.step(device: "tablet", StepReport(.journalled, product: Self.five)))
    try await performer.perform([.wait(for: .journalled, of: [Self.five], on: nil)])
    #expect(stages.value == [.screen(.credits, of: "tablet")])
  }

  @Test("The pauses can be set in the environment")
  func pace() {
    #expect(PlayerPace.current([:]) == .reading)
    #expect(PlayerPace.current([PlayerPace.variable: "x"]) == .reading)
    #expect(PlayerPace.current([PlayerPace.variable: "0"]) == PlayerPace(step: .zero, action: .zero, press: .zero))
  }
}
