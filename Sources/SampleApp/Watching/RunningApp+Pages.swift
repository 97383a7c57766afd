import Foundation
import SampleModel

// What the app's pages are told.
extension RunningApp {
  /// Tells whenever something on a screen may have changed.
  func watchScreens() {
    for screen in [screen, filters, books, pages] as [ProductScreen?] {
      screen?.didChange = { [say] in say(.pageChanged) }
    }
  }
}
