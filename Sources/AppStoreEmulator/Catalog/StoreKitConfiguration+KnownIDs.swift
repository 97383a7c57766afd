import StoreModel

extension StoreKitConfiguration {
  /// What does not fit between this file and the product ids that an app knows, as sentences for the developer: ids that the
  /// file does not sell, products that the app does not know, and the file's ``warnings``. Empty if all fits.
  ///
  /// ```swift
  /// #expect(session.testBed.configuration.problems(knownIDs: Catalog.all).isEmpty)
  /// ```
  public func problems(knownIDs: some Sequence<String>) -> [String] {
    let known = Set(knownIDs)
    let sold = Set(products.map(\.productID.rawValue))
    return known.subtracting(sold).sorted().map { "The app asks for \($0), which the file does not sell." }
      + sold.subtracting(known).sorted().map { "The file sells \($0), which the app does not know." }
      + warnings.filter { !switchWarnings.contains($0) }
  }
}
