import StoreModel

extension TeaShop {
  /// 2027-12-31T12:00:00Z: half a day before the next keys are needed.
  static let lastDayOfKeys = StoreDate(millisecondsSince1970: 1_830_254_400_000)

  /// Makes signing impossible: moves the clock to a time that needs new keys, and removes the folder for them.
  ///
  /// - Parameter days: how far the clock is moved, in days. It must reach a time that needs new keys.
  func loseKeys(in folder: ScratchFolder, days: Double = 3 * 365) {
    folder.remove()
    clock.advance(seconds: Int64(days * 86_400))
  }
}
