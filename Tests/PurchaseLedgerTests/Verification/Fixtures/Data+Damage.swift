import Foundation

extension Data {
  /// Altered where the signature is.
  var withLastByteFlipped: Data {
    var copy = self
    copy[copy.index(before: copy.endIndex)] ^= 1
    return copy
  }
}
