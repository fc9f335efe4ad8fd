/** `/language`: the answer to the form at the end of every page, which chooses its language (D118). */
import { Effect, Layer, Schema } from "effect"
import { AppConfig } from "../../../Config.ts"
import { languages } from "../../../domain/Messages.ts"
import * as LanguageChoice from "../shared/LanguageChoice.ts"
import { overviewPath } from "../shared/Layout.ts"
import { PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"

const Query = Schema.Struct({ to: Schema.Literals(languages), back: ReturnTo.field.return_to })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const choice = LanguageChoice.of(yield* AppConfig)

    yield* routes.page(
      LanguageChoice.languagePath,
      reads(Query, (_, { back, to }) => Effect.succeed(choice.set(to)(seeOther(ReturnTo.parse(back) ?? overviewPath))))
    )
  })
)
