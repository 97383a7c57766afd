/// The shared secret of an app or of a developer account, which is sent to `verifyReceipt` as `password`.
///
/// Descriptions, dumps and mirrors do not reveal it.
public struct SharedSecret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  let text: String

  /// - Parameter text: the secret as App Store Connect shows it, usually 32 hexadecimal digits. The result is nil
  ///   unless the text is 1 to 200 ASCII letters and digits.
  public init?(_ text: String) {
    guard (1...200).contains(text.utf8.count),
      text.unicodeScalars.allSatisfy({ $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) })
    else { return nil }
    self.text = text
  }

  public var description: String { "(shared secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
