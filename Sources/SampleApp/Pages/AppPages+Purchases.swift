import Foundation
import Hummingbird
import OpenStoreKit
import PurchaseKit
import SampleModel
import WebSupport

// The routes of buttons on product screens, sheets and alerts.
extension AppPages {
  /// The form of a button beside a product.
  struct ProductForm: Decodable, Sendable {
    let screen: AppScreen
    let product: String
    let quantity: Int?
  }

  struct AmountForm: Decodable, Sendable {
    let amount: Int
    /// Identifies the spend, so that a form sent twice spends once. Without a key, each request is another spend.
    let key: UUID?
  }

  struct SheetForm: Decodable, Sendable {
    let number: Int
    let screen: AppScreen
    let answer: String
    let account: String?
    let password: String?
  }

  struct AlertForm: Decodable, Sendable {
    let reading: String
    let screen: AppScreen
  }

  struct ScreenForm: Decodable, Sendable {
    let screen: AppScreen
  }

  func addPurchases(to router: Router<BasicRequestContext>) {
    router.post("app/buy") { request, _ in
      let form = try await request.form(ProductForm.self)
      try await buy(form)
      return Response.seeOther(form.screen.address)
    }
    router.post("app/buy-anyway") { request, _ in
      let form = try await request.form(ProductForm.self)
      await buyAnyway(form)
      return Response.seeOther(form.screen.address)
    }
    router.post("app/spend") { request, _ in
      try await spend(request.form(AmountForm.self))
      return Response.seeOther(AppScreen.credits.address)
    }
    router.post("app/pages/spend") { request, _ in
      try await printPages(request.form(AmountForm.self))
      return Response.seeOther(AppScreen.credits.address)
    }
    router.post("app/pages/refresh") { _, _ in
      await refreshPrinting()
      return Response.seeOther(AppScreen.credits.address)
    }
    router.post("app/credits/anew") { _, _ in
      try await app.carryOut(.startCreditsAnew)
      return Response.seeOther(AppScreen.credits.address)
    }
    router.post("app/restore") { request, _ in
      let screen = try await request.form(ScreenForm.self).screen
      await restore(screen)
      return Response.seeOther(screen.address)
    }
    router.post("app/sheet") { request, _ in
      let form = try await request.form(SheetForm.self)
      try answer(form)
      return Response.seeOther(form.screen.address)
    }
    router.post("app/alert") { request, _ in
      let form = try await request.form(AlertForm.self)
      await face.dismissAlert(form.reading)
      return Response.seeOther(form.screen.address)
    }
  }

  // MARK: Actions on the main queue

  @MainActor
  private func buy(_ form: ProductForm) throws {
    guard let model = model(of: form.product) else {
      throw ErrorResponse(.notFound, "noSuchProduct", "The app does not sell that.")
    }
    app.steps(.button, product: form.product)
    do {
      try model.buy(form.product, quantity: form.quantity ?? 1)
    } catch {
      app.steps(.failed, product: form.product, words: "\(error)")
      throw error
    }
  }

  private func model(of product: String) -> ProductScreen? {
    [app.screen, app.filters, app.books, app.printing].compactMap { $0 as ProductScreen? }
      .first { $0.productIdentifiers.contains(product) }
  }

  @MainActor
  private func buyAnyway(_ form: ProductForm) {
    app.steps(.button, product: form.product)
    let payment = SKMutablePayment()
    payment.productIdentifier = form.product
    app.device.paymentQueue.add(payment)
  }

  @MainActor
  private func spend(_ form: AmountForm) async throws {
    try checkAmount(form.amount)
    try await app.screen.spend(form.amount, key: form.key ?? UUID())
  }

  @MainActor
  private func printPages(_ form: AmountForm) async throws {
    guard let printing = app.printing else {
      throw ErrorResponse(.notFound, "noServer", "This app has no purchase server, so there are no pages.")
    }
    try checkAmount(form.amount)
    do {
      try await printing.spend(form.amount, key: form.key ?? UUID())
    } catch {
      printing.report(error)
    }
  }

  private func checkAmount(_ amount: Int) throws {
    guard (1...1_000_000).contains(amount) else {
      throw ErrorResponse(.badRequest, "amountOutOfRange", "The amount is from 1 to 1000000.")
    }
  }

  @MainActor
  private func refreshPrinting() async {
    guard let goods = app.goods, let printing = app.printing else { return }
    do {
      try await goods.printing.credits.refresh()
    } catch {
      printing.report(error)
    }
  }

  @MainActor
  private func restore(_ screen: AppScreen) {
    if screen == .books { app.books?.restore() } else { app.filters.restore() }
  }

  private func answer(_ form: SheetForm) throws {
    guard let sheets = app.sheets else { return }
    let answer: SheetAnswer
    switch form.answer {
    case "sign-in": answer = .signIn(account: form.account ?? "", password: form.password ?? "")
    case "confirm": answer = .confirm
    case "acknowledge": answer = .acknowledge
    case "cancel": answer = .cancel
    default: throw ErrorResponse(.badRequest, "noSuchAnswer", "A sheet has no answer of that name.")
    }
    try sheets.answer(form.number, answer)
  }
}
