import StoreModel

extension TeaShop {
  /// 2027-12-31T12:00:00Z: half a day before other keys sign.
  static let lastDayOfKeys = StoreDate(millisecondsSince1970: 1_830_254_400_000)

  /// Makes signing impossible: other keys have to sign from now on, and the folder for them is gone.
  ///
  /// - Parameter days: how far the clock is moved. It must reach the time of other keys.
  func loseKeys(in folder: ScratchFolder, days: Double = 3 * 365) {
    folder.remove()
    clock.advance(seconds: Int64(days * 86_400))
  }
}
