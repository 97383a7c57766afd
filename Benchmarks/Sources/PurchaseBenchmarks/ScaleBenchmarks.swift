import AppStoreEmulator
import Crypto
import Foundation
import OpenStoreKit
import SignedData
import StoreModel

/// Measures time and memory with 10, 1,000 and 100,000 transactions in the store, and in a receipt.
///
/// Each size runs in a process of its own, because a process seldom returns memory to the system.
enum ScaleBenchmarks {
  private static let sizes = [10, 1_000, 100_000]

  static func run() throws {
    print(
      "\nBuy to finish, store and device on disk, in one process, with transactions of the same customer in the store")
    print("transactions   median µs      p99 µs   bare commit µs      ratio   resident MiB")
    for size in sizes { try child("scale-records", size) }
    print("\nParse and verify an app receipt, chain seen before")
    print("   purchases       bytes   median µs   bare SHA-256 µs      ratio   resident MiB   peak MiB")
    for size in sizes { try child("scale-receipt", size) }
  }

  /// Runs a part with one size in a child process.
  static func child(_ part: String, _ size: Int) throws {
    let process = Process()
    process.executableURL = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    process.arguments = [part, String(size)]
    // The child writes to the same output. Lines that this process has not written yet belong before the child's lines.
    fflush(nil)
    try process.run()
    process.waitUntilExit()
    // The child has printed its error.
    guard process.terminationStatus == 0 else { throw CancellationError() }
  }

  // MARK: The parts, each in its own process

  static func records(_ size: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "scale-benchmark-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try await PurchasingBenchmarks.store(directory: folder.appending(path: "store"))
    try await fill(store, with: size)
    let bare = try await PurchasingBenchmarks.bareSync(in: folder)
    let bought = try await PurchasingBenchmarks.purchases(
      "", connection: store, storage: .directory(folder.appending(path: "device")))
    print(
      String(
        format: "%12ld%12.0f%12.0f%17.0f%11.1f%15.0f", size, bought.median, bought.percentile99, bare.median,
        bought.median / bare.median, Report.mebibytes("VmRSS")))
    try store.close()
  }

  private static func fill(_ store: EmulatedAppStore, with size: Int) async throws {
    let installation: InstallationID = "earlier"
    _ = try await store.register(
      InstallationRegistration(
        installationID: installation, bundleID: PurchasingBenchmarks.bundleID, environment: .sandbox, deviceID: UUID(),
        applicationVersion: "1"))
    _ = try await store.signIn(SignInCredentials(account: "customer"), on: installation)
    for _ in 0..<size {
      let bought = try await store.purchase(
        "com.example.credits.ten", of: PurchasingBenchmarks.bundleID, for: "customer", in: .sandbox,
        installationID: installation)
      try await store.finish(bought.record.transactionID, for: installation)
    }
  }

  static func receipt(_ size: Int) async throws {
    let authority = IssuingAuthority()
    let date = StoreDate(millisecondsSince1970: 1_790_000_000_000)
    let receipt = try authority.signAppReceipt(SigningBenchmarks.receipt(purchases: size, date: date), at: date)
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let count = max(20, 5_000 / size)
    let hash = try await Measurement.of("", count: count) {
      SigningBenchmarks.blackHole(Array(SHA256.hash(data: receipt)))
    }
    let verified = try await Measurement.of("", count: count) { _ = try await verifier.verifyAppReceipt(receipt) }
    print(
      String(
        format: "%12ld%12ld%12.0f%18.0f%11.1f%15.0f%11.0f", size, receipt.count, verified.median, hash.median,
        verified.median / hash.median, Report.mebibytes("VmRSS"), Report.mebibytes("VmHWM")))
  }
}
