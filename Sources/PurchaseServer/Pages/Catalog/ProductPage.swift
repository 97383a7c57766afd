import APIDescription
import PurchaseLedger
import StoreModel
import WebSupport

/// The page of a product: what it gives, its files and whether they can be delivered, and the form that publishes it.
struct ProductPage {
  let app: String
  let id: String
  /// Nil if the product is not published yet.
  let view: PublishedProductView?
  /// A language whose texts are added to the form.
  let language: String?
  let page: OperatorPageRequest

  private static let publishing = EndpointFields(of: ServiceEndpoints.publishProduct.endpoint)

  private var product: LedgerProduct? { view?.published.product }

  var html: HTML {
    """
    <p class="crumb"><a href="\(OperatorAddress.products(of: app))">Products</a></p>
    <div class="headline" id="head" data-live><h1>\(HTML.identifier(id))</h1>\(product?.listedBadge)</div>
    <section class="card" id="details" data-live aria-labelledby="details-title"><h2 id="details-title">Product</h2>\(details)</section>
    <section id="files" data-live aria-labelledby="files-title"><h2 id="files-title">Files</h2>\(files)\(fileCommands)</section>
    \(publication)
    """
  }

  private var details: HTML {
    guard let view, let product else { return "<p>It is not published yet.</p>" }
    var list = DetailList()
    list.add("App", chosen: app)
    list.add("Type", text: product.type.text)
    list.add("Gives", product.gives)
    list.add("Entitlements", text: product.entitlements.isEmpty ? nil : product.namesText)
    list.add("Changed", view.published.changed.html)
    for (language, texts) in product.localisations.sorted(by: { $0.key < $1.key }) {
      list.add(
        language, "\(HTML.name(texts.name))<span class=\"sub\">\(HTML.shortName(texts.description, limit: 400))</span>")
    }
    return list.html
  }

  private var files: HTML {
    let version: HTML =
      view.map { $0.files.isEmpty ? "" : "<p class=\"count\">Version \($0.published.contentVersion)</p>" } ?? ""
    let rows = (view?.files ?? []).map { published -> [HTML] in
      [
        .shortName(published.file.name, limit: 120), "\(published.file.size)",
        "<span class=\"mono small\">\(published.file.sha256)</span>", .shortName(published.file.mediaType, limit: 80),
        published.isStored
          ? "<span class=\"badge badge-good\">can be delivered</span>"
          : "<span class=\"badge badge-bad\">missing</span>",
      ]
    }
    let table = DataTable(
      caption: "Files of the current version",
      columns: ["Name", .init("Bytes", isNumber: true), "SHA-256", "Media type", "Delivery"], rows: rows
    ).html(orNone: "The product has no files.")
    return "\(version)\(table)"
  }

  /// A file can be larger than a form, so files are uploaded by commands.
  private var fileCommands: HTML {
    guard view != nil, page.site.allows(ServiceEndpoints.publishContent) else { return "" }
    let upload = page.calls.command(
      of: APICall("", ServiceEndpoints.uploadContent), options: ["--upload-file FILE"])
    let body = #"{"files": [{"name": "NAME", "sha256": "SHA256", "mediaType": "TYPE"}], "reason": "REASON"}"#
    let publish = page.calls.command(
      of: APICall("", ServiceEndpoints.publishContent, app, id),
      options: ["-H 'Content-Type: application/json'", "--data-raw \(ShellText.quoted(body))"])
    return """
      <p>Upload each file:</p>
      \(CommandView(id: "upload", title: "upload a file", text: upload).html)
      <p>Then publish all files of the version at once:</p>
      \(CommandView(id: "publish-files", title: "publish the files", text: publish).html)
      """
  }

  private var publication: HTML {
    guard page.site.allows(ServiceEndpoints.publishProduct) else { return "" }
    let call = APICall("publish", ServiceEndpoints.publishProduct, app, id, fields: fields)
    let form = CallForm(
      call: call, title: "Publish", calls: page.calls, style: "button-primary", done: "Published.",
      next: OperatorAddress.product(id, of: app))
    return """
      <section class="card" id="actions" aria-labelledby="publish-title"><h2 id="publish-title" data-live>\(view == nil ? "Publish" : "Change")</h2>
      <p>What is published replaces what was. Purchases that were redeemed keep what they gave.</p>
      \(form.html)\(languageForm)</section>
      """
  }

  private var fields: [FormField] {
    let consumable = FormField.Condition(name: "type", values: [ProductType.consumable.rawValue])
    let fields = Self.publishing
    return [
      fields.field("type", "Type", text: (product?.type ?? .nonConsumable).rawValue),
      fields.field(
        "credits.unit", "Unit", text: product?.credits?.unit.rawValue ?? "", hint: "Of the credits, such as coins.",
        when: consumable),
      fields.field("credits.amount", "Credits", text: product?.credits.map { "\($0.amount)" } ?? "", when: consumable),
      fields.field(
        "accessDays", "Days of access", text: product?.accessDays.map { "\($0)" } ?? "",
        hint: "Only for non-renewing subscriptions."),
      fields.field(
        "isListed", "Listed", text: "\(product?.isListed ?? true)", hint: "In the list of products that apps load."),
      fields.field(
        "entitlements", "Entitlements", text: product?.namesText ?? "",
        hint: "The names of what it gives, such as club, with spaces between. Empty: it gives none by name."),
    ] + texts + [fields.reason]
  }

  /// The texts of each language. They replace all texts, so those of every language are in the form.
  private var texts: [FormField] {
    let known = product?.localisations ?? [:]
    let languages = Set(known.keys).union(language.map { [$0] } ?? []).filter(Self.isLanguage).sorted()
    return languages.flatMap { language in
      [
        Self.publishing.field(
          "localisations.*.name", "Name (\(language))", .wholeText, text: known[language]?.name ?? "", key: language),
        Self.publishing.field(
          "localisations.*.description", "Description (\(language))", .wholeText,
          text: known[language]?.description ?? "", key: language),
      ]
    }
  }

  /// Whether a text can be a language tag. Other texts would not be names of fields; the API checks the tag.
  private static func isLanguage(_ text: String) -> Bool {
    text.wholeMatch(of: /[A-Za-z0-9\-]{1,50}/) != nil
  }

  private var languageForm: HTML {
    """
    <form class="filters" action="\(OperatorAddress.product)" method="get" aria-label="Add a language">
    <input type="hidden" name="app" value="\(app)"><input type="hidden" name="id" value="\(id)">\
    <input type="hidden" name="new" value="yes">
    <div class="field field-name"><label for="language">Another language</label>\
    <input type="text" id="language" name="language" required maxlength="50" autocomplete="off" placeholder="pt-BR"></div>
    <button type="submit">Add its texts</button></form>
    """
  }
}
