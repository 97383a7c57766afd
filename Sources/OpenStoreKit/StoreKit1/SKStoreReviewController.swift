import Foundation

/// Asks for a rating of the app. There is nobody to ask here. Implements Apple's `SKStoreReviewController`, without what
/// needs UIKit.
open class SKStoreReviewController: NSObject {
  /// Does nothing, as on a device that has asked often enough.
  open class func requestReview() {}
}
