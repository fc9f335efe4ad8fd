/** The law of the log of changes (D110): the changes between two versions, applied to what is known in the first, give the second. */
import { assert } from "@effect/vitest"
import { Schema } from "effect"
import { figures } from "./Deliveries.ts"
import type { ChangeRow, Kept, Store } from "./Deliveries.ts"

const Facts = Schema.Struct({
  theme: Schema.optional(Schema.String),
  apps: Schema.Array(Schema.String),
  pixels: Schema.Array(Schema.String)
})
const Numbers = Schema.Record(Schema.String, Schema.Unknown)

/** Applies a change; one that does not fit what is known is a defect of the log. */
export const apply = (kept: Kept, change: ChangeRow): void => {
  const shopId = change.shop_id ?? 0
  const recordId = change.record_id ?? 0
  const name = change.name ?? ""
  const store = (): Store => {
    const found = kept.stores.get(shopId)
    if (found === undefined) throw new Error(`no store ${shopId} for ${change.kind}`)
    return found
  }
  const fits = (is: boolean) => assert.isTrue(is, JSON.stringify(change))
  switch (change.kind) {
    case "store_appeared": {
      fits(!kept.stores.has(shopId))
      const { apps, pixels, theme } = Schema.decodeUnknownSync(Facts)(change.facts)
      const facts = Schema.decodeUnknownSync(Numbers)(change.facts)
      kept.stores.set(shopId, {
        figures: Object.fromEntries(figures.flatMap((name) => (name in facts ? [[name, Number(facts[name])]] : []))),
        theme: theme ?? null,
        apps: new Set(apps),
        pixels: new Set(pixels),
        months: {}
      })
      return
    }
    case "store_gone":
      fits(kept.stores.delete(shopId))
      for (const [id, { shop }] of kept.products) if (shop === shopId) kept.products.delete(id)
      for (const [id, { shop }] of kept.ads) if (shop === shopId) kept.ads.delete(id)
      return
    case "figure_changed":
      fits((store().figures[name] ?? null) === change.old && change.old !== change.new)
      if (change.new === null) delete store().figures[name]
      else store().figures[name] = change.new
      return
    case "theme_added":
      fits(store().theme === null)
      store().theme = change.name
      return
    case "theme_removed":
      fits(store().theme === change.name)
      store().theme = null
      return
    case "app_added":
    case "pixel_added": {
      const names = change.kind === "app_added" ? store().apps : store().pixels
      fits(!names.has(name))
      names.add(name)
      return
    }
    case "app_removed":
    case "pixel_removed":
      fits((change.kind === "app_removed" ? store().apps : store().pixels).delete(name))
      return
    case "visits_added":
    case "visits_corrected":
      fits((store().months[name] ?? null) === change.old)
      store().months[name] = change.new ?? 0
      return
    case "product_appeared":
    case "product_back":
      fits(!kept.products.has(recordId))
      store()
      kept.products.set(recordId, { shop: shopId, price: change.new ?? 0 })
      return
    case "product_removed":
      fits(kept.products.get(recordId)?.price === change.old)
      kept.products.delete(recordId)
      return
    case "price_up":
    case "price_down": {
      fits(kept.products.get(recordId)?.price === change.old)
      fits((change.new ?? 0) > (change.old ?? 0) === (change.kind === "price_up"))
      kept.products.set(recordId, { shop: shopId, price: change.new ?? 0 })
      return
    }
    case "ad_appeared":
      fits(!kept.ads.has(recordId))
      kept.ads.set(recordId, { shop: change.shop_id, isActive: name === "active" })
      return
    case "ad_stopped":
    case "ad_running": {
      const isActive = change.kind === "ad_running"
      fits(kept.ads.get(recordId)?.isActive === !isActive)
      kept.ads.set(recordId, { shop: change.shop_id, isActive })
      return
    }
    case "ad_moved": {
      const ad = kept.ads.get(recordId)
      fits(ad?.shop === change.old && change.shop_id === change.new)
      kept.ads.set(recordId, { shop: change.shop_id, isActive: ad?.isActive ?? false })
      return
    }
    case "ad_removed":
      fits(kept.ads.delete(recordId))
  }
}
