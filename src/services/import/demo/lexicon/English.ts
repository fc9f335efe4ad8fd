import { niches } from "../Niches.ts"
import { items, nouns, qualities } from "./Lexicon.ts"
import type { Lexicon } from "./Lexicon.ts"

export const English: Lexicon = {
  density: 1,
  space: " ",
  shopNames:
    items(`{} | {} | {} | {} & Co | The {} Shop | {} Supply | {} Studio | House of {} | {} Goods | Shop {} | {} Collective
    {} Market | {} Made | {} Official | Little {} | {} Outpost | {} Works | By {}`),
  // English has nouns of its own for every child; these are for stores of a whole parent.
  nouns: nouns(niches.map(({ children }) => children.flatMap((child) => child.nouns).join("|")).join("\n")),
  epithets:
    items(`The Everyday | Classic | Vintage | Organic | Premium | Original | Handmade | Mini | Oversized | Signature | Recycled
    Lightweight | Limited Edition | Soft | Modern | Essential | All Season | Artisan | New`),
  qualities: qualities(`
    in Organic Cotton | with Side Pockets | for Women and Men | with Hidden Zip | in Washed Linen
    for Sensitive Skin | Fragrance Free | Travel Size | with Rosehip | Vegan Formula
    for Beginners | Waterproof | with Carry Bag | Heavy Duty | Adjustable
    in Solid Oak | Set of 2 | Hand Finished | Dishwasher Safe | for Small Spaces
    Small Batch | 250 g | Gift Box of 6 | Gluten Free | Slow Roasted
    with Fast Charging | 2nd Gen | Noise Cancelling | USB-C | for Home and Office
    for Ages 3+ | Starter Set | 500 Pieces | Deluxe Edition | with Storage Box`),
  colors: items(
    `Sage Green | Midnight Blue | Oat | Black | Ivory | Rust | Dusty Pink | Charcoal | Sand | Forest | Clay | Lilac`
  ),
  extras:
    items(`Free Shipping | Gift for Mom | Gift for Him | Bundle and Save | Best Seller | Back in Stock | Summer Collection
    Made to Order | 2 Year Warranty | As Seen on Social | Ready to Ship | Clearance | Bonus Guide Included`),
  headlines: items(`
    {noun}: now {percent}% off
    Meet your new {noun}
    Free shipping this week only
    Over {count} five-star reviews
    {noun}: everyone is asking for it
    Get it before it is gone
    New at {shop}
    Your favourite, back in stock
    {noun} | {shop}
    Try it for 30 days`),
  openers: items(`
    Still looking for the right {noun}? ✨
    {noun}: we could not find the right one anywhere, so we made it.
    POV: the parcel from {shop} finally arrived 😍
    Stop scrolling. {noun}: back in stock.
    {percent}% off everything at {shop} until Sunday! 🎉
    {noun}: three years and twelve prototypes in the making.
    "I bought one and came back for two more." – a happy customer
    Mornings are easier with this.`),
  sentences: items(`
    Made in small batches from materials that last.
    No plastic, no shortcuts, no compromises.
    ✅ Free returns within 30 days
    ✅ Ships from our own warehouse within 24 hours
    Over {count} customers have made the switch, and they keep telling their friends about it.
    Our team tests every single piece by hand before it leaves the workshop.
    ⭐⭐⭐⭐⭐ "Better than I expected, and it looks even nicer in real life."
    It fits in a drawer, a backpack or a carry-on.
    We plant a tree for every order.
    Designed together with people who use it every day.
    Pay now, or in three parts without interest.
    Need a gift? We wrap it for free and add a note in your own words.
    {noun}: sold out four times last year, so do not wait for too long.
    Simple to use, simple to clean, simple to love.
    Questions? Our small team answers every message, usually on the same day.
    🚚 Free delivery on orders over $50`),
  closers: items(`
    Shop now and save {percent}%.
    Tap the link and find yours.
    Only {count} left in this batch!
    👉 Order today, wear it tomorrow.
    See you at {shop}.`)
}
