/**
 * The tree of niches of the demo data: two levels, 24 parents. Ids are stable: a parent's is a multiple of 100, its
 * children follow it in order. New children go to the end of their list.
 */

/** How products of a niche are praised: words that fit a coat fit no coffee. */
export const kinds = ["wear", "care", "gear", "home", "food", "tech", "play"] as const
export type Kind = (typeof kinds)[number]

export type ParentKey = (typeof parentKeys)[number]

export const parentKeys = [
  "women",
  "men",
  "shoes",
  "jewelry",
  "bags",
  "beauty",
  "health",
  "fitness",
  "outdoor",
  "decor",
  "furniture",
  "kitchen",
  "garden",
  "food",
  "coffee",
  "baby",
  "toys",
  "pets",
  "electronics",
  "phone",
  "auto",
  "crafts",
  "books",
  "gifts"
] as const

export interface ChildNiche {
  readonly id: number
  readonly name: string
  /** English nouns of what is sold in it. */
  readonly nouns: ReadonlyArray<string>
}

export interface ParentNiche {
  readonly id: number
  readonly key: ParentKey
  readonly name: string
  readonly kind: Kind
  /** What its products cost, against the median of all. */
  readonly priceFactor: number
  readonly children: ReadonlyArray<ChildNiche>
}

const found = <K extends string>(values: ReadonlyArray<K>, value: string | undefined): K => {
  const key = values.find((candidate) => candidate === value)
  if (key === undefined) throw new RangeError(`the tree names ${value}, which is none of ${values.join(", ")}`)
  return key
}

