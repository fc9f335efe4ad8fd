/** The closed vocabularies of the catalog (S10, S51, S53, S55, S64, S65). */

export const languages = [
  "English",
  "French",
  "Spanish",
  "German",
  "Italian",
  "Portuguese",
  "Dutch",
  "Polish",
  "Norwegian",
  "Swedish",
  "Danish",
  "Finnish",
  "Chinese",
  "Japanese",
  "Korean",
  "Arabic",
  "Russian",
  "Turkish",
  "Hindi",
  "Thai",
  "Vietnamese",
  "Indonesian",
  "Greek",
  "Czech",
  "Hungarian",
  "Romanian"
] as const
export type Language = (typeof languages)[number]

export const pixels = [
  "TikTok",
  "Snapchat",
  "Facebook",
  "Instagram",
  "Google",
  "Twitter",
  "Pinterest",
  "Reddit",
  "TripleWhale",
  "Applovin"
] as const
export type Pixel = (typeof pixels)[number]

export const socialNetworks = [
  "Facebook",
  "Instagram",
  "TikTok",
  "YouTube",
  "Pinterest",
  "Twitter",
  "Snapchat",
  "Reddit"
] as const
export type SocialNetwork = (typeof socialNetworks)[number]

export const mediaTypes = ["video", "image", "carousel", "dco", "dpa"] as const
export type MediaType = (typeof mediaTypes)[number]

export const ctas = [
  "Shop Now",
  "Learn More",
  "Buy Now",
  "Order Now",
  "Get Offer",
  "Call Now",
  "View product",
  "Sign Up",
  "Download",
  "Watch More",
  "Contact Us",
  "Book Now",
  "Get Quote",
  "Subscribe"
] as const
export type Cta = (typeof ctas)[number]

export const adStatuses = ["active", "inactive"] as const
export type AdStatus = (typeof adStatuses)[number]
