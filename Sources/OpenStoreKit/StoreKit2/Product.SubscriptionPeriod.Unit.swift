import Foundation
import StoreModel

extension Product.SubscriptionPeriod {
  /// The unit of a period. Implements Apple's `Product.SubscriptionPeriod.Unit`.
  public enum Unit: Equatable, Hashable, Sendable, Comparable, CustomDebugStringConvertible {
    case day
    case week
    case month
    case year

    init(_ unit: CalendarPeriod.Unit) {
      self =
        switch unit {
        case .day: .day
        case .week: .week
        case .month: .month
        case .year: .year
        }
    }

    /// The unit in English, such as `Month`.
    public var localizedDescription: String {
      switch self {
      case .day: "Day"
      case .week: "Week"
      case .month: "Month"
      case .year: "Year"
      }
    }

    public var debugDescription: String { localizedDescription.lowercased() }

    /// The unit as text, with `Product.subscriptionPeriodUnitFormatStyle`.
    public func formatted<S>(_ format: S) -> S.FormatOutput where S: Foundation.FormatStyle, S.FormatInput == Unit {
      format.format(self)
    }

    /// Writes a unit without a number, such as `month`. Implements Apple's
    /// `Product.SubscriptionPeriod.Unit.FormatStyle`.
    public struct FormatStyle: Foundation.FormatStyle {
      public typealias FormatInput = Unit
      public typealias FormatOutput = String

      private var language: Locale

      init(locale: Locale) { language = locale }

      /// The unit in the language of the style; in English if its words are not known.
      public func format(_ value: Unit) -> String { PeriodWords(locale: language).word(for: value, count: 1) }

      /// The same style in another language.
      public func locale(_ locale: Locale) -> FormatStyle { FormatStyle(locale: locale) }
    }
  }
}

/// The words for calendar units. Foundation on Linux has them in styles for durations only, which have no months and years.
struct PeriodWords {
  private let words: [Product.SubscriptionPeriod.Unit: (one: String, other: String)]
  /// The separator between a number and a unit.
  private let space: String

  /// - Parameter locale: English is used if the words of its language are not known.
  init(locale: Locale) {
    let language = locale.language.languageCode?.identifier ?? "en"
    let row = Self.table[language] ?? Self.english
    words = [.day: row.day, .week: row.week, .month: row.month, .year: row.year]
    space = ["ja", "ko", "zh"].contains(language) ? "" : " "
  }

  func word(for unit: Product.SubscriptionPeriod.Unit, count: Int) -> String {
    guard let forms = words[unit] else { return "" }
    return count == 1 ? forms.one : forms.other
  }

  func text(_ count: Int, _ unit: Product.SubscriptionPeriod.Unit) -> String {
    "\(count)\(space)\(word(for: unit, count: count))"
  }

  private typealias Forms = (one: String, other: String)
  private typealias UnitForms = (day: Forms, week: Forms, month: Forms, year: Forms)

  private static let english: UnitForms = (("day", "days"), ("week", "weeks"), ("month", "months"), ("year", "years"))

  /// Languages in which a unit has at most two forms: one for 1, and one for larger numbers.
  private static let table: [String: UnitForms] = [
    "en": english,
    "da": (("dag", "dage"), ("uge", "uger"), ("måned", "måneder"), ("år", "år")),
    "de": (("Tag", "Tage"), ("Woche", "Wochen"), ("Monat", "Monate"), ("Jahr", "Jahre")),
    "es": (("día", "días"), ("semana", "semanas"), ("mes", "meses"), ("año", "años")),
    "fr": (("jour", "jours"), ("semaine", "semaines"), ("mois", "mois"), ("an", "ans")),
    "it": (("giorno", "giorni"), ("settimana", "settimane"), ("mese", "mesi"), ("anno", "anni")),
    "ja": (("日", "日"), ("週間", "週間"), ("か月", "か月"), ("年", "年")),
    "ko": (("일", "일"), ("주", "주"), ("개월", "개월"), ("년", "년")),
    "nb": (("dag", "dager"), ("uke", "uker"), ("måned", "måneder"), ("år", "år")),
    "nl": (("dag", "dagen"), ("week", "weken"), ("maand", "maanden"), ("jaar", "jaar")),
    "pt": (("dia", "dias"), ("semana", "semanas"), ("mês", "meses"), ("ano", "anos")),
    "sv": (("dag", "dagar"), ("vecka", "veckor"), ("månad", "månader"), ("år", "år")),
    "tr": (("gün", "gün"), ("hafta", "hafta"), ("ay", "ay"), ("yıl", "yıl")),
    "zh": (("天", "天"), ("周", "周"), ("个月", "个月"), ("年", "年")),
  ]
}
