import APIDescription
import AppStoreEmulator
import Foundation
import StoreModel

/// The endpoints of the control API, which controls an emulated App Store. Their paths are below ``basePath``.
package enum ControlEndpoints {
  package static let basePath = "/control/v1"

  // MARK: Apps

  package static let connection = Endpoint<NoMembers, ConnectionQuery, NoMembers, ConnectionView>(
    .get, "/connection", name: "connection",
    summary: "Returns the certificates, keys and addresses that a client of this store needs.",
    answers: "The connection")
  package static let apps = Endpoint<NoMembers, PageQuery, NoMembers, AppList>(
    .get, "/apps", name: "apps", summary: "Lists the apps on sale and their catalogs.",
    answers: "A page of the apps: at most 10,000 products, or one app")
  package static let serveApp = Endpoint<AppPath, NoMembers, AppCatalog, ServedApp>(
    .put, "/apps/{bundleId}", name: "serveApp",
    summary: "Puts an app on sale, or replaces its catalog. Earlier purchases stay as they are.",
    answers: "The app as it is on sale now")
  package static let changeProduct = Endpoint<ProductPath, NoMembers, ProductChangeRequest, ProductView>(
    .patch, "/apps/{bundleId}/products/{productId}", name: "changeProduct",
    summary: "Changes the given members of a product. A quote at another price is then stale.", answers: "The product")

  package static let keys = Endpoint<NoMembers, NoMembers, NoMembers, KeyList>(
    .get, "/keys", name: "keys", summary: "Lists the keys for tokens of the App Store Server API.", answers: "The keys")
  package static let addKey = Endpoint<NoMembers, NoMembers, KeyRequest, AddedKeyView>(
    .post, "/keys", name: "addKey", summary: "Adds a key for tokens of the App Store Server API.", status: 201,
    answers: "The key, with its private part")
  package static let removeKey = Endpoint<APIKeyPath, NoMembers, NoMembers, KeyView>(
    .delete, "/keys/{keyId}", name: "removeKey", summary: "Removes a key. Its tokens are refused from now on.",
    answers: "The key that was removed")

  // MARK: Customers

  package static let customers = Endpoint<NoMembers, PageQuery, NoMembers, CustomerList>(
    .get, "/customers", name: "customers", summary: "Lists all customers, by environment and name.",
    answers: "A page of the customers")
  package static let addCustomer = Endpoint<NoMembers, NoMembers, CustomerView, CustomerView>(
    .post, "/customers", name: "addCustomer", summary: "Adds a customer.", status: 201, answers: "The new customer")
  package static let customer = Endpoint<CustomerPath, NoMembers, NoMembers, CustomerView>(
    .get, "/customers/{environment}/{name}", name: "customer", summary: "Returns a customer.",
    answers: "The customer")
  package static let changeCustomer = Endpoint<CustomerPath, NoMembers, CustomerChange, CustomerView>(
    .patch, "/customers/{environment}/{name}", name: "changeCustomer",
    summary: "Changes the given members of a customer.", answers: "The customer")
  package static let removeCustomer = Endpoint<CustomerPath, NoMembers, NoMembers, CustomerView>(
    .delete, "/customers/{environment}/{name}", name: "removeCustomer",
    summary: "Removes a customer that no purchase, charge or payment refers to.",
    answers: "The customer that was removed")

  // MARK: Installations

  package static let installations = Endpoint<NoMembers, PageQuery, NoMembers, InstallationList>(
    .get, "/installations", name: "installations",
    summary: "Lists all installations, in the order in which they registered.", answers: "A page of the installations")
  package static let changeInstallation = Endpoint<InstallationPath, NoMembers, InstallationChange, InstallationView>(
    .patch, "/installations/{installationId}", name: "changeInstallation",
    summary: "Restricts purchases on a device, or disconnects it from the network. An offline device receives it, too.",
    answers: "The installation")
  package static let signOut = Endpoint<InstallationPath, NoMembers, NoMembers, InstallationView>(
    .post, "/installations/{installationId}/signOut", name: "signOut",
    summary: "Signs the customer out on an installation.", answers: "The installation")
  package static let beginPromotedPurchase = Endpoint<NoMembers, NoMembers, PromotedPurchase, PromotedPurchase>(
    .post, "/promotedPurchases", name: "beginPromotedPurchase",
    summary: "Has the app continue a purchase that the customer began in the App Store.", status: 201,
    answers: "What the device receives")

  // MARK: Purchases

  package static let purchase = Endpoint<NoMembers, NoMembers, PurchaseRequest, TransactionView>(
    .post, "/purchases", name: "purchase",
    summary:
      """
      Buys on a customer's behalf, as if outside the app: charged at once, without a sheet. Send a paymentId, so that the request can be \
      repeated if its answer is lost.
      """, status: 201, answers: "The transaction")
  package static let transactions = Endpoint<NoMembers, TransactionQuery, NoMembers, TransactionListView>(
    .get, "/transactions", name: "transactions", summary: "Lists transactions, newest first.",
    answers: "The transactions")
  package static let transaction = Endpoint<TransactionPath, NoMembers, NoMembers, TransactionDetailsView>(
    .get, "/transactions/{transactionId}", name: "transaction",
    summary: "Returns a transaction, the records that belong to it, and its history.", answers: "The transaction")
  package static let proofs = Endpoint<TransactionPath, ProofsQuery, NoMembers, TransactionProofsView>(
    .get, "/transactions/{transactionId}/proofs", name: "proofs",
    summary:
      """
      Returns a transaction's proofs as the store signs them now, also after a refund: what an app sends to its own server. Receipts are \
      for the device that the transaction is delivered to, or else for the customer's newest device with the app, or else for an \
      invented device.
      """, answers: "The proofs")
  package static let charges = Endpoint<NoMembers, RecordQuery, NoMembers, ChargeList>(
    .get, "/charges", name: "charges", summary: "Lists the charges, newest first.", answers: "The charges")

  // MARK: Refunds

  package static let refunds = Endpoint<NoMembers, RecordQuery, NoMembers, RefundList>(
    .get, "/refunds", name: "refunds", summary: "Lists the refunds, newest first.", answers: "The refunds")
  package static let refund = Endpoint<TransactionPath, NoMembers, RefundRequest, TransactionView>(
    .post, "/transactions/{transactionId}/refund", name: "refund",
    summary: "Refunds a transaction, and revokes its product, also from the family. Devices are notified.",
    answers: "The transaction")
  package static let reverseRefund = Endpoint<TransactionPath, NoMembers, NoMembers, TransactionView>(
    .delete, "/transactions/{transactionId}/refund", name: "reverseRefund",
    summary: "Reverses a refund: the customer is charged again, and owns the product again.",
    answers: "The transaction")

  package static let refundRequests = Endpoint<TransactionPath, NoMembers, NoMembers, RefundRequestList>(
    .get, "/transactions/{transactionId}/refundRequests", name: "refundRequests",
    summary:
      "Lists a customer's requests for a refund of a transaction, with what the developer's server told about it.",
    answers: "The requests")
  package static let requestRefund = Endpoint<TransactionPath, NoMembers, RefundAsked, RefundRequestView>(
    .post, "/transactions/{transactionId}/refundRequests", name: "requestRefund",
    summary:
      """
      The customer asks for a refund. The developer's server is asked for information (CONSUMPTION_REQUEST), and the renewal of a \
      subscription is switched off. Nothing is refunded yet.
      """, status: 201, answers: "The request")
  package static let decideRefundRequest = Endpoint<RefundRequestPath, NoMembers, RefundDecision, RefundRequestView>(
    .post, "/transactions/{transactionId}/refundRequests/{id}/decision", name: "decideRefundRequest",
    summary: "Decides a request for a refund: the transaction is refunded, or the request is declined.",
    answers: "The request")

  // MARK: Subscriptions

  package static let subscriptions = Endpoint<CustomerPath, PageQuery, NoMembers, SubscriptionList>(
    .get, "/customers/{environment}/{name}/subscriptions", name: "subscriptions",
    summary: "Lists a customer's auto-renewable subscriptions.", answers: "A page of the subscriptions")
  package static let subscription = Endpoint<SubscriptionPath, PageQuery, NoMembers, SubscriptionHistoryView>(
    .get, "/subscriptions/{originalTransactionId}", name: "subscription",
    summary: "Returns a subscription and its history.", answers: "The subscription, and a page of its history")
  package static let changeSubscription = Endpoint<SubscriptionPath, NoMembers, SubscriptionChange, SubscriptionView>(
    .patch, "/subscriptions/{originalTransactionId}", name: "changeSubscription",
    summary: "Changes a subscription: automatic renewal, an extension, a price increase or its answer.",
    answers: "The subscription")
  package static let renewalRules = Endpoint<AppPath, NoMembers, NoMembers, RenewalRulesView>(
    .get, "/apps/{bundleId}/renewalRules", name: "renewalRules",
    summary: "Returns how an app's subscriptions renew.", answers: "The rules")
  package static let setRenewalRules = Endpoint<AppPath, NoMembers, RenewalRulesView, RenewalRulesView>(
    .put, "/apps/{bundleId}/renewalRules", name: "setRenewalRules",
    summary: "Changes how an app's subscriptions renew. Periods that have begun keep their end.", answers: "The rules")

  // MARK: Approvals

  package static let approvals = Endpoint<NoMembers, PageQuery, NoMembers, ApprovalList>(
    .get, "/approvals", name: "approvals",
    summary: "Lists the payments that wait for approval (Ask to Buy), oldest first.", answers: "A page of the payments")
  package static let decideApproval = Endpoint<PaymentPath, NoMembers, ApprovalDecision, ApprovalOutcome>(
    .post, "/approvals/{installationId}/{paymentId}", name: "decideApproval",
    summary: "Approves or declines a payment that waits. The device is notified.", answers: "The result")

  // MARK: Notifications

  package static let notificationURLs = Endpoint<AppPath, NoMembers, NoMembers, NotificationURLsView>(
    .get, "/apps/{bundleId}/notificationURLs", name: "notificationURLs",
    summary: "Returns the addresses to which an app's server notifications are sent.", answers: "The addresses")
  package static let setNotificationURLs = Endpoint<AppPath, NoMembers, NotificationURLsView, NotificationURLsView>(
    .put, "/apps/{bundleId}/notificationURLs", name: "setNotificationURLs",
    summary: "Sets the addresses to which an app's server notifications are sent, from the next event on.",
    answers: "The addresses")
  package static let notifications = Endpoint<NoMembers, NotificationQuery, NoMembers, NotificationListView>(
    .get, "/notifications", name: "notifications",
    summary: "Lists the server notifications of the last 180 days of the store, newest first.",
    answers: "A page of the notifications")
  package static let notification = Endpoint<NotificationPath, NoMembers, NoMembers, NotificationDetailsView>(
    .get, "/notifications/{uuid}", name: "notification",
    summary: "Returns a server notification with its decoded contents.", answers: "The notification")
  package static let resendNotification = Endpoint<NotificationPath, NoMembers, NoMembers, NotificationView>(
    .post, "/notifications/{uuid}/resend", name: "resendNotification",
    summary: "Sends a server notification once more, with the same bytes.",
    answers: "The notification, before the attempt")
  package static let sendNotification = Endpoint<NoMembers, NoMembers, NotificationRequest, NotificationView>(
    .post, "/notifications", name: "sendNotification",
    summary: "Sends a server notification that no event caused, of any type. It changes no records.", status: 201,
    answers: "The notification, before the attempt")
  package static let notificationPolicy = Endpoint<NoMembers, NoMembers, NoMembers, NotificationPolicyView>(
    .get, "/notifications/policy", name: "notificationPolicy", summary: "Returns how server notifications are sent.",
    answers: "The policy")
  package static let changeNotificationPolicy = Endpoint<
    NoMembers, NoMembers, NotificationPolicyChange, NotificationPolicyView
  >(
    .patch, "/notifications/policy", name: "changeNotificationPolicy",
    summary: "Changes how server notifications are sent, until it is changed back or the store is reset.",
    answers: "The policy")
  package static let settleNotifications = Endpoint<NoMembers, NoMembers, SettleRequest, NotificationCountsView>(
    .post, "/notifications/settle", name: "settleNotifications",
    summary:
      "Waits until each attempt that is due now by the store's clock is made. Held ones and later retries do not count.",
    answers: "How many notifications there are, by what became of them")

  // MARK: The clock

  package static let clock = Endpoint<NoMembers, NoMembers, NoMembers, ClockView>(
    .get, "/clock", name: "clock", summary: "Returns the date and rate of the store's clock.", answers: "The clock")
  package static let changeClock = Endpoint<NoMembers, NoMembers, ClockChange, ClockView>(
    .patch, "/clock", name: "changeClock",
    summary:
      """
      Moves the clock forward, or changes its rate, or both. The clock never goes back, except by a reset of a \
      store in memory. It stops on 30 December 2063, a day before its certificates end.
      """, answers: "The clock")

  // MARK: The store

  package static let settings = Endpoint<NoMembers, NoMembers, NoMembers, SettingsView>(
    .get, "/settings", name: "settings", summary: "Returns the store's settings.", answers: "The settings")
  package static let changeSettings = Endpoint<NoMembers, NoMembers, SettingsChange, SettingsView>(
    .patch, "/settings", name: "changeSettings",
    summary:
      "Changes the given settings. They apply to later requests, also after a restart. A reset returns them to their defaults.",
    answers: "The settings")
  package static let reset = Endpoint<NoMembers, NoMembers, NoMembers, EpochView>(
    .post, "/reset", name: "reset",
    summary:
      """
      Empties the store's records and begins another epoch. Apps, catalogs and keys stay; the customers and settings are those of a new \
      store. Faults are removed, and the request journal is emptied. The clock of a store in memory returns to the present; the clock of a \
      store in a folder goes on.
      """, answers: "The new epoch")
  package static let snapshot = Endpoint<NoMembers, NoMembers, NoMembers, SnapshotView>(
    .get, "/snapshot", name: "snapshot", summary: "Returns the whole store at one moment, without its keys.",
    answers: "The snapshot")
  package static let restore = Endpoint<NoMembers, NoMembers, SnapshotView, EpochView>(
    .post, "/restore", name: "restore",
    summary:
      """
      Replaces the whole store by a snapshot and begins another epoch. Faults and the request journal stay. A snapshot that cannot be \
      used changes nothing.
      """, answers: "The new epoch")

  // MARK: Faults

  package static let faults = Endpoint<NoMembers, NoMembers, NoMembers, FaultList>(
    .get, "/faults", name: "faults",
    summary: "Lists the faults in the order in which they were set. The first one that matches a request strikes it.",
    answers: "The faults")
  package static let setFault = Endpoint<NoMembers, NoMembers, Fault, FaultReport>(
    .post, "/faults", name: "setFault",
    summary: "Sets a fault for some of the requests of devices and backends. It is kept in memory only. "
      + "A scope may name what is made later, such as a customer: `warnings` says what is missing now.",
    status: 201, answers: "The fault as it is set")
  package static let removeFaults = Endpoint<NoMembers, NoMembers, NoMembers, RemovedCount>(
    .delete, "/faults", name: "removeFaults", summary: "Removes all faults, and releases the requests that they hold.",
    answers: "How many there were")
  package static let fault = Endpoint<FaultPath, NoMembers, NoMembers, FaultReport>(
    .get, "/faults/{id}", name: "fault", summary: "Returns a fault and its effects so far.", answers: "The fault")
  package static let removeFault = Endpoint<FaultPath, NoMembers, NoMembers, FaultReport>(
    .delete, "/faults/{id}", name: "removeFault", summary: "Removes a fault, and releases the requests that it holds.",
    answers: "The fault as it was")
  package static let releaseFault = Endpoint<FaultPath, NoMembers, NoMembers, ReleasedCount>(
    .post, "/faults/{id}/release", name: "releaseFault",
    summary: "Releases the requests that a fault holds now. It holds later ones.",
    answers: "How many requests were waiting")

  // MARK: The request journal

  package static let requests = Endpoint<NoMembers, RequestQuery, NoMembers, RequestJournalView>(
    .get, "/requests", name: "requests",
    summary:
      """
      Lists the requests of devices and backends, oldest first, with their outcomes; without passwords and receipts. The newest \
      10,000 are kept, in memory.
      """, answers: "The requests")
  package static let request = Endpoint<RequestPath, NoMembers, NoMembers, RequestDetailsView>(
    .get, "/requests/{sequence}", name: "request",
    summary:
      """
      Returns a request with its body and that of its answer, without passwords and authentication codes. Bodies are kept for the newest \
      500 requests.
      """, answers: "The request")
  package static let removeRequests = Endpoint<NoMembers, NoMembers, NoMembers, RemovedCount>(
    .delete, "/requests", name: "removeRequests", summary: "Empties the journal.", answers: "How many there were")

  // MARK: All

  package static let all: [any DescribedEndpoint] = [
    connection, apps, serveApp, changeProduct, keys, addKey, removeKey, customers, addCustomer, customer,
    changeCustomer, removeCustomer,
    installations, changeInstallation, signOut, beginPromotedPurchase, purchase, transactions, transaction, proofs,
    charges, refunds, subscriptions, subscription, changeSubscription, renewalRules, setRenewalRules, refund,
    reverseRefund, refundRequests, requestRefund, decideRefundRequest, approvals, decideApproval, notificationURLs,
    setNotificationURLs, notifications, notification, resendNotification, sendNotification, notificationPolicy,
    changeNotificationPolicy, settleNotifications, clock, changeClock, settings, changeSettings, reset, snapshot,
    restore,
    faults, setFault, removeFaults, fault, removeFault, releaseFault, requests, request, removeRequests,
  ]

  /// The OpenAPI document of the control API.
  package static func openAPI() throws -> Data {
    try OpenAPIDocument(
      title: "App Store emulator: control API",
      description:
        "Steers an emulated App Store. Dates are UNIX milliseconds, amounts are thousandths of the currency's unit.",
      basePath: basePath,
      tokens: ["token": "Required if the emulator was started with --control-token."],
      callers: EndpointCallers(schemes: ["token"], areOptional: true), error: RefusalBody.self,
      endpoints: all
    ).json()
  }
}
