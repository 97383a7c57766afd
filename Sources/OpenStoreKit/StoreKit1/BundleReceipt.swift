import Foundation

#if os(Linux)
  import BundleReceiptHook

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
