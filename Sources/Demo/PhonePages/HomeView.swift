import PurchaseKit
import SampleApp
import WebSupport

/// A phone's home screen, with the icons of its apps.
struct HomeView: Hashable, Sendable {
  let state: AppState
  /// The StoreKit of the app.
  let storeKit: StoreInterface

  var html: HTML {
    """
    <h1 class="sr-only">Home</h1>
    <div class="icons" id="home" data-live>
    \(app)
    <a class="icon" href="\(AppScreen.appStore.address)" id="open-app-store"><span class="icon-face icon-store" aria-hidden="true">🛍</span><span>App Store</span></a>
    <a class="icon" href="\(AppScreen.settings.address)" id="open-settings"><span class="icon-face icon-settings" aria-hidden="true">⚙</span><span>Settings</span></a>
    </div>
    <div aria-live="polite"><p class="home-summary" id="home-summary" data-live>\(summary)</p></div>
    """
  }

  private var app: HTML {
    switch state {
    case .notInstalled:
      return """
        <form method="post" action="/phone/install" data-quiet><input type="hidden" name="screen" value="home">
        <button class="icon" id="install-icon"><span class="icon-face icon-empty" aria-hidden="true">+</span><span>Install the app</span></button></form>
        """
    case .running, .holding, .stopped, .starting:
      return """
        <form method="post" action="/phone/launch" data-quiet><input type="hidden" name="screen" value="credits">
        <button class="icon" id="launch"\(" disabled", if: state == .starting)><span class="icon-face icon-app" aria-hidden="true">🐵</span><span>Monkey Shop</span><span class="icon-note" id="app-storekit">\(storeKit.title)</span></button></form>
        """
    }
  }

  private var summary: HTML {
    switch state {
    case .notInstalled: "The app is not on this device."
    case .stopped(let reason): "\(reason.map { "The app is not running. \($0)" } ?? "The app is not running.")"
    case .starting: "Opening the app…"
    case .running: "The app is running."
    case .holding: "The app waits between charge and grant."
    }
  }
}
