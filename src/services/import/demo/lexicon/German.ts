import { items, nouns, qualities } from "./Lexicon.ts"
import type { Lexicon } from "./Lexicon.ts"

export const German: Lexicon = {
  density: 1.05,
  space: " ",
  shopNames: items(
    `{} | {} | {} Werkstatt | {} Haus | Studio {} | {} & Söhne | {} Manufaktur | Lädchen {} | {} Berlin`
  ),
  nouns: nouns(`
    Wickelkleid | Leinenbluse | Faltenrock | Strickjacke | Weite Jeans
    Oxfordhemd | Kapuzenpullover | Chinohose | Arbeitsjacke
    Turnschuhe | Stiefeletten | Sandalen | Barfußschuhe
    Halskette | Siegelring | Ohrstecker | Armreif
    Handtasche | Rucksack | Geldbörse | Kabinenkoffer
    Gesichtsserum | Nachtcreme | Lippenbalsam | Tonerdemaske
    Magnesiumkapseln | Wärmekissen | Gewichtsdecke
    Yogamatte | Sportleggings | Kurzhanteln | Fahrradhelm
    Zelt | Schlafsack | Trinkflasche | Stirnlampe
    Tischlampe | Kissenbezug | Duftkerze | Wandspiegel
    Sofa | Couchtisch | Sessel | Bücherregal
    Gusseisenpfanne | Kochmesser | Tellerset | Karaffe
    Terrakottatopf | Gartenschere | Feuerschale | Blumensamen
    Olivenöl | Zartbitterschokolade | Honig | Gewürzmischung
    Kaffeebohnen | Grüner Tee | Kaffeemühle
    Babybody | Babyschlafsack | Babytrage | Lätzchen
    Brettspiel | Puzzle | Stofftier | Holzeisenbahn
    Hundebett | Kratzbaum | Hundegeschirr
    Lautsprecher | Kopfhörer | Fitnessuhr
    Handyhülle | Ladegerät | Laptopständer
    Fußmatten | Motorradhelm | Dachbox
    Aquarellkasten | Notizbuch | Merinowolle | Füllfederhalter
    Bilderbuch | Schallplatte | Dankbarkeitstagebuch
    Geschenkbox | Grußkarte | Adventskalender`),
  epithets: [],
  qualities: qualities(`
    aus Biobaumwolle | aus gewaschenem Leinen | mit Taschen | in Übergröße
    ohne Duftstoffe | für empfindliche Haut | mit Hagebutte
    für Einsteiger | wasserdicht | mit Tragetasche
    aus massiver Eiche | 2er-Set | von Hand gefertigt
    glutenfrei | 250 g | aus kleiner Röstung
    mit Schnellladefunktion | USB-C | 2. Generation
    ab 3 Jahren | 500 Teile | Sonderausgabe`),
  colors: items(`Salbeigrün | Nachtblau | Natur | Schwarz | Rost | Altrosa | Anthrazit`),
  extras: items(
    `Versandkostenfrei | Geschenkidee | Hergestellt in Deutschland | Bestseller | Wieder lieferbar | Limitierte Auflage`
  ),
  headlines: items(`
    {noun}: jetzt {percent} % günstiger
    Kostenloser Versand ab 50 €
    Neu bei {shop}
    Über {count} Bewertungen mit fünf Sternen
    {noun} | {shop}
    Nur solange der Vorrat reicht`),
  openers: items(`
    {noun}: endlich wieder da! ✨
    Das hat uns im Alltag gefehlt.
    {percent} % auf alles bei {shop} – nur bis Sonntag! 🎉
    Weniger, aber besser: Dafür stehen wir seit dem ersten Tag.
    „Ich habe gleich noch eins für meine Schwester bestellt.“`),
  sentences: items(`
    Entworfen in Leipzig, genäht und geschraubt in kleinen Betrieben, die wir persönlich kennen.
    ✅ 30 Tage kostenlose Rückgabe
    Schon über {count} Menschen sind umgestiegen.
    Natürliche Materialien, die mit den Jahren schöner werden.
    🚚 In 24 Stunden aus unserem Lager verschickt
    Jedes Stück prüfen wir von Hand, bevor es auf die Reise geht.
    Auf Rechnung oder in drei Raten ohne Zinsen.
    ⭐⭐⭐⭐⭐ „In echt noch schöner als auf den Bildern.“
    Als Geschenk? Wir packen es kostenlos ein und legen eine Karte dazu.
    Fragen? Unser kleines Team antwortet auf jede Nachricht.`),
  closers: items(`
    Jetzt bei {shop} entdecken.
    👉 Heute bestellt, morgen auf dem Weg.
    Nur noch {count} Stück auf Lager!`)
}
