extension Array where Element == UInt8 {
  /// `withUnsafeBufferPointer` with typed throws.
  @inline(__always)
  func withBuffer<T, E: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(E) -> T) throws(E) -> T {
    let result: Result<T, E> = withUnsafeBufferPointer { bytes in
      do throws(E) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

extension String {
  /// Calls `body` with the string's UTF-8, with typed throws. A string that is not contiguous is copied first.
  @inline(__always)
  func withBuffer<T, E: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(E) -> T) throws(E) -> T {
    var copy = self
    let result: Result<T, E> = copy.withUTF8 { bytes in
      do throws(E) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
