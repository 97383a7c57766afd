import Foundation
import SignedData
import StoreModel

/// Reads the app receipt. Accepts only a receipt that the store signed for this app and this device.
public struct ReceiptReader: Sendable {
  private let url: @Sendable () -> URL?
  private let anchors: @Sendable () -> TrustAnchors?
  private let expectation: Expectation

  /// - Parameters:
  ///   - url: the receipt's file.
  ///   - anchors: the trusted root certificates, read each time; nil while they are not known. `.apple`, or on Linux
  ///     `StoreKitDevice.current?.receiptAnchors`.
  ///   - bundleID: the app of the receipt.
  ///   - device: the device of the receipt: the current `identifierForVendor`, or on a Mac the address of its network
  ///     interface.
  ///   - environments: the accepted environments.
  public init(
    url: @escaping @Sendable () -> URL? = { Bundle.main.appStoreReceiptURL },
    anchors: @autoclosure @escaping @Sendable () -> TrustAnchors?, bundleID: BundleID, device: DeviceIdentifier,
    environments: Set<StoreEnvironment>
  ) {
    self.url = url
    self.anchors = anchors
    expectation = Expectation(bundleID: bundleID, environments: environments, device: device)
  }

  /// Returns the receipt on this device, verified.
  public func receipt() async throws(ReceiptError) -> Verified<AppReceipt> {
    try await verified(try data(), expectation)
  }

  func result() async -> Result<Verified<AppReceipt>, ReceiptError> {
    do { return .success(try await receipt()) } catch { return .failure(error) }
  }

  /// Returns a receipt from elsewhere, verified for the app and the environment. It may be for another device.
  func receipt(_ data: Data) async throws(ReceiptError) -> Verified<AppReceipt> {
    var expectation = expectation
    expectation.device = nil
    return try await verified(data, expectation)
  }

  /// Returns the bytes of the receipt on this device, unverified.
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
    // Without a trusted root, no receipt can be valid.
    guard let anchors = anchors() else { throw .missing }
    do {
      return try await SignedDataVerifier(anchors: anchors).verifyAppReceipt(data, expecting: expectation)
    } catch {
      throw .refused(error)
    }
  }
}

extension ReceiptReader {
  /// The app receipt as a proof, unverified: the server verifies it.
  ///
  /// - Throws: ``ReceiptError``.
  public func proof() throws -> StoreProof { .appReceipt(try data()) }
}
