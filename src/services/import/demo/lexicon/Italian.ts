import { items, nouns, qualities } from "./Lexicon.ts"
import type { Lexicon } from "./Lexicon.ts"

export const Italian: Lexicon = {
  density: 1.05,
  space: " ",
  shopNames: items(`{} | {} | Bottega {} | Casa {} | {} Milano | Officina {} | La Tenda di {}`),
  nouns: nouns(`
    Abito a portafoglio | Camicetta | Gonna a pieghe | Cardigan
    Camicia oxford | Felpa | Pantaloni chino | Giacca da lavoro
    Scarpe da ginnastica | Stivaletti | Sandali | Mocassini
    Collana | Anello | Orecchini | Bracciale
    Borsa a mano | Zaino | Portafoglio | Trolley
    Siero viso | Crema notte | Balsamo labbra | Maschera all'argilla
    Magnesio in capsule | Tisana della sera | Cuscino termico
    Tappetino yoga | Leggings sportivi | Manubri | Casco da bici
    Tenda | Sacco a pelo | Borraccia termica | Torcia frontale
    Lampada da tavolo | Cuscino | Candela profumata | Specchio tondo
    Divano | Tavolino | Poltrona | Libreria
    Padella in ghisa | Coltello da chef | Servizio di piatti | Caraffa
    Vaso in terracotta | Cesoie | Braciere | Semi di fiori
    Olio d'oliva | Cioccolato fondente | Miele | Pasta artigianale
    Caffè in grani | Tè verde | Moka
    Body neonato | Sacco nanna | Marsupio | Bavaglino
    Gioco da tavolo | Puzzle | Peluche | Trenino di legno
    Cuccia | Tiragraffi | Pettorina
    Altoparlante | Auricolari senza fili | Orologio sportivo
    Custodia per telefono | Caricatore | Supporto da scrivania
    Tappetini auto | Casco moto | Guanti moto
    Acquerelli | Taccuino | Gomitolo di lana | Penna stilografica
    Libro illustrato | Disco in vinile | Diario guidato
    Scatola regalo | Biglietto d'auguri | Calendario dell'Avvento`),
  epithets: [],
  qualities: qualities(`
    in cotone biologico | in lino lavato | con tasche | fatto a mano
    senza profumo | per pelle sensibile | alla rosa
    per principianti | impermeabile | con custodia
    in rovere massello | set da 2 | fatto a mano in Umbria
    senza glutine | 250 g | in piccoli lotti
    con ricarica rapida | USB-C | di 2ª generazione
    da 3 anni | 500 pezzi | edizione speciale`),
  colors: items(`Verde salvia | Blu notte | Ecrù | Nero | Ruggine | Rosa cipria | Sabbia`),
  extras: items(
    `Spedizione gratuita | Idea regalo | Fatto in Italia | Il più venduto | Di nuovo disponibile | Edizione limitata`
  ),
  headlines: items(`
    {noun}: {percent}% di sconto
    Spedizione gratuita da 50 €
    Novità da {shop}
    Oltre {count} recensioni a cinque stelle
    {noun} | {shop}
    Ultimi pezzi disponibili`),
  openers: items(`
    {noun}: finalmente di nuovo qui! ✨
    Cercavi un'idea diversa dal solito?
    {percent}% su tutto fino a domenica! 🎉
    Poche cose, fatte bene: è così che lavoriamo da {shop}.
    «Ne ho presi due, e uno è già sparito: è finito da mia figlia.»`),
  sentences: items(`
    Disegnato a Torino, realizzato in piccole serie da artigiani che conosciamo per nome.
    ✅ Reso gratuito entro 30 giorni
    Già più di {count} persone lo hanno scelto.
    Materiali naturali che durano negli anni.
    🚚 Spedito in 24 ore dal nostro magazzino
    Ogni pezzo è controllato a mano, uno per uno.
    Paghi in tre rate senza interessi.
    ⭐⭐⭐⭐⭐ «Dal vivo è ancora più bello.»
    È un regalo? Lo incartiamo noi, con il tuo biglietto.
    Domande? Rispondiamo a tutti i messaggi, quasi sempre in giornata.`),
  closers: items(`
    Scoprilo su {shop}.
    👉 Ordina oggi.
    Ne restano solo {count}!`)
}