/** A parent's line has its key, name, kind and price factor; a child's its name and its nouns. */
const tree = `
  # women: Women's Fashion: wear: 0.9
  Dresses: Wrap Dress, Midi Dress, Slip Dress, Shirt Dress, Smock Dress
  Tops & Blouses: Puff Sleeve Blouse, Ribbed Tank Top, Peplum Top, Linen Blouse
  Knitwear: Cable Knit Sweater, Cropped Cardigan, Mohair Pullover, Knit Vest
  Jeans & Trousers: Wide Leg Jeans, Paperbag Trousers, Barrel Jeans, Linen Pants
  Skirts: Pleated Skirt, Denim Skirt, Satin Midi Skirt
  Coats & Jackets: Trench Coat, Quilted Jacket, Wool Blend Coat, Cropped Blazer
  Lingerie & Sleepwear: Lace Bralette, Satin Pajama Set, Cotton Nightgown, Seamless Briefs
  Swimwear: High Waist Bikini, One Piece Swimsuit, Beach Cover Up
  Plus Size: Curvy Wrap Dress, Plus Size Leggings, Plus Size Tunic
  # men: Men's Fashion: wear: 0.9
  Shirts: Oxford Shirt, Flannel Shirt, Linen Camp Shirt, Chambray Shirt
  T-Shirts & Polos: Heavyweight Tee, Pique Polo, Henley Tee, Graphic T-Shirt
  Hoodies & Sweats: Fleece Hoodie, Zip Hoodie, Sweatpants, Crewneck Sweatshirt
  Trousers & Chinos: Stretch Chinos, Selvedge Jeans, Cargo Pants, Corduroy Trousers
  Suits & Blazers: Wool Suit Jacket, Unstructured Blazer, Suit Trousers
  Outerwear: Field Jacket, Bomber Jacket, Waxed Coat, Down Parka
  Underwear & Socks: Boxer Briefs, Merino Socks, Modal Trunks
  Workwear: Canvas Work Pants, Chore Coat, Work Overalls
  # shoes: Shoes: wear: 1.1
  Sneakers: Low Top Sneakers, Platform Sneakers, Knit Trainers, Retro Runners
  Boots: Chelsea Boots, Lace Up Boots, Ankle Boots, Rain Boots
  Sandals: Cork Sandals, Strappy Sandals, Slide Sandals
  Heels & Pumps: Block Heel Pumps, Kitten Heels, Slingback Heels
  Running Shoes: Trail Running Shoes, Daily Running Shoes, Racing Flats
  Barefoot Shoes: Barefoot Sneakers, Minimalist Boots, Wide Toe Shoes
  Slippers: Wool Slippers, Sheepskin Slippers, House Clogs
  # jewelry: Jewelry & Watches: wear: 1.2
  Necklaces: Pendant Necklace, Layered Chain, Pearl Necklace, Name Necklace
  Rings: Signet Ring, Stacking Ring, Moissanite Ring, Wedding Band
  Earrings: Hoop Earrings, Stud Earrings, Drop Earrings, Ear Cuff
  Bracelets: Charm Bracelet, Beaded Bracelet, Tennis Bracelet, Cuff Bangle
  Watches: Automatic Watch, Field Watch, Dress Watch, Chronograph
  Fine Jewelry: Diamond Pendant, Gold Band, Sapphire Earrings
  Body Jewelry: Nose Stud, Belly Ring, Septum Ring
  Jewelry Care: Jewelry Box, Polishing Cloth, Travel Jewelry Case
  # bags: Bags & Luggage: wear: 1.1
  Handbags: Leather Tote, Shoulder Bag, Bucket Bag, Crossbody Bag
  Backpacks: Roll Top Backpack, Laptop Backpack, Mini Backpack
  Wallets: Slim Wallet, Card Holder, Zip Wallet, Passport Cover
  Luggage: Cabin Suitcase, Hard Shell Trolley, Weekender Bag
  Belt & Sling Bags: Belt Bag, Sling Bag, Phone Pouch
  Tote Bags: Canvas Tote, Market Bag, Quilted Tote
  Travel Accessories: Packing Cubes, Toiletry Bag, Luggage Tag
  # beauty: Beauty & Skincare: care: 0.45
  Skincare: Vitamin C Serum, Night Cream, Gel Cleanser, Hyaluronic Toner, Clay Mask
  Makeup: Lip Tint, Cream Blush, Brow Gel, Volume Mascara, Setting Powder
  Hair Care: Repair Shampoo, Scalp Oil, Curl Cream, Hair Mask
  Fragrance: Eau de Parfum, Perfume Oil, Body Mist, Discovery Set
  Nails: Gel Polish, Press On Nails, Cuticle Oil
  Bath & Body: Body Butter, Bath Salts, Hand Soap, Sugar Scrub
  Men's Grooming: Beard Oil, Shaving Cream, Safety Razor
  Beauty Tools: Gua Sha Stone, Face Roller, Makeup Brush Set, LED Mask
  Sun Care: Mineral Sunscreen, After Sun Gel, Tinted SPF Fluid
  # health: Health & Wellness: care: 0.5
  Vitamins: Multivitamin Capsules, Vitamin D Drops, Magnesium Complex, Iron Tablets
  Protein & Nutrition: Whey Protein, Vegan Protein, Collagen Powder, Greens Powder
  Sleep: Sleep Gummies, Weighted Blanket, Silk Sleep Mask, White Noise Machine
  Aromatherapy: Essential Oil Set, Oil Diffuser, Lavender Roll On
  Massage & Recovery: Massage Gun, Acupressure Mat, Heat Pad, Foam Roller
  Oral Care: Electric Toothbrush, Whitening Strips, Tongue Scraper
  Intimate Care: Period Underwear, Menstrual Cup, Intimate Wash
  Mobility & Support: Knee Brace, Posture Corrector, Compression Socks
  # fitness: Fitness & Sports: gear: 0.8
  Activewear: Seamless Leggings, Sports Bra, Training Shorts, Running Jacket
  Home Gym: Adjustable Dumbbells, Kettlebell, Folding Bench, Pull Up Bar
  Yoga & Pilates: Yoga Mat, Cork Block, Pilates Ring, Resistance Band Set
  Cycling: Bike Helmet, Cycling Jersey, Bike Light Set, Saddle Bag
  Golf: Golf Glove, Putting Mat, Golf Polo, Rangefinder
  Combat Sports: Boxing Gloves, Hand Wraps, Rash Guard
  Water Sports: Paddle Board, Wetsuit, Swim Goggles, Dry Bag
  Racket Sports: Padel Racket, Pickleball Paddle, Tennis Bag
  Team Sports: Football Jersey, Basketball, Shin Guards
  # outdoor: Outdoor & Camping: gear: 1
  Tents & Shelter: Two Person Tent, Tarp Shelter, Rooftop Tent
  Sleeping: Down Sleeping Bag, Inflatable Sleeping Pad, Camping Hammock
  Camp Kitchen: Titanium Pot, Gas Stove, Insulated Bottle, Enamel Mug
  Hiking: Trekking Poles, Hiking Backpack, Softshell Jacket
  Fishing: Spinning Rod, Lure Set, Fly Box, Landing Net
  Hunting & Optics: Binoculars, Trail Camera, Camo Jacket
  Knives & Tools: Folding Knife, Multi Tool, Camp Axe
  Camp Lighting: Head Torch, Camping Lantern, Solar Light
  # decor: Home Decor: home: 0.7
  Lighting: Table Lamp, Floor Lamp, Pendant Lamp, Wall Sconce, Rechargeable Lamp
  Wall Art: Framed Print, Canvas Art, Wall Hanging, Botanical Poster
  Rugs: Wool Rug, Jute Rug, Washable Rug, Runner Rug
  Candles & Scents: Soy Candle, Reed Diffuser, Incense Set
  Cushions & Throws: Linen Cushion, Chunky Throw, Velvet Pillow Cover
  Bedding: Linen Duvet Cover, Percale Sheet Set, Silk Pillowcase, Quilt
  Curtains & Blinds: Blackout Curtain, Sheer Curtain, Bamboo Blind
  Mirrors: Arched Mirror, Round Mirror, Vanity Mirror
  Vases & Ceramics: Stoneware Vase, Bud Vase, Ceramic Bowl
  Clocks: Wall Clock, Flip Clock, Alarm Clock
  # furniture: Furniture: home: 4
  Sofas & Armchairs: Modular Sofa, Boucle Armchair, Sleeper Sofa, Ottoman
  Tables: Dining Table, Coffee Table, Side Table, Console Table
  Chairs & Stools: Dining Chair, Bar Stool, Rattan Chair, Bench
  Beds & Mattresses: Platform Bed, Memory Foam Mattress, Headboard
  Storage: Bookcase, Sideboard, Shoe Cabinet, Wall Shelf
  Office: Standing Desk, Ergonomic Chair, Desk Tray, Monitor Stand
  Outdoor Furniture: Garden Lounge Set, Sun Lounger, Bistro Table
  # kitchen: Kitchen & Dining: home: 0.7
  Cookware: Cast Iron Skillet, Ceramic Pan, Stock Pot, Wok
  Knives & Boards: Chef Knife, Bread Knife, Cutting Board, Knife Block
  Tableware: Dinner Plate Set, Stoneware Mug, Pasta Bowl, Linen Napkins
  Glassware: Wine Glasses, Tumbler Set, Carafe, Whisky Glass
  Bakeware: Loaf Pan, Muffin Tray, Rolling Pin, Sourdough Kit
  Small Appliances: Air Fryer, Hand Blender, Electric Kettle, Waffle Maker
  Storage & Organisation: Glass Jars, Lunch Box, Beeswax Wraps, Spice Rack
  Bar Tools: Cocktail Shaker, Jigger, Ice Mold, Bottle Opener
  # garden: Garden & Patio: home: 0.7
  Plants: Monstera Plant, Olive Tree, Succulent Set, Peace Lily
  Seeds & Bulbs: Wildflower Seeds, Tomato Seeds, Tulip Bulbs
  Pots & Planters: Terracotta Pot, Self Watering Planter, Hanging Planter
  Garden Tools: Pruning Shears, Hand Trowel, Garden Gloves, Leaf Rake
  Irrigation: Drip Kit, Expandable Hose, Rain Barrel
  Grills & Fire: Fire Pit, Charcoal Grill, Pizza Oven, Patio Heater
  Birds & Wildlife: Bird Feeder, Bee Hotel, Bird Bath
  # food: Food & Drinks: food: 0.3
  Snacks: Trail Mix, Seaweed Crisps, Protein Bar, Popcorn Box
  Chocolate & Sweets: Dark Chocolate Bar, Truffle Box, Sour Gummies, Caramels
  Oils & Condiments: Olive Oil, Hot Sauce, Chili Crisp, Truffle Mayo
  Spices: Smoked Paprika, Curry Blend, Sea Salt Flakes
  Pasta & Grains: Bronze Cut Pasta, Arborio Rice, Sourdough Crackers
  Wine & Spirits: Natural Wine, Small Batch Gin, Alcohol Free Spritz
  Soft Drinks: Kombucha, Cold Pressed Juice, Sparkling Water
  Meat & Fish: Beef Jerky, Smoked Salmon, Tinned Sardines
  Honey & Spreads: Raw Honey, Almond Butter, Fig Jam
  # coffee: Coffee & Tea: food: 0.35
  Coffee Beans: Espresso Beans, Single Origin Beans, Decaf Beans, House Blend
  Capsules & Instant: Coffee Capsules, Instant Coffee, Coffee Bags
  Loose Tea: Earl Grey Tea, Green Tea, Chai Blend, Rooibos Tea
  Matcha: Ceremonial Matcha, Matcha Kit, Matcha Whisk
  Brewing Gear: Pour Over Dripper, French Press, Moka Pot, Gooseneck Kettle
  Grinders & Machines: Burr Grinder, Espresso Machine, Milk Frother
  # baby: Baby & Kids: wear: 0.6
  Baby Clothing: Organic Bodysuit, Baby Romper, Knit Bonnet, Sleep Suit
  Kids' Clothing: Kids Raincoat, Dungarees, School Backpack, Kids Pajamas
  Nursery: Crib Sheet, Baby Mobile, Night Light, Changing Basket
  Feeding: Silicone Bib, Baby Bottle, Suction Plate, Straw Cup
  Strollers & Carriers: Baby Carrier, Stroller Bag, Compact Stroller
  Diapering: Cloth Diaper, Diaper Bag, Changing Mat
  Maternity: Nursing Bra, Maternity Leggings, Pregnancy Pillow
  Bath & Care: Hooded Towel, Baby Balm, Bath Thermometer
  # toys: Toys & Games: play: 0.45
  Wooden Toys: Stacking Tower, Wooden Train, Building Blocks, Balance Board
  Plush: Teddy Bear, Plush Bunny, Weighted Plush
  Board Games: Strategy Game, Party Card Game, Family Quiz, Dice Tower
  Puzzles: Jigsaw Puzzle, 3D Puzzle, Wooden Puzzle
  STEM Toys: Robot Kit, Crystal Growing Set, Magnetic Tiles
  Collectibles: Blind Box Figure, Trading Cards, Model Car
  Outdoor Play: Climbing Triangle, Sandbox Set, Bubble Machine
  Pretend Play: Play Kitchen, Doctor Kit, Dress Up Cape
  # pets: Pets: home: 0.5
  Dog Supplies: Dog Harness, Leather Collar, Dog Bed, Rope Toy, Dog Raincoat
  Cat Supplies: Cat Tree, Scratching Post, Cat Fountain, Feather Wand
  Pet Food: Freeze Dried Treats, Grain Free Kibble, Dental Chews
  Grooming: Deshedding Brush, Pet Shampoo, Nail Grinder
  Travel: Pet Carrier, Car Seat Cover, Travel Bowl
  Aquatics: Aquarium Kit, Fish Food, Moss Ball
  Small Pets & Birds: Hay Feeder, Hamster Wheel, Bird Perch
  Horses: Saddle Pad, Riding Breeches, Horse Blanket
  # electronics: Electronics & Gadgets: tech: 1.2
  Audio: Wireless Earbuds, Bluetooth Speaker, Studio Headphones, Turntable
  Smart Home: Smart Plug, Video Doorbell, Smart Thermostat, Robot Vacuum
  Cameras & Drones: Action Camera, Mini Drone, Instant Camera, Gimbal
  Wearables: Fitness Tracker, Smart Ring, GPS Watch
  Gaming: Mechanical Keyboard, Gaming Mouse, Controller, Gaming Chair
  Projectors & TV: Mini Projector, Projection Screen, TV Backlight
  Health Tech: Smart Scale, Blood Pressure Monitor, Red Light Panel
  3D Printing: PLA Filament, Resin Printer, Nozzle Kit
  # phone: Phone & Computer Accessories: tech: 0.35
  Phone Cases: Leather Phone Case, Clear Case, Rugged Case, MagSafe Wallet
  Chargers & Cables: USB-C Charger, Wireless Charger, Braided Cable, Power Bank
  Stands & Mounts: Car Phone Mount, Desk Stand, Tripod
  Screen Protection: Privacy Glass, Tempered Glass, Lens Protector
  Laptop Accessories: Laptop Sleeve, USB-C Hub, Cooling Pad
  Desk Setup: Desk Mat, Cable Organizer, Monitor Light
  Data Storage: Portable SSD, Memory Card, Card Reader
  # auto: Car & Motorcycle: gear: 1
  Interior: Floor Mats, Seat Covers, Trunk Organizer, Car Diffuser
  Exterior: Wheel Covers, Roof Rack, LED Headlights, Car Cover
  Car Care: Ceramic Coating, Microfiber Towels, Foam Cannon, Wheel Cleaner
  Car Electronics: Dash Cam, Tire Inflator, Jump Starter, Head Unit
  Performance Parts: Coilover Kit, Cold Air Intake, Brake Pads
  Motorcycle Gear: Riding Jacket, Motorcycle Helmet, Riding Gloves
  Motorcycle Parts: Handlebar Grips, Tail Tidy, Exhaust Slip On
  Vans & RV: Awning, Window Cover, Portable Fridge
  # crafts: Arts, Crafts & Stationery: play: 0.35
  Painting: Watercolor Set, Acrylic Paint, Brush Set, Sketchbook
  Yarn & Knitting: Merino Yarn, Knitting Needles, Crochet Kit
  Sewing & Fabric: Linen Fabric, Sewing Pattern, Fabric Scissors, Quilting Bundle
  Notebooks & Planners: Daily Planner, Dotted Notebook, Weekly Pad
  Pens & Inks: Fountain Pen, Ink Bottle, Brush Pens
  Stickers & Scrapbook: Washi Tape, Sticker Sheet, Scrapbook Album
  Beads & Jewelry Making: Bead Kit, Resin Mold, Clay Set
  Diamond & Number Kits: Paint by Numbers, Diamond Painting, Embroidery Kit
  # books: Books, Music & Media: play: 0.4
  Children's Books: Picture Book, Bedtime Stories, Activity Book
  Fiction: Mystery Novel, Fantasy Box Set, Poetry Collection
  Cookbooks: Vegan Cookbook, Baking Book, Barbecue Guide
  Vinyl & Records: Vinyl LP, Limited Edition Record, Live Album
  Instruments: Ukulele, Kalimba, Guitar Pedal, MIDI Keyboard
  Comics & Manga: Graphic Novel, Manga Box Set, Art Book
  Self Development: Guided Journal, Mindset Cards, Habit Tracker
  # gifts: Gifts & Party: home: 0.45
  Personalised Gifts: Engraved Keychain, Custom Mug, Star Map, Photo Blanket
  Party Supplies: Balloon Garland, Party Plates, Piñata
  Wedding: Guest Book, Bridesmaid Box, Wedding Favors
  Greeting Cards: Birthday Card, Thank You Cards, Pop Up Card
  Gift Boxes: Spa Gift Box, Snack Box, New Baby Box
  Flowers: Dried Bouquet, Preserved Roses, Flower Subscription
  Seasonal Decor: Advent Calendar, Christmas Ornaments, Halloween Wreath
  Costumes: Cosplay Cape, Pirate Costume, Carnival Mask`

export const niches: ReadonlyArray<ParentNiche> = tree
  .split("#")
  .slice(1)
  .map((block, parentIndex) => {
    const [head = "", ...lines] = block.trim().split("\n")
    const [key, name = "", kind, priceFactor] = head.split(":").map((part) => part.trim())
    const id = (parentIndex + 1) * 100
    return {
      id,
      key: found(parentKeys, key),
      name,
      kind: found(kinds, kind),
      priceFactor: Number(priceFactor),
      children: lines.map((line, index) => {
        const [name = "", nouns = ""] = line.split(":")
        return { id: id + index + 1, name: name.trim(), nouns: nouns.split(",").map((noun) => noun.trim()) }
      })
    }
  })
