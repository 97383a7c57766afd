import Foundation
import SignedData
import StoreModel

#if os(Linux)
  import BundleReceiptHook
#endif

extension StoreKitDevice {
  /// The trust anchors for this device's receipts: the receipt root of the store to which the device was bound at the
  /// first contact. Nil before that.
  public var receiptAnchors: TrustAnchors? {
    // The first fingerprint is of the root of signed transactions, the second of the root of receipts.
    guard let roots = try? journal.rootFingerprints(), roots.count == 2, let root = SHA256Fingerprint(hex: roots[1])
    else { return nil }
    return TrustAnchors(root: root, of: environment)
  }

  /// Loads, verifies and stores the current app receipt. If no customer is signed in, the customer is asked to sign in.
  ///
  /// - Throws: `PaymentFailure` if the customer did not sign in, `StoreRefusal`, `StoreConnectionFailure`, or an error
  ///   of the verification.
  func refreshReceipt() async throws { try await engine.refreshReceipt() }
}

extension TrustAnchors {
  /// The anchors of a store with this root certificate. In Xcode's environment, it signs directly.
  init(root: SHA256Fingerprint, of environment: StoreEnvironment) {
    self = environment == .xcode ? Self(selfSignedFingerprints: [root]) : Self(fingerprints: [root])
  }
}

/// The file with the app receipt. It is replaced atomically, so that readers see either the complete old receipt or the
/// complete new one.
///
/// It is a copy of the receipt in the journal, and is not synced: if a power failure removes it, the next launch writes
/// it again.
struct AppReceiptFile: Sendable {
  let url: URL

  func write(_ receipt: Data) throws {
    let folder = url.deletingLastPathComponent()
    let new = folder.appending(path: ".\(url.lastPathComponent).new")
    do {
      try receipt.write(to: new)
    } catch CocoaError.fileNoSuchFile, CocoaError.fileWriteUnknown {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try receipt.write(to: new)
    }
    guard rename(new.path, url.path) == 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path])
    }
  }
}

#if os(Linux)
  extension Bundle {
    /// The value of `Bundle.appStoreReceiptURL` on Linux, called through the class's redirected slot (see
    /// `BundleReceiptHook`).
    ///
    /// Nil for bundles other than the main bundle, and if no device is configured.
    @_silgen_name("openstorekit_bundle_receipt_url")
    func openStoreKitReceiptURL() -> URL? {
      self === Bundle.main ? StoreKitDevice.current?.receiptURL : nil
    }
  }

  extension StoreKitDevice {
    /// Whether `Bundle.main.appStoreReceiptURL` is ``receiptURL``. False with another Swift toolchain than the
    /// supported one; use ``receiptURL`` then.
    public static var bundleKnowsReceipt: Bool { openstorekit_bundle_slots_redirected() == 1 }
  }
#endif
