/** Apps and themes of the demo data: names of our own, most popular first. */

export const apps: ReadonlyArray<string> = `
  Reviewpond / Mailgrove / Popsprig / Bundlewise / Trackhaven / Loyalnest / Sizewell Charts / Returnkite
  Chatmoss / Searchlark / Upsellery / Wishbasket / Pagewright / Feedpilot Sync / Swatchbook / Subscribely Box
  Giftnote Plus / Stockbell / Cookiebright / Speedfern / Translatory / Currencyloop / Shiptide / Labelbee
  Preordery / Countdownly / Referloop / Quizcraft / Videoshelf / Instafeed Garden / Badgery / Stickycart Pro
  Mapdrop / Invoicely Desk / Taxwren / Fraudowl / Backuply Vault / SEO Lantern / Imagepress / Formwell
  Affilibird / Textpigeon / Pushwhistle / Auctionette / Bookablely / Rentwise / Dropferry / Printmeadow
  Sourceling / Metafieldly / Filterfox / Menubar Studio / Age Gatehouse / Donatree / Carbonleaf / Localpick
  Storefinder Atlas / Pricewatchman / Profitglass / Heatmaply`
  .split(/[/\n]/u)
  .map((name) => name.trim())
  .filter((name) => name !== "")

export const themes: ReadonlyArray<string> = `
  Daybreak / Linenfold / Northlight / Parcel / Quarry / Solstice Market / Verity / Alcove / Broadsheet / Cadence
  Driftwood / Everline / Fathom / Gallery Row / Hearthside / Inkwell / Juniper / Keystone Grid / Lattice / Monument
  Narrative Loom / Orchard / Plainsong / Quill / Ridgeway / Saltbox / Tessera / Undertone / Vantage Point / Weft
  Xylo / Yonder / Zephyr Lite / Atelier Nine / Bold Harbor / Copperplate / Dapple / Emberline / Foundry Two / Gable`
  .split(/[/\n]/u)
  .map((name) => name.trim())
  .filter((name) => name !== "")
