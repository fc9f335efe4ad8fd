/**
 * The prompts as data (D96): the arguments of each, and the chain of its calls. A step takes values of the arguments, and values that an
 * earlier step gives.
 */
import type { RawArguments, ToolName } from "./ToolDefinition.ts"

export type Completed = "niches" | "countries" | "apps"

export interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
  /** The vocabulary that completes its value. */
  readonly completes?: Completed
}

/** Values of arguments by name; those that were left out are absent. */
export type Values = Readonly<Record<string, string>>

export interface Step {
  readonly tool: ToolName
  readonly purpose: string
  readonly call: (values: Values) => RawArguments
}

export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: ReadonlyArray<PromptArgument>
  readonly steps: ReadonlyArray<Step>
  /** How to read the answers. */
  readonly reading: string
}

/** A value that an earlier step gives: a field of its answer, by its path. */
const from = (step: number, path: string): string => `<${path} of step ${step}>`
export const isFromStep = (value: unknown): boolean =>
  typeof value === "string" && /^<[\w.]+ of step \d+>$/u.test(value)

const niche: PromptArgument = {
  name: "niche",
  description: "Name of a niche, such as Beauty.",
  required: true,
  completes: "niches"
}
const country: PromptArgument = {
  name: "country",
  description: "Country of the stores, ISO 3166-1 alpha-2, such as DE.",
  required: false,
  completes: "countries"
}

const within = ({ country: code, niche: name }: Values): RawArguments => ({
  ...(name === undefined ? {} : { niches: [name] }),
  ...(code === undefined ? {} : { countries: [code] })
})

const shopsOf = (step: number) => ({ shop_ids: from(step, "results.shop.id") })
const shopOf = (step: number) => ({ shop_ids: [from(step, "id")] })
const lasting = (values: Values): RawArguments => ({ ...within(values), active_days: { min: 60 } })

const ofStores =
  "Revenue, orders, visits, growth and active ads are figures of a store, which all its products and ads share. Money is in the store's currency: compare amounts of one currency only."

export const prompts: ReadonlyArray<Prompt> = [
  {
    name: "find_winning_products",
    title: "Find winning products",
    description: "Finds products of a niche that stores with traffic sell and advertise.",
    arguments: [niche, country],
    steps: [
      {
        tool: "search_products",
        purpose: "for the products with the best relevance score",
        call: (values) => ({ ...within(values), sort_by: "recommended", per_page: 10 })
      },
      {
        tool: "search_ads",
        purpose: "for the ads that their stores run now",
        call: () => ({ ...shopsOf(1), status: "active", sort_by: "newest", per_page: 25 })
      },
      { tool: "get_shop", purpose: "for all figures of these stores", call: () => shopsOf(1) }
    ],
    reading: `A winning product is one whose store grows and whose ads name it. ${ofStores}`
  },
  {
    name: "study_competitor",
    title: "Study a competitor",
    description: "Gets a store with its newest products and ads.",
    arguments: [{ name: "store", description: "Domain or any address of the store.", required: true }],
    steps: [
      { tool: "get_shop", purpose: "for the record of the store", call: ({ store }) => ({ domain: store }) },
      {
        tool: "search_products",
        purpose: "for its newest products",
        call: () => ({ ...shopOf(1), sort_by: "newest", per_page: 10 })
      },
      {
        tool: "search_ads",
        purpose: "for its newest ads",
        call: () => ({ ...shopOf(1), sort_by: "newest", per_page: 10 })
      },
      {
        tool: "compare_ads",
        purpose: "for the calls to action of all its ads",
        call: () => ({ group_by: "cta", filters: shopOf(1) })
      }
    ],
    reading: `Say what the store sells, what it advertises, and since when. ${ofStores}`
  },
  {
    name: "compare_markets",
    title: "Compare the markets of a niche",
    description: "Compares the countries in which a niche is sold: size, growth, prices and how many stores advertise.",
    arguments: [niche],
    steps: [
      {
        tool: "compare_markets",
        purpose: "for the number of stores, their growth and their prices by country",
        call: (values) => ({ group_by: "country", filters: within(values), prices: true })
      },
      {
        tool: "compare_markets",
        purpose: "for the share of stores that advertise now",
        call: (values) => ({
          group_by: "country",
          filters: within(values),
          share_of: { active_ads: { min: 1 } },
          sort_by: "matching_pct"
        })
      },
      {
        tool: "search_shops",
        purpose: "for the stores that grow most in these countries",
        call: (values) => ({
          ...within(values),
          countries: from(1, "results.value"),
          sort_by: "traffic_growth",
          per_page: 10
        })
      }
    ],
    reading: `A result whose value is null is of the stores without a country. ${ofStores}`
  },
  {
    name: "ads_that_last",
    title: "Find ads that last",
    description: "Finds ads of a niche that have run for two months and still run, and what they have in common.",
    arguments: [niche, country],
    steps: [
      {
        tool: "search_ads",
        purpose: "for the ads that run longest",
        call: (values) => ({ ...lasting(values), sort_by: "oldest", per_page: 10 })
      },
      {
        tool: "compare_ads",
        purpose: "for their calls to action",
        call: (values) => ({ group_by: "cta", filters: lasting(values) })
      },
      {
        tool: "compare_ads",
        purpose: "for their media types",
        call: (values) => ({ group_by: "media_type", filters: lasting(values) })
      },
      { tool: "get_shop", purpose: "for the stores that run them", call: () => shopsOf(1) }
    ],
    reading: `active_days counts to today. ${ofStores}`
  },
  {
    name: "stores_with_app",
    title: "Study the stores with an app",
    description: "Finds the stores that have an app installed, and in which niches it is used most.",
    arguments: [
      { name: "app", description: "Name of an app, such as Klaviyo.", required: true, completes: "apps" },
      country
    ],
    steps: [
      {
        tool: "search_shops",
        purpose: "for the stores with most visits",
        call: (values) => ({ ...within(values), apps: [values["app"]], sort_by: "traffic", per_page: 10 })
      },
      {
        tool: "compare_markets",
        purpose: "for the share of stores with the app by niche",
        call: (values) => ({
          group_by: "niche",
          filters: within(values),
          share_of: { apps: [values["app"]] },
          sort_by: "matching_pct"
        })
      }
    ],
    reading: `A share of few stores says little: look at the number of stores beside it. ${ofStores}`
  }
]
