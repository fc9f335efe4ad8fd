/** The values of a statement. They travel beside its text, so that no value of a customer is ever part of it. */
import type { Statement } from "./ClickHouse.ts"

type Values = NonNullable<Statement["params"]>
type Type = "Int32" | "Int64" | "UInt32" | "Float64" | "Array(Int32)" | "Array(UInt32)" | "Array(String)"

export class Parameters {
  readonly values: Record<string, Values[string]> = {}
  #count = 0

  /** The placeholder of a value. */
  add(type: Type, value: Values[string]): string {
    const name = `p${this.#count++}`
    this.values[name] = value
    return `{${name}:${type}}`
  }
}
