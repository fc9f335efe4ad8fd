/** `/dashboard/searches`: the saved searches of the account, the number of new results of each, and their forms (D67). */
import { Effect, Layer, Option, Schema, SchemaTransformation } from "effect"
import type { HttpRouter, HttpServerResponse } from "effect/http"
import {
  maxAddress,
  maxNameCharacters,
  maxSavedSearches,
  SavedSearchName,
  searchKinds,
  SearchSubject
} from "../../../domain/search/SavedSearch.ts"
import { maxInteger } from "../../../domain/Scalars.ts"
import { savedPerPage, SavedSearches } from "../../../services/accounts/SavedSearches.ts"
import type { SavedSearch } from "../../../services/accounts/SavedSearches.ts"
import { DailyPageViews } from "../../../services/limits/DailyPageViews.ts"
import { NewResults } from "../../../services/search/NewResults.ts"
import { noChoices, Vocabulary } from "../../../services/search/Vocabulary.ts"
import type { Popular } from "../../../services/search/Vocabulary.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import * as FilterChips from "./FilterChips.ts"
import { pageField, pageLinks } from "./PageLinks.ts"
import { newsOf } from "./SavedNews.ts"
import { alertForm } from "./SearchAlerts.ts"
import { nameForm, searchesPath, searchPath } from "./SearchActions.ts"
import type { NameForm } from "./SearchActions.ts"
import { quietForm } from "../shared/ButtonForm.ts"
import { FormUnreadable, PageNotFound } from "../shared/ErrorPage.ts"
import type { PageError } from "../shared/ErrorPage.ts"
import { problemSummary, refusal } from "../shared/Fields.ts"
import { doneField, doneNotice, withDone } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import { NoFields, PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"
import type { SignedIn } from "../shared/Visitors.ts"

/** A longer name makes the whole form invalid; a shorter one that is still too long gets a message. */
const TypedName = Schema.String.check(Schema.isMaxLength(10_000))

const Mark = Schema.String.check(Schema.isPattern(/^\d{1,10}$/u)).pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isLessThanOrEqualTo(maxInteger)), SchemaTransformation.numberFromString)
)

const SaveForm = Schema.Struct({
  subject: SearchSubject,
  query: Schema.String.check(Schema.isMaxLength(maxAddress)),
  mark: Mark,
  name: TypedName
})

const RenameForm = Schema.Struct({ name: TypedName })

const isName = Schema.is(SavedSearchName)

const flashNotices = ["renamed", "removed", "full", "alert"] as const

const Query = Schema.Struct({ ...pageField(Math.ceil(maxSavedSearches / savedPerPage)), ...doneField(flashNotices) })

const renamePath = (id: number | ":id") => `${searchesPath}/${id}/rename` as const
const removePath = (id: number | ":id") => `${searchesPath}/${id}/remove` as const

interface Listed {
  readonly search: SavedSearch
  readonly news: Html | undefined
}

