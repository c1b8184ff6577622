/// Translates words of names in German, French, Spanish, Portuguese, Italian, Dutch and Japanese.
enum ForeignWords {
  /// Returns the English words; words that are not known stay as they are.
  ///
  /// - Parameter words: In lower case.
  static func english(_ words: [String]) -> [String] {
    if words.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }), !words.contains(where: { meaning($0) != nil }) {
      return words
    }
    let plain = words.flatMap(parts).map(withoutMarks)
    guard plain != words || plain.contains(where: { meaning($0) != nil }) else { return words }
    let rest = plain.filter { !articles.contains($0) }
    var english: [String] = []
    var place = 0
    while place < rest.count {
      if place + 1 < rest.count, let both = table[rest[place] + " " + rest[place + 1]] {
        english += both
        place += 2
      } else {
        english += meaning(rest[place]) ?? [rest[place]]
        place += 1
      }
    }
    return english
  }

  /// Returns the English words of a word, of its singular or of its other gender.
  private static func meaning(_ word: String) -> [String]? {
    if let known = table[word] { return known }
    guard word.utf8.count > 4 else { return nil }
    let stem = word.hasSuffix("s") ? String(word.dropLast()) : word
    return table[stem] ?? (stem.hasSuffix("a") ? table[stem.dropLast() + "o"] : nil)
      ?? (stem.hasSuffix("ee") ? table[String(stem.dropLast())] : nil)
  }

  /// Returns the known parts of a Japanese word, which has no spaces, and its Latin letters; another word as it is.
  private static func parts(of word: String) -> [String] {
    guard word.unicodeScalars.contains(where: { (0x3040...0x9FFF).contains($0.value) }) else { return [word] }
    var parts: [String] = []
    var latin = ""
    var rest = word[...]
    while let first = rest.first {
      let known = (1...min(longest, rest.count)).reversed().first { table[String(rest.prefix($0))] != nil }
      if known == nil, first.isASCII {
        latin.append(first)
      } else if !latin.isEmpty {
        parts.append(latin)
        latin = ""
      }
      if let known { parts.append(String(rest.prefix(known))) }
      rest = rest.dropFirst(known ?? 1)
    }
    if !latin.isEmpty { parts.append(latin) }
    return parts.isEmpty ? [word] : parts
  }

  /// The number of characters of the longest Japanese word.
  private static let longest = 9

  /// Returns the word with plain letters for those with marks.
  static func withoutMarks(_ word: String) -> String {
    if word.utf8.allSatisfy({ $0 < 0x80 }) { return word }
    return word.map { marks[$0] ?? String($0) }.joined()
  }

  private static let marks: [Character: String] = [
    "ä": "a", "ö": "o", "ü": "u", "ß": "ss", "é": "e", "è": "e", "ê": "e", "á": "a", "à": "a", "â": "a", "í": "i",
    "î": "i", "ó": "o", "ô": "o", "ú": "u", "ù": "u", "û": "u", "ñ": "n", "ç": "c",
    "ã": "a", "õ": "o", "ì": "i", "ò": "o", "ë": "e", "ï": "i",
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
    "renewal:verlangerung, verlaengerung, renouvellement, renovacion, renovacao, rinnovo, verlenging, folgezahlung",
    "id:kennung, identifiant, identificador, identificativo",
    "customer id:kundennummer, kundennr, numero client, numero cliente, codigo cliente, klantnummer",
    "user id:nutzernummer, benutzernummer, mitgliedsnummer, nutzerkennung, benutzerkennung",
    "order id:bestellnummer, numero commande, numero pedido", "invoice id:belegnummer, rechnungsnummer, numero facture",
    "date:belegdatum, rechnungsdatum, buchungsdatum, bestelldatum, kaufdatum, zahlungsdatum, transaktionsdatum",
    "type:typ, tipo, belegart, ereignisart, vorgangsart, transaktionsart, buchungsart, ereignistyp",
    "name:nom, nome, nombre", "status:estado, situacao, statut, stato, zustand, etat",
    "product:artikelbezeichnung, artikelname, produktname", "plan:tarif, tarifa, formule, plano, abomodell",
    "value:valor, valeur, valore, wert", "gross amount:bruttobetrag, gesamtbetrag, rechnungsbetrag, montant ttc",
    "net amount:nettobetrag, montant ht", "gross:brutto, bruto, brut", "net:netto, neto",
    "variant:testgruppe, versuchsgruppe", "from:von", "until:bis, hasta, ate, jusqu, fino", "since:seit, desde, depuis",
    "start:beginn, anfang, debut, inicio, inizio", "end:ende, fin, fim, einde",
    "first:zuerst, primero, primeiro, primeira, primo, prima", "ended:beendet",
    "paywall:bezahlseite, kaufseite, aboseite, bezahlbildschirm, angebotsseite, muro pago, pantalla suscripcion, "
      + "pantalla compra, ecran abonnement, ecran achat, page abonnement, tela assinatura, tela pagamento, tela compra, "
      + "tela planos, pagina assinatura, schermata abbonamento, schermata acquisto",
    "offer:angebot, oferta, offre, offerta",
    "viewed:angesehen, aufgerufen, visualizado, visualizada, visualizzato, visualizzata, consulte, consultee",
    "shown:affichage, exibicao", "seen:vu, viu, vio", "impression:visualizacion, visualizacao, visualizzazione",
    "closed:geschlossene, fermeture, cierre",
    "trial:probezeitraum, probemonat, probewoche, periodo prueba, periode essai, periodo teste, periodo prova",
    "free:gratis", "activated:aktiviert, activado, activee, ativado, ativada, geactiveerd",
    "paid:bezahlt, pagado, paga, paye, payee, pagato, betaald", "subscription:souscription, abonnements",
    "expired:ausgelaufen, expire, expiree", "abandoned:abgebrochen, abandonne, abandonado, abbandonato",
    "cancelled:storniert, cancele, resiliee, annulee", "subscription cancelled:desabonnement, opzegging, disdette",
    "refund:gutschrift, ruckzahlung, rueckzahlung, devolucion, devolucao, reembolsado, "
      + "devuelto, devolvido, rimborsata", "charge:cobro, cobranca",
    "invoice:rechnung, factura, fatura, facture, fattura, factuur", "order:bestellung, commande, pedido, ordine",
    "first purchase:erstkauf",
    // Japanese; the longest word that fits is taken.
    "time:日時, 時刻, 時間, タイムスタンプ", "date:日付, 年月日", "user:ユーザー, ユーザ, 利用者", "member:会員", "customer:顧客, お客様",
    "event:イベント", "action:アクション, 操作", "name:名", "id:識別子",
    "source:表示元, 流入元, 遷移元, 経路, 表示場所, 画面", "variant:パターン, バリアント, グループ", "experiment:実験",
    "product:商品, 製品, プロダクト", "plan:プラン", "price:価格, 料金", "amount:金額, 売上", "currency:通貨", "country:国",
    "platform:プラットフォーム", "days:日数", "period:期間", "status:状態, ステータス",
    "trial:無料体験, 無料トライアル, トライアル, お試し, 体験, 無料期間", "trial days:体験日数, お試し日数, トライアル日数, トライアル期間, 無料期間日数",
    "paywall:課金画面, ペイウォール, 購入画面, 課金ページ, 有料プラン画面", "shown:表示, 閲覧", "closed:閉じる, 閉じた, 閉じ",
    "started:開始", "ends:終了日", "ended:終了", "completed:完了, 成功", "failed:失敗", "purchase:購入, 課金", "first:初回",
    "subscription:定期購入, サブスクリプション, サブスク, 購読, 定期購読, 有料会員", "renewal:自動更新, 契約更新, 更新",
    "subscription cancelled:解約, 退会, 自動更新オフ, 自動更新停止", "cancelled:キャンセル", "subscription expired:期限切れ, 失効",
    "refund:返金, 払い戻し", "payment:支払い, 支払, 決済, 入金", "app:アプリ", "started:起動", "registered:登録",
  ]
}
