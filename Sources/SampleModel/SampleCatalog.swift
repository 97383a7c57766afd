import PurchaseKit

/// The products that the sample app sells.
public enum SampleCatalog {
  /// The sample app's bundle id.
  public static let bundleIdentifier = "com.xamarin.storekit.testing"

  public static let fiveCredits = "com.xamarin.storekit.testing.consume5credits"
  public static let tenCredits = "com.xamarin.storekit.testing.consume10credits"

  /// The name of the credits that `fiveCredits` and `tenCredits` give, as the customer sees it.
  public static let creditsUnit = "monkey credits"
  /// The unit of the monkey credits on the server, if the server stores them.
  public static let serverCreditsUnit = "monkey-credits"

  public static let greyscale = "com.xamarin.storekit.testing.greyscale"
  public static let sepia = "com.xamarin.storekit.testing.sepia"

  public static let smallPrint = "com.xamarin.storekit.testing.book.smallprint"
  public static let encyclopedia = "com.xamarin.storekit.testing.book.encyclopedia"

  /// The books that the app can deliver even without the server's list. The list decides which books are shown, and may
  /// contain further books.
  public static let books: Set<String> = [smallPrint, encyclopedia]
  /// The books that are too large to download during the purchase. They are downloaded later, from the books screen.
  public static let largeBooks: Set<String> = [encyclopedia]
  /// A listed book with more bytes than this counts as large, too.
  public static let largeBookBytes: Int64 = 5_000_000

  public static let fiftyPages = "com.xamarin.storekit.testing.consume50pages"
  /// The number of pages to print that each product gives. The developer's server stores the balance.
  public static let pagesForProduct = [fiftyPages: 50]
  /// The unit under which the server stores the balance of pages to print.
  public static let pagesUnit = "pages"

  public static let goldMonthly = "com.xamarin.storekit.testing.club.gold.monthly"
  public static let goldYearly = "com.xamarin.storekit.testing.club.gold.yearly"
  public static let silverMonthly = "com.xamarin.storekit.testing.club.silver.monthly"
  public static let silverYearly = "com.xamarin.storekit.testing.club.silver.yearly"
  public static let freeMembership = "com.xamarin.storekit.testing.club.free"

  /// The plans of the photo club, in the order in which the screen shows them. A customer has one of them at a time.
  public static let clubPlans = [goldMonthly, goldYearly, silverMonthly, silverYearly, freeMembership]
  /// The name of the entitlement that each plan gives.
  public static let clubEntitlement = "club"
  /// The products of each name of an entitlement. They are built in, because the app opens lessons by them.
  public static let entitlementNames = [clubEntitlement: Set(clubPlans)]
  /// The member of an offering's metadata with the text above the plans.
  public static let offeringHeadline = "headline"
  /// The number of lessons that each plan includes.
  public static let lessonsForPlan = [
    goldMonthly: 3, goldYearly: 3, silverMonthly: 2, silverYearly: 2, freeMembership: 1,
  ]

  /// Built-in products: the photo filters.
  public static let filters: Set<String> = [greyscale, sepia]

  /// Built-in products: the number of monkey credits that each product gives.
  public static let creditsForProduct = [fiveCredits: 5, tenCredits: 10]

  private static let names = [
    fiveCredits: "5 monkey credits", tenCredits: "10 monkey credits", fiftyPages: "50 pages",
    greyscale: "Greyscale", sepia: "Sepia", smallPrint: "The Small Print", encyclopedia: "Encyclopedia",
    goldMonthly: "Gold, monthly", goldYearly: "Gold, yearly", silverMonthly: "Silver, monthly",
    silverYearly: "Silver, yearly", freeMembership: "Free",
  ]

  /// Returns the name of a built-in product. It is shown until the store has sent the name in the storefront's language.
  /// Nil for another product, whose name only the store knows.
  public static func name(of productIdentifier: String) -> String? { names[productIdentifier] }

  /// The names for texts outside the app's screens.
  public static let customerNames = CustomerNames(credits: creditsUnit, title: name)

  /// Returns the name of the credits that a product gives.
  static func creditsName(of productIdentifier: String) -> String {
    if pagesForProduct[productIdentifier] != nil { return pagesUnit }
    return creditsForProduct[productIdentifier] != nil ? creditsUnit : "credits"
  }
}
