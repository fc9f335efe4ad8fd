// Renders each kind of answer.

import { badge, drawn, element, figures, foreign, growth, link, links, picture, table } from "./elements.js"
import { format, text } from "./locale.js"

const card = (...children) => element("li", { class: "card" }, ...children)

const storeLine = (shop) =>
  element("p", { class: "aside" }, foreign("bdi", shop.name), ` · ${shop.domain} · ${format.country(shop.country)}`)

const adCard = (ad) =>
  card(
    picture(ad.image_url, "wide"),
    foreign("h2", ad.page_name),
    ad.shop === null ? undefined : storeLine(ad.shop),
    element(
      "p",
      { class: "badges" },
      badge(text(`card.statuses.${ad.status}`), ad.status === "active" ? "good" : ""),
      badge(text(`card.mediaTypes.${ad.media_type}`)),
      ad.is_partnership ? badge(text("card.partnership")) : undefined
    ),
    ad.headline === null ? undefined : foreign("p", ad.headline, { class: "headline" }),
    ad.ad_text === null ? undefined : foreign("p", ad.ad_text.replaceAll(/\n\s*\n/gu, "\n"), { class: "wording" }),
    ad.cta === null ? undefined : element("p", {}, element("span", { class: "cta", lang: "en" }, ad.cta)),
    figures([
      [text("card.view.days"), ad.active_days],
      [text("card.view.started"), ad.started_at, format.day]
    ]),
    links(
      link(ad.ad_library_url, text("card.adLibrary")),
      link(ad.landing_url, text("card.landingPage")),
      link(ad.dashboard_url, text("card.view.more"))
    )
  )

const productCard = ({ currency, dashboard_url, image_url, price, shop, title, url }) =>
  card(
    picture(image_url, "square"),
    foreign("h2", title),
    element("p", { class: "price" }, format.money(price, currency)),
    storeLine(shop),
    figures(
      [
        [text("store.figure.revenue"), shop.estimated_monthly_revenue, (value) => format.money(value, currency, 0)],
        [text("store.figure.orders"), shop.estimated_monthly_orders],
        [text("store.figure.visits"), shop.monthly_visits],
        [text("store.figure.growth"), shop.traffic_growth_pct, growth],
        [text("store.figure.active_ads"), shop.active_ads]
      ],
      { onlyKnown: true }
    ),
    links(link(url, text("card.view.product")), link(dashboard_url, text("card.view.more")))
  )

/** The figures of the catalog that are numbers: name, field of the answer, unit and whether it is rounded. */
const declared = JSON.parse(document.getElementById("figures").textContent)

const storeFigures = (shop) =>
  declared.map(({ field, isRounded, name, unit }) => [
    text(`store.figure.${name}`),
    shop[field],
    unit === "money"
      ? (value) => format.money(value, shop.currency, isRounded ? undefined : 0)
      : unit === "percentage"
        ? growth
        : undefined
  ])

const storeBadges = (shop) =>
  element(
    "p",
    { class: "badges" },
    shop.is_own === true ? badge(text("store.badges.own"), "good") : undefined,
    shop.is_tracked ? badge(text("store.badges.tracked"), "good") : undefined,
    shop.niche === null ? undefined : badge(shop.niche.name)
  )

const storeCard = (shop) =>
  card(
    foreign("h2", shop.name),
    element("p", { class: "aside" }, `${shop.domain} · ${format.country(shop.country)}`),
    storeBadges(shop),
    figures(storeFigures(shop), { onlyKnown: true }),
    links(link(`https://${shop.domain}/`, shop.domain), link(shop.dashboard_url, text("card.view.more")))
  )

/** In English, as the answer has them. */
const warnings = (content) =>
  (content.warnings ?? []).map((warning) => element("p", { class: "aside", lang: "en" }, warning))

const results = (title, toCard) => (content) => {
  const { pagination, results, truncated } = content
  const summary = [
    text("card.view.count", { count: format.number(pagination.total) }),
    text("card.view.page", { page: format.number(pagination.page) })
  ]
  return [
    element("h1", {}, text(title)),
    element("p", { class: "aside" }, summary.join(" · ")),
    ...warnings(content),
    results.length === 0
      ? element("p", {}, content.notice ?? text("card.view.none"))
      : element("ul", { class: "cards", role: "list" }, results.map(toCard)),
    truncated === true ? element("p", { class: "aside" }, text("card.view.cut")) : undefined
  ]
}

const columnHeight = 100

const monthNumber = (month) => Number(month.slice(0, -3)) * 12 + Number(month.slice(-2))

