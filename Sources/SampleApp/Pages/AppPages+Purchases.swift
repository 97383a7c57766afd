import Foundation
import Hummingbird
import SampleModel
import StoreModel
import WebSupport

// The forms of product screens, sheets and alerts.
extension AppPages {
  struct AmountForm: ScreenForm {
    let amount: Int
    /// Identifies the spend, so that a form sent twice spends once. Without a key, each request is another spend.
    let key: UUID?
    var screen: AppScreen { .credits }

    /// Returns the amount.
    ///
    /// - Throws: an error response if it is out of range.
    func checkedAmount() throws -> Int {
      guard (1...1_000_000).contains(amount) else {
        throw ErrorResponse(.badRequest, "amountOutOfRange", "The amount is from 1 to 1000000.")
      }
      return amount
    }
  }

  struct SheetForm: Decodable, Sendable {
    let number: Int
    let screen: AppScreen
    let answer: String
    let reason: String?
    let account: String?
    let password: String?
  }

  struct AlertForm: Decodable, Sendable {
    let reading: String
    let screen: AppScreen
  }

  struct QuestionForm: Decodable, Sendable {
    let question: String
    let screen: AppScreen
    let answer: String
  }

  struct RefundForm: ScreenForm {
    let transaction: TransactionID
    var screen: AppScreen { .purchases }
  }

  struct RestoreForm: ScreenForm {
    let screen: AppScreen
  }

  func addPurchases(to router: Router<BasicRequestContext>) {
    onCommand("app/buy", of: ProductForm.self, in: router) {
      .buy(product: $0.product, quantity: $0.quantity ?? 1, confirms: true)
    }
    onCommand("app/buy-anyway", of: ProductForm.self, in: router) { .addAnyway(product: $0.product) }
    onCommand("app/spend", of: AmountForm.self, in: router) { .spend(try $0.checkedAmount(), key: $0.key ?? UUID()) }
    onCommand("app/pages/spend", of: AmountForm.self, in: router) {
      .spendPages(try $0.checkedAmount(), key: $0.key ?? UUID())
    }
    onCommand("app/pages/refresh", .showPages, showing: .credits, in: router)
    onCommand("app/credits/refresh", .showBalance, showing: .credits, in: router)
    onCommand("app/credits/discard", .discardFrozenCredits(), showing: .credits, in: router)
    onCommand("app/pages/discard", .discardFrozenPages(), showing: .credits, in: router)
    onCommand("app/restore", of: RestoreForm.self, in: router) { .restore(on: $0.screen) }
    onCommand("app/refund", of: RefundForm.self, in: router) { .requestRefund($0.transaction) }
    router.post("app/sheet") { request, _ in
      let form = try await request.form(SheetForm.self)
      try answer(form)
      return Response.seeOther(form.screen.address)
    }
    router.post("app/alert") { request, _ in
      let form = try await request.form(AlertForm.self)
      await presenter.dismissAlert(form.reading)
      return Response.seeOther(form.screen.address)
    }
    router.post("app/question") { request, _ in
      let form = try await request.form(QuestionForm.self)
      let command = app.answered { QuestionView.identifier(of: $0) == form.question }
      if let command, form.answer == "accept" { try await app.perform(command) }
      return Response.seeOther(form.screen.address)
    }
  }

  private func answer(_ form: SheetForm) throws {
    guard let sheets = app.sheets else { return }
    let answer: SheetAnswer
    switch form.answer {
    case "sign-in": answer = .signIn(account: form.account ?? "", password: form.password ?? "")
    case "confirm": answer = .confirm
    case "acknowledge": answer = .acknowledge
    case "refund": answer = .refund(form.reason.flatMap(RefundReason.init(rawValue:)) ?? .other)
    case "cancel": answer = .cancel
    default: throw ErrorResponse(.badRequest, "noSuchAnswer", "A sheet has no answer of that name.")
    }
    try sheets.answer(form.number, answer)
  }
}
