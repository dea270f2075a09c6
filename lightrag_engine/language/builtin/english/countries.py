"""Countries and their demonyms, so that "Norway" and "Norwegian" count as one.

The names are the common English short forms of the United Nations' member and observer states and of
a few former states that texts still speak of.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# One country a line: its name, other names after "=", demonyms after ":".
_TABLE = """
Afghanistan: Afghan|Albania: Albanian|Algeria: Algerian|Andorra: Andorran|Angola: Angolan
Argentina: Argentine, Argentinian|Armenia: Armenian|Australia: Australian|Austria: Austrian
Azerbaijan: Azerbaijani|Bahamas: Bahamian|Bahrain: Bahraini|Bangladesh: Bangladeshi|Barbados: Barbadian
Belarus: Belarusian|Belgium: Belgian|Belize: Belizean|Benin: Beninese|Bhutan: Bhutanese|Bolivia: Bolivian
Bosnia and Herzegovina=Bosnia: Bosnian|Botswana: Botswanan|Brazil: Brazilian|Brunei: Bruneian
Bulgaria: Bulgarian|Burkina Faso: Burkinabe|Burundi: Burundian|Cambodia: Cambodian|Cameroon: Cameroonian
Canada: Canadian|Cape Verde: Cape Verdean|Chad: Chadian|Chile: Chilean
China=People's Republic of China, PRC: Chinese|Colombia: Colombian|Comoros: Comorian|Congo: Congolese
Costa Rica: Costa Rican|Croatia: Croatian, Croat|Cuba: Cuban|Cyprus: Cypriot|Czech Republic=Czechia: Czech
Denmark: Danish, Dane|Djibouti: Djiboutian|Dominica:|Dominican Republic: Dominican|Ecuador: Ecuadorian
Egypt: Egyptian|El Salvador: Salvadoran|Equatorial Guinea:|Eritrea: Eritrean|Estonia: Estonian
Eswatini=Swaziland: Swazi|Ethiopia: Ethiopian|Fiji: Fijian|Finland: Finnish, Finn|France: French
Gabon: Gabonese|Gambia: Gambian|Georgia: Georgian|Germany: German|Ghana: Ghanaian|Greece: Greek
Grenada: Grenadian|Guatemala: Guatemalan|Guinea: Guinean|Guyana: Guyanese|Haiti: Haitian|Honduras: Honduran
Hungary: Hungarian|Iceland: Icelandic|India: Indian|Indonesia: Indonesian|Iran: Iranian|Iraq: Iraqi
Ireland=Republic of Ireland: Irish|Israel: Israeli|Italy: Italian|Ivory Coast=Côte d'Ivoire: Ivorian
Jamaica: Jamaican|Japan: Japanese|Jordan: Jordanian|Kazakhstan: Kazakh, Kazakhstani|Kenya: Kenyan
Kiribati:|Kosovo: Kosovan|Kuwait: Kuwaiti|Kyrgyzstan: Kyrgyz|Laos: Laotian|Latvia: Latvian
Lebanon: Lebanese|Lesotho: Basotho|Liberia: Liberian|Libya: Libyan|Liechtenstein:|Lithuania: Lithuanian
Luxembourg: Luxembourgish|Madagascar: Malagasy|Malawi: Malawian|Malaysia: Malaysian|Maldives: Maldivian
Mali: Malian|Malta: Maltese|Mauritania: Mauritanian|Mauritius: Mauritian|Mexico: Mexican|Micronesia:
Moldova: Moldovan|Monaco: Monegasque|Mongolia: Mongolian|Montenegro: Montenegrin|Morocco: Moroccan
Mozambique: Mozambican|Myanmar=Burma: Burmese|Namibia: Namibian|Nauru: Nauruan|Nepal: Nepalese, Nepali
Netherlands=Holland: Dutch|New Zealand: New Zealander|Nicaragua: Nicaraguan|Niger: Nigerien
Nigeria: Nigerian|North Korea: North Korean|North Macedonia=Macedonia: Macedonian|Norway: Norwegian
Oman: Omani|Pakistan: Pakistani|Palau: Palauan|Palestine: Palestinian|Panama: Panamanian
Papua New Guinea: Papuan|Paraguay: Paraguayan|Peru: Peruvian|Philippines: Filipino, Philippine
Poland: Polish, Pole|Portugal: Portuguese|Qatar: Qatari|Romania: Romanian|Russia: Russian|Rwanda: Rwandan
Samoa: Samoan|San Marino:|Saudi Arabia: Saudi, Saudi Arabian|Senegal: Senegalese|Serbia: Serbian, Serb
Seychelles: Seychellois|Sierra Leone: Sierra Leonean|Singapore: Singaporean|Slovakia: Slovak
Slovenia: Slovenian, Slovene|Solomon Islands:|Somalia: Somali|South Africa: South African
South Korea=Korea: South Korean, Korean|South Sudan: South Sudanese|Soviet Union=USSR: Soviet
Spain: Spanish|Sri Lanka=Ceylon: Sri Lankan|Sudan: Sudanese|Suriname: Surinamese|Sweden: Swedish, Swede
Switzerland: Swiss|Syria: Syrian|Taiwan: Taiwanese|Tajikistan: Tajik|Tanzania: Tanzanian
Thailand: Thai|Togo: Togolese|Tonga: Tongan|Trinidad and Tobago: Trinidadian|Tunisia: Tunisian
Turkey=Türkiye: Turkish, Turk|Turkmenistan: Turkmen|Tuvalu: Tuvaluan|Uganda: Ugandan|Ukraine: Ukrainian
United Arab Emirates=UAE: Emirati
United Kingdom=UK, U.K., Great Britain, Britain: British, Briton
England: English|Scotland: Scottish|Wales: Welsh
United States=US, U.S., USA, U.S.A., United States of America, America: American
Uruguay: Uruguayan|Uzbekistan: Uzbek|Vanuatu:|Vatican City=Holy See:|Venezuela: Venezuelan
Vietnam: Vietnamese|Yemen: Yemeni|Yugoslavia: Yugoslav|Czechoslovakia: Czechoslovak
Zambia: Zambian|Zimbabwe: Zimbabwean
"""


def _parse() -> tuple[dict[str, str], dict[str, str]]:
    countries: dict[str, str] = {}
    demonyms: dict[str, str] = {}
    for entry in _TABLE.replace("\n", "|").split("|"):
        names, _, people = entry.partition(":")
        name, _, others = names.partition("=")
        if name:
            countries |= {
                other.strip().casefold(): name for other in (name, *others.split(",")) if other.strip()
            }
            demonyms |= {word.strip().casefold(): name for word in people.split(",") if word.strip()}
    return countries, demonyms


_COUNTRIES, _DEMONYMS = _parse()
COUNTRIES: Mapping[str, str] = MappingProxyType(_COUNTRIES)
"""Case-folded name of a country -> its common name."""
DEMONYMS: Mapping[str, str] = MappingProxyType(_DEMONYMS)
"""Case-folded demonym -> the common name of its country."""


def country_of(name: str) -> str | None:
    """Return the country that a name or a demonym stands for, or None.

    Examples
    --------
    >>> country_of("Norwegian"), country_of("the Netherlands"), country_of("Oslo")
    ('Norway', 'Netherlands', None)
    """
    key = name.casefold().removeprefix("the ")
    return COUNTRIES.get(key) or DEMONYMS.get(key)
