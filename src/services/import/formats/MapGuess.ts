/** Guesses a map to start with, by the names of a table's columns and the form of their first values. */
import { Result } from "effect"
import { byField } from "../../../domain/catalog/Figures.ts"
import * as StoreDomain from "../../../domain/catalog/StoreDomain.ts"
import { amount, flag, host, text } from "./Foreign.ts"
import { fieldsOf, recordNames } from "./MapFields.ts"
import type { RecordName } from "./MapFields.ts"
import { requiredOf } from "./Mapping.ts"
import type { Mapping, Source } from "./Mapping.ts"
import * as ReadAs from "./ReadAs.ts"
import type { Field } from "./ReadAs.ts"
import * as Sample from "./Sample.ts"
import * as ShopCsv from "./ShopCsv.ts"

/** Possible column names for each field, the best first, in lower case and without spaces and punctuation. */
type Names = Readonly<Record<string, ReadonlyArray<string>>>

const words = (text: string): ReadonlyArray<string> => text.split(" ")

const storeNames = words("shop domain rootdomain storedomain shopdomain store website storeurl shopurl host")
const createdNames = words("createdat created createdon publishedat dateadded firstseen datecreated")

const shopNames: Names = {
  domain: [
    ...ShopCsv.columns.domain,
    ...words("domainname"),
    ...storeNames,
    ...words("homepage site url web webaddress")
  ],
  name: [...ShopCsv.columns.name, ...words("shopname storename companyname merchant brand brandname account store")],
  country: [...ShopCsv.columns.country, ...words("countryiso hqcountry location market")],
  currency: [...ShopCsv.columns.currency, ...words("currencycode")],
  languages: [...ShopCsv.columns.language, ...words("languages locale lang")],
  created_on: [...ShopCsv.columns.created, ...createdNames, ...words("launched founded firstdetected")],
  ...byField(({ columns, guesses }) => [...columns, ...guesses]),
  theme: [...ShopCsv.columns.theme, ...words("themename")],
  apps: [...ShopCsv.columns.apps, ...words("installedapps appnames plugins")],
  pixels: words("pixels trackingpixels"),
  social_networks: words("socialnetworks socials"),
  categories: [...ShopCsv.columns.categories, ...words("category industry vertical niche")]
}

const productNames: Names = {
  shop: [...storeNames, ...words("shopname merchant")],
  key: words(
    "handle urlhandle slug productid id key productkey asin itemid sku gtin producturl productlink permalink url link"
  ),
  title: words("title producttitle productname name item product itemname"),
  url: words("url producturl link productlink permalink pageurl"),
  image_url: words("imageurl image imagesrc imagelink mainimage picture photo thumbnail img"),
  price: words(
    "price variantprice saleprice currentprice finalprice amount minprice lowestprice unitprice retailprice regularprice listprice pricecents priceincents priceminor unitamount"
  ),
  status: words("status productstatus published ispublished visibility visible active isactive state"),
  created_at: createdNames,
  "details.description_html": words("description bodyhtml body longdescription productdescription"),
  "details.vendor": words("vendor brand manufacturer brandname"),
  "details.product_type": words("producttype type category productcategory googleproductcategory"),
  "details.tags": words("tags keywords labels")
}

const adNames: Names = {
  key: words("adarchiveid adid libraryid adlibraryid id key creativeid"),
  shop: words("shop storedomain shopdomain domain store"),
  ad_archive_id: words("adarchiveid libraryid adlibraryid"),
  page_name: words("pagename page advertiser advertisername brand account accountname brandname"),
  status: words("status adstatus isactive active state running"),
  media_type: words("mediatype displayformat adformat format adtype type creativetype"),
  headline: words("headline title adtitle linktitle"),
  ad_text: words(
    "adtext adprimarytext adcreativebodies creativebody text body copy adcopy primarytext message adbody caption"
  ),
  cta: words("cta ctatext ctatype calltoaction button buttontext"),
  landing_url: words(
    "landingurl addestinationurl adlandingpage landingpage linkurl link destinationurl url targeturl landingpageurl"
  ),
  image_url: words("imageurl image thumbnail thumbnailurl creativeurl mediaurl preview"),
  ad_library_url: words("adlibraryurl libraryurl adurl snapshoturl adsnapshoturl"),
  started_on: words(
    "startedon adstartdate adstarttime addeliverystarttime startedrunningon startdate started start firstseen adstart firstseenon datestarted launched"
  ),
  last_seen_on: words("lastseenon lastseen enddate ended end stopdate lastactive"),
  is_partnership: words("ispartnership partnership brandedcontent paidpartnership")
}

