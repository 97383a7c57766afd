import PurchaseKit

/// The button of a book.
public enum BookButton: Hashable, Sendable {
  case buy(PurchaseButton)
  /// The book is owned, but not downloaded.
  case download
  case downloading(DownloadProgress)
  /// The customer has paused the download. The button continues it.
  case paused(DownloadProgress)
  /// Delivery or download failed and can be tried again. Nothing is charged again.
  case retry
  case open
  /// The book's files are being verified. The first page is shown afterwards.
  case opening
  /// The book can no longer be downloaded, because the server does not deliver it any more.
  case unavailable

  /// - Parameters:
  ///   - isOwned: whether the customer owns the book, by this device's records.
  ///   - isKept: whether a paid transaction of the book could not be delivered yet.
  ///   - isHere: whether a downloaded version can be opened.
  ///   - isOpening: whether the book is being opened.
  ///   - state: the state of its download.
  ///   - buy: the button if the book is not owned.
  init(isOwned: Bool, isKept: Bool, isHere: Bool, isOpening: Bool, state: ContentState, buy: PurchaseButton) {
    self =
      switch state {
      case _ where isOwned && isHere: isOpening ? .opening : .open
      case .downloading(let progress): .downloading(progress)
      case .paused(let progress) where isOwned || isKept: .paused(progress)
      case _ where isKept: .retry
      case _ where !isOwned: .buy(buy)
      case .waiting(.some): .retry
      case .ended: .unavailable
      case .none, .waiting, .paused, .current: .download
      }
  }

  /// The button's text.
  public var title: String {
    switch self {
    case .buy(let button): button.title
    case .download: "Download"
    case .downloading(let progress): "\(progress.percent) %"
    case .paused: "Continue"
    case .retry: "Try again"
    case .open: "Open"
    case .opening: "Opening…"
    case .unavailable: "No longer available"
    }
  }

  /// Whether the button can be pressed.
  public var isEnabled: Bool {
    switch self {
    case .buy(let button): button.isEnabled
    case .download, .paused, .retry, .open: true
    case .downloading, .opening, .unavailable: false
    }
  }
}
