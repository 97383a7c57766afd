import Foundation

/// Figures, each beside the bare operation of the same run. Run with `make bench`; arguments name the parts to run
/// (`signing`, `purchasing`, `start`), all of them by default.
@main
struct PurchaseBenchmarks {
  static func main() async throws {
    let wanted = CommandLine.arguments.dropFirst()
    func wants(_ part: String) -> Bool { wanted.isEmpty || wanted.contains(part) }
    if wants("signing") { try await SigningBenchmarks.run() }
    if wants("purchasing") { try await PurchasingBenchmarks.run() }
    if wants("start") { try await StartBenchmarks.run() }
  }
}
