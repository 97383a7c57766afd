import Foundation
import OpenStoreKit
import PurchaseKit
import SampleModel
import StoreModel

/// Makes the views of the app's current state. Used on the main queue, as the models are.
@MainActor
final class AppPresenter {
  let app: RunningApp
  let album: PhotographAlbum
  /// The file of the open book that was read last, with its content.
  var readFile: (book: OpenBook, name: String, content: Data)?

  init(_ app: RunningApp) {
    self.app = app
    album = PhotographAlbum(folder: app.folder)
  }

  /// Returns the alert to show. An alert of the open screen comes first.
  func alert(over screen: AppScreen) -> AlertView? {
    let waiting = app.alertSources.filter { $0.model.alert != nil }
    guard let source = waiting.first(where: { $0.screen == screen }) ?? waiting.first, let text = source.model.alert
    else { return nil }
    return AlertView(text: text, screen: screen)
  }

  /// Dismisses an alert that the customer has read, on all screens that show the same text. Newer alerts with other
  /// text stay.
  ///
  /// - Parameter reading: the ``AlertView/reading`` of the alert on the page.
  func dismissAlert(_ reading: String) {
    for source in app.alertSources where source.model.alert.map(AlertView.reading) == reading {
      source.model.dismissAlert()
    }
  }

  /// Returns StoreKit's sheet, which is shown before the app's alerts; nil if there is none.
  func sheet(over screen: AppScreen) -> SheetView? {
    guard let shown = app.sheets?.shown else { return nil }
    var view = SheetView(number: shown.number, prompt: shown.prompt, screen: screen)
    if case .confirmation(let quote) = shown.prompt {
      view.text = app.screen.text(of: quote.payment.productID.rawValue)
    }
    return view
  }

  /// Returns the question that the customer is asked; nil if there is none.
  func question(over screen: AppScreen) -> QuestionView? {
    app.question.value.map { QuestionView(question: $0.question, screen: screen) }
  }

  // MARK: Screens

  func credits() throws -> CreditsView {
    let freeze = app.creditStore.freeze()
    let buttons = { (model: ConsumablesModel) in
      model.productIdentifiers.map { self.line($0, of: model, .buy(offersQuantity: true)) }
    }
    let printing = try app.printing.map { printing in
      CreditsView.Printing(
        balance: try Self.balance(of: printing, "pages"), freeze: app.goods?.printing.store.freeze(),
        lines: buttons(printing))
    }
    return CreditsView(
      balance: try Self.balance(of: app.screen, "credits"), freeze: freeze,
      lines: buttons(app.screen), printing: printing, place: try creditsPlace(),
      isRestricted: !app.device.paymentsAllowed)
  }

  private func creditsPlace() throws -> CreditsView.Place {
    guard app.goods?.monkeyCredits != nil else { return .device }
    return .server(asOf: try app.credits.balanceDate)
  }

  /// Returns the balance as text. A balance on the server is unknown until the server is first reached.
  ///
  /// - Parameter unit: the short name of the credits.
  private static func balance(of model: ConsumablesModel, _ unit: String) throws -> String {
    do {
      return try model.balanceText
    } catch CreditError.balanceUnknown {
      return "Not known yet"
    } catch CreditError.frozen {
      return "Your \(unit) are frozen."
    }
  }

  func filters() throws -> FiltersView {
    let model = app.filters
    let matrix = try model.appliedFilter?.colorMatrix
    return FiltersView(
      photograph: "/app/photograph?\(album.version)", isOwnPhotograph: album.isOwn, colorMatrix: matrix,
      filterName: try model.appliedFilterName,
      lines: try model.productIdentifiers.map { product in
        switch try model.filterButton(for: product) {
        case .buy:
          var line = line(product, of: model, .buy(offersQuantity: false))
          line.note = try model.lossText(of: product)
          return line
        case .use(let name):
          return ShopItem(
            product: product, title: model.title(of: product), text: model.text(of: product), button: "Use \(name)",
            isEnabled: true, act: .use)
        }
      }, canClear: try model.canClear, canRestore: model.canRestore)
  }

  private func line(_ product: String, of model: ProductScreen, _ act: ShopItem.Act) -> ShopItem {
    let button = model.button(for: product)
    return ShopItem(
      product: product, title: model.title(of: product), text: model.text(of: product),
      price: Self.priceBeside(button, of: product, in: model), button: button.title, isEnabled: button.isEnabled,
      act: act)
  }

  /// Returns the price of a product whose disabled button shows a reason instead of the price. Returns nil if the
  /// button is enabled, the product is invalid, or the price is not known.
  static func priceBeside(_ button: PurchaseButton, of product: String, in model: ProductScreen) -> String? {
    guard !button.isEnabled, button != .invalidProduct else { return nil }
    let price = model.price(of: product)
    return price.isEmpty ? nil : price
  }
}