const trafficNames: Names = {
  shop: [...storeNames, ...words("site url")],
  month: words("month date period yearmonth reportmonth"),
  visits: words("visits monthlyvisits estimatedmonthlyvisits sessions totalvisits traffic visitors")
}

const namesOf: Readonly<Record<RecordName, Names>> = {
  shop: shopNames,
  product: productNames,
  ad: adNames,
  traffic_month: trafficNames
}

const fold = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")

/** `record`: the type of the table's records, if known. Required fields without a match get the column "". */
export const guess = (sample: Sample.Sample, record?: RecordName): Mapping => {
  const isOfAds = sample.columns.some((name) => /^(?:ad[_\s-]|page[_\s-]?name$|snapshot\b)/iu.test(name))
  const isOfProducts = ShopCsv.productColumn(sample.columns) !== undefined
  const possible: ReadonlyArray<RecordName> = isOfAds ? ["ad"] : isOfProducts ? ["product"] : recordNames
  const guesses = (record === undefined ? possible : [record]).map((record) => {
    const fields = fieldsBy(sample, record)
    const missing = requiredOf({ record, fields })
    return { record, fields, missing, score: Object.keys(fields).length - 2 * missing.length }
  })
  const best = guesses.reduce((best, one) => (one.score > best.score ? one : best))
  const { fields, missing } = best
  return {
    record: best.record,
    fields: { ...Object.fromEntries(missing.map((name) => [name, { column: "" }])), ...fields }
  }
}

const fieldsBy = (sample: Sample.Sample, record: RecordName): Mapping["fields"] => {
  // Full names take precedence over the last names of paths.
  const byName = new Map<string, string>()
  for (const column of sample.columns) if (!byName.has(fold(column))) byName.set(fold(column), column)
  for (const column of sample.columns) {
    const last = fold(column.slice(column.lastIndexOf(".") + 1))
    if (!byName.has(last)) byName.set(last, column)
  }
  const used = new Set<string>()
  const sources = new Map<string, Source>()
  const take = (name: string, column: string | undefined) => {
    const field = fieldsOf[record][name]
    // The id of an ad is used for two fields, and so is the address of a product, which has its handle.
    const isShared = name === "ad_archive_id" || (record === "product" && name === "url")
    if (column === undefined || field === undefined || (used.has(column) && !isShared)) return
    used.add(column)
    const cents = /(?:cents|minor|unit_?amount)$/iu.test(column) && field.as === "money" ? { divide_by: 100 } : {}
    sources.set(name, { column, ...wayOf(field, valuesOf(sample, column)), ...cents })
  }
  const required = new Set(requiredOf({ record, fields: {} }))
  for (const [name, aliases] of Object.entries(namesOf[record])) {
    const field = fieldsOf[record][name]
    const columns = Array.from(new Set(aliases.flatMap((alias) => byName.get(fold(alias)) ?? [])))
    if (field === undefined) continue
    take(name, name === "key" ? keyOf(sample, columns, byName) : columnOf(sample, field, columns, required.has(name)))
  }
  const store = storeFields[record]
  if (store !== undefined && !sources.has(store)) {
    take(
      store,
      sample.columns.find((column) => !used.has(column) && hasDomains(valuesOf(sample, column)))
    )
  }
  return Object.fromEntries(
    Object.keys(namesOf[record]).flatMap((name) =>
      sources.has(name) ? [[name, sources.get(name) ?? {}] as const] : []
    )
  )
}

/** A value that a field may have, as far as its form tells. */
const fits = (field: Field, value: string): boolean => {
  switch (field.as) {
    case "number":
    case "money":
    case "date":
      return /\d/u.test(value)
    case "domain":
      return isOfStore(value)
    default:
      return field.flags === undefined || flag(value) !== null || isWordOf(field, value)
  }
}

const isWordOf = ({ translate, words = [] }: Field, value: string): boolean =>
  words.includes((translate?.(value) ?? value).toLowerCase())

/** The first of the columns that has values for the field. A required one is that which most records have. */
const columnOf = (
  sample: Sample.Sample,
  field: Field,
  columns: ReadonlyArray<string>,
  isRequired: boolean
): string | undefined => {
  const counted = columns.map((column) => {
    const values = valuesOf(sample, column)
    return { column, isEmpty: values.length === 0, fitting: values.filter((value) => fits(field, value)).length }
  })
  const most = Math.max(0, ...counted.map(({ fitting }) => fitting))
  const found = counted.find(({ fitting }) => fitting > 0 && (!isRequired || fitting === most))
  // The first records may lack an optional value.
  return (found ?? counted.find(({ isEmpty }) => isEmpty && (!isRequired || sample.records.length === 0)))?.column
}

