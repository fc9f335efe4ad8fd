/** Files of ads, in the forms in which the Ad Library and tools that read it write them. */
import { Prng } from "../../demo/Prng.ts"
import { day, domain, image, row, rowOf, text, titled } from "./Values.ts"

/** Ads as the pages of the Ad Library have them today. Older pages have the same names in camel case. */
function* ads(count: number) {
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "ad", at)
    const card = () => ({
      title: titled(random),
      body: text(random, 150),
      caption: "oakline.example.com",
      cta_text: "Shop now",
      cta_type: "SHOP_NOW",
      link_url: `https://${domain(at % 500)}/products/${at}`,
      original_image_url: image(random),
      resized_image_url: image(random)
    })
    const { body, ...own } = card()
    yield {
      ad_archive_id: String(1_000_000_000 + at),
      page_id: String(100_000 + (at % 500)),
      page_name: `Page ${at % 500}`,
      is_active: random.chance(0.7),
      start_date: 1_767_225_600 + random.int(0, 10_000_000),
      end_date: 1_780_000_000,
      collation_count: 1,
      collation_id: null,
      currency: "",
      spend: null,
      reach_estimate: null,
      impressions_with_index: { impressions_text: null, impressions_index: -1 },
      categories: ["UNKNOWN"],
      gated_type: "ELIGIBLE",
      publisher_platform: ["FACEBOOK", "INSTAGRAM"],
      page_is_deleted: false,
      snapshot: {
        ...own,
        body: { text: body + text(random, random.int(50, 500)) },
        display_format: random.pick(["VIDEO", "IMAGE", "CAROUSEL", "DCO", "DPA"]),
        link_description: null,
        branded_content: null,
        page_categories: ["Shopping & Retail"],
        page_like_count: random.int(0, 1e6),
        page_profile_uri: `https://www.facebook.com/page${at % 500}/`,
        page_profile_picture_url: image(random),
        country_iso_code: null,
        byline: null,
        images: [{ original_image_url: image(random), resized_image_url: image(random) }],
        videos: [],
        cards: random.chance(0.25) ? [card(), card(), card()] : []
      }
    }
  }
}

function* joined(before: string, count: number, written: (ad: object) => string, after: string): Generator<string> {
  yield before
  let separator = ""
  for (const ad of ads(count)) {
    yield separator + written(ad)
    separator = ","
  }
  yield after
}

const inCamelCase = (ad: object): string =>
  JSON.stringify(ad)
    .replace('"ad_archive_id"', '"adArchiveID"')
    .replace('"page_id"', '"pageID"')
    .replace('"collation_id"', '"collationID"')
    .replaceAll(/"[a-z]+(?:_[a-z]+)+":/gu, (name) =>
      name.replaceAll(/_[a-z]/gu, (found) => found.charAt(1).toUpperCase())
    )

export const olderPage = (count: number) => joined('{"results":[', count, (ad) => `[${inCamelCase(ad)}]`, "]}")

export const page = (count: number) =>
  joined(
    '{"data":{"ad_library_main":{"search_results_connection":{"edges":[',
    count,
    (ad) => `{"node":{"collated_results":[${JSON.stringify(ad)}]}}`,
    "]}}}}"
  )

export const list = (count: number) => joined("[", count, (ad) => JSON.stringify(ad), "]")

type Value = string | number | boolean | null | { readonly [name: string]: Value } | ReadonlyArray<Value>

const leavesOf = (value: Value, path: string): Array<readonly [string, string]> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, path === "" ? name : `${path}.${name}`))
    : [[path, value === null ? "" : String(value)]]

/** A column for each value, as data-set services export records. */
export function* table(count: number): Generator<string> {
  const header = new Set(Array.from(ads(100)).flatMap((ad) => leavesOf(ad, "").map(([path]) => path)))
  const rowFrom = rowOf(Array.from(header))
  yield row(Array.from(header))
  for (const ad of ads(count)) yield rowFrom(Object.fromEntries(leavesOf(ad, "")))
}

/** The answer of the official interface. */
export function* archive(count: number): Generator<string> {
  yield '{"data":['
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "archived", at)
    const ad = {
      id: String(1_000_000_000 + at),
      ad_creation_time: day(random),
      ad_creative_bodies: [text(random, random.int(50, 500))],
      ad_creative_link_captions: [domain(at % 500)],
      ad_creative_link_descriptions: [text(random, 60)],
      ad_creative_link_titles: [titled(random)],
      ad_delivery_start_time: day(random),
      ad_snapshot_url: `https://www.facebook.com/ads/archive/render_ad/?id=${at}&access_token=none`,
      currency: "USD",
      estimated_audience_size: { lower_bound: "1000", upper_bound: "5000" },
      impressions: { lower_bound: "1000", upper_bound: "4999" },
      languages: ["en"],
      page_id: String(100_000 + (at % 500)),
      page_name: `Page ${at % 500}`,
      publisher_platforms: ["facebook", "instagram"],
      spend: { lower_bound: "0", upper_bound: "99" },
      demographic_distribution: ["18-24", "25-34", "35-44", "45-54"].map((age) => ({
        age,
        gender: "female",
        percentage: "0.25"
      })),
      delivery_by_region: ["Ohio", "Texas", "Utah"].map((region) => ({ region, percentage: "0.33" })),
      target_ages: ["18", "65+"]
    }
    yield (at === 1 ? "" : ",") + JSON.stringify(ad)
  }
  yield '],"paging":{"cursors":{"after":"x"},"next":"https://graph.facebook.com/x"}}'
}
