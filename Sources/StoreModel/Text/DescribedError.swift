import Foundation

/// An error whose description is a text for people, which says what to do.
///
/// `localizedDescription`, which apps and programs log, is that text. Without this protocol it would be only "The
/// operation could not be completed", with the type's name and a number. The public errors of this package's libraries
/// conform to it, except StoreKit's own errors. On Linux, too, they can be cast to `NSError` and back.
public protocol DescribedError: LocalizedError, CustomStringConvertible, NSErrorConvertible {}

extension DescribedError {
  public var errorDescription: String? { description }
}
