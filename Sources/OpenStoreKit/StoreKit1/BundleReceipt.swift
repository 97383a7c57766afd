import Foundation

#if os(Linux)
  import BundleReceiptHook

  extension Bundle {
    /// What `Bundle.appStoreReceiptURL` gives on Linux; called through the class's own slot (see `BundleReceiptHook`).
    ///
    /// Nil for other bundles than the main one, and where no device is configured.
    @_silgen_name("openstorekit_bundle_receipt_url")
    func openStoreKitReceiptURL() -> URL? {
      self === Bundle.main ? StoreKitDevice.current?.receiptURL : nil
    }
  }

  extension StoreKitDevice {
    /// Whether `Bundle.main.appStoreReceiptURL` gives ``receiptURL``. False with a Swift toolchain other than the one this
    /// was made for; use ``receiptURL`` then.
    public static var bundleKnowsReceipt: Bool { openstorekit_bundle_slots_redirected() == 1 }
  }
#endif
