import Foundation

/// Figures, each beside the bare operation of the same run. Run with `make bench`.
@main
struct PurchaseBenchmarks {
  static func main() async throws {
    try await SigningBenchmarks.run()
    try await PurchasingBenchmarks.run()
    try await StartBenchmarks.run()
  }
}
