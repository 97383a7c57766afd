import PurchaseKit

/// What a book's button shows.
public enum BookButton: Hashable, Sendable {
  case buy(PurchaseButton)
  /// Owned, and not here.
  case download
  case downloading(DownloadProgress)
  /// Paid for, or being fetched, and something was in the way. Nothing is paid again.
  case retry
  case open
  /// All of it is read, and found to be whole, before the first page is shown.
  case opening
  /// Owned once; the server does not deliver it any more.
  case unavailable

  /// - Parameters:
  ///   - isOwned: by what is recorded on this device.
  ///   - isKept: whether it was paid for and could not be given yet.
  ///   - isHere: whether a version can be opened.
  ///   - isOpening: whether it is being opened.
  ///   - state: of its files.
  ///   - buy: the button for one that is not owned.
  init(isOwned: Bool, isKept: Bool, isHere: Bool, isOpening: Bool, state: ContentState, buy: PurchaseButton) {
    self =
      switch state {
      case _ where isOwned && isHere: isOpening ? .opening : .open
      case .downloading(let progress): .downloading(progress)
      case _ where isKept: .retry
      case _ where !isOwned: .buy(buy)
      case .waiting(.some): .retry
      case .ended: .unavailable
      case .none, .waiting, .current: .download
      }
  }

  /// What the button reads.
  public var title: String {
    switch self {
    case .buy(let button): button.title
    case .download: "Download"
    case .downloading(let progress): "\(progress.percent) %"
    case .retry: "Try again"
    case .open: "Open"
    case .opening: "Opening…"
    case .unavailable: "No longer available"
    }
  }

  /// Whether it can be pressed.
  public var isEnabled: Bool {
    switch self {
    case .buy(let button): button.isEnabled
    case .download, .retry, .open: true
    case .downloading, .opening, .unavailable: false
    }
  }
}
