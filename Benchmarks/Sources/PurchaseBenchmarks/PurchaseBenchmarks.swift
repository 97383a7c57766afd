import Foundation

/// Measures the package's main operations, and bare operations in the same run for comparison.
///
/// Run it with `make bench`. The arguments name the parts to run: `signing`, `purchasing`, `start`, `scale`, `listing`,
/// `subscriptions`, `periods`, `server-api`, `notifications`, `ledger`, `redemptions`, `downloads`, `stalled`; by default all.
/// `ledger-scale 10000 10000000` and `customer-scale 12500 25000 50000 100000` run only on request, and so does `check`
/// (``RatioChecks``), the program of `make bench-check`.
@main
struct PurchaseBenchmarks {
  private static let parts = [
    "signing", "purchasing", "start", "scale", "listing", "subscriptions", "periods", "server-api",
    "notifications", "ledger", "redemptions", "downloads", "stalled",
  ]

  static func main() async throws {
    let wanted = Array(CommandLine.arguments.dropFirst())
    // The arguments of the child processes that some benchmarks start.
    if wanted.count == 2, let size = Int(wanted[1]) {
      if wanted[0] == "scale-records" { return try await ScaleBenchmarks.records(size) }
      if wanted[0] == "stalled-readers" { return try await StalledDownloadBenchmarks.readers(size) }
      if wanted[0] == "scale-receipt" { return try await ScaleBenchmarks.receipt(size) }
      if wanted[0] == NotificationBenchmarks.sendingPart { return try await NotificationBenchmarks.sent(size) }
      if wanted[0] == "download" { return try await DownloadBenchmarks.run(megabytes: size) }
    }
    if wanted == [NotificationReceiver.part] { return try await NotificationReceiver.serve() }
    // Only on request: ten million purchases take gigabytes, and minutes to insert.
    if wanted.first == "ledger-scale" {
      return try await LedgerScaleBenchmarks.run(wanted.dropFirst().compactMap { Int($0) })
    }
    if wanted.first == "customer-scale" {
      return try await CustomerScaleBenchmarks.run(wanted.dropFirst().compactMap { Int($0) })
    }
    if wanted == ["check"] { exit(try await RatioChecks.run() ? 0 : 1) }
    if let unknown = wanted.first(where: { !parts.contains($0) }) {
      FileHandle.standardError.write(
        Data(
          """
          \(unknown) is no part. There are \(parts.joined(separator: ", ")); ledger-scale SIZE…, customer-scale SIZE…, \
          and check

          """.utf8))
      exit(2)
    }
    func wants(_ part: String) -> Bool { wanted.isEmpty || wanted.contains(part) }
    if wants("signing") { try await SigningBenchmarks.run() }
    if wants("purchasing") { try await PurchasingBenchmarks.run() }
    if wants("start") { try await StartBenchmarks.run() }
    if wants("scale") { try ScaleBenchmarks.run() }
    if wants("listing") { try await ListingBenchmarks.run() }
    if wants("subscriptions") { try await SubscriptionBenchmarks.run() }
    if wants("periods") { try await SubscriptionBenchmarks.manyPeriods(10_000) }
    if wants("server-api") { try await ServerAPIBenchmarks.run() }
    if wants("notifications") { try await NotificationBenchmarks.run() }
    if wants("ledger") { try await LedgerBenchmarks.run() }
    if wants("redemptions") { try await RedemptionServiceBenchmarks.run() }
    // In a process of its own, because the server's memory is measured.
    if wants("downloads") { try ScaleBenchmarks.child("download", 1024) }
    if wants("stalled") { try StalledDownloadBenchmarks.run() }
  }
}
