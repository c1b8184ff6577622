internal import Foundation

/// Translates words of names in German, French, Spanish, Portuguese, Italian, Dutch, Polish, Swedish, Danish, Norwegian,
/// Finnish, Czech, Turkish, Indonesian, Russian, Japanese, Chinese and Korean.
enum ForeignWords {
  /// Returns the English words; words that are not known stay as they are.
  ///
  /// - Parameter words: In lower case.
  static func english(_ words: [String]) -> [String] {
    if words.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }),
      !words.contains(where: { meaning($0) != nil || firstWords.contains($0) })
    {
      return words
    }
    let plain = words.flatMap(parts).map(withoutMarks)
    guard plain != words || plain.contains(where: { meaning($0) != nil || firstWords.contains($0) }) else {
      return words
    }
    let rest = plain.filter { !articles.contains($0) }
    var english: [String] = []
    var place = 0
    while place < rest.count {
      if place + 1 < rest.count, let both = table[rest[place] + " " + rest[place + 1]] {
        english += both
        place += 2
      } else {
        english += meaning(rest[place]) ?? ending(rest[place]) ?? [rest[place]]
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

  /// Returns the English words of a word of at least six letters that is a known one but for two letters at its end, as in
  /// another case or gender.
  private static func ending(_ word: String) -> [String]? {
    if likeForeign.contains(word) { return nil }
    return (0...2).lazy.compactMap { stems[String(word.dropLast($0))] ?? nil }.first
  }

  /// English words that begin as foreign words of another meaning do.
  private static let likeForeign: Set<String> = [
    "original", "client", "clients", "import", "imported", "comment", "comments", "command", "order", "active",
  ]

  /// English words by known words without their last letters; `nil` where several words with other meanings have these.
  private static let stems: [String: [String]?] = {
    var stems: [String: [String]?] = [:]
    for (word, english) in table where !word.contains(" ") {
      for stem in (0...2).map({ String(word.dropLast($0)) }) where stem.count >= 6 {
        stems[stem] = .some(stems[stem].map { $0 == english ? english : nil } ?? english)
      }
    }
    return stems
  }()

  /// Returns the known parts of a Japanese, Chinese or Korean word, which may have no spaces, and its Latin letters; another
  /// word as it is.
  private static func parts(of word: String) -> [String] {
    guard
      word.unicodeScalars.contains(where: {
        (0x3040...0x9FFF).contains($0.value) || (0xAC00...0xD7A3).contains($0.value)
      })
    else { return [word] }
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

  /// The number of characters of the longest word without spaces.
  private static let longest = 9

  /// Returns the word with plain letters for those with marks.
  static func withoutMarks(_ word: String) -> String {
    if word.utf8.allSatisfy({ $0 < 0x80 }) { return word }
    let scalars = word.decomposedStringWithCanonicalMapping.unicodeScalars
    let plain = scalars.filter { !(0x300...0x36F).contains($0.value) }
    return String(String.UnicodeScalarView(plain)).map { letters[$0] ?? String($0) }.joined()
  }

  /// Letters that are no others with marks.
  private static let letters: [Character: String] = [
    "ß": "ss", "ł": "l", "ı": "i", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d",
  ]

  private static let articles: Set<String> = [
    "de", "des", "du", "d", "la", "le", "les", "l", "el", "los", "las", "del", "di", "il", "het", "van",
  ]

  /// The first of two words that mean something together.
  private static let firstWords = Set(
    table.keys.compactMap { key in key.firstIndex(of: " ").map { String(key[..<$0]) } })

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
    "date:datum, fecha, data", "event:ereignis, evenement, evento, gebeurtenis", "action:aktion, accion, azione, actie",
    "source:herkunft, quelle, einstieg, emplacement, ecran, pantalla, tela, origine, origen, origem, schermata, "
      + "sorgente, scherm, bron",
    "product:produkt, produit, producto, produto, prodotto", "item:artikel, articolo",
    "price:preis, prix, precio, preco, prezzo, prijs", "amount:betrag, montant, importe, monto, importo, bedrag",
    "currency:wahrung, waehrung, devise, moneda, moeda, valuta, divisa", "variant:variante",
    "group:gruppe, groupe, grupo, gruppo, groep", "country:land, pays, pais, paese",
    "platform:plattform, plateforme, plataforma, piattaforma",
    "trial days:testtage, probetage, dias prueba, dias teste, jours essai, giorni prova, dagen proef",
    "trial duration:duree essai, testdauer", "days:tage, jours, dias, giorni, dagen", "duration:duree, dauer, durata",
    "paywall:bezahlschranke, pantalla pago, ecran paiement, betaalmuur",
    "shown:angezeigt, affiche, mostrado, exibido, mostrato, getoond, weergegeven", "seen:gesehen, vue, visto",
    "closed:geschlossen, weggeklickt, ferme, cerrado, fechado, chiuso, gesloten",
    "trial:testphase, testzeitraum, probezeit, probeabo, essai, prueba, teste, prova, proefperiode, proef",
    "ends:endet, finit, termina, finisce", "first:erste, erster, premier, premiere, primer, eerste",
    "successful:erfolgreich, reussi, reussie, exitoso, riuscito, geslaagd",
    "free:kostenlos, kostenlose, gratuit, gratuito",
    "started:gestartet, begonnen, commence, demarre, iniciado, iniziato, avviato, gestart",
    "subscription:abo, abonnement, suscripcion, assinatura, abbonamento",
    "completed:abgeschlossen, termine, completado, souscrit, souscrite, contratada, completato, attivato",
    "renewed:verlangert, verlaengert, erneuert, renouvele, renovado, rinnovato, verlengd",
    "cancelled:gekundigt, gekuendigt, resilie, annule, cancelado, annullato, disdetto, opgezegd, geannuleerd",
    "refund:ruckerstattung, rueckerstattung, erstattung, erstattet, remboursement, rembourse, reembolso, rimborso, "
      + "rimborsato, terugbetaling, terugbetaald",
    "opened:geoffnet, geoeffnet, ouverture, ouverte, abierto, aberto, aperto, geopend",
    "purchase:kauf, achat, compra, acquisto, aankoop", "purchased:gekauft, achete, comprado, acquistato, gekocht",
    "payment:zahlung, paiement, pago, pagamento, betaling",
    "failed:fehlgeschlagen, gescheitert, echec, echoue, fallido, fallito, mislukt",
    "declined:abgelehnt, rechazado, rifiutato, geweigerd",
    "expired:abgelaufen, caducada, vencida, expirada, scaduto, verlopen", "expires:vence, expira, scade, scadenza",
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
    "first:zuerst, primero, primeiro, primo", "ended:beendet",
    "paywall:bezahlseite, kaufseite, aboseite, bezahlbildschirm, angebotsseite, muro pago, pantalla suscripcion, "
      + "pantalla compra, ecran abonnement, ecran achat, page abonnement, tela assinatura, tela pagamento, "
      + "tela compra, tela planos, pagina assinatura, schermata abbonamento, schermata acquisto",
    "offer:angebot, oferta, offre, offerta", "viewed:angesehen, aufgerufen, visualizado, visualizzato, consulte",
    "shown:affichage, exibicao", "seen:vu, viu, vio", "impression:visualizacion, visualizacao, visualizzazione",
    "closed:geschlossene, fermeture, cierre",
    "trial:probezeitraum, probemonat, probewoche, periodo prueba, periode essai, periodo teste, periodo prova",
    "free:gratis", "activated:aktiviert, activado, activee, ativado, geactiveerd",
    "paid:bezahlt, pagado, paga, paye, pagato, betaald", "subscription:souscription", "expired:ausgelaufen, expire",
    "abandoned:abgebrochen, abandonne, abandonado, abbandonato", "cancelled:storniert, cancele, annulation",
    "subscription cancelled:desabonnement, opzegging, disdette",
    "refund:gutschrift, ruckzahlung, rueckzahlung, devolucion, devolucao, reembolsado, devuelto, devolvido",
    "charge:cobro, cobranca", "invoice:rechnung, factura, fatura, facture, fattura, factuur",
    "order:bestellung, commande, pedido, ordine", "first purchase:erstkauf",
    // Japanese; the longest word that fits is taken.
    "time:日時, 時刻, 時間, タイムスタンプ", "date:日付, 年月日", "user:ユーザー, ユーザ, 利用者", "member:会員", "customer:顧客, お客様", "event:イベント",
    "action:アクション, 操作", "name:名", "id:識別子", "source:表示元, 流入元, 遷移元, 経路, 表示場所, 画面", "variant:パターン, バリアント, グループ",
    "experiment:実験", "product:商品, 製品, プロダクト", "plan:プラン", "price:価格, 料金", "amount:金額, 売上", "currency:通貨", "country:国",
    "platform:プラットフォーム", "days:日数", "period:期間", "status:状態, ステータス", "trial:無料体験, 無料トライアル, トライアル, お試し, 体験, 無料期間",
    "trial days:体験日数, お試し日数, トライアル日数, トライアル期間, 無料期間日数", "paywall:課金画面, ペイウォール, 購入画面, 課金ページ, 有料プラン画面", "shown:表示, 閲覧",
    "closed:閉じる, 閉じた, 閉じ", "started:開始", "ends:終了日", "ended:終了", "completed:完了, 成功", "failed:失敗", "purchase:購入, 課金",
    "first:初回", "subscription:定期購入, サブスクリプション, サブスク, 購読, 定期購読, 有料会員", "renewal:自動更新, 契約更新, 更新",
    "subscription cancelled:解約, 退会, 自動更新オフ, 自動更新停止", "cancelled:キャンセル", "subscription expired:期限切れ, 失効",
    "refund:返金, 払い戻し", "payment:支払い, 支払, 決済, 入金", "app:アプリ", "started:起動", "registered:登録",
    // More words of the languages above.
    "when:wann, quand, cuando, quando, wanneer, kiedy", "member:mitglied, membre, miembro, membro, uye, medlem",
    "subscriber:abonnent, suscriptor, assinante, abonne, abbonato", "action:acao, azione",
    "event:vorgang, vorfall, acontecimiento, acontecimento", "trigger:ausloser, disparador, declencheur",
    "source:bildschirm, ecra, provenance, provenienza, procedencia, procedenza", "amount:summe, somme, montante",
    "currency:monnaie", "cell:cellule, celula",
    "variant:grupo prueba, grupo teste, gruppo prova, groupe test, gruppo test, testgroep",
    "trial days:dias experiencia, dias experimental, dias gratis, giorni gratis, gratis dagen",
    "paywall:ecra pagamento, ecra assinatura, ecra subscricao, pantalla pagos, mur paiement, bezahlwand, betaalscherm, "
      + "aankoopscherm, abonnementsscherm, schermata pagamento, muro pagamento",
    "offer:aanbod", "shown:eingeblendet, presentado, apresentado", "viewed:bekeken, betrachtet, visionne, visualise",
    "seen:vus, vues", "closed:verlassen, weggeklickt, weggeklikt, quitte, descartado",
    "dismissed:ignoree, ignorado, ignorata",
    "trial:gratiswoche, gratismonat, testmonat, testwoche, testabo, gratistest, periodo experimental, gratis test, "
      + "kostenloser test, kostenlosen test",
    "started:empezado, comenzado, comecado, iniciou, lance, debute, begon, lancement",
    "subscription:subscricao, mitgliedschaft, abonnemang", "session:sesion, sessao, sessione, sitzung, sessie",
    "app:aplicacion, aplicacao, applicazione, applicatie", "purchased:erworben, adquirido",
    "completed:realizado, efectuado, efetuado, effettuato, gedaan, voltooid, afgerond, getatigt, erfolgt, finalise",
    "purchase completed:compra finalizada, pedido finalizado",
    "confirmed:confirmado, confirmee, confermato, bestatigt, bevestigd", "renewed:prolonge, prorrogado, vernieuwd",
    "recurring:recurrent, recurrente, recorrente, ricorrente, wiederkehrend, wiederkehrende, periodiek",
    "charge:prelevement, abbuchung, incasso, addebito",
    "off:desactivado, desativado, desligado, desactive, disattivato, abgeschaltet, ausgeschaltet, deaktiviert, "
      + "uitgezet, uitgeschakeld, desactivation, deaktivierung",
    "access:zugang, zugriff, acceso, acesso, acces, accesso, toegang", "access ended:acces termine",
    "subscription ended:abonnement termine", "trial ended:essai termine",
    "ended:erloschen, finalizado, terminado, terminee, terminato, afgelopen, geeindigd",
    "refund:estorno, estornado, geld zuruck, geld terug, geld teruggegeven", "days:giorno", "first:eerst",
    "trial:proefabonnement, proefweek", "renewed:reconduit, reconduite, renovou, renovo", "test:teste a, prueba a",
    "opened:abrio, abriu", "closed:cerro, fechou", "started:empezo, comenzo, comecou", "purchased:compro, comprou",
    "cancelled:cancelo, cancelou", "expired:expiro, expirou", "refund:devolveu", "viewed:visualizou",
    "shown:mostrou, mostro, exibiu", "subscribed:assinou, suscribio", "paid:pagou", "refund:reembolsou",
    // Polish.
    "subscription:subskrypcji, abonamentu", "shown:wyswietlil", "purchased:kupil, kupila", "cancelled:anulowal",
    "renewed:odnowil", "user:uzytkownik", "customer:klient", "event:zdarzenie", "action:akcja", "time:czas, godzina",
    "source:zrodlo, ekran", "product:produktu", "price:cena", "amount:kwota", "currency:waluta", "variant:wariant",
    "country:kraj", "days:dni", "trial days:dni probne, dni probnych, dni proby",
    "paywall:ekran subskrypcji, ekran platnosci, ekran zakupu", "offer:ofert",
    "shown:wyswietlony, wyswietlono, pokazany, pokazano", "closed:zamkniety, zamknieto",
    "trial:okres probny, okresu probnego, proba, probny", "started:rozpoczety, rozpoczeto", "start:poczatek",
    "end:koniec", "subscription:subskrypcja, abonament", "purchase:zakup", "purchased:kupiony, kupiono, zakupiono",
    "renewed:odnowiony, odnowiono", "renewal:odnowienie", "cancelled:anulowany, anulowano",
    "subscription cancelled:rezygnacja", "expired:wygasl, wygaslo", "ended:zakonczony, zakonczono",
    "refund:zwrot, zwrot pieniedzy, zwrocono", "payment:platnosc", "paid:oplacony, oplacono",
    "failed:nieudana, nieudany", "first:pierwsza, pierwszy", "app:aplikacja", "opened:uruchomiona, otwarta",
    "session:sesja",
    // Swedish.
    "user:anvandare", "customer:kund", "event:handelse", "time:tidpunkt", "source:kalla, skarm", "price:pris",
    "amount:belopp, summa", "variant:testgrupp", "group:grupp", "days:dagar", "trial days:provdagar",
    "paywall:betalvagg, betalningsvagg", "offer:erbjudande", "shown:visad, visat, visades",
    "closed:stangd, stangt, stangdes", "trial:provperiod", "started:startad, startat, startades, paborjad",
    "subscription:prenumeration", "purchase:kop", "purchased:kopt, koptes", "renewed:fornyad, fornyat, fornyades",
    "renewal:fornyelse", "cancelled:avslutad, avslutades, uppsagd, avbruten", "expired:utgangen, utgatt",
    "refund:aterbetalning, aterbetald", "payment:betalning", "paid:betald, betalt", "failed:misslyckad, misslyckades",
    "first:forsta", "opened:oppnad, oppnades",
    // Danish and Norwegian.
    "user:bruger, bruker", "event:haendelse, hendelse", "action:handling", "time:tidspunkt, klokkeslaet", "date:dato",
    "source:skaerm, skjerm, kilde, placering, plassering", "amount:belob, beloeb", "days:dage, dager",
    "trial days:provedage, provedager", "offer:tilbud", "shown:vist, vises", "closed:lukket",
    "paywall:betalingsmur, betalingsvaeg, betalingsvegg, betalingsskaerm, betalingsskjerm, betalingsside, "
      + "abonnementsside, kobsside, kjopsside",
    "trial:proveperiode, provetid", "started:startet, begyndt, pabegyndt", "purchased:kobt, kjopt",
    "purchase:kob, kjop", "renewed:fornyet", "cancelled:opsagt, oppsagt, annulleret, annullert, afbrudt, avbrutt",
    "expired:udlobet, utlopt, utgatt", "failed:mislykket, mislykkedes, fejlet, feilet", "first:forste",
    "refund:refundering, refusjon, refunderet, refundert, tilbagebetaling, tilbakebetaling, tilbagebetalt",
    "opened:abnet, apnet", "paid:betalt",
    // Finnish.
    "user:kayttaja", "customer:asiakas", "event:tapahtuma", "action:toiminto", "time:aika, aikaleima, ajankohta",
    "date:paivamaara, pvm", "source:lahde, naytto", "product:tuote", "price:hinta", "currency:valuutta",
    "variant:variantti, koeryhma", "group:ryhma", "country:maa", "days:paivaa", "trial days:kokeilupaivat",
    "paywall:maksumuuri", "shown:naytetty", "closed:suljettu", "trial:kokeilu, kokeilujakso",
    "started:aloitettu, alkoi", "subscription:tilaus", "purchased:ostettu", "purchase:osto", "renewed:uusittu",
    "renewal:uusinta", "cancelled:peruttu, peruutettu", "expired:paattynyt, vanhentunut",
    "refund:hyvitys, palautus, hyvitetty, palautettu", "payment:maksu", "paid:maksettu",
    "failed:epaonnistui, epaonnistunut", "opened:avattu", "app:sovellus",
    // Czech.
    "user:uzivatel", "customer:zakaznik", "event:udalost", "action:akce", "time:cas", "source:zdroj, obrazovka",
    "amount:castka", "currency:mena", "variant:varianta", "group:skupina", "country:zeme", "days:dny, dnu",
    "trial days:zkusebni dny", "paywall:platebni stena, platebni zed, platebni obrazovka", "shown:zobrazen, zobrazeno",
    "closed:zavren, zavreno", "trial:zkusebni doba, zkusebni obdobi", "started:zahajeno, zacalo",
    "subscription:predplatne, predplatneho", "purchased:zakoupeno, koupeno", "purchase:nakup",
    "renewed:obnoveno, prodlouzeno", "renewal:obnova, obnoveni", "cancelled:zruseno", "expired:vyprselo",
    "refund:vraceni penez, vraceno, refundace", "payment:platba", "paid:zaplaceno", "failed:selhala, neuspesna",
    "opened:otevrena, spustena", "app:aplikace",
    // Indonesian.
    "user:pengguna", "customer:pelanggan", "event:peristiwa, kejadian", "action:aksi, tindakan", "time:waktu",
    "date:tanggal", "source:sumber, layar, halaman", "product:produk", "price:harga", "amount:jumlah",
    "currency:mata uang", "variant:varian", "group:kelompok, grup", "country:negara", "days:hari",
    "trial days:hari percobaan", "paywall:halaman langganan, layar langganan", "shown:ditampilkan", "seen:dilihat",
    "closed:ditutup", "trial:uji coba, percobaan, masa percobaan", "started:dimulai",
    "subscription:langganan, berlangganan", "purchased:dibeli", "purchase:pembelian", "renewed:diperpanjang",
    "renewal:perpanjangan", "cancelled:dibatalkan", "expired:berakhir, kedaluwarsa", "refund:pengembalian dana",
    "payment:pembayaran", "paid:dibayar", "failed:gagal", "opened:dibuka", "app:aplikasi",
    // Russian, without marks.
    "user:пользователь, пользователя", "customer:клиент", "event:событие", "action:деиствие", "time:время", "date:дата",
    "source:источник, экран", "product:продукт, товар", "plan:тариф", "price:цена, стоимость", "amount:сумма",
    "currency:валюта",
    "variant:вариант", "group:группа", "country:страна", "platform:платформа", "days:дни, днеи",
    "trial days:пробных днеи", "paywall:пеивол, пеивола, пеиволл, пеиволла, экран оплаты, экран подписки",
    "shown:показан, показано, показ, просмотр", "closed:закрыт, закрыто, закрытие",
    "trial:триал, пробныи период, пробного периода", "started:начат, начато, начало, начался, старт",
    "subscription:подписка, подписки", "purchased:куплена, куплено, оформлена", "purchase:покупка",
    "renewed:продлена, продлено", "renewal:продление", "cancelled:отменена, отменено, отмена",
    "expired:истекла, истек, окончание",
    "refund:возврат, возврат средств", "payment:оплата, платеж", "paid:оплачена, оплачено", "failed:ошибка, неудачныи",
    "opened:открыто, открыт, открытие, запуск", "app:приложение, приложения",
    // Turkish.
    "subscription:aboneligi", "seen:gordu", "purchased:satin aldi", "cancelled:iptal etti", "user:kullanici",
    "customer:musteri", "event:olay, etkinlik", "action:eylem, islem", "date:tarih", "time:zaman, saat",
    "source:kaynak", "product:urun", "price:fiyat, ucret", "amount:tutar", "currency:para birimi, doviz",
    "variant:varyant, deney grubu", "group:grup", "country:ulke", "days:gunu", "trial days:deneme gunu",
    "paywall:odeme ekrani, odeme duvari, abonelik ekrani", "offer:teklif", "shown:goruntulendi, gosterildi",
    "seen:goruldu",
    "closed:kapatildi", "trial:deneme, deneme suresi, ucretsiz deneme", "started:basladi, baslatildi",
    "subscription:abonelik, uyelik", "purchased:satin alindi", "purchase:satin alma", "renewed:yenilendi",
    "renewal:yenileme", "renewal off:yenileme kapatildi", "cancelled:iptal edildi, iptal", "ended:sona erdi, bitti",
    "expired:suresi doldu", "refund:iade, iadesi, iade edildi, para iadesi", "payment:odeme", "paid:odendi",
    "completed:tamamlandi", "failed:basarisiz", "first:ilk", "app:uygulama", "opened:acildi",
    // Chinese; the longest word that fits is taken.
    "payment:付费, 付費", "time:时间, 時間", "user:用户, 使用者", "member:会员", "customer:客户", "event:事件", "action:行为, 动作",
    "source:来源, 页面, 入口, 场景, 來源", "variant:分组, 实验组, 分組", "experiment:实验", "product:产品, 產品", "plan:套餐, 方案",
    "price:价格, 價格", "amount:金额", "currency:币种, 货币, 幣別", "country:国家, 國家", "platform:平台", "days:天数",
    "trial days:试用天数, 試用天數", "paywall:付费墙, 订阅页, 付费页, 购买页, 付費牆", "shown:展示, 曝光, 显示, 浏览, 查看", "closed:关闭, 關閉",
    "trial:试用, 免费试用, 試用, 免費試用", "started:开始, 開始", "purchase:购买, 購買", "first:首次", "renewal:续订, 续费, 自动续订, 自动续费, 續訂",
    "subscription:订阅, 訂閱", "cancelled:取消", "subscription cancelled:退订, 关闭自动续费, 关闭自动续订", "expired:过期, 到期, 過期",
    "refund:退款", "payment:支付, 付款", "failed:失败", "opened:打开, 启动", "app:应用",
    // Korean.
    "time:일시, 시각, 시간", "date:날짜", "user:사용자, 유저", "member:회원", "customer:고객", "event:이벤트", "action:행동", "source:화면, 경로",
    "variant:그룹, 실험군", "product:상품, 제품", "plan:요금제", "amount:금액", "price:가격", "currency:통화", "country:국가",
    "platform:플랫폼", "trial days:체험일수", "paywall:결제화면, 결제 화면, 구독화면, 구독 화면, 페이월", "shown:조회, 노출, 표시", "closed:닫기, 닫음",
    "free:무료", "trial:체험, 무료체험", "started:시작", "subscription:구독", "renewed:갱신", "cancelled:취소",
    "subscription cancelled:해지", "expired:만료", "refund:환불", "payment:결제", "purchase:구매", "completed:완료", "failed:실패",
    "first:첫", "app:앱", "opened:실행",
  ]
}
