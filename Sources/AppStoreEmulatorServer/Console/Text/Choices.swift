import AppStoreEmulator
import StoreModel
import WebSupport

/// The lists of choices in filter forms.
enum Choices {
  static func environments(chosen: StoreEnvironment?) -> HTML {
    FilterForm.choices(
      "environment", "Environment", [("production", "Production"), ("sandbox", "Sandbox")],
      chosen: chosen?.lowercaseName)
  }

  /// The maximum number of apps to choose from. Others can be chosen by the page's address.
  static let mostApps = 200

  static func apps(_ apps: [StoreApp], chosen: BundleID?) -> HTML {
    var values = apps.map { ($0.bundleID.rawValue, $0.bundleID.rawValue) }
    // Keeps an unknown app. Otherwise the form would silently drop the filter.
    if let chosen, !apps.contains(where: { $0.bundleID == chosen }) {
      values.append((chosen.rawValue, chosen.rawValue))
    }
    return FilterForm.choices("app", "App", values, chosen: chosen?.rawValue)
  }

  /// All storefronts, ordered by the names of their countries.
  static let storefronts: [FormField.Choice] = StorefrontText.all.map {
    FormField.Choice($0.countryCode, StorefrontText.title($0))
  }
}
