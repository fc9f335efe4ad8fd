import { items, nouns, qualities } from "./Lexicon.ts"
import type { Lexicon } from "./Lexicon.ts"

export const Dutch: Lexicon = {
  density: 1.05,
  space: " ",
  shopNames: items(`{} | {} | Huis {} | {} Winkel | Atelier {} | {} & Zonen | Het {} Pakhuis`),
  nouns: nouns(`
    Wikkeljurk | Linnen blouse | Plooirok | Gebreid vest
    Oxford overhemd | Hoodie | Chino | Werkjas
    Sneakers | Enkellaarzen | Sandalen | Pantoffels
    Ketting | Ring | Oorbellen | Armband
    Handtas | Rugzak | Portemonnee | Handbagagekoffer
    Gezichtsserum | Nachtcrème | Lippenbalsem | Kleimasker
    Magnesiumcapsules | Warmtekussen | Verzwaringsdeken
    Yogamat | Sportlegging | Dumbbells | Fietshelm
    Tent | Slaapzak | Thermosfles | Hoofdlamp
    Tafellamp | Sierkussen | Geurkaars | Ronde spiegel
    Bank | Salontafel | Fauteuil | Boekenkast
    Gietijzeren pan | Koksmes | Bordenset | Karaf
    Terracotta pot | Snoeischaar | Vuurschaal | Bloemzaden
    Olijfolie | Pure chocolade | Honing | Stroopwafels
    Koffiebonen | Groene thee | Koffiemolen
    Rompertje | Babyslaapzak | Draagzak | Slabbetje
    Bordspel | Legpuzzel | Knuffel | Houten trein
    Hondenmand | Krabpaal | Hondentuig
    Luidspreker | Draadloze oordopjes | Sporthorloge
    Telefoonhoesje | Oplader | Laptopstandaard
    Automatten | Motorhelm | Motorhandschoenen
    Aquarelverf | Notitieboek | Bol wol | Vulpen
    Prentenboek | Vinylplaat | Dankbaarheidsdagboek
    Cadeaupakket | Wenskaart | Adventskalender`),
  epithets: [],
  qualities: qualities(`
    van biokatoen | van gewassen linnen | met zakken | in grote maten
    zonder parfum | voor de gevoelige huid | met rozenbottel
    voor beginners | waterdicht | met draagtas
    van massief eiken | set van 2 | met de hand gemaakt
    glutenvrij | 250 g | in kleine oplage
    met snelladen | USB-C | 2e generatie
    vanaf 3 jaar | 500 stukjes | luxe editie`),
  colors: items(`Saliegroen | Nachtblauw | Naturel | Zwart | Roest | Oudroze | Zand`),
  extras: items(
    `Gratis verzending | Cadeautip | Gemaakt in Nederland | Bestseller | Weer op voorraad | Beperkte oplage`
  ),
  headlines: items(`
    {noun}: nu {percent}% korting
    Gratis verzending vanaf € 50
    Nieuw bij {shop}
    Meer dan {count} beoordelingen met vijf sterren
    {noun} | {shop}
    Op is op!`),
  openers: items(`
    {noun}: eindelijk weer terug! ✨
    Hier zocht je toch al een tijdje naar?
    {percent}% korting op alles tot en met zondag! 🎉
    Minder spullen, beter gemaakt. Zo begonnen we met {shop}.
    “Ik heb er meteen nog een besteld voor mijn zus.”`),
  sentences: items(`
    Ontworpen in Utrecht en in kleine oplagen gemaakt.
    ✅ 30 dagen gratis retour
    Al meer dan {count} mensen gingen je voor.
    Natuurlijke materialen die jaren meegaan.
    🚚 Binnen 24 uur onderweg vanuit ons eigen magazijn
    Elk exemplaar controleren we met de hand.
    Betaal achteraf of in drie delen.
    ⭐⭐⭐⭐⭐ “In het echt nog mooier dan op de foto.”
    Cadeautje? Wij pakken het gratis in.
    Vragen? Ons kleine team beantwoordt elk bericht.`),
  closers: items(`
    Ontdek het bij {shop}.
    👉 Vandaag besteld, morgen in huis.
    Nog maar {count} op voorraad!`)
}
