import Foundation
import SampleModel
import SignedData
import StoreModel

extension PurchaseScript {
  func verifyReceipt() async throws {
    beginChapter("The developer's server verifies the app's receipt")
    let (receipt, deviceID) = try await receiptOnPhone()
    let production = try await store.verifyReceipt(receipt, environment: "production")
    check("production returns status 21007: it is a sandbox receipt", production.status == 21007)
    let sandbox = try await store.verifyReceipt(receipt, environment: "sandbox")
    check("the sandbox returns status 0: it is valid", sandbox.status == 0 && sandbox.environment == "Sandbox")
    let purchase = sandbox.receipt?.inApp.first
    explain(
      "\(purchase?["quantity"] ?? "?") × \(purchase?["product_id"] ?? "?"), bought \(purchase?["purchase_date"] ?? "?")"
    )
    check(
      "the receipt lists the last purchase, with its quantity",
      sandbox.receipt?.inApp.count == 1 && purchase?["product_id"] == ten && purchase?["quantity"] == "4")
    let transactions = try await store.transactions()
    check(
      "the receipt has the store's transaction id",
      purchase?["transaction_id"] == transactions.last?.transactionId.rawValue)

    let connection = try await store.connection()
    let verifier = SignedDataVerifier(
      anchors: TrustAnchors(certificates: [[UInt8](connection.receiptRootCertificate)]))
    let verified = try await verifier.verifyAppReceipt(
      receipt,
      expecting: Expectation(
        bundleID: BundleID(SampleCatalog.bundleIdentifier), environments: [.sandbox],
        device: DeviceIdentifier(deviceID)))
    check("the receipt is also verified offline, for this device", verified.value.inAppPurchases.count == 1)
  }

  func receiptOnPhone() async throws -> (receipt: Data, deviceID: String) {
    try phone.send(.showReceipt)
    guard case .receipt(let path?, let deviceID) = try await phone.nextEvent() else {
      throw DemoFailure("There is no receipt at Bundle.main.appStoreReceiptURL.")
    }
    return (try Data(contentsOf: URL(filePath: path)), deviceID)
  }
}
