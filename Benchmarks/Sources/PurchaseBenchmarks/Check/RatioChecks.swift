import AppStoreEmulator
import AppStoreEmulatorServer
import Crypto
import CryptoExtras
import Foundation
import PurchaseLedger
import SignedData
import StoreModel

/// The checks of `make bench-check`: operations that can become slower without being noticed.
///
/// Each limit is about a fifth above the highest ratio of several machines, so that it fails for a change of the code and
/// not for one of the machine. The budgets themselves are in `Documentation/figures.md`.
enum RatioChecks {
  /// - Returns: whether all operations are within their limits.
  static func run() async throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-check-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    print("An operation beside the bare operation                           ratio     95 % range  rounds   limit")
    return try await NotificationReceiver.running { receiver in
      let checks =
        try await signing() + receipts() + purchases() + pages() + redemptions(in: folder)
        + serverAPI() + notifications(in: folder.appending(path: "sent"), to: receiver)
      return try await passed(checks)
    }
  }

  private static func passed(_ checks: [RatioCheck]) async throws -> Bool {
    var passed = true
    for check in checks {
      let result = try await check.run()
      let verdict =
        !result.isPrecise ? "NOT STABLE" : result.median > check.limit ? "TOO SLOW" : "ok"
      passed = passed && verdict == "ok"
      print(
        check.name.padding(toLength: 62, withPad: " ", startingAt: 0)
          + String(
            format: "%8.2f   %5.2f – %5.2f%8ld%8.2f  ", result.median, result.range.lowerBound, result.range.upperBound,
            result.rounds, check.limit) + verdict)
    }
    return passed
  }

  private static let date = StoreDate(millisecondsSince1970: 1_790_000_000_000)

  private static func signing() async throws -> [RatioCheck] {
    let authority = IssuingAuthority()
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let transaction = SignedTransaction(
      record: SigningBenchmarks.transaction(number: 1, date: date), signedDate: date)
    let jws = try authority.signTransaction(transaction)
    let key = P256.Signing.PrivateKey()
    let message = Data(repeating: 0x61, count: SigningBenchmarks.signedBytes(of: jws))
    let signature = try key.signature(for: message)
    let publicKey = key.publicKey
    return [
      RatioCheck(
        name: "verify a transaction, chain known / P-256 verification", limit: 1.15,
        bare: .init(repetitions: 100) {
          guard publicKey.isValidSignature(signature, for: message) else { throw CancellationError() }
        },
        measured: .init(repetitions: 100) { _ = try await verifier.verifyTransaction(jws) }),
      RatioCheck(
        name: "sign a transaction / P-256 signature", limit: 1.55,
        bare: .init(repetitions: 200) { _ = try key.signature(for: message) },
        measured: .init(repetitions: 200) { _ = try authority.signTransaction(transaction) }),
    ]
  }

  private static func receipts() async throws -> [RatioCheck] {
    let authority = IssuingAuthority()
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    func receipt(_ purchases: Int) throws -> Data {
      try authority.signAppReceipt(SigningBenchmarks.receipt(purchases: purchases, date: date), at: date)
    }
    let (small, large) = (try receipt(1_000), try receipt(10_000))
    let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    let digest = SHA256.hash(data: Data("a receipt".utf8))
    let signature = try key.signature(for: digest, padding: .insecurePKCS1v1_5)
    let publicKey = key.publicKey
    return [
      RatioCheck(
        name: "verify a receipt with 1,000 purchases / SHA-256 and RSA", limit: 4.9,
        bare: .init(repetitions: 20) {
          SigningBenchmarks.blackHole(Array(SHA256.hash(data: small)))
          guard publicKey.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5) else {
            throw CancellationError()
          }
        },
        measured: .init(repetitions: 20) { _ = try await verifier.verifyAppReceipt(small) }),
      RatioCheck(
        name: "verify a receipt with 10,000 purchases / 10 with 1,000", limit: 1.25,
        bare: .init(repetitions: 1) { for _ in 0..<10 { _ = try await verifier.verifyAppReceipt(small) } },
        measured: .init(repetitions: 1) { _ = try await verifier.verifyAppReceipt(large) }),
    ]
  }

  private static func purchases() async throws -> [RatioCheck] {
    let purchase = try await PurchasingBenchmarks.storePurchase(from: PurchasingBenchmarks.store(directory: nil))
    let notifying = try await PurchasingBenchmarks.store(directory: nil)
    try await notifying.setNotificationURL(URL(string: "http://127.0.0.1:1/"))
    let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    let digest = SHA256.hash(data: Data("a receipt".utf8))
    return [
      RatioCheck(
        name: "quote, confirm and finish in memory / RSA signature", limit: 4.5,
        bare: .init(repetitions: 10) { _ = try key.signature(for: digest, padding: .insecurePKCS1v1_5) },
        measured: .init(repetitions: 10, work: purchase)),
      RatioCheck(
        name: "the same with a notification to store / without", limit: 1.25,
        bare: .init(repetitions: 10, work: purchase),
        measured: .init(repetitions: 10, work: try await PurchasingBenchmarks.storePurchase(from: notifying))),
    ]
  }

  private static func pages() async throws -> [RatioCheck] {
    func page(of size: Int) async throws -> RatioCheck.Block {
      let store = try EmulatedAppStore(.init(directory: nil))
      _ = try await ListingBenchmarks.fill(store, with: size)
      return .init(repetitions: 20) { _ = try await store.transactionPage(RecordFilter(limit: 50)) }
    }
    return [
      RatioCheck(
        name: "the newest 50 of 3,000 transactions / of 100", limit: 1.25, bare: try await page(of: 100),
        measured: try await page(of: 3_000))
    ]
  }

  private static func redemptions(in folder: URL) async throws -> [RatioCheck] {
    let bare = try LedgerBenchmarks.bareDatabase(in: folder)
    let desk = try await LedgerBenchmarks.Desk(
      SQLiteLedgerDatabase(at: folder.appending(path: "ledger.sqlite")), count: 30_000)
    return [
      RatioCheck(
        name: "redeem one by one / insert and commit, SQLite", limit: 4.2,
        bare: .init(repetitions: 20) { try LedgerBenchmarks.insertBare(into: bare) },
        measured: .init(repetitions: 20) { try await desk.redeemNext() }),
      RatioCheck(
        name: "redeem with 64 clients / insert and commit, SQLite", limit: 1.45,
        bare: .init(repetitions: 1) { for _ in 0..<64 { try LedgerBenchmarks.insertBare(into: bare) } },
        measured: .init(repetitions: 1) { try await desk.redeemTogether(64) }),
    ]
  }

  private static func serverAPI() async throws -> [RatioCheck] {
    let pair = try await ServerAPIBenchmarks.Served(in: nil).pair("v1/transactions", signatures: 1)
    return [
      RatioCheck(
        name: "Get Transaction Info / HTTP round trip and its signatures", limit: 5.2,
        bare: .init(repetitions: 1) { try await ServerAPIBenchmarks.Pair.repeated(100, pair.bare) },
        measured: .init(repetitions: 1) { try await ServerAPIBenchmarks.Pair.repeated(100, pair.call) })
    ]
  }

  private static func notifications(in folder: URL, to url: URL) async throws -> [RatioCheck] {
    let store = try await NotificationBenchmarks.heldStore(10, in: folder, sendingTo: url)
    guard let newest = try await store.transactionPage(RecordFilter(limit: 1)).transactions.first else {
      throw CancellationError()
    }
    try store.changeNotificationPolicy { $0.hold = false }
    try await store.settleNotifications()
    let body = try await NotificationBenchmarks.bodyOfNewest(store)
    let transport = HTTPNotificationTransport()
    return [
      RatioCheck(
        name: "64 notifications / 64 POSTs", limit: 4.1,
        bare: .init(repetitions: 1) { for _ in 0..<64 { _ = try await transport.post(body, to: url) } },
        measured: .init(
          repetitions: 1,
          prepare: {
            try store.changeNotificationPolicy { $0.hold = true }
            for _ in 0..<64 {
              try await store.sendNotification(
                .didRenew, about: newest.record.transactionID, to: SubscriptionBenchmarks.app, in: .sandbox)
            }
          },
          work: {
            try store.changeNotificationPolicy { $0.hold = false }
            try await store.settleNotifications()
          }))
    ]
  }
}
