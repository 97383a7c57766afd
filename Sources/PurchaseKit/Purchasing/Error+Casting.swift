import StoreModel

extension Error {
  /// The same error if it can be cast to `NSError`; otherwise an `NSError` that contains it. Only on Linux are there
  /// errors that cannot be cast, such as one of the app's own types.
  var castable: any Error {
    #if canImport(Darwin)
      self
    #else
      WrappedError.castable(self)
    #endif
  }
}
