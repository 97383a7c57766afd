extension TeaShop {
  /// Nothing can be signed from now on: it is years later, which needs other keys, and the folder to keep them in is gone.
  func loseKeys(in folder: ScratchFolder) {
    folder.remove()
    clock.advance(seconds: 3 * 365 * 86_400)
  }
}
