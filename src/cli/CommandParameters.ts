/** Parameters of commands whose help says what they may be, and what they are without it. */
import { Argument, Flag } from "effect/cli"

/** One of a closed list. The help of a flag names the list by itself, that of an argument does not. */
export const oneOf = <const Values extends ReadonlyArray<string>>(name: string, values: Values, description: string) =>
  Argument.Literals(name, values).pipe(Argument.withDescription(`${description} (choices: ${values.join(", ")})`))

/** Describes a flag, with its default. */
export const withDefault =
  <A extends string | number>(description: string, value: A) =>
  <B>(flag: Flag.Flag<B>): Flag.Flag<A | B> =>
    flag.pipe(
      Flag.withDescription(
        `${description}; default: ${typeof value === "number" ? value.toLocaleString("en") : value}`
      ),
      Flag.withDefault(value)
    )
