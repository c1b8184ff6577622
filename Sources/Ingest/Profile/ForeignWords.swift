/// Translates words of names in German, French, Spanish and Portuguese.
enum ForeignWords {
  /// Returns the English words; words that are not known stay as they are.
  ///
  /// - Parameter words: In lower case.
  static func english(_ words: [String]) -> [String] {
    let plain = words.map(withoutMarks)
    guard plain.contains(where: { table[$0] != nil }) else { return words }
    let rest = plain.filter { !articles.contains($0) }
    var english: [String] = []
    var place = 0
    while place < rest.count {
      if place + 1 < rest.count, let both = table[rest[place] + " " + rest[place + 1]] {
        english += both
        place += 2
      } else {
        english += table[rest[place]] ?? [rest[place]]
        place += 1
      }
    }
    return english
  }

  /// Returns the word with plain letters for those with marks.
  private static func withoutMarks(_ word: String) -> String {
    if word.utf8.allSatisfy({ $0 < 0x80 }) { return word }
    return word.map { marks[$0] ?? String($0) }.joined()
  }

  private static let marks: [Character: String] = [
    "ä": "a", "ö": "o", "ü": "u", "ß": "ss", "é": "e", "è": "e", "ê": "e", "á": "a", "à": "a", "â": "a", "í": "i",
    "î": "i", "ó": "o", "ô": "o", "ú": "u", "ù": "u", "û": "u", "ñ": "n", "ç": "c",
  ]

  private static let articles: Set<String> = [
    "de", "des", "du", "d", "la", "le", "les", "l", "el", "los", "las", "del",
  ]

  /// English words by one word or two.
  private static let table: [String: [String]] = {
    var table: [String: [String]] = [:]
    for line in lines {
      let parts = line.split(separator: ":")
      let english = parts[0].split(separator: " ").map(String.init)
      for word in parts[1].split(separator: ",") { table[String(word.drop { $0 == " " })] = english }
    }
    return table
  }()

  /// The words of columns, then those of events.
  private static let lines = [
    "user:nutzer, benutzer, utilisateur, usuario", "customer:kunde, kunden, cliente",
    "time:zeitpunkt, zeitstempel, uhrzeit, zeit, horodatage, heure, hora", "date:datum, fecha, data",
    "event:ereignis, evenement, evento", "action:aktion, accion",
    "source:herkunft, quelle, einstieg, emplacement, ecran, pantalla, tela, origine, origen, origem",
    "product:produkt, produit, producto, produto", "item:artikel", "price:preis, prix, precio, preco",
    "amount:betrag, montant, importe, monto", "currency:wahrung, waehrung, devise, moneda, moeda", "variant:variante",
    "group:gruppe, groupe, grupo", "country:land, pays, pais", "platform:plattform, plateforme, plataforma",
    "trial days:testtage, probetage, dias prueba, dias teste, jours essai", "trial duration:duree essai, testdauer",
    "days:tage, jours, dias", "duration:duree, dauer",
    "paywall:bezahlschranke, pantalla pago, ecran paiement",
    "shown:angezeigt, affiche, affichee, mostrada, mostrado, exibido, exibida",
    "seen:gesehen, vue, vista, visto",
    "closed:geschlossen, weggeklickt, ferme, fermee, cerrada, cerrado, fechado, fechada",
    "trial:testphase, testzeitraum, probezeit, probeabo, essai, prueba, teste",
    "free:kostenlos, kostenlose, gratuit, gratuita",
    "started:gestartet, begonnen, commence, commencee, demarre, iniciada, iniciado",
    "subscription:abo, abonnement, suscripcion, assinatura",
    "completed:abgeschlossen, termine, completada, completado, souscrit, souscrite, contratada",
    "renewed:verlangert, verlaengert, erneuert, renouvele, renovada, renovado",
    "cancelled:gekundigt, gekuendigt, resilie, annule, cancelada, cancelado",
    "refund:ruckerstattung, rueckerstattung, erstattung, erstattet, remboursement, rembourse, reembolso",
    "opened:geoffnet, geoeffnet, ouverture, ouverte, abierta, abierto, aberto, aberta", "purchase:kauf, achat, compra",
    "purchased:gekauft, achete, comprado, comprada", "payment:zahlung, paiement, pago",
    "failed:fehlgeschlagen, gescheitert, echec, echoue, fallida, fallido",
    "declined:abgelehnt, rechazada, rechazado", "expired:abgelaufen, caducada, vencida, expirada",
    "expires:vence, expira",
    "subscription cancelled:kundigung, kuendigung, resiliation, cancelacion",
    "renewal:verlangerung, verlaengerung, renouvellement, renovacion",
  ]
}
