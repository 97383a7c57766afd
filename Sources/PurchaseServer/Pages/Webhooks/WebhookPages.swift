import APIDescription
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The list of the webhooks, with the form that creates one, and the page of one.
enum WebhookPages {
  static let all: [(path: String, make: OperatorPages.PageMaker)] = [
    (OperatorAddress.webhooks, list), (OperatorAddress.webhook, webhook),
  ]

  private static let list: OperatorPages.PageMaker = { page in
    guard page.site.allows(ServiceEndpoints.webhooks) else { return onlyAdmins(page) }
    let list = try await page.answer(of: ServiceEndpoints.webhooks)
    let table = DataTable(
      caption: "Webhooks", columns: ["Name", "URL", "Types", "Environments", "State", "Created"],
      rows: list.webhooks.map(row)
    ).html(orNone: "There is no webhook.")
    return page.page(
      "Webhooks",
      """
      <h1>Webhooks</h1><p>The server posts a signed message to the URL of each webhook when something happens to a purchase.</p>
      <div id="webhooks" data-live>\(table)</div>\(creation(page))
      """)
  }

  private static func row(_ webhook: WebhookView) -> [HTML] {
    [
      "<a href=\"\(OperatorAddress.webhook(webhook.id))\">\(HTML.shortName(webhook.name))</a>", webhook.shortURL,
      webhook.shortTypes,
      "\(webhook.environments.map(\.rawValue).joined(separator: ", "))", webhook.stateBadge, webhook.created.html,
    ]
  }

  private static func creation(_ page: OperatorPageRequest) -> HTML {
    let call = APICall(
      "create", ServiceEndpoints.createWebhook,
      fields: WebhookFields(of: ServiceEndpoints.createWebhook.endpoint, apps: page.apps).all(nil))
    let form = CallForm(
      call: call, title: "Create the webhook", calls: page.calls, style: "button-primary", done: "", reveals: "secret")
    return """
      <section class="card" id="actions" aria-labelledby="create-title"><h2 id="create-title">Create a webhook</h2>
      <p>Its secret is shown once. The receiver checks the signatures with it, by Standard Webhooks.</p>\(form.html)</section>
      """
  }

  /// The sections are the same for all roles, so the page says why it is empty.
  private static func onlyAdmins(_ page: OperatorPageRequest) -> Response {
    page.page(
      "Webhooks", "<h1>Webhooks</h1><p class=\"card\">Only a key with the role admin can see and change webhooks.</p>")
  }

  private static let webhook: OperatorPages.PageMaker = { page in
    guard page.site.allows(ServiceEndpoints.webhook) else { return onlyAdmins(page) }
    let (id, after, rows) = (try page.query.required("id"), page.query["after"], try page.rows())
    let state = try page.query.word("state", WebhookDelivery.State.allCases)
    let webhook = try await page.answer(of: ServiceEndpoints.webhook, id)
    let list = try await page.answer(
      of: ServiceEndpoints.webhookDeliveries, id,
      query: [("state", state?.rawValue), ("after", after), ("limit", "\(rows)")])
    let content = WebhookPage(
      webhook: webhook, deliveries: list, state: state, after: after, rows: rows, page: page)
    return page.page("Webhook", content.html)
  }
}

/// The fields of the forms that create and change a webhook.
struct WebhookFields {
  private let fields: EndpointFields
  private let apps: [BundleID]

  /// - Parameter apps: the apps of the server.
  init<Path, Query, Body, Answer>(of endpoint: Endpoint<Path, Query, Body, Answer>, apps: [BundleID]) {
    fields = EndpointFields(of: endpoint)
    self.apps = apps
  }

  /// - Parameter webhook: the webhook that is changed; nil for a new one.
  func all(_ webhook: WebhookView?) -> [FormField] {
    let environments = webhook?.environments.map(\.rawValue) ?? [StoreEnvironment.production.rawValue]
    var all = [
      fields.field("name", "Name", text: webhook?.name ?? "", isRequired: true),
      fields.field("url", "URL", text: webhook?.url ?? "", hint: "https", isRequired: true),
    ]
    let types = webhook?.types?.map(\.rawValue)
    // A webhook that has only types of a later version keeps them: a list without a checked box would stand for all.
    if types?.isEmpty != true {
      all.append(
        list(
          "types", "Types", WebhookMessageType.allCases.filter { $0 != .test }.map(\.rawValue), types ?? [],
          hint: "None: all types, also those of later versions."))
    }
    all.append(
      list(
        "environments", "Environments", [StoreEnvironment.production, .sandbox].map(\.rawValue), environments,
        hint: "Of the purchases."))
    let (configured, chosen) = (apps.map(\.rawValue), webhook?.apps?.map(\.rawValue) ?? [])
    if configured.count > 1 || !Set(chosen).isSubset(of: configured) {
      all.append(list("apps", "Apps", configured, chosen, hint: "None: all apps."))
    }
    return all + [fields.reason]
  }

  /// A list without a checked box is sent, too: it stands for all. So a chosen value always has a box, also if it is no longer
  /// configured.
  private func list(
    _ member: String, _ label: String, _ values: [String], _ chosen: [String], hint: String
  ) -> FormField {
    let gone = chosen.filter { !values.contains($0) }
    let choices: [FormField.Choice] = values.map { .init($0) } + gone.map { .init($0, "\($0) (not configured)") }
    return fields.field(
      member, label, .wholeTexts, text: chosen.joined(separator: " "), input: .checks(choices), hint: hint)
  }
}

extension WebhookView {
  var stateBadge: HTML {
    guard disabled != nil else { return "<span class=\"badge badge-good\">enabled</span>" }
    return "<span class=\"badge \(problem == nil ? "" : "badge-bad")\">disabled</span>"
  }

  /// The name of one type, or else the number of types.
  fileprivate var shortTypes: HTML {
    guard let types else { return "all types" }
    return types.count == 1 ? "\(types.map { HTML.constant($0.rawValue) })" : "\(types.count) types"
  }

  /// The URL without its query, which can have a secret.
  fileprivate var shortURL: HTML {
    .identifier(url.split(separator: "?", maxSplits: 1).first.map(String.init) ?? "", limit: 80)
  }
}
