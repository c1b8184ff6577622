/// The countries of ISO 3166-1 by code or English name.
enum CountryNames {
  /// Returns the alpha-2 code of an alpha-2 or alpha-3 code or an English name, in any case; `nil` if it is unknown.
  static func alpha2(_ text: String) -> String? {
    let upper = text.uppercased()
    if upper.utf8.count == 2 { return upper }
    if upper.utf8.count == 3, let code = StorefrontCountry.alpha2(upper) { return code }
    return byName[text.lowercased()]
  }

  /// Whether the text is a code of the table, not any two letters.
  static func isKnown(_ text: String) -> Bool {
    text.utf8.count == 2 ? codes.contains(text.uppercased()) : alpha2(text) != nil
  }

  private static let codes = Set(byName.values).union(StorefrontCountry.all)

  private static let byName = Dictionary(
    uniqueKeysWithValues: names.split(separator: "|").map { entry in
      let equals = entry.lastIndex(of: "=") ?? entry.endIndex
      return (String(entry[..<equals]), String(entry.suffix(2)))
    })

  private static let names = """
    afghanistan=AF|albania=AL|algeria=DZ|andorra=AD|angola=AO|antigua and barbuda=AG|argentina=AR|armenia=AM|\
    aruba=AW|australia=AU|austria=AT|azerbaijan=AZ|bahamas=BS|the bahamas=BS|bahrain=BH|bangladesh=BD|\
    barbados=BB|belarus=BY|belgium=BE|belize=BZ|benin=BJ|bermuda=BM|bhutan=BT|bolivia=BO|\
    bosnia and herzegovina=BA|bosnia & herzegovina=BA|botswana=BW|brazil=BR|brunei=BN|bulgaria=BG|\
    burkina faso=BF|burundi=BI|cambodia=KH|cameroon=CM|canada=CA|cape verde=CV|cabo verde=CV|cayman islands=KY|\
    central african republic=CF|chad=TD|chile=CL|china=CN|colombia=CO|comoros=KM|congo=CG|\
    congo - brazzaville=CG|congo - kinshasa=CD|democratic republic of the congo=CD|costa rica=CR|\
    cote d'ivoire=CI|côte d’ivoire=CI|côte d'ivoire=CI|ivory coast=CI|croatia=HR|cuba=CU|curacao=CW|curaçao=CW|\
    cyprus=CY|czechia=CZ|czech republic=CZ|denmark=DK|djibouti=DJ|dominica=DM|dominican republic=DO|ecuador=EC|\
    egypt=EG|el salvador=SV|equatorial guinea=GQ|eritrea=ER|estonia=EE|eswatini=SZ|swaziland=SZ|ethiopia=ET|\
    faroe islands=FO|fiji=FJ|finland=FI|france=FR|french guiana=GF|french polynesia=PF|gabon=GA|gambia=GM|\
    georgia=GE|germany=DE|ghana=GH|gibraltar=GI|greece=GR|greenland=GL|grenada=GD|guadeloupe=GP|guam=GU|\
    guatemala=GT|guernsey=GG|guinea=GN|guinea-bissau=GW|guyana=GY|haiti=HT|honduras=HN|hong kong=HK|\
    hong kong sar china=HK|hungary=HU|iceland=IS|india=IN|indonesia=ID|iran=IR|iraq=IQ|ireland=IE|\
    isle of man=IM|israel=IL|italy=IT|jamaica=JM|japan=JP|jersey=JE|jordan=JO|kazakhstan=KZ|kenya=KE|kosovo=XK|\
    kuwait=KW|kyrgyzstan=KG|laos=LA|latvia=LV|lebanon=LB|lesotho=LS|liberia=LR|libya=LY|liechtenstein=LI|\
    lithuania=LT|luxembourg=LU|macao=MO|macau=MO|madagascar=MG|malawi=MW|malaysia=MY|maldives=MV|mali=ML|\
    malta=MT|martinique=MQ|mauritania=MR|mauritius=MU|mayotte=YT|mexico=MX|moldova=MD|monaco=MC|mongolia=MN|\
    montenegro=ME|morocco=MA|mozambique=MZ|myanmar=MM|myanmar (burma)=MM|namibia=NA|nepal=NP|netherlands=NL|\
    the netherlands=NL|new caledonia=NC|new zealand=NZ|nicaragua=NI|niger=NE|nigeria=NG|north korea=KP|\
    north macedonia=MK|norway=NO|oman=OM|pakistan=PK|palestine=PS|panama=PA|papua new guinea=PG|paraguay=PY|\
    peru=PE|philippines=PH|poland=PL|portugal=PT|puerto rico=PR|qatar=QA|reunion=RE|réunion=RE|romania=RO|\
    russia=RU|russian federation=RU|rwanda=RW|saint lucia=LC|st. lucia=LC|samoa=WS|san marino=SM|\
    saudi arabia=SA|senegal=SN|serbia=RS|seychelles=SC|sierra leone=SL|singapore=SG|slovakia=SK|slovenia=SI|\
    solomon islands=SB|somalia=SO|south africa=ZA|south korea=KR|republic of korea=KR|korea=KR|south sudan=SS|\
    spain=ES|sri lanka=LK|sudan=SD|suriname=SR|sweden=SE|switzerland=CH|syria=SY|taiwan=TW|tajikistan=TJ|\
    tanzania=TZ|thailand=TH|timor-leste=TL|togo=TG|tonga=TO|trinidad and tobago=TT|trinidad & tobago=TT|\
    tunisia=TN|turkey=TR|türkiye=TR|turkiye=TR|turkmenistan=TM|uganda=UG|ukraine=UA|united arab emirates=AE|\
    united kingdom=GB|great britain=GB|united states=US|united states of america=US|usa=US|uk=GB|uruguay=UY|\
    uzbekistan=UZ|vanuatu=VU|vatican city=VA|venezuela=VE|vietnam=VN|viet nam=VN|yemen=YE|zambia=ZM|zimbabwe=ZW
    """
}
