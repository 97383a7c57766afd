import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let creditBalances = Endpoint<AppPath, NoMembers, NoMembers, CreditBalances>(
    .get, "/v1/apps/{bundleId}/credits", name: "credits", summary: "Returns the customer's balances.",
    answers: "The balances")
  static let creditMovements = Endpoint<CreditPath, MovementQuery, NoMembers, MovementList>(
    .get, "/v1/apps/{bundleId}/credits/{unit}/movements", name: "creditMovements",
    summary: "Lists the movements of an account, newest first.", answers: "A page of movements")
  static let spend = Endpoint<CreditPath, NoMembers, SpendRequest, SpendView>(
    .post, "/v1/apps/{bundleId}/credits/{unit}/spends", name: "spend",
    summary: "Spends credits, all or nothing. A request with the same key is the same spend.",
    answers: "The movement",
    otherResponses: [OtherResponse(409, "insufficientCredits, spendingBlocked or keyReused")])

  static let credits: [any DescribedEndpoint] = [creditBalances, creditMovements, spend]
}

struct MovementQuery: ListQuery {
  let before: Int64?
  let limit: Int64?

  static let notes: [String: MemberNote] = [
    "before": "The last sequence number of the page before.", "limit": .pageLimit,
  ]
}

struct MovementList: APIObject {
  let movements: [CreditMovement]
}

struct SpendRequest: APIObject {
  let key: String
  let amount: Int64

  static let notes: [String: MemberNote] = [
    "key": .init("Names this spend of this customer; at most 200 bytes.", minLength: 1, maxLength: 200),
    "amount": .init(minimum: 1, maximum: 1_000_000_000_000),
  ]
}

/// A spend: the movement, and the incarnation that its number belongs to.
struct SpendView: APIObject {
  let sequence: Int64
  let amount: Int64
  let balance: Int64
  let counterAccount: CreditMovement.CounterAccount
  let cause: CreditMovement.Cause
  let key: String
  let date: StoreDate
  let incarnation: LedgerIncarnation

  static let schemaDescription: String? = "A movement, and the incarnation that its sequence number belongs to."
  static let notes = CreditMovement.notes

  init(_ spend: CreditSpend) {
    let movement = spend.movement
    sequence = movement.sequence
    amount = movement.amount
    balance = movement.balance
    counterAccount = movement.counterAccount
    cause = movement.cause
    key = movement.key
    date = movement.date
    incarnation = spend.incarnation
  }
}

extension CreditBalances: APIObject {}

extension CreditBalance: APIObject {
  package static let notes: [String: MemberNote] = ["balance": "Below zero for a debt."]
}

extension CreditMovement: APIObject {
  package static let notes: [String: MemberNote] = [
    "sequence": "1 for the first movement of the account; without gaps.",
    "balance": "After the movement.",
  ]
}