/** The first of the columns that all records have and by which records with different titles differ; else the fullest one. */
const keyOf = (
  sample: Sample.Sample,
  columns: ReadonlyArray<string>,
  byName: ReadonlyMap<string, string>
): string | undefined => {
  const titleColumn = productNames["title"]?.flatMap((alias) => byName.get(alias) ?? [])[0]
  const titleOf = titleColumn === undefined ? () => undefined : Sample.at(titleColumn)
  const identifies = (column: string): boolean => {
    const get = Sample.at(column)
    const titles = new Map<string, unknown>()
    return sample.records.every((record) => {
      const key = text(get(record))
      if (key === null) return false
      const isOther = titles.has(key) && titles.get(key) !== titleOf(record)
      titles.set(key, titleOf(record))
      return !isOther
    })
  }
  return columns.find(identifies) ?? columnOf(sample, { as: "text" }, columns, true)
}

/** The field for the store, in records that need one in the table. */
const storeFields: Readonly<Partial<Record<RecordName, string>>> = { shop: "domain", traffic_month: "shop" }

const hasDomains = (values: ReadonlyArray<string>): boolean => {
  const domains = values.filter(isOfStore)
  return domains.length > 0 && domains.length >= values.length / 2
}

const isOfStore = (value: string): boolean => {
  const domain = StoreDomain.normalize(host(value))
  return StoreDomain.isPublic(domain) && !StoreDomain.isOfPlatform(domain)
}

/** Longer values do not show how to read a column. */
const maxValueCharacters = 300

const valuesOf = ({ records }: Sample.Sample, column: string): ReadonlyArray<string> => {
  const get = Sample.at(column)
  return records.flatMap((record) => {
    const value = get(record)
    const written = typeof value === "boolean" ? String(value) : text(value)
    return written === null || written.length > maxValueCharacters ? [] : [written]
  })
}

const dateForms = [
  "DD.MM.YYYY",
  "DD/MM/YYYY",
  "MM/DD/YYYY",
  "DD-MM-YYYY",
  "MMM DD, YYYY",
  "DD MMM YYYY",
  "MMM DD YYYY",
  "DD.MM.YY",
  "MM/DD/YY"
]
const monthForms = ["MM/YYYY", "MM.YYYY", "MMM YYYY", "MMM YY", "DD.MM.YYYY", "DD/MM/YYYY"]
const separators = [":", "|", ";", ","]

/** Whether the value has a comma that is not a thousands separator, because only one or two digits follow it. */
const hasDecimalComma = (value: string): boolean => /^[^\d,]*[\d.\s]*,\d{1,2}(?:\D*)$/u.test(value)

const wayOf = (field: Field, values: ReadonlyArray<string>): Source => {
  const { as } = field
  switch (as) {
    case "date": {
      const reads = (form: string | undefined) =>
        values.every((value) => {
          const read = ReadAs.make(field, { as, form, separator: undefined, values: undefined, divideBy: undefined })
          return Result.isSuccess(read) && !isWrongDate(read.success(value))
        })
      const form = reads(undefined) ? undefined : (field.to === "month" ? monthForms : dateForms).find(reads)
      return form === undefined ? { as } : { as, form }
    }
    case "list": {
      const counts = separators.map((sign) => values.filter((value) => value.includes(sign)).length)
      const most = Math.max(...counts)
      const separator = separators[counts.indexOf(most)]
      return most === 0 || separator === undefined ? { as } : { as, separator }
    }
    case "number":
    case "money": {
      const way =
        as === "number" && values.some((value) => /[^\d\s.,+'\u2019-]/u.test(value) && amount(value) !== null)
          ? "money"
          : as
      return values.some(hasDecimalComma) ? { as: way, form: "1.234,56" } : { as: way }
    }
    case "text":
      return field.flags !== undefined &&
        values.length > 0 &&
        values.every((value) => flag(value) !== null && !isWordOf(field, value))
        ? { as: "yes_no" }
        : { as }
    default:
      return { as }
  }
}

/** Whether the month or the day is out of range, because the two are swapped. */
const isWrongDate = (found: unknown): boolean => {
  if (typeof found !== "string") return true
  const [, , month = "01", day = "01"] = /^(\d{4})-(\d{2})(?:-(\d{2}))?/u.exec(found) ?? []
  return Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31
}
