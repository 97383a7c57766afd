import PurchaseKit
import SampleApp
import SampleModel
import WebSupport

/// The controls of the phone's owner.
struct SettingsView: Hashable, Sendable {
  let state: AppState
  let settings: PhoneSettings
  let message: PhoneMessage?
  let backups: [String]
  let isBackingUp: Bool
  /// What is lost if the app is deleted, while the owner is asked about that; nil if the owner is not asked.
  var deletionQuestion: CreditLoss?
  /// The number of sign-ins that the store has refused.
  var refusedSignIns = 0
  /// Whether the device has a purchase server.
  var hasServer = false
  /// The screen to show after a form was sent.
  let screen: AppScreen

  var html: HTML {
    """
    <div role="status" id="owner-message" data-live>\(notice)</div>
    <section class="setting" id="owner-app" data-live aria-labelledby="owner-app-title">\(app)</section>
    <section class="setting" id="owner-network" data-live aria-label="Network and restrictions">\(switches)</section>
    <section class="setting" id="owner-account" data-live aria-labelledby="owner-account-title">\(account)</section>
    <section class="setting" aria-label="Subscriptions and purchases"><a class="button" id="open-subscriptions" href="\(AppScreen.subscriptions.address)">Subscriptions</a> <a class="button" id="open-purchases" href="\(AppScreen.purchases.address)">Purchases</a></section>
    <section class="setting" id="owner-backup" data-live aria-labelledby="owner-backup-title">\(backup)</section>
    """
  }

  private var notice: HTML {
    guard let message else { return .empty }
    return """
      <div class="notice\(" notice-good", if: !message.isBad) owner-notice"><p>\(.shortName(message.text, limit: 600))</p>
      <form method="post" action="/phone/dismiss" data-quiet>\(back)<button class="button-plain" id="dismiss">Dismiss</button></form></div>
      """
  }

  private var back: HTML { "<input type=\"hidden\" name=\"screen\" value=\"\(screen.rawValue)\">" }

  // MARK: The app

  private var app: HTML {
    """
    <h2 id="owner-app-title">The app</h2>
    <p class="setting-text"><span id="app-state">\(state.text)</span>\(reason)</p>
    \(deletionQuestion.map(question) ?? "<div class=\"setting-buttons\">\(appButtons)</div>")
    \(Switch("hold", "Stop between charge and grant", "The app waits there once, so that you can force-quit it.", isOn: settings.hold != nil, screen).html)
    \(Switch("storekit2", "Use StoreKit 2", "From the app’s next start on. Both StoreKits see the same purchases.", isOn: settings.storeKit == .storeKit2, screen).html)
    """
  }

  private var reason: HTML {
    if case .stopped(let reason?) = state { ". \(reason)" } else { .empty }
  }

  private var appButtons: HTML {
    switch state {
    case .notInstalled: installation
    case .stopped:
      "\(button("launch", "Open the app", "button-primary", id: "owner-launch"))\(button("remove", "Delete the app", "button-danger"))"
    case .starting, .running, .holding:
      "\(button("force-quit", "Force-quit", "button-danger"))\(button("remove", "Delete the app", "button-danger"))"
    }
  }

  private func button(
    _ verb: String, _ text: String, _ kind: String, id: String? = nil, isEnabled: Bool = true
  ) -> HTML {
    "<form method=\"post\" action=\"/phone/\(verb)\" data-quiet>\(back)<button class=\"\(kind)\" id=\"\(id ?? verb)\"\(" disabled", if: !isEnabled)>\(text)</button></form>"
  }

  /// The button that installs the app. With a server, the owner chooses the place of the credits.
  private var installation: HTML {
    guard hasServer else { return button("install", "Install the app", "button-primary") }
    let options = CreditsPlace.allCases.map { place in
      "<option value=\"\(place.rawValue)\"\(" selected", if: place == settings.credits)>\(place == .server ? "on the server, for all devices" : "on this device only")</option>"
        as HTML
    }
    return """
      <form method="post" action="/phone/install" class="stacked" data-quiet>\(back)
      <div class="field"><label for="credits-place-choice">Monkey credits are stored</label><select id="credits-place-choice" name="credits">\(options)</select></div>
      <button class="button-primary" id="install">Install the app</button>
      </form>
      """
  }

  /// The question before the app is deleted together with credits.
  private func question(_ loss: CreditLoss) -> HTML {
    let names = SampleCatalog.customerNames
    let backup: HTML
    if let last = settings.lastBackup, let credits = last.credits {
      backup = "The last backup, \(.shortName(last.file)), had \(names.number(credits)); a later purchase is not in it."
    } else {
      backup = "There is no backup of them: back up first to keep them."
    }
    return """
      <div class="group" id="deletion-question" role="alert">
      <p>Only this device stores your \(loss.text(names)). They are deleted with the app. \(backup)</p>
      <div class="setting-buttons">\(button("keep-app", "Keep the app", "button-primary"))
      <form method="post" action="/phone/remove" data-quiet>\(back)<input type="hidden" name="lost" value="\(loss.credits ?? 0)"><button class="button-danger" id="remove-with-credits">Delete the app and \(names.number(loss.credits ?? 0))</button></form></div>
      </div>
      """
  }

