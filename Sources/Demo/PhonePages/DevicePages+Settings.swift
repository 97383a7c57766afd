import Hummingbird
import SampleApp
import StoreModel
import WebSupport

// The forms beside the phone.
extension DevicePages {
  /// The form of a button. `screen` is the screen to show afterwards.
  struct ScreenForm: Decodable, Sendable {
    let screen: AppScreen?
  }

  /// The form of a switch, with its new value.
  struct SwitchForm: Decodable, Sendable {
    let screen: AppScreen?
    let on: Bool
  }

  /// The form for deleting the app. `lost` is the number of credits to whose loss the owner agrees.
  struct RemovalForm: Decodable, Sendable {
    let screen: AppScreen?
    let lost: Int?
  }

  /// The form for installing the app, with the place of its monkey credits.
  struct InstallationForm: Decodable, Sendable {
    let screen: AppScreen?
    let credits: CreditsPlace?
  }

  /// The form for signing in to the store.
  struct AccountForm: Decodable, Sendable {
    let screen: AppScreen?
    let account: String
    let password: String?
  }

  /// The form for restoring a backup, with its key.
  struct BackupForm: Decodable, Sendable {
    let screen: AppScreen?
    let file: String
    let key: String
  }

  /// The form for a purchase that begins in the App Store on the phone.
  struct PromotedForm: Decodable, Sendable {
    let screen: AppScreen?
    let installation: InstallationID
    let product: ProductID
    /// The identifier of a win-back offer; nil for none.
    let offer: String?
  }

  /// Adds the routes `/phone/…`.
  func addSettings(to router: Router<BasicRequestContext>) {
    button("launch", in: router) { try await $0.launch() }
    button("force-quit", in: router) { try await $0.forceQuit() }
    button("keep-app", in: router) { await $0.keepApp() }
    button("dismiss", in: router) { await $0.show(nil) }
    button("sign-out", in: router) { try await $0.signOut() }
    button("back-up", in: router) { try await $0.backUp() }
    setting("airplane", in: router) { try await $0.setAirplaneMode($1) }
    setting("restrict", in: router) { try await $0.setRestricted($1) }
    setting("hold", in: router) { try await $0.setHold($1) }
    setting("storekit2", in: router) { try await $0.setStoreKit($1 ? .storeKit2 : .storeKit1) }
    router.post("phone/remove") { request, _ in
      let form = try await request.form(RemovalForm.self)
      try await phone.removeApp(accepting: form.lost)
      return Self.back(to: form.screen)
    }
    router.post("phone/install") { request, _ in
      let form = try await request.form(InstallationForm.self)
      try await phone.installApp(credits: form.credits)
      return Self.back(to: form.screen)
    }
    router.post("phone/promoted-purchase") { request, _ in
      let form = try await request.form(PromotedForm.self)
      try await phone.beginPurchase(of: form.product, offer: form.offer, in: form.installation)
      return Self.back(to: form.screen)
    }
    router.post("phone/sign-in") { request, _ in
      let form = try await request.form(AccountForm.self)
      try await phone.signIn(form.account, password: form.password ?? "")
      return Self.back(to: form.screen)
    }
    router.post("phone/restore-backup") { request, _ in
      let form = try await request.form(BackupForm.self)
      try await phone.restoreBackup(form.file, key: form.key)
      return Self.back(to: form.screen)
    }
  }

  private func button(
    _ verb: String, in router: Router<BasicRequestContext>, _ act: @escaping @Sendable (Phone) async throws -> Void
  ) {
    router.post(RouterPath("phone/\(verb)")) { request, _ in
      let form = try await request.form(ScreenForm.self)
      try await act(phone)
      return Self.back(to: form.screen)
    }
  }

  private func setting(
    _ verb: String, in router: Router<BasicRequestContext>,
    _ act: @escaping @Sendable (Phone, Bool) async throws -> Void
  ) {
    router.post(RouterPath("phone/\(verb)")) { request, _ in
      let form = try await request.form(SwitchForm.self)
      try await act(phone, form.on)
      return Self.back(to: form.screen)
    }
  }

  private static func back(to screen: AppScreen?) -> Response { .seeOther((screen ?? .settings).address) }
}
