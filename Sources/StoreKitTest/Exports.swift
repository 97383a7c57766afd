// Apple's StoreKitTest exports StoreKit, too.
@_exported import StoreKit
