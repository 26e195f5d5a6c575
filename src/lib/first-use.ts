/** Returns a function that makes a value when it is first called, and returns the same one from then on. */
export function atFirstUse<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
