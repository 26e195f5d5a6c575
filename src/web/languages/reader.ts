import { AsyncLocalStorage } from 'node:async_hooks'

/** The reader of what a request answers. */
interface Reader {
  /** As in `lang` of HTML. */
  language: string
}

const reader = new AsyncLocalStorage<Reader>()

/** Runs work whose texts are in a language. */
export const inLanguage = <Result>(language: string, work: () => Result): Result => reader.run({ language }, work)

/** Sets the language of the request, once it is known who reads the answer. */
export function readIn(language: string): void {
  const current = reader.getStore()
  if (current) current.language = language
}

/**
 * Returns the language of the reader, as in `lang` of HTML. Throws outside of a request: a text that is read when a module
 * is loaded would be in one language for all readers.
 */
export function readerLanguage(): string {
  const current = reader.getStore()
  if (!current) throw new Error('a text of pages is read outside of a request, so its language is unknown')
  return current.language
}

/** Returns a function that returns a value of the reader's language, and makes one for each language. */
export function perLanguage<Value>(make: (language: string) => Value): () => Value {
  const made = new Map<string, Value>()
  return () => {
    const language = readerLanguage()
    let value = made.get(language)
    if (value === undefined) made.set(language, (value = make(language)))
    return value
  }
}
