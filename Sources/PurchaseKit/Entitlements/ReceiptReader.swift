import Foundation
import SignedData
import StoreModel

/// Reads the app receipt and believes only one that the store signed for this app, and for this device.
public struct ReceiptReader: Sendable {
  private let url: @Sendable () -> URL?
  private let verifier: SignedDataVerifier
  private let expectation: Expectation

  /// - Parameters:
  ///   - url: the receipt's file.
  ///   - anchors: who may have signed it.
  ///   - owner: the app and the device it must be for.
  ///   - environments: where it may come from.
  ///   - demandsDevice: false accepts a receipt that was issued to another device.
  public init(
    url: @escaping @Sendable () -> URL? = { Bundle.main.appStoreReceiptURL }, anchors: TrustAnchors, owner: VaultOwner,
    environments: Set<StoreEnvironment>, demandsDevice: Bool = true
  ) {
    self.url = url
    verifier = SignedDataVerifier(anchors: anchors)
    expectation = Expectation(
      bundleID: owner.bundleID, environments: environments, device: demandsDevice ? owner.deviceIdentifier : nil)
  }

  /// The receipt on this device, verified.
  public func receipt() async throws(ReceiptError) -> Verified<AppReceipt> {
    try await verified(try data(), expectation)
  }

  /// A receipt from elsewhere, verified for app and environment; it may be another device's.
  func receipt(_ data: Data) async throws(ReceiptError) -> Verified<AppReceipt> {
    var expectation = expectation
    expectation.device = nil
    return try await verified(data, expectation)
  }

  /// The bytes of the receipt on this device, unverified.
  func data() throws(ReceiptError) -> Data {
    guard let url = url(), FileManager.default.fileExists(atPath: url.path) else { throw .missing }
    do {
      return try Data(contentsOf: url)
    } catch {
      throw .unreadable(reason: error.localizedDescription)
    }
  }

  private func verified(
    _ data: Data, _ expectation: Expectation
  ) async throws(ReceiptError) -> Verified<AppReceipt> {
    do {
      return try await verifier.verifyAppReceipt(data, expecting: expectation)
    } catch {
      throw .refused(error)
    }
  }
}
