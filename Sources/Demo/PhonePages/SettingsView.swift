import SampleApp
import WebSupport

/// The controls of the phone's owner.
struct SettingsView: Hashable, Sendable {
  let state: AppState
  let settings: PhoneSettings
  let message: PhoneMessage?
  let backups: [String]
  let isBackingUp: Bool
  /// The screen to show after a form was sent.
  let screen: AppScreen

  var html: HTML {
    """
    <div role="status" id="owner-message" data-live>\(notice)</div>
    <section class="setting" id="owner-app" data-live aria-labelledby="owner-app-title">\(app)</section>
    <section class="setting" id="owner-network" data-live aria-label="Network and restrictions">\(switches)</section>
    <section class="setting" id="owner-account" data-live aria-labelledby="owner-account-title">\(account)</section>
    <section class="setting" aria-label="Subscriptions"><a class="button" id="open-subscriptions" href="\(AppScreen.subscriptions.address)">Subscriptions</a></section>
    <section class="setting" id="owner-backup" data-live aria-labelledby="owner-backup-title">\(backup)</section>
    """
  }

  private var notice: HTML {
    guard let message else { return .empty }
    return "<p class=\"notice\(" notice-good", if: !message.isBad)\">\(.shortName(message.text, limit: 600))</p>"
  }

  private var back: HTML { "<input type=\"hidden\" name=\"screen\" value=\"\(screen.rawValue)\">" }

  // MARK: The app

  private var app: HTML {
    """
    <h2 id="owner-app-title">The app</h2>
    <p class="setting-text"><span id="app-state">\(state.text)</span>\(reason)</p>
    <div class="setting-buttons">\(appButtons)</div>
    \(Switch("hold", "Stop between charge and grant", "The app waits there once, so that you can force-quit it.", isOn: settings.hold != nil, screen).html)
    """
  }

  private var reason: HTML {
    if case .stopped(let reason?) = state { ". \(reason)" } else { .empty }
  }

  private var appButtons: HTML {
    switch state {
    case .notInstalled: button("install", "Install the app", "button-primary")
    case .stopped:
      "\(button("launch", "Open the app", "button-primary", id: "owner-launch"))\(button("remove", "Delete the app", "button-danger"))"
    case .starting, .running, .holding:
      "\(button("force-quit", "Force-quit", "button-danger"))\(button("remove", "Delete the app", "button-danger"))"
    }
  }

  private func button(_ verb: String, _ text: String, _ kind: String, id: String? = nil) -> HTML {
    "<form method=\"post\" action=\"/phone/\(verb)\" data-quiet>\(back)<button class=\"\(kind)\" id=\"\(id ?? verb)\">\(text)</button></form>"
  }

  // MARK: The network and restrictions

  private var switches: HTML {
    """
    \(Switch("airplane", "Airplane mode", "No network: neither the store nor the purchase server.", isOn: settings.isInAirplaneMode, screen).html)
    \(Switch("restrict", "Restrict purchases", "In-app purchases are not allowed on this phone.", isOn: settings.isRestricted, screen).html)
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
    <div class="setting-buttons">\(button("sign-out", "Sign out", "button"))</div>
    """
  }

  private var signedOut: HTML {
    """
    <p class="setting-text" id="account-none">No account is signed in. The store asks for it at the first purchase.</p>
    <details id="account-form"><summary>Sign in now</summary>
    <form method="post" action="/phone/sign-in" class="stacked" data-quiet>\(back)
    <div class="field"><label for="account-name">Account</label><input id="account-name" name="account" value="\(settings.account ?? "customer")" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="512" required></div>
    <div class="field"><label for="account-password">Password, if there is one</label><input id="account-password" name="password" type="password" autocomplete="current-password" maxlength="512"></div>
    <button id="sign-in">Sign in</button>
    </form></details>
    """
  }

  // MARK: Backups

  private var backup: HTML {
    """
    <h2 id="owner-backup-title">Backup</h2>
    \(lastBackup)
    <div class="setting-buttons">\(isBackingUp ? "<span class=\"muted\">Backing up…</span>" : button("back-up", "Back up now", "button"))</div>
    \(backups.isEmpty ? "<p class=\"setting-text muted\">There is no backup in the phone’s documents.</p>" : restoring)
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
      <button id="restore-backup">Restore</button>
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
