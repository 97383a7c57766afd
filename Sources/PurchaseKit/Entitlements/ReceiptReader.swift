import Foundation
import SignedData
import StoreModel

/// Reads the app receipt and believes only one that the store signed for this app, and for this device.
public struct ReceiptReader: Sendable {
  private let url: @Sendable () -> URL?
  private let anchors: @Sendable () -> TrustAnchors?
  private let expectation: Expectation

  /// - Parameters:
  ///   - url: the receipt's file.
  ///   - anchors: who may have signed it, asked each time; nil where that is not known yet. `.apple`, or on Linux
  ///     `StoreKitDevice.current?.receiptAnchors`.
  ///   - bundleID: the app it must be for.
  ///   - device: the device it must be for: `identifierForVendor` of now, or on a Mac the address of its network interface.
  ///   - environments: where it may come from.
  public init(
    url: @escaping @Sendable () -> URL? = { Bundle.main.appStoreReceiptURL },
    anchors: @autoclosure @escaping @Sendable () -> TrustAnchors?, bundleID: BundleID, device: DeviceIdentifier,
    environments: Set<StoreEnvironment>
  ) {
    self.url = url
    self.anchors = anchors
    expectation = Expectation(bundleID: bundleID, environments: environments, device: device)
  }

  /// The receipt on this device, verified.
  public func receipt() async throws(ReceiptError) -> Verified<AppReceipt> {
    try await verified(try data(), expectation)
  }

  func result() async -> Result<Verified<AppReceipt>, ReceiptError> {
    do { return .success(try await receipt()) } catch { return .failure(error) }
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
    // Before there is anybody to trust there is nothing of theirs.
    guard let anchors = anchors() else { throw .missing }
    do {
      return try await SignedDataVerifier(anchors: anchors).verifyAppReceipt(data, expecting: expectation)
    } catch {
      throw .refused(error)
    }
  }
}