/** A chart with columns over time and gaps for months without data, and a table for people who cannot see it. */
const trafficChart = (traffic) => {
  if (traffic.length === 0) return [element("p", {}, text("store.noTraffic"))]
  const top = Math.max(1, ...traffic.map(({ visits }) => visits))
  const title = text("store.trafficTitle")
  const [first, last] = [traffic[0], traffic.at(-1)]
  const columns = traffic.map(({ month, visits }) => {
    const place = monthNumber(month) - monthNumber(first.month)
    const height = (visits / top) * columnHeight
    const label = drawn("title", {}, `${format.month(month)}: ${format.number(visits)}`)
    return drawn("rect", { x: place * 10 + 1, y: columnHeight - height, width: 8, height }, label)
  })
  return [
    element(
      "figure",
      {},
      element("figcaption", {}, title),
      element("p", { class: "scale aside", "aria-hidden": "true" }, format.compact(top)),
      drawn(
        "svg",
        {
          viewBox: `0 0 ${(monthNumber(last.month) - monthNumber(first.month) + 1) * 10} ${columnHeight}`,
          preserveAspectRatio: "none",
          role: "img",
          "aria-label": title
        },
        ...columns
      ),
      element(
        "p",
        { class: "axis aside", "aria-hidden": "true" },
        element("span", {}, format.month(first.month)),
        element("span", {}, format.month(last.month))
      )
    ),
    element(
      "details",
      {},
      element("summary", {}, text("chart.asTable")),
      table(
        text("store.month"),
        text("store.monthVisits"),
        traffic.map(({ month, visits }) => [format.month(month), format.number(visits)])
      )
    )
  ]
}

const named = (items) => (items.length === 0 ? null : items)

/** The search page of the dashboard with all items of the store. */
const ofStore = ({ dashboard_url, id }, section) =>
  new URL(`../${section}?shop_ids=${id}&sort_by=newest`, dashboard_url).href

const storeSheet = (shop) => [
  foreign("h1", shop.name),
  storeBadges(shop),
  links(
    link(`https://${shop.domain}/`, shop.domain),
    link(shop.dashboard_url, text("card.view.more")),
    link(ofStore(shop, "products"), text("store.moreProducts")),
    link(ofStore(shop, "ads"), text("store.moreAds"))
  ),
  element("h2", {}, text("store.figures")),
  figures(storeFigures(shop)),
  element("h2", {}, text("store.traffic")),
  ...trafficChart(shop.traffic),
  element("h2", {}, text("store.about")),
  figures([
    [text("store.country"), shop.country, format.country],
    [text("store.figure.created"), shop.created_on, format.day],
    [text("store.niche"), named(shop.niches.map(({ name }) => name).toReversed()), (names) => names.join(" › ")],
    [text("store.languages"), named(shop.languages), (languages) => format.list(languages.map(format.language))],
    [text("store.theme"), shop.theme, String],
    [text("store.pixels"), named(shop.pixels), format.list],
    [text("store.networks"), named(shop.social_networks), format.list],
    [text("store.apps"), named(shop.apps), format.list]
  ])
]

/** The figures that bars can show, each with the key of its name and its format. */
const measures = {
  stores: ["search.headings.stores", format.number],
  active_ads: ["store.figure.active_ads", format.number],
  products: ["store.figure.products_count", format.number],
  visits: ["store.figure.visits", format.number],
  median_visits: ["card.view.medianVisits", format.number],
  median_growth: ["card.view.medianGrowth", growth]
}

const bar = (share) => {
  const filled = element("span", {})
  filled.style.inlineSize = `${Math.max(0, Math.min(1, share)) * 100}%`
  return element("div", { class: "bar", "aria-hidden": "true" }, filled)
}

/** Shows bars for the figure that the groups are sorted by. */
const market = (content, { group_by, sort_by = "stores" }) => {
  const { groups, results, total } = content
  const shown = sort_by in measures ? sort_by : "stores"
  const [label, write] = measures[shown]
  const most = Math.max(0, ...results.map((group) => group[shown] ?? 0))
  const others = Object.entries(measures).filter(([name]) => name !== shown)
  const nameOfGroup =
    { country: format.country, currency: format.currency, language: format.language }[group_by] ?? String
  const row = (group) =>
    element(
      "li",
      {},
      element(
        "div",
        { class: "heading" },
        group.value === null ? element("h2", {}, text("card.view.without")) : foreign("h2", nameOfGroup(group.value)),
        element("strong", {}, group[shown] === null ? text("store.unknown") : write(group[shown]))
      ),
      bar(most === 0 ? 0 : (group[shown] ?? 0) / most),
      figures(
        [
          [text("card.view.share"), group.share_pct, format.percent],
          ...others.map(([name, [key, writeOther]]) => [text(key), group[name], writeOther]),
          ...group.revenue.map(({ currency, median }) => [
            text("card.view.medianRevenue"),
            median,
            (value) => format.money(value, currency, 0)
          ])
        ],
        { onlyKnown: true }
      )
    )
  return [
    element("h1", {}, text("card.view.market")),
    element(
      "p",
      { class: "aside" },
      [text("card.view.groups", { count: format.number(groups) }), text(label)].join(" · ")
    ),
    ...warnings(content),
    figures(Object.entries(total).map(([name, value]) => [text(measures[name][0]), value])),
    results.length === 0
      ? element("p", {}, text("card.view.none"))
      : element("ul", { class: "bars", role: "list" }, results.map(row))
  ]
}

/** The functions that render `structuredContent` and the arguments of the call, by the name of the card. */
export const views = {
  ads: results("search.headings.ads", adCard),
  products: results("search.headings.products", productCard),
  stores: results("search.headings.stores", storeCard),
  store: (content) =>
    content.results === undefined
      ? storeSheet(content)
      : [...warnings(content), ...content.results.flatMap((shop) => storeSheet(shop))],
  market
}
