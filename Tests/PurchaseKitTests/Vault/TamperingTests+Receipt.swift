import Foundation
import PurchaseKit
import SignedData
import Testing

// Changes to the receipt from which entitlements are rebuilt.
extension TamperingTests {
  @Test("F1 a receipt file that was edited, or is of another device or signer, rebuilds nothing")
  func receipt() async throws {
    try await files.fill()
    try FileManager.default.removeItem(at: files.file)
    let vault = try files.open()
    let entitlements = try files.entitlements(vault)
    var edited = try Data(contentsOf: files.receipt)
    let place = try #require(edited.firstRange(of: Data(TestVault.sepia.utf8)))
    edited[place.lowerBound] ^= 1
    let elsewhere = try TestReceipt.signed([.init(id: 1, product: TestVault.noir)], device: TestVault.otherDevice)
    let forged = try TestReceipt.signed([.init(id: 1, product: TestVault.noir)], by: IssuingAuthority())
    for (receipt, fault) in [(edited, VerificationFailure.Fault.signature), (elsewhere, .device), (forged, .chain)] {
      try receipt.write(to: files.receipt)
      let error = await #expect(throws: ReceiptError.self) { try await entitlements.rebuild(from: files.reader()) }
      guard case .refused(let failure) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(failure.fault == fault)
      #expect(entitlements.needRebuilding)
      #expect(try !entitlements.isEntitled(to: TestVault.sepia))
    }
    try FileManager.default.removeItem(at: files.receipt)
    await #expect(throws: ReceiptError.missing) { try await entitlements.rebuild(from: files.reader()) }
  }
}
