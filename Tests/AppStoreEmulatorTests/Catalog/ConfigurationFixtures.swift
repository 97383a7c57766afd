import Crypto
import Foundation

/// One configuration file for each published version, written for these tests.
///
/// Each file uses what its version added. Its layout is Xcode's, except in tests of other layouts.
enum ConfigurationFixtures {
  /// A P-256 key as PKCS#8 DER.
  static let offersKey =
    (try? P256.Signing.PrivateKey(rawRepresentation: Data(repeating: 1, count: 32)).derRepresentation) ?? Data()

  static let version1x0 = """
    {
      "products" : [
        {
          "displayPrice" : "0.99",
          "familyShareable" : false,
          "internalID" : "7A10B3C4",
          "localizations" : [
            {
              "description" : "Twenty drops of ink",
              "displayName" : "Ink",
              "locale" : "en_US"
            }
          ],
          "productID" : "org.quillworks.ink20",
          "referenceName" : "Ink, small",
          "type" : "Consumable"
        }
      ],
      "settings" : {

      },
      "subscriptionGroups" : [

      ],
      "version" : {
        "major" : 1,
        "minor" : 0
      }
    }

    """

  static let version1x1 = """
    {
      "identifier" : "4D21AA07",
      "nonRenewingSubscriptions" : [
        {
          "displayPrice" : "14.5",
          "familyShareable" : false,
          "internalID" : "0C55E1F2",
          "localizations" : [

          ],
          "productID" : "org.quillworks.season",
          "referenceName" : "Summer season",
          "type" : "NonRenewingSubscription"
        }
      ],
      "products" : [
        {
          "displayPrice" : "29",
          "familyShareable" : true,
          "internalID" : "9E0077D1",
          "localizations" : [

          ],
          "productID" : "org.quillworks.vellum",
          "referenceName" : "Vellum",
          "type" : "NonConsumable"
        }
      ],
      "settings" : {
        "_failTransactionsEnabled" : true,
        "_storeKitError" : 2
      },
      "subscriptionGroups" : [

      ],
      "version" : {
        "major" : 1,
        "minor" : 1
      }
    }
    """

  static let version1x2 = """
    {
      "identifier" : "E300D9B6",
      "nonRenewingSubscriptions" : [],
      "products" : [],
      "settings" : {
        "_compatibilityTimeRate" : 6,
        "_locale" : "en_GB",
        "_storefront" : "GBR",
        "_timeRate" : 6
      },
      "subscriptionGroups" : [
        {
          "id" : "51F0AB3E",
          "localizations" : [],
          "name" : "Guild",
          "subscriptions" : [
            {
              "adHocOffers" : [
                {
                  "displayPrice" : "1.49",
                  "internalID" : "AA01",
                  "numberOfPeriods" : 3,
                  "offerID" : "comeback",
                  "paymentMode" : "payAsYouGo",
                  "referenceName" : "Come back",
                  "subscriptionPeriod" : "P1M"
                }
              ],
              "codeOffers" : [
                {
                  "displayPrice" : "5.99",
                  "eligibility" : [ "new", "expired" ],
                  "internalID" : "AA02",
                  "isStackable" : true,
                  "paymentMode" : "payUpFront",
                  "referenceName" : "BOOKFAIR",
                  "subscriptionPeriod" : "P3M"
                }
              ],
              "displayPrice" : "2.99",
              "familyShareable" : false,
              "groupNumber" : 2,
              "internalID" : "AA00",
              "introductoryOffer" : {
                "displayPrice" : "2.99",
                "internalID" : "AA03",
                "paymentMode" : "free",
                "subscriptionPeriod" : "P2W"
              },
              "localizations" : [],
              "productID" : "org.quillworks.guild.monthly",
              "recurringSubscriptionPeriod" : "P1M",
              "referenceName" : "Guild monthly",
              "subscriptionGroupID" : "51F0AB3E",
              "type" : "RecurringSubscription"
            }
          ]
        }
      ],
      "subscriptionOffersKeyPair" : {
        "id" : "K3Y00001",
        "privateKey" : "\(offersKey.base64EncodedString())"
      },
      "version" : { "major" : 1, "minor" : 2 }
    }
    """

  /// A synced file. Its identifiers are the numbers of App Store Connect instead of Xcode's hexadecimal digits.
  static let version2x0 = """
    {
      "identifier" : "1AF0C2D9",
      "nonRenewingSubscriptions" : [],
      "products" : [
        {
          "displayPrice" : "4.99",
          "familyShareable" : false,
          "internalID" : "6400000001",
          "localizations" : [
            { "description" : "", "displayName" : "", "locale" : "en_US" }
          ],
          "productID" : "org.quillworks.brush",
          "referenceName" : "Brush",
          "type" : "NonConsumable"
        }
      ],
      "settings" : {
        "_applicationInternalID" : "6400000000",
        "_compatibilityTimeRate" : { "3" : 6 },
        "_developerTeamID" : "QW12345678",
        "_lastSynchronizedDate" : 700000000.25,
        "_storeKitErrors" : [
          { "current" : { "index" : 2, "type" : "generic" }, "enabled" : true, "name" : "Load Products" },
          { "current" : null, "enabled" : false, "name" : "Purchase" }
        ],
        "_timeRate" : 1003
      },
      "subscriptionGroups" : [],
      "version" : { "major" : 2, "minor" : 0 }
    }
    """

