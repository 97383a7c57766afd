import Foundation

extension Data {
  /// A copy whose last byte, a part of the signature, is changed.
  var withLastByteFlipped: Data {
    var copy = self
    copy[copy.index(before: copy.endIndex)] ^= 1
    return copy
  }
}
