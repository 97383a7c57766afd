import SampleApp
import WebSupport

/// The page of a phone: the phone, the sheets over its screen, and the owner's controls beside it.
struct PhoneView: Hashable, Sendable {
  let name: String
  let screen: AppScreen
  let state: AppState
  let settings: SettingsView
  /// The HTML of the app; nil if the app shows nothing.
  let fragment: AppFragment?
  let steps: StepsView

  static let stylesheet = PageAsset.stylesheet("device.css", PackageResources.device_css)

  /// The whole page.
  var html: HTML {
    PageFrame(
      title: screen.title, program: PageLink(shortName, "/"), live: "/live", stylesheets: [Self.stylesheet],
      kind: "device"
    ).page(main)
  }

  private var shortName: String { name.unicodeScalars.count > 60 ? String(name.prefix(60)) + "…" : name }

  private var main: HTML {
    """
    <div class="device">
    <section class="phone" aria-label="Device \(shortName)">
    <div class="phone-bar" id="phone-bar" data-live><span class="phone-name">\(.shortName(name, limit: 40))</span>\(signals)</div>
    <div id="hold-banner" role="status" data-live>\(banner)</div>
    <div class="phone-screen screen-\(screen.rawValue)" id="phone-screen" data-scroll>
    \(content)
    </div>
    \(tabs)
    <a class="home-bar" href="\(AppScreen.home.address)" id="go-home"\(" aria-current=\"page\"", if: screen == .home)>Home</a>
    </section>
    <aside class="owner" aria-label="The device’s owner">
    \(screen == .settings ? .empty : settings.html)
    \(steps.html)
    </aside>
    <div id="sheets" data-live>\(HTML(madeByOurOwn: fragment?.sheet ?? ""))</div>
    </div>
    """
  }

  private var content: HTML {
    switch screen {
    case .settings: return "<h1>Settings</h1>\(settings.html)"
    case .home: return HomeView(state: state, storeKit: settings.settings.storeKit).html
    case .credits, .filters, .books, .club, .subscriptions, .purchases, .appStore:
      // The app's HTML is not escaped here, because the app has already escaped its texts.
      if let fragment {
        return "<div class=\"app\" id=\"app-\(screen.rawValue)\">\(HTML(madeByOurOwn: fragment.screen))</div>"
      }
      // The phone reads the App Store through the app.
      if screen == .appStore {
        return "<h1>App Store</h1><p class=\"hint\" id=\"app-store-closed\">Open Monkey Shop first.</p>"
      }
      return HomeView(state: state, storeKit: settings.settings.storeKit).html
    }
  }

  private var signals: HTML {
    let summary: HTML =
      settings.settings.isInAirplaneMode
      ? "<span class=\"badge badge-wait\">Airplane mode</span>" : "<span class=\"badge\">Online</span>"
    return
      "<span class=\"phone-signals\">\("<span class=\"badge badge-wait\">Restricted</span>", if: settings.settings.isRestricted)\(summary)</span>"
  }

  private var banner: HTML {
    if case .holding = state {
      return """
        <div class="banner banner-bad"><p>The store has charged. The app waits before it receives the transaction.</p>
        <form method="post" action="/phone/force-quit" data-quiet><input type="hidden" name="screen" value="\(screen.rawValue)"><button class="button-danger" id="banner-force-quit">Force-quit now</button></form></div>
        """
    }
    guard settings.settings.hold != nil else { return .empty }
    return "<div class=\"banner\"><p>The app will wait between the next charge and its grant.</p></div>"
  }

  private var tabs: HTML {
    guard AppScreen.ofApp.contains(screen), fragment != nil else { return .empty }
    let links = AppScreen.ofApp.map { tab in
      "<li><a href=\"\(tab.address)\" id=\"tab-\(tab.rawValue)\"\(" aria-current=\"page\"", if: tab == screen)>\(tab.title)</a></li>"
        as HTML
    }
    return "<nav class=\"tabs\" aria-label=\"Monkey Shop\"><ul>\(links)</ul></nav>"
  }
}