const item = ({ news, search }: Listed, visitor: SignedIn, popular: Popular): Html => {
  const { locale } = visitor
  const { text } = locale
  const { id, name } = search
  return html`<li data-saved-id="${id}">
    <p>
      <a href="${searchPath(search)}"><bdi>${name}</bdi></a>
      <span class="badge">${text(`layout.section.${search.subject}`)}</span> ${news}
    </p>
    <p class="aside filters-of">${FilterChips.summary(search, { locale, popular })}</p>
    <p class="aside">${locale.html("saved.viewedAt", { at: locale.dateTime(search.viewedAt) })}</p>
    ${search.alertDueAt !== null && html`<p class="aside">${locale.html("saved.nextAlert", { at: locale.dateTime(search.alertDueAt) })}</p>`}
    <div class="manage">
      ${alertForm(search, visitor)}
      <a href="${renamePath(id)}" aria-label="${text("saved.renameOf", { name })}">${text("saved.rename")}</a>
      ${quietForm(visitor, removePath(id), text("saved.remove"), text("saved.removeOf", { name }), undefined, "danger")}
    </div>
  </li>`
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const saved = yield* SavedSearches
    const results = yield* NewResults
    const ofTheDay = yield* DailyPageViews
    const vocabulary = yield* Vocabulary
    const { page } = yield* Layout

    const list = Effect.fnUntraced(function* (visitor: SignedIn, { done, page: shown = 1 }: typeof Query.Type) {
      const { locale, session } = visitor
      const { text } = locale
      const { searches, total } = yield* saved.page(session.accountId, shown)
      const last = Math.max(1, Math.ceil(total / savedPerPage))
      // The only search of the last page may just have been removed.
      if (shown > last) return seeOther(last === 1 ? searchesPath : `${searchesPath}?page=${last}`)
      const popular = yield* Effect.orElseSucceed(vocabulary.popular, () => noChoices)
      // Only the counts show data of the catalog: names can be changed and removed without it.
      const usedUp = yield* ofTheDay.take(session.accountId).pipe(Effect.catchTag("PageViewsUsedUp", Effect.succeed))
      const listed =
        usedUp === undefined
          ? yield* Effect.forEach(
              searches,
              (search) => Effect.map(newsOf(results, search, locale), (news) => ({ search, news })),
              { concurrency: 2 }
            )
          : searches.map((search) => ({ search, news: undefined }))
      const toSearch = (subject: SearchSubject) =>
        html`<a href="${sections[subject]}">${text(`layout.section.${subject}`)}</a>`
      return page({
        heading: text("saved.heading"),
        account: visitor,
        section: "searches",
        width: "wide",
        body: html`
          ${doneNotice(done, flashNotices, (word) => text(`saved.done.${word}`, { most: maxSavedSearches }), ["full"])}
          <section class="panel">
            ${
              total === 0
                ? html`<div class="empty">
                    <p>${text("saved.empty")}</p>
                    <p>
                      ${locale.html("saved.emptyNext", { ads: toSearch("ads"), products: toSearch("products"), stores: toSearch("stores"), save: html`<strong>${text("saved.save")}</strong>` })}
                    </p>
                  </div>`
                : html`<p class="aside">${text("saved.count", { count: total, most: maxSavedSearches })}</p>
                    ${usedUp !== undefined && html`<p>${locale.html("saved.usedUp", { at: locale.dateTime(usedUp.renewsAt) })}</p>`}
                    <ul class="kept-searches">
                      ${listed.map((each) => item(each, visitor, popular))}
                    </ul>
                    ${pageLinks({ page: shown, last, hrefOf: (to) => `${searchesPath}?page=${to}`, locale })}`
            }
          </section>
        `
      })
    })

    /** A page with only the form of a name: to rename, and after a name was refused. */
    const nameOn = (visitor: SignedIn, heading: string, isBad: boolean, form: NameForm) => {
      const { text } = visitor.locale
      const error = isBad ? text("saved.badName", { most: maxNameCharacters }) : undefined
      const refused = error === undefined ? undefined : refusal(400, { field: "name", message: error })
      return page({
        heading,
        refused,
        account: visitor,
        section: "searches",
        body: html`
          ${problemSummary(refused?.problems)} ${nameForm(visitor, { ...form, error })}
          <p><a href="${searchesPath}">${text("saved.heading")}</a></p>
        `
      })
    }

    const save = Effect.fnUntraced(function* (form: typeof SaveForm.Type, visitor: SignedIn) {
      const { mark, name, subject } = form
      const { text } = visitor.locale
      const query = Option.getOrUndefined(searchKinds[subject].canonical(form.query))
      if (query === undefined) return yield* new FormUnreadable()
      if (!isName(name)) {
        const hidden = { subject, query, mark }
        return nameOn(visitor, text("saved.save"), true, {
          action: searchesPath,
          button: text("saved.button"),
          hidden,
          name
        })
      }
      return yield* saved.save(visitor.session.accountId, { subject, query, mark, name }).pipe(
        Effect.as(seeOther(searchPath({ subject, query }))),
        Effect.catchTag("TooManySavedSearches", () => Effect.succeed(seeOther(withDone(searchesPath, "full"))))
      )
    })

    const renaming = (visitor: SignedIn, id: number, name: string, isBad: boolean) => {
      const { text } = visitor.locale
      const form = { action: renamePath(id), button: text("saved.rename"), name }
      return nameOn(visitor, text("saved.renameHeading"), isBad, form)
    }

    const ask = Effect.fnUntraced(
      function* (visitor: SignedIn) {
        const id = yield* pathId
        const { name } = yield* saved.get(visitor.session.accountId, id)
        return renaming(visitor, id, name, false)
      },
      Effect.catchTag("SavedSearchNotFound", noPage)
    )

    const rename = Effect.fnUntraced(
      function* ({ name }: typeof RenameForm.Type, visitor: SignedIn) {
        const id = yield* pathId
        const { accountId } = visitor.session
        if (!isName(name)) {
          yield* saved.get(accountId, id)
          return renaming(visitor, id, name, true)
        }
        yield* saved.rename(accountId, id, name)
        return seeOther(withDone(searchesPath, "renamed"))
      },
      Effect.catchTag("SavedSearchNotFound", noPage)
    )

    // A search that is removed already, or belongs to another account, gets the same answer as one that is removed now.
    const remove = Effect.fnUntraced(function* (visitor: SignedIn) {
      yield* Effect.catchTag(
        saved.remove(visitor.session.accountId, yield* pathId),
        "SavedSearchNotFound",
        () => Effect.void
      )
      return seeOther(withDone(searchesPath, "removed"))
    })

    const form = <A>(
      path: `/${string}`,
      schema: Schema.ConstraintDecoder<A>,
      submit: (
        form: A,
        visitor: SignedIn
      ) => Effect.Effect<HttpServerResponse.HttpServerResponse, PageError, HttpRouter.RouteContext>
    ) =>
      routes.signedInForm(path, searchesPath, schema, (form, visitor) =>
        access.allowUncounted(visitor, "searches", submit(form, visitor))
      )

    yield* routes.signedInPage(
      searchesPath,
      reads(Query, (visitor, query) => access.allowUncounted(visitor, "searches", list(visitor, query)))
    )
    yield* form(searchesPath, SaveForm, save)
    yield* routes.signedInPage(renamePath(":id"), (visitor) => access.allowUncounted(visitor, "searches", ask(visitor)))
    yield* form(renamePath(":id"), RenameForm, rename)
    yield* form(removePath(":id"), NoFields, (_, visitor) => remove(visitor))
  })
)

const noPage = () => Effect.fail(new PageNotFound())
