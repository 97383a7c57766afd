import Crypto
import CryptoExtras
import Foundation
import SignedData
import StoreModel

/// Measures signing and verifying the store's signed data. For comparison: the bare cryptographic operations.
enum SigningBenchmarks {
  static func run() async throws {
    let authority = IssuingAuthority()
    let date = StoreDate(millisecondsSince1970: 1_790_000_000_000)
    let record = transaction(number: 1, date: date)

    let rsa = try await bareRSA()
    let jws = try authority.signTransaction(SignedTransaction(record: record, signedDate: date))
    let p256 = try await bareP256(messageBytes: signedBytes(of: jws))
    Report.title("Signed transactions (JWS of \(jws.utf8.count) bytes)")
    Report.line(p256)
    let verifier = SignedDataVerifier(anchors: try authority.anchors)
    let seen = try await Measurement.of("verify a transaction, chain seen before", count: 5_000) {
      _ = try await verifier.verifyTransaction(jws)
    }
    Report.line(seen, bare: p256)
    let anchors = try authority.anchors
    let first = try await Measurement.of("verify a transaction, chain walked (P-384, P-384, P-256)", count: 300) {
      _ = try await SignedDataVerifier(anchors: anchors).verifyTransaction(jws)
    }
    Report.line(first, bare: p256)
    let sign = try await Measurement.of("sign a transaction", count: 2_000) {
      _ = try authority.signTransaction(SignedTransaction(record: record, signedDate: date))
    }
    Report.line(sign, bare: p256)

    for purchases in [1, 100, 1_000] {
      let receipt = try authority.signAppReceipt(Self.receipt(purchases: purchases, date: date), at: date)
      Report.title("App receipts with \(purchases) purchases (\(receipt.count) bytes)")
      Report.line(rsa)
      let hash = try await Measurement.of("bare SHA-256 of as many bytes", count: 500) {
        blackHole(Array(SHA256.hash(data: receipt)))
      }
      Report.line(hash)
      let verify = try await Measurement.of("parse and verify, chain seen before", count: 500) {
        _ = try await verifier.verifyAppReceipt(receipt)
      }
      Report.line(verify, bare: rsa)
    }
  }

  /// The size of the signed part: the JWS without the signature and its dot. 64 bytes are 86 characters in base64url.
  static func signedBytes(of jws: String) -> Int { jws.utf8.count - 87 }

  private static func bareP256(messageBytes: Int) async throws -> Measurement {
    let key = P256.Signing.PrivateKey()
    let message = Data(repeating: 0x61, count: messageBytes)
    let signature = try key.signature(for: message)
    let publicKey = key.publicKey
    return try await Measurement.of("bare P-256 verification, \(messageBytes) bytes hashed", count: 5_000) {
      guard publicKey.isValidSignature(signature, for: message) else { throw CancellationError() }
    }
  }

  private static func bareRSA() async throws -> Measurement {
    let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    let digest = SHA256.hash(data: Data("a receipt".utf8))
    let signature = try key.signature(for: digest, padding: .insecurePKCS1v1_5)
    let publicKey = key.publicKey
    return try await Measurement.of("bare RSA-2048 verification", count: 5_000) {
      guard publicKey.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5) else {
        throw CancellationError()
      }
    }
  }

  static func transaction(number: UInt64, date: StoreDate) -> TransactionRecord {
    let id = TransactionID(2_000_000_000_000_000 + number)
    return TransactionRecord(
      environment: .sandbox, bundleID: "com.example.credits", transactionID: id, originalTransactionID: id,
      productID: "com.example.credits.ten", type: .consumable, purchaseDate: date, originalPurchaseDate: date,
      quantity: 1,
      price: Milliunits(1990), currency: "USD", storefrontCountryCode: "USA", storefrontID: "143441", reason: .purchase,
      appTransactionID: "704000000000000001")
  }

  static func receipt(purchases: Int, date: StoreDate) -> AppReceipt {
    AppReceipt(
      receiptType: "ProductionSandbox", bundleID: "com.example.credits", applicationVersion: "1.0",
      device: .vendorIdentifier(UUID()), opaqueValue: Array(repeating: 7, count: 16), creationDate: date,
      inAppPurchases: (0..<purchases).map {
        AppReceipt.InAppPurchase(record: transaction(number: UInt64($0), date: date))
      })
  }

  @inline(never)
  static func blackHole<Value>(_ value: Value) {}
}