  // MARK: The network and restrictions

  private var switches: HTML {
    """
    \(Switch("airplane", "Airplane mode", "No network: neither the store nor the purchase server.", isOn: settings.isInAirplaneMode, screen).html)
    \(Switch("restrict", "Restrict purchases", "In-app purchases are not allowed on this device.", isOn: settings.isRestricted, screen).html)
    """
  }

  // MARK: The store account

  private var account: HTML {
    """
    <h2 id="owner-account-title">Store account</h2>
    \(settings.isSignedIn ? signedIn : signedOut)
    """
  }

  private var signedIn: HTML {
    """
    <p class="setting-text">Signed in as <span id="account">\(.shortName(settings.account ?? "", limit: 120))</span></p>
    <div class="setting-buttons">\(button("sign-out", "Sign out", "button", isEnabled: state.isAlive))</div>\(needsApp)
    """
  }

  private var signedOut: HTML {
    """
    <p class="setting-text" id="account-none">No account is signed in. The store asks for it at the first purchase.</p>
    <details id="account-form"><summary>Sign in now</summary>
    <form method="post" action="/phone/sign-in" class="stacked" data-quiet>\(back)
    <div class="field"><label for="account-name">Account</label><input id="account-name" name="account" value="\(settings.account ?? "customer")" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="512" required></div>
    <div class="field"><label for="\(passwordField)">Password, if there is one</label><input id="\(passwordField)" name="password" type="password" autocomplete="current-password" maxlength="512"></div>
    <button id="sign-in"\(" disabled", if: !state.isAlive)>Sign in</button>
    </form></details>
    \(needsApp)
    """
  }

  /// The id of the password's field. It changes when a password was refused, so that the page does not keep what was typed.
  private var passwordField: String { refusedSignIns == 0 ? "account-password" : "account-password-\(refusedSignIns)" }

  /// A hint beside the controls that work only while the app runs; empty while it does.
  private var needsApp: HTML {
    state.isAlive
      ? .empty : "<p class=\"setting-text\">\(state == .notInstalled ? "Install" : "Open") the app to do this.</p>"
  }

  // MARK: Backups

  private var backup: HTML {
    """
    <h2 id="owner-backup-title">Backup</h2>
    \(lastBackup)
    <div class="setting-buttons">\(isBackingUp ? "<span class=\"muted\">Backing up…</span>" : button("back-up", "Back up now", "button", isEnabled: state.isAlive))</div>
    \(needsApp)
    \(backups.isEmpty ? "<p class=\"setting-text muted\">There is no backup in the device’s documents.</p>" : restoring)
    """
  }

  private var lastBackup: HTML {
    guard let last = settings.lastBackup else { return .empty }
    return """
      <p class="setting-text">The last one is <span class="mono" id="backup-name">\(.shortName(last.file))</span>. Its key:</p>
      <p class="key mono" id="backup-key">\(last.key)</p>
      """
  }

  private var restoring: HTML {
    let names = backups.prefix(100).map { "<option value=\"\($0)\">\($0.prefix(80))</option>" as HTML }
    return """
      <details id="backup-form"><summary>Restore a backup</summary>
      <form method="post" action="/phone/restore-backup" class="stacked" data-quiet>\(back)
      <div class="field"><label for="backup-file">Backup</label><select id="backup-file" name="file">\(names)</select></div>
      <div class="field"><label for="backup-typed-key">Key</label><input id="backup-typed-key" name="key" class="mono" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="200" required></div>
      <button id="restore-backup"\(" disabled", if: !state.isAlive)>Restore</button>
      </form></details>
      """
  }
}

/// A switch for a setting.
struct Switch: Hashable, Sendable {
  let verb: String
  let title: String
  let text: String
  let isOn: Bool
  let screen: AppScreen

  init(_ verb: String, _ title: String, _ text: String, isOn: Bool, _ screen: AppScreen) {
    self.verb = verb
    self.title = title
    self.text = text
    self.isOn = isOn
    self.screen = screen
  }

  var html: HTML {
    """
    <form method="post" action="/phone/\(verb)" class="switch-row" data-quiet>
    <input type="hidden" name="screen" value="\(screen.rawValue)">
    <span><span class="switch-title" id="\(verb)-title">\(title)</span><span class="switch-text" id="\(verb)-text">\(text)</span></span>
    <button role="switch" aria-checked="\(isOn ? "true" : "false")" aria-labelledby="\(verb)-title" aria-describedby="\(verb)-text" class="switch" id="\(verb)" name="on" value="\(isOn ? "false" : "true")"><span aria-hidden="true">\(isOn ? "On" : "Off")</span></button>
    </form>
    """
  }
}
