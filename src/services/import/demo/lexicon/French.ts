import { items, nouns, qualities } from "./Lexicon.ts"
import type { Lexicon } from "./Lexicon.ts"

export const French: Lexicon = {
  density: 1.05,
  space: " ",
  shopNames: items(
    `{} | {} | Maison {} | Atelier {} | {} Paris | L'Échoppe {} | Les Trésors de {} | {} & Compagnie | Chez {}`
  ),
  nouns: nouns(`
    Robe portefeuille | Chemisier | Jupe plissée | Cardigan | Pantalon large
    Chemise oxford | Pull à col rond | Veste de travail | Jean droit
    Baskets | Bottines | Sandales | Mocassins
    Collier | Bague | Boucles d'oreilles | Bracelet jonc
    Sac à main | Sac à dos | Portefeuille | Valise cabine
    Sérum visage | Crème de nuit | Baume à lèvres | Masque à l'argile
    Complément au magnésium | Tisane du soir | Coussin chauffant
    Tapis de yoga | Legging de sport | Haltères | Casque de vélo
    Tente | Sac de couchage | Gourde isotherme | Lampe frontale
    Lampe de table | Coussin | Bougie parfumée | Miroir rond
    Canapé | Table basse | Fauteuil | Étagère murale
    Poêle en fonte | Couteau de chef | Assiettes | Carafe
    Pot en terre cuite | Sécateur | Brasero | Graines de fleurs
    Huile d'olive | Chocolat noir | Confiture de figues | Miel
    Café en grains | Thé vert | Cafetière à piston
    Body bébé | Turbulette | Porte-bébé | Bavoir
    Jeu de société | Puzzle | Peluche | Train en bois
    Panier pour chien | Arbre à chat | Collier en cuir
    Enceinte | Écouteurs sans fil | Montre connectée
    Coque de téléphone | Chargeur | Support de bureau
    Tapis de voiture | Casque moto | Gants de moto
    Aquarelles | Carnet | Pelote de laine | Stylo plume
    Livre illustré | Vinyle | Carnet de gratitude
    Coffret cadeau | Carte de vœux | Calendrier de l'Avent`),
  epithets: [],
  qualities: qualities(`
    en coton bio | en lin lavé | avec poches | fait main
    sans parfum | pour peau sensible | à la rose
    pour débuter | résistant à l'eau | avec housse
    en chêne massif | lot de 2 | fait main au Portugal
    sans gluten | 250 g | en petites séries
    avec charge rapide | USB-C | 2e génération
    dès 3 ans | 500 pièces | édition de luxe`),
  colors: items(`Vert sauge | Bleu nuit | Écru | Noir | Terracotta | Rose poudré | Crème`),
  extras: items(
    `Livraison offerte | Idée cadeau | Fabrication française | Meilleure vente | De retour en stock | Édition limitée`
  ),
  headlines: items(`
    {noun} : -{percent} % cette semaine
    Livraison offerte dès 50 €
    Nouveau chez {shop}
    Plus de {count} avis cinq étoiles
    {noun} | {shop}
    Bientôt en rupture de stock`),
  openers: items(`
    {noun} : enfin de retour ! ✨
    Vous l'attendiez toutes et tous…
    -{percent} % sur tout le site jusqu'à dimanche ! 🎉
    Né d'une envie simple : faire moins, mais mieux.
    « J'en ai offert trois à Noël », dit Hélène.`),
  sentences: items(`
    Pensé à Nantes, fabriqué en petites séries par des artisans que nous connaissons.
    ✅ Retours gratuits pendant 30 jours
    Déjà plus de {count} clientes et clients conquis.
    Des matières naturelles, choisies avec soin, qui traversent les années.
    🚚 Expédié sous 24 heures depuis notre atelier
    Chaque pièce est contrôlée à la main avant de partir.
    Paiement en trois fois sans frais.
    ⭐⭐⭐⭐⭐ « Encore plus beau en vrai que sur les photos. »
    Un cadeau ? Nous l'emballons gratuitement, avec votre petit mot.
    Une question ? Notre équipe répond à chaque message, souvent le jour même.`),
  closers: items(`
    Découvrez la collection chez {shop}.
    👉 Commandez aujourd'hui.
    Plus que {count} en stock !`)
}
