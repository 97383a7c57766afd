/// What the sample app sells.
public enum SampleCatalog {
  /// The sample app's bundle id.
  public static let bundleIdentifier = "com.xamarin.storekit.testing"

  public static let fiveCredits = "com.xamarin.storekit.testing.consume5credits"
  public static let tenCredits = "com.xamarin.storekit.testing.consume10credits"

  public static let greyscale = "com.xamarin.storekit.testing.greyscale"
  public static let sepia = "com.xamarin.storekit.testing.sepia"

  public static let smallPrint = "com.xamarin.storekit.testing.book.smallprint"
  public static let encyclopedia = "com.xamarin.storekit.testing.book.encyclopedia"

  /// Server-delivered products that this version of the app knows before the server's list has come. Which ones are shown is
  /// the list's to say; it may name others.
  public static let books: Set<String> = [smallPrint, encyclopedia]
  /// Those of them that are too large to wait for: they are fetched later, from the books' own screen.
  public static let largeBooks: Set<String> = [encyclopedia]
  /// A book on the list with more bytes than this is one of them, too.
  public static let largeBookBytes: Int64 = 5_000_000

  public static let fiftyPages = "com.xamarin.storekit.testing.consume50pages"
  /// Credits whose books the developer's server keeps: how many pages to print one of each gives.
  public static let pagesForProduct = [fiftyPages: 50]
  /// What the server calls them.
  public static let pagesUnit = "pages"

  /// Built-in products: the photo filters.
  public static let filters: Set<String> = [greyscale, sepia]

  /// Built-in products: how many monkey credits one of each gives.
  public static let creditsForProduct = [fiveCredits: 5, tenCredits: 10]
}
