import AppStoreEmulator
import StoreModel
import WebSupport

/// The lists of choices in filter forms.
enum Choices {
  /// The list of choices for one filter.
  ///
  /// - Parameters:
  ///   - values: the values with their titles.
  ///   - any: the title of the first choice, which matches all values; nil to omit it.
  static func html(
    _ name: String, _ label: String, _ values: [(value: String, title: String)], chosen: String?, any: String? = "any"
  ) -> HTML {
    let options = values.map {
      "<option value=\"\($0.value)\"\(" selected", if: $0.value == chosen)>\($0.title)</option>" as HTML
    }
    let none: HTML = any.map { "<option value=\"\">\($0)</option>" } ?? ""
    return """
      <div class="field"><label for="\(name)">\(label)</label><select id="\(name)" name="\(name)">\(none)\(options)</select></div>
      """
  }

  static func environments(chosen: StoreEnvironment?) -> HTML {
    html(
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
    return html("app", "App", values, chosen: chosen?.rawValue)
  }

  /// All storefronts, ordered by the names of their countries.
  static let storefronts: [ControlField.Choice] = StorefrontText.all.map {
    ControlField.Choice($0.countryCode, StorefrontText.title($0))
  }
}
