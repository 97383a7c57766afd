import Foundation

/// Asks for a rating of the app. Has no effect. Implements Apple's `SKStoreReviewController`, without the methods that
/// need UIKit.
open class SKStoreReviewController: NSObject {
  /// Has no effect, as on a device that has reached the limit of such requests.
  open class func requestReview() {}
}