  static let version3x0 = """
    {
      "identifier" : "77B0E4F1",
      "nonRenewingSubscriptions" : [],
      "products" : [],
      "settings" : {
        "_askToBuyEnabled" : true,
        "_billingGracePeriodEnabled" : true,
        "_billingIssuesEnabled" : true,
        "_disableDialogs" : true,
        "_renewalBillingIssuesEnabled" : true
      },
      "subscriptionGroups" : [
        {
          "id" : "21000001",
          "localizations" : [
            { "description" : "All shelves", "displayName" : "Library", "locale" : "en_US" }
          ],
          "name" : "Library",
          "subscriptions" : [
            {
              "adHocOffers" : [],
              "codeOffers" : [],
              "displayPrice" : "0",
              "familyShareable" : true,
              "groupNumber" : 2,
              "internalID" : "21000003",
              "introductoryOffer" : null,
              "localizations" : [],
              "productID" : "org.quillworks.library.free",
              "recurringSubscriptionPeriod" : "P1M",
              "referenceName" : "Reading room",
              "subscriptionGroupID" : "21000001",
              "type" : "RecurringSubscription"
            },
            {
              "adHocOffers" : [],
              "codeOffers" : [],
              "displayPrice" : "59.99",
              "familyShareable" : true,
              "groupNumber" : 1,
              "internalID" : "21000002",
              "introductoryOffer" : null,
              "localizations" : [],
              "productID" : "org.quillworks.library.yearly",
              "recurringSubscriptionPeriod" : "P1Y",
              "referenceName" : "All shelves",
              "subscriptionGroupID" : "21000001",
              "type" : "RecurringSubscription"
            }
          ]
        }
      ],
      "version" : { "major" : 3, "minor" : 0 }
    }
    """

  static let version4x0 = """
    {
      "appPolicies" : {
        "eula" : "",
        "policies" : [ { "locale" : "en_US", "policyText" : "", "policyURL" : "" } ]
      },
      "identifier" : "BD5512A0",
      "nonRenewingSubscriptions" : [],
      "products" : [],
      "settings" : {},
      "subscriptionGroups" : [
        {
          "id" : "90C0FFEE",
          "localizations" : [],
          "name" : "Press",
          "subscriptions" : [
            {
              "displayPrice" : "7.99",
              "groupNumber" : 1,
              "internalID" : "90C0FFE0",
              "productID" : "org.quillworks.press",
              "recurringSubscriptionPeriod" : "P3M",
              "referenceName" : "Press",
              "subscriptionGroupID" : "90C0FFEE",
              "type" : "RecurringSubscription",
              "winbackOffers" : [
                {
                  "displayPrice" : "0.5",
                  "internalID" : "90C0FFE1",
                  "isEligible" : true,
                  "numberOfPeriods" : 2,
                  "offerID" : "again",
                  "paymentMode" : "payAsYouGo",
                  "referenceName" : "Again",
                  "subscriptionPeriod" : "P3M"
                },
                {
                  "internalID" : "90C0FFE2",
                  "isEligible" : false,
                  "numberOfPeriods" : 1,
                  "offerID" : "gratis",
                  "paymentMode" : "free",
                  "referenceName" : "Gratis",
                  "subscriptionPeriod" : "P1M"
                }
              ]
            }
          ]
        }
      ],
      "version" : { "major" : 4, "minor" : 0 }
    }
    """

  static let version5x0 = """
    {
      "appPolicies" : { "eula" : "", "policies" : [] },
      "identifier" : "C0A1E5CE",
      "nonRenewingSubscriptions" : [],
      "products" : [],
      "settings" : {},
      "subscriptionGroups" : [
        {
          "id" : "3B3B3B3B",
          "localizations" : [],
          "name" : "Bindery",
          "subscriptions" : [
            {
              "adHocOffers" : [
                {
                  "billingPlanType" : "BILLED_UPFRONT",
                  "displayPrice" : "30",
                  "internalID" : "3B05",
                  "numberOfPeriods" : 1,
                  "offerID" : "halfprice",
                  "paymentMode" : "payUpFront",
                  "referenceName" : "Half price",
                  "subscriptionPeriod" : "P1Y"
                }
              ],
              "billingPlans" : [
                {
                  "billingPlanType" : "MONTHLY",
                  "commitmentDisplayPrice" : "84",
                  "displayPrice" : "7",
                  "internalID" : "3B01",
                  "isEnabled" : true
                },
                {
                  "billingPlanType" : "BILLED_UPFRONT",
                  "displayPrice" : "60",
                  "internalID" : "3B02",
                  "isEnabled" : true
                }
              ],
              "displayPrice" : "49.99",
              "groupNumber" : 1,
              "internalID" : "3B00",
              "introductoryOffers" : [
                {
                  "billingPlanType" : "MONTHLY",
                  "displayPrice" : "3",
                  "internalID" : "3B03",
                  "numberOfPeriods" : 1,
                  "paymentMode" : "payAsYouGo",
                  "subscriptionPeriod" : "P1M"
                },
                {
                  "billingPlanType" : "BILLED_UPFRONT",
                  "internalID" : "3B04",
                  "numberOfPeriods" : 1,
                  "paymentMode" : "free",
                  "subscriptionPeriod" : "P3D"
                }
              ],
              "localizations" : [],
              "productID" : "org.quillworks.bindery",
              "recurringSubscriptionPeriod" : "P1Y",
              "referenceName" : "Bindery",
              "subscriptionGroupID" : "3B3B3B3B",
              "type" : "RecurringSubscription"
            }
          ]
        }
      ],
      "version" : { "major" : 5, "minor" : 0 }
    }
    """

  static let all = [version1x0, version1x1, version1x2, version2x0, version3x0, version4x0, version5x0]
}
