import WebSupport

/// The stylesheet and script of the console, in addition to the shared ones.
enum ConsoleAssets {
  static let stylesheet = PageAsset.stylesheet("console.css", PackageResources.console_css)
  static let script = PageAsset.script("console.js", PackageResources.console_js)
}
