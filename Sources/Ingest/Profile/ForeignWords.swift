/// Translates words of names in German, French, Spanish, Portuguese, Italian and Dutch.
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
    "de", "des", "du", "d", "la", "le", "les", "l", "el", "los", "las", "del", "di", "il", "het", "van",
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
    "user:nutzer, benutzer, utilisateur, usuario, utente, gebruiker", "customer:kunde, kunden, cliente, klant",
    "time:zeitpunkt, zeitstempel, uhrzeit, zeit, horodatage, heure, hora, ora, orario, tijd, tijdstip",
    "date:datum, fecha, data",
    "event:ereignis, evenement, evento, gebeurtenis", "action:aktion, accion, azione, actie",
    "source:herkunft, quelle, einstieg, emplacement, ecran, pantalla, tela, origine, origen, origem, schermata, sorgente, scherm, bron",
    "product:produkt, produit, producto, produto, prodotto", "item:artikel, articolo",
    "price:preis, prix, precio, preco, prezzo, prijs",
    "amount:betrag, montant, importe, monto, importo, bedrag",
    "currency:wahrung, waehrung, devise, moneda, moeda, valuta, divisa", "variant:variante",
    "group:gruppe, groupe, grupo, gruppo, groep", "country:land, pays, pais, paese",
    "platform:plattform, plateforme, plataforma, piattaforma",
    "trial days:testtage, probetage, dias prueba, dias teste, jours essai, giorni prova, dagen proef",
    "trial duration:duree essai, testdauer",
    "days:tage, jours, dias, giorni, dagen", "duration:duree, dauer, durata",
    "paywall:bezahlschranke, pantalla pago, ecran paiement, betaalmuur",
    "shown:angezeigt, affiche, affichee, mostrada, mostrado, exibido, exibida, mostrato, mostrata, getoond, weergegeven",
    "seen:gesehen, vue, vista, visto",
    "closed:geschlossen, weggeklickt, ferme, fermee, cerrada, cerrado, fechado, fechada, chiuso, chiusa, gesloten",
    "trial:testphase, testzeitraum, probezeit, probeabo, essai, prueba, teste, prova, proefperiode, proef",
    "ends:endet, finit, termina, finisce", "first:erste, erster, erstes, premier, premiere, primera, primer, eerste",
    "successful:erfolgreich, reussi, reussie, exitoso, exitosa, riuscito, riuscita, geslaagd",
    "free:kostenlos, kostenlose, gratuit, gratuita, gratuito",
    "started:gestartet, begonnen, commence, commencee, demarre, iniciada, iniciado, iniziato, iniziata, avviato, avviata, gestart",
    "subscription:abo, abonnement, suscripcion, assinatura, abbonamento",
    "completed:abgeschlossen, termine, completada, completado, souscrit, souscrite, contratada, completato, completata, attivato, attivata",
    "renewed:verlangert, verlaengert, erneuert, renouvele, renovada, renovado, rinnovato, rinnovata, verlengd",
    "cancelled:gekundigt, gekuendigt, resilie, annule, cancelada, cancelado, annullato, annullata, disdetto, disdetta, opgezegd, geannuleerd",
    "refund:ruckerstattung, rueckerstattung, erstattung, erstattet, remboursement, rembourse, reembolso, rimborso, rimborsato, terugbetaling, terugbetaald",
    "opened:geoffnet, geoeffnet, ouverture, ouverte, abierta, abierto, aberto, aberta, aperto, aperta, geopend",
    "purchase:kauf, achat, compra, acquisto, aankoop",
    "purchased:gekauft, achete, comprado, comprada, acquistato, acquistata, gekocht",
    "payment:zahlung, paiement, pago, pagamento, betaling",
    "failed:fehlgeschlagen, gescheitert, echec, echoue, fallida, fallido, fallito, fallita, mislukt",
    "declined:abgelehnt, rechazada, rechazado, rifiutato, rifiutata, geweigerd",
    "expired:abgelaufen, caducada, vencida, expirada, scaduto, scaduta, verlopen",
    "expires:vence, expira, scade, scadenza",
    "subscription cancelled:kundigung, kuendigung, resiliation, cancelacion",
    "renewal:verlangerung, verlaengerung, renouvellement, renovacion, rinnovo, verlenging",
  ]
}
