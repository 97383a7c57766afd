import StoreModel
import Testing

@testable import PurchaseLedger

/// The rows of the table of Documentation/purchase-ledger.md, "A claim".
extension RedemptionDecisionTests {
  /// A row of the table: who redeems which purchase, what is recorded, and what follows.
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let redeemer: Redeemer
    let product: ProductID
    let record: ClaimRecord
    let named: ClaimDecision.Customer?
    let expected: Expected

    enum Expected: Equatable, Sendable {
      case claimed(refusal: RedemptionRefusal? = nil, isByDevice: Bool = false)
      case kept(refusal: RedemptionRefusal? = nil, isByDevice: Bool = false)
      case transferred(isByDevice: Bool)
      /// Refused; the owner's goods follow the status, or nothing is written.
      case refused(RedemptionRefusal, settles: Bool)
      case askedAgain(seconds: Int)
    }

    var testDescription: String { text }

    init(
      _ text: String, _ redeemer: Redeemer, of product: ProductID = TestLedger.book, owner: Customer? = nil,
      naming named: Customer? = nil, refunded: Int64? = nil, revokedFrom: [Customer] = [], isByDevice: Bool = false,
      _ expected: Expected
    ) {
      self.text = text
      self.redeemer = redeemer
      self.product = product
      self.named = named
      self.expected = expected
      record = RedemptionDecisionTests.record(
        owner.map { RedemptionDecisionTests.claim(1, of: $0, product, isByDevice: isByDevice) }, of: owner,
        refunded: refunded, revokedFrom: revokedFrom)
    }
  }

  static let rows: [Row] = {
    let newer = ClaimDecision.DeviceProof.issuedAfterRegistration
    let sameSecond = ClaimDecision.DeviceProof.issuedInSameSecond(retryAfterSeconds: 2)
    let coins = TestLedger.coins
    return [
      // 1. The claimant owns the claim.
      Row("the claimant's own", redeemer(ada), owner: ada, .kept()),
      Row("the claimant's own, naming another customer", redeemer(ada), owner: ada, naming: ben, .kept()),
      Row("the claimant's own consumable", redeemer(ada), of: coins, owner: ada, .kept()),
      Row(
        "the claimant's own, with a device proof", redeemer(phone, newer), owner: phone, .kept(isByDevice: true)),
      Row(
        "the claimant's own, with a network address", redeemer(phone, newer, vendor: false), owner: phone, .kept()),
      Row(
        "the claimant's own, marked before", redeemer(phone), owner: phone, isByDevice: true, .kept(isByDevice: true)),
      // 2. The purchase names a third customer.
      Row(
        "unclaimed, naming another customer", redeemer(ada), naming: ben,
        .refused(.namesAnotherCustomer, settles: false)),
      Row(
        "another's, naming a third", redeemer(phone, newer), owner: tablet, naming: laptop,
        .refused(.namesAnotherCustomer, settles: true)),
      Row(
        "an erased customer's, naming a third", redeemer(ada), owner: erased, naming: ben,
        .refused(.namesAnotherCustomer, settles: true)),
      // The exception: an unclaimed purchase of an earlier installation.
      Row(
        "unclaimed, naming an earlier installation, with a device proof", redeemer(phone, .issuedBefore),
        naming: tablet, .claimed()),
      Row(
        "unclaimed, naming an earlier installation, without a device proof", redeemer(phone), naming: tablet,
        .refused(.namesAnotherCustomer, settles: false)),
      Row(
        "unclaimed, naming an identified customer, with a device proof", redeemer(phone, newer), naming: ada,
        .refused(.namesAnotherCustomer, settles: false)),
      Row(
        "unclaimed consumable, naming an earlier installation, newer proof", redeemer(phone, newer), of: coins,
        naming: tablet, .claimed(isByDevice: true)),
      Row(
        "unclaimed consumable, naming an earlier installation, older proof", redeemer(phone, .issuedBefore), of: coins,
        naming: tablet, .refused(.namesAnotherCustomer, settles: false)),
      Row(
        "unclaimed consumable, naming an earlier installation, proof of the same second", redeemer(phone, sameSecond),
        of: coins, naming: tablet, .askedAgain(seconds: 2)),
      Row(
        "unclaimed consumable, naming an identified customer, proof of the same second", redeemer(phone, sameSecond),
        of: coins, naming: ada, .refused(.namesAnotherCustomer, settles: false)),
      // 3. No owner.
      Row("unclaimed", redeemer(ada), .claimed()),
      Row("unclaimed consumable", redeemer(ada), of: coins, .claimed()),
      Row("unclaimed, naming the claimant", redeemer(ada), naming: ada, .claimed()),
      Row("unclaimed, with a device proof", redeemer(phone, newer), .claimed(isByDevice: true)),
      Row("unclaimed, with a proof of the same second", redeemer(phone, sameSecond), .claimed(isByDevice: true)),
      Row("unclaimed, with an older device proof", redeemer(phone, .issuedBefore), .claimed()),
      // 5. Another anonymous customer (row 4: `joins`).
      Row(
        "another installation's, newer device proof", redeemer(phone, newer), owner: tablet,
        .transferred(isByDevice: true)),
      Row(
        "another installation's, older device proof", redeemer(phone, .issuedBefore), owner: tablet,
        isByDevice: true, .transferred(isByDevice: false)),
      Row(
        "another installation's, device proof of the same second", redeemer(phone, sameSecond), owner: tablet,
        .transferred(isByDevice: false)),
      Row(
        "another installation's, network address", redeemer(phone, newer, vendor: false), owner: tablet,
        .transferred(isByDevice: false)),
      Row(
        "another installation's, naming its owner", redeemer(phone, newer), owner: tablet, naming: tablet,
        .transferred(isByDevice: true)),
      Row(
        "another installation's subscription", redeemer(phone, newer), of: TestLedger.club, owner: tablet,
        .transferred(isByDevice: true)),
      // 6. An erased customer.
      Row("an erased customer's", redeemer(ada), owner: erased, .transferred(isByDevice: false)),
      Row("an erased customer's, for an installation", redeemer(phone), owner: erased, .transferred(isByDevice: false)),
      // 7. Another customer, otherwise.
      Row(
        "an identified customer's", redeemer(ada), owner: ben, .refused(.claimedByAnotherCustomer, settles: true)),
      Row(
        "an identified customer's, for an installation", redeemer(phone, newer), owner: ada,
        .refused(.claimedByAnotherCustomer, settles: true)),
      Row(
        "an installation's, for an identified customer", redeemer(ada, newer), owner: phone,
        .refused(.claimedByAnotherCustomer, settles: true)),
      Row(
        "another installation's, without a device proof", redeemer(phone), owner: tablet,
        .refused(.claimedByAnotherCustomer, settles: true)),
      Row(
        "another's, naming the owner", redeemer(ada), owner: ben, naming: ben,
        .refused(.namesAnotherCustomer, settles: true)),
      Row(
        "another installation's consumable", redeemer(phone, newer), of: coins, owner: tablet,
        .refused(.claimedByAnotherCustomer, settles: true)),
      Row(
        "an erased customer's consumable", redeemer(ada), of: coins, owner: erased,
        .refused(.claimedByAnotherCustomer, settles: true)),
    ]
  }()

  /// Refunds and operators.
  static let revoked: [Row] = {
    let newer = ClaimDecision.DeviceProof.issuedAfterRegistration
    let (coins, refunded) = (TestLedger.coins, RedemptionRefusal.refunded(TestLedger.start))
    return [
      Row("unclaimed and refunded: claimed", redeemer(ada), refunded: 100_000, .claimed(refusal: refunded)),
      Row(
        "unclaimed consumable, refunded in part: given", redeemer(ada), of: coins, refunded: 50_000, .claimed()),
      Row(
        "unclaimed consumable, refunded: claimed", redeemer(ada), of: coins, refunded: 100_000,
        .claimed(refusal: refunded)),
      Row("the claimant's own, refunded", redeemer(ada), owner: ada, refunded: 100_000, .kept(refusal: refunded)),
      Row(
        "another installation's, refunded: not transferred", redeemer(phone, newer), owner: tablet,
        refunded: 100_000, .refused(refunded, settles: true)),
      Row(
        "another's, refunded: the owner comes first", redeemer(ada), owner: ben, refunded: 100_000,
        .refused(.claimedByAnotherCustomer, settles: true)),
      Row(
        "revoked by an operator before the claim", redeemer(ada), revokedFrom: [ada], .claimed(refusal: .revoked)),
      Row(
        "the claimant's own, revoked by an operator", redeemer(ada), owner: ada, revokedFrom: [ada],
        .kept(refusal: .revoked)),
      Row(
        "another installation's, revoked from the owner: not transferred", redeemer(phone, newer), owner: tablet,
        revokedFrom: [tablet], .refused(.revoked, settles: false)),
      Row(
        "another installation's, revoked from the claimant: not transferred", redeemer(phone, newer), owner: tablet,
        revokedFrom: [phone], .refused(.revoked, settles: false)),
      Row(
        "the claimant's own, revoked from a previous owner", redeemer(ada), owner: ada, revokedFrom: [ben], .kept()),
    ]
  }()
}
