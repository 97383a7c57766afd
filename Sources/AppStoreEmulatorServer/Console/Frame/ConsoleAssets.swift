import WebSupport

/// What the console's pages refer to beside the shared files.
enum ConsoleAssets {
  static let stylesheet = PageAsset.stylesheet("console.css", PackageResources.console_css)
  static let script = PageAsset.script("console.js", PackageResources.console_js)
}
