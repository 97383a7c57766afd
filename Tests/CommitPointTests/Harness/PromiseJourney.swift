import Foundation

/// A program that writes into a book and says that it did; what it says must hold. It shows what the harness is worth.
struct PromiseJourney: Journey {
  /// As Tests/PowerCutSpecimen understands them; `@` is the disk. It promises by `say promised`.
  let orders: String

  var name: String { "a promise" }

  func prepare(in folder: URL) async throws {}

  func play(on stage: Stage) -> PromisePlay { PromisePlay(stage, orders: orders) }
}

final class PromisePlay: JourneyPlay {
  private let stage: Stage
  private let orders: String
  private var hasStarted = false
  private var hasPromised = false

  init(_ stage: Stage, orders: String) {
    self.stage = stage
    self.orders = orders
  }

  let parties = [Party.app]

  func start(_ party: Party) async throws {
    let words = hasStarted ? "say done input" : "\(orders) say done input"
    hasStarted = true
    let disk = stage.disk(of: party)
    try stage.launch(
      party, "PowerCutSpecimen",
      words.split(separator: " ").map { $0.hasPrefix("@") ? disk.appending(path: $0.dropFirst()).path : String($0) })
  }

  func play() async throws {
    try await settle()
    try await stage.quit(.app)
  }

  func settle() async throws {
    while true {
      switch try await stage.nextLine().1 {
      case "promised": hasPromised = true
      case "done": return
      default: break
      }
    }
  }

  func check() throws -> [String] {
    let book = try? String(contentsOf: stage.disk(of: .app).appending(path: "book"), encoding: .utf8)
    return hasPromised && book != "paid" ? ["promised was paid, the book says \(book ?? "nothing")"] : []
  }
}
