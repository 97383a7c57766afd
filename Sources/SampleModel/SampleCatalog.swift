/// What the sample app sells.
public enum SampleCatalog {
  /// The sample app's bundle id.
  public static let bundleIdentifier = "com.xamarin.storekit.testing"

  public static let fiveCredits = "com.xamarin.storekit.testing.consume5credits"
  public static let tenCredits = "com.xamarin.storekit.testing.consume10credits"

  /// Built-in products: how many monkey credits one of each gives.
  public static let creditsForProduct = [fiveCredits: 5, tenCredits: 10]
}
